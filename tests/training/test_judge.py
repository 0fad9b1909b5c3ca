"""How the judge is made: what it reads, and that a killed training ends as an undisturbed one does."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import recipe
import torch
import train
from aim import aim
from claims import COUNTS, Compared, compared_claims
from facts import source_nli_parts, source_nli_sentences, tells_of
from hypothesis import given
from hypothesis import strategies as st
from long_premises import amid, long_reviews, taken_back
from pairs import Pair, Sources, write_pairs
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from claimwise.judges import LABELS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
STAGE = recipe.Stage("tiny", start=(), mixture={}, rate=1e-3, final_rate=0.0, seed=5, tokens=60)


@given(st.lists(st.text("ab", min_size=1), max_size=4), st.lists(st.text("xy", min_size=1), max_size=9))
def test_what_decides_stays_in_order_among_the_others(deciding: list[str], others: list[str]) -> None:
    told = amid(deciding, others, random.Random(len(others))).split()
    assert [word for word in told if word[0] in "ab"] == deciding
    assert [word for word in told if word[0] in "xy"] == others


@given(st.lists(st.integers(3, 512), min_size=1, max_size=400))
def test_every_pair_is_read_once_in_batches_of_so_many_tokens(lengths: list[int]) -> None:
    batches = train.batches_by_tokens(lengths, 4096, random.Random(1))
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    assert all(max(lengths[row] for row in batch) * len(batch) <= 4096 for batch in batches)


def test_evidence_tells_of_a_claim_by_the_words_that_are_not_the_page_s_name() -> None:
    claim = "Ada Byron wrote about engines."
    assert not tells_of("Byron was born in London.", claim, page="Ada Byron")
    assert tells_of("She wrote letters.", claim, page="Ada Byron")


@pytest.mark.parametrize("builder", [long_reviews, source_nli_parts, source_nli_sentences, taken_back])
def test_built_pairs_have_all_labels_and_validation_premises_are_not_trained_on(builder: Any) -> None:
    drawn = {
        split: [*builder(Sources(Path("nowhere"), split), random.Random(3))]
        for split in ("train", "validation")
    }
    for pairs in drawn.values():
        counts = Counter(pair.label for pair in pairs)
        assert set(counts) == set(LABELS)
        assert min(counts.values()) > 0.02 * len(pairs)
    premises = {pair.premise for pair in drawn["train"]}
    assert not any(pair.premise in premises for pair in drawn["validation"])


@pytest.fixture
def start(tmp_path: Path) -> Path:
    """Save a tiny network with the tokenizer of the judge."""
    folder = tmp_path / "start"
    config = BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=3
    )
    torch.manual_seed(1)
    BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(ROOT / "training" / "judge" / "checkpoint").save_pretrained(folder)
    return folder


def test_a_killed_training_ends_as_an_undisturbed_one_does(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [Pair(f"The pool has {n} lanes.", "It is deep.", LABELS[n % 3], "mnli_train") for n in range(60)]
    write_pairs(tmp_path / "pairs.jsonl", pairs)
    monkeypatch.setattr(train, "CHECKPOINT_EVERY", 3)
    train.train(STAGE, tmp_path / "pairs.jsonl", start, tmp_path / "undisturbed", bf16=False)

    saved = torch.save
    saves = iter(range(100))

    def killed_at_the_third(state: Any, path: Path) -> None:
        if next(saves) == 2:
            raise KeyboardInterrupt
        saved(state, path)

    monkeypatch.setattr(torch, "save", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        train.train(STAGE, tmp_path / "pairs.jsonl", start, tmp_path / "resumed", bf16=False)
    monkeypatch.setattr(torch, "save", saved)
    train.train(STAGE, tmp_path / "pairs.jsonl", start, tmp_path / "resumed", bf16=False)

    undisturbed, resumed = (
        load_file(tmp_path / name / "model.safetensors") for name in ("undisturbed", "resumed")
    )
    for name, tensor in undisturbed.items():
        assert torch.allclose(tensor, resumed[name], atol=1e-6), name
    assert not torch.equal(
        undisturbed["classifier.weight"], load_file(start / "model.safetensors")["classifier.weight"]
    )
    assert not (tmp_path / "resumed.checkpoint").exists()


def test_an_average_lies_halfway_between_two_checkpoints(start: Path, tmp_path: Path) -> None:
    other = BertForSequenceClassification.from_pretrained(start)
    other.classifier.bias.data += 1.0
    other.save_pretrained(tmp_path / "other")
    train.average([start, tmp_path / "other"], tmp_path / "average")
    one, both = (load_file(folder / "model.safetensors") for folder in (start, tmp_path / "average"))
    assert torch.allclose(both["classifier.bias"], one["classifier.bias"] + 0.5)
    assert torch.allclose(both["classifier.weight"], one["classifier.weight"])
    AutoTokenizer.from_pretrained(tmp_path / "average")


def test_claims_of_different_things_are_neutral_and_of_their_split() -> None:
    drawn = {
        split: compared_claims(Sources(Path("nowhere"), split), random.Random(5))
        for split in ("train", "validation")
    }
    assert {one.kind for one in drawn["train"]} == set(COUNTS)
    labels = Counter(one.label for one in drawn["train"])
    assert labels["neutral"] > 4 * labels["entailment"] > 0 < labels["contradiction"]
    read = {one.premise for one in drawn["train"]}
    assert sum(one.premise in read for one in drawn["validation"]) < 0.05 * len(drawn["validation"])


def test_an_aimed_pass_moves_the_upper_layers_only(start: Path, tmp_path: Path) -> None:
    aimed = [Compared("The pool is small.", "The bath is small.", "neutral", "one_predicate")] * 20
    aimed += [Compared("It is hot.", "Hot.", "entailment", "one_point", ("Hot.", "It is hot."))] * 20
    aim(
        start,
        aimed,
        [Pair("It rains.", "It is dry.", "contradiction", "mnli_train")] * 9,
        tmp_path / "out",
        1,
    )
    before, after = (load_file(folder / "model.safetensors") for folder in (start, tmp_path / "out"))
    assert {name for name in before if not torch.equal(before[name], after[name])} == {
        name for name in before if name.startswith(("classifier", "bert.pooler"))
    }
