"""The inverted BERTScore: its evidence, its encoder, its signature."""

from __future__ import annotations

import math
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from checkpoints import JUDGE
from huggingface_hub import constants
from safetensors.torch import load_file, save_file
from scoring import A, B, parts, scores

from claimwise.errors import ClaimwiseError
from claimwise.metrics import InvertedBertscore
from claimwise.scores.bertscore import greedy_matching


def test_batching_does_not_change_inverted_bertscore(bertscore: InvertedBertscore) -> None:
    layer = int(parts(bertscore)["layer"])
    one_by_one = InvertedBertscore(batch_size=1, layer=layer, device="cpu")
    predictions, references = [*A, "Short.", "word " * 60], [*B, "😀 great", "The pool is warm."]

    assert scores(one_by_one, predictions, references) == pytest.approx(
        scores(bertscore, predictions, references), abs=1e-3
    )


def test_the_evidence_of_inverted_bertscore_gives_its_score(bertscore: InvertedBertscore) -> None:
    result = bertscore.compute(predictions=A, references=B, details=True)

    for found in result["inverted_bertscore_details"]:
        precision, recall = found["precision"], found["recall"]
        assert found["f1"] == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-4)
        assert found["score"] == pytest.approx(100 * (1 - found["f1"]), abs=1e-3)
        assert math.isfinite(found["score"])


def test_another_wording_is_nearer_than_another_subject(bertscore: InvertedBertscore) -> None:
    text = "The rooms are spotless and the staff are very kind."
    near, far = scores(
        bertscore,
        [text] * 2,
        ["The rooms are very clean and the staff are kind.", "My train to Paris left an hour late."],
    )

    assert near < far


def test_the_paper_configuration_of_inverted_bertscore_offline_says_what_to_do() -> None:
    with pytest.raises(ClaimwiseError, match=r"roberta-large.*encoder='default'"):
        InvertedBertscore("paper").compute(predictions=A, references=B)


def test_an_encoder_in_the_cache_of_the_hub_without_safetensors_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    # The copy that transformers 4 made of it when it was imported.
    monkeypatch.setattr("transformers.utils.hub.TRANSFORMERS_CACHE", str(tmp_path), raising=False)
    folder = tmp_path / "models--claimwise-tests--pickled"
    shutil.copytree(JUDGE, folder / "snapshots" / "one", ignore=lambda *_: ["model.safetensors"])
    torch.save(load_file(JUDGE / "model.safetensors"), folder / "snapshots/one/pytorch_model.bin")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("one")

    with pytest.raises(ClaimwiseError, match=r"no \.safetensors weights"):
        InvertedBertscore(encoder="claimwise-tests/pickled", layer=1, device="cpu").load()


def test_a_metric_does_not_depend_on_where_its_encoder_lies(
    bertscore: InvertedBertscore, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The bert-score package takes any name with "t5" in it, folders included, for a T5 model."""
    folder = tmp_path_factory.mktemp("t5") / "encoder"
    folder.symlink_to(JUDGE)
    layer = dict(part.split(":", 1) for part in bertscore.signature().split("|")[1:])["layer"]

    elsewhere = InvertedBertscore(encoder=str(folder), layer=int(layer), device="cpu")

    assert scores(elsewhere, A, B) == pytest.approx(scores(bertscore, A, B), abs=1e-3)


@pytest.mark.parametrize("layer", [0, 1])
def test_the_signature_of_inverted_bertscore_names_the_layer_asked_for(layer: int) -> None:
    metric = InvertedBertscore(encoder=str(JUDGE), layer=layer, device="cpu")
    assert parts(metric)["layer"] == str(layer)


@pytest.mark.parametrize(
    ("option", "value"), [("layer", 1), ("rescale_with_baseline", True), ("device", "cuda")]
)
def test_the_embedded_encoder_refuses_what_it_does_not_have(option: str, value: object) -> None:
    with pytest.raises(ClaimwiseError) as refused:
        InvertedBertscore(**{option: value}).load()
    assert refused.value.option == option


def test_greedy_matching_is_that_of_bert_score() -> None:
    from bert_score.utils import greedy_cos_idf

    generator = torch.Generator().manual_seed(1)
    for candidate, reference in ((3, 9), (12, 12), (20, 4)):
        texts = [torch.randn(count, 16, generator=generator) for count in (reference, candidate)]
        weights = [torch.tensor([[0.0, *[1.0] * (len(text) - 2), 0.0]]) for text in texts]
        masks = [torch.ones(1, len(text), dtype=torch.bool) for text in texts]
        batches = zip((text.clone()[None] for text in texts), masks, weights, strict=True)
        expected = [one.item() for one in greedy_cos_idf(*(part for batch in batches for part in batch))]

        assert greedy_matching(texts[1].numpy(), texts[0].numpy()) == pytest.approx(expected, abs=1e-6)


def test_a_text_without_tokens_of_its_own_matches_nothing() -> None:
    assert greedy_matching(np.ones((2, 4), np.float32), np.ones((5, 4), np.float32)) == (0, 0, 0)


def test_an_encoder_is_not_unpickled_beside_weights_that_transformers_does_not_read(tmp_path: Path) -> None:
    shutil.copytree(JUDGE, tmp_path, ignore=lambda *_: ["model.safetensors"], dirs_exist_ok=True)
    weights = load_file(JUDGE / "model.safetensors")
    torch.save(weights, tmp_path / "pytorch_model.bin")
    save_file(weights, tmp_path / "model_of_another_kind.safetensors")

    with pytest.raises(ClaimwiseError, match=r"no \.safetensors weights"):
        InvertedBertscore(encoder=str(tmp_path), layer=1, device="cpu").load()


@pytest.mark.slow
def test_the_embedded_encoder_gives_what_bert_score_gives_on_500_pairs(bertscore: InvertedBertscore) -> None:
    generator = random.Random(3)
    words = [
        "the",
        "pool",
        "was",
        "warm",
        "and",
        "clean",
        "room",
        "staff",
        "rude",
        "noisy",
        "bar",
        "not",
        ".",
    ]
    texts = [" ".join(generator.choices(words, k=generator.randrange(3, 40))) for _ in range(1_000)]
    by_package = InvertedBertscore(encoder=str(JUDGE), layer=3, device="cpu")

    found, expected = (scores(metric, texts[::2], texts[1::2]) for metric in (bertscore, by_package))

    assert found == pytest.approx(expected, abs=100 * 1e-4)
