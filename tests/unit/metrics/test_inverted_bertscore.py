"""The inverted BERTScore: its evidence, its encoder, its signature."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import load_file, save_file
from scoring import A, B, parts, scores

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import EMBEDDED_WEIGHTS
from claimwise.metrics import InvertedBertscore


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
    shutil.copytree(EMBEDDED_WEIGHTS, folder / "snapshots" / "one", ignore=lambda *_: ["model.safetensors"])
    torch.save(load_file(EMBEDDED_WEIGHTS / "model.safetensors"), folder / "snapshots/one/pytorch_model.bin")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("one")

    with pytest.raises(ClaimwiseError, match=r"no \.safetensors weights"):
        InvertedBertscore(encoder="claimwise-tests/pickled", layer=1, device="cpu").load()


def test_a_metric_does_not_depend_on_where_its_encoder_lies(
    bertscore: InvertedBertscore, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The bert-score package takes any name with "t5" in it, folders included, for a T5 model."""
    folder = tmp_path_factory.mktemp("t5") / "encoder"
    folder.symlink_to(EMBEDDED_WEIGHTS)
    layer = dict(part.split(":", 1) for part in bertscore.signature().split("|")[1:])["layer"]

    elsewhere = InvertedBertscore(encoder=str(folder), layer=int(layer), device="cpu")

    assert scores(elsewhere, A, B) == pytest.approx(scores(bertscore, A, B), abs=1e-3)


@pytest.mark.parametrize("layer", [0, 1])
def test_the_signature_of_inverted_bertscore_names_the_layer_asked_for(layer: int) -> None:
    assert parts(InvertedBertscore(layer=layer, device="cpu"))["layer"] == str(layer)


def test_an_encoder_is_not_unpickled_beside_weights_that_transformers_does_not_read(tmp_path: Path) -> None:
    shutil.copytree(EMBEDDED_WEIGHTS, tmp_path, ignore=lambda *_: ["model.safetensors"], dirs_exist_ok=True)
    weights = load_file(EMBEDDED_WEIGHTS / "model.safetensors")
    torch.save(weights, tmp_path / "pytorch_model.bin")
    save_file(weights, tmp_path / "model_of_another_kind.safetensors")

    with pytest.raises(ClaimwiseError, match=r"no \.safetensors weights"):
        InvertedBertscore(encoder=str(tmp_path), layer=1, device="cpu").load()
