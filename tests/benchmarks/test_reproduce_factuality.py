"""Measuring factuality scores against labels: the measures by hand, the whole on a small set of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.factuality import (
    VARIANTS,
    balanced_accuracy,
    best_threshold,
    factuality_table,
    measure,
    reproduce_factuality,
    roc_auc,
    rouge_l,
    share_not_better,
)
from claimwise.errors import ClaimwiseError

LABELS = np.array([1, 1, 0, 0, 1, 0])
SCORES = np.array([0.9, 0.7, 0.8, 0.1, 0.6, 0.2])


def test_roc_auc_by_hand() -> None:
    """Of nine (consistent, inconsistent) pairs, 0.7 and 0.6 lose against 0.8."""
    assert roc_auc(LABELS, SCORES) == pytest.approx(7 / 9)


def test_the_best_threshold_by_hand() -> None:
    """From 0.6 up: all three consistent ones and one of three inconsistent ones."""
    assert best_threshold(LABELS, SCORES) == 0.6
    assert balanced_accuracy(LABELS, SCORES, 0.6) == pytest.approx((1 + 2 / 3) / 2)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=30).filter(
        lambda rows: len({label for label, _ in rows}) == 2
    )
)
def test_the_measures_are_what_they_say(rows: list[tuple[int, int]]) -> None:
    labels, scores = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    consistent, inconsistent = scores[labels == 1].tolist(), scores[labels == 0].tolist()
    wins = [(c > i) + (c == i) / 2 for c in consistent for i in inconsistent]
    assert roc_auc(labels, scores) == pytest.approx(np.mean(wins))
    best = balanced_accuracy(labels, scores, best_threshold(labels, scores))
    assert all(balanced_accuracy(labels, scores, other) <= best for other in scores)


@pytest.mark.slow
def test_scores_that_know_the_labels_are_perfect_and_constant_ones_worthless() -> None:
    labels = np.array([0, 1] * 50)
    perfect = measure(labels, labels.astype(float))
    assert perfect["roc_auc"] == {"value": 1.0, "ci": [1.0, 1.0]}
    assert perfect["balanced_accuracy"]["value"] == perfect["tuned"] == 1
    constant = measure(labels, np.ones(100))
    assert constant["roc_auc"]["value"] == constant["balanced_accuracy"]["value"] == 0.5


def test_a_threshold_is_tuned_on_one_half_and_used_on_the_other() -> None:
    labels, scores = np.array([0, 1] * 10), np.random.default_rng(1).random(20)
    order = np.random.default_rng(3).permutation(20)
    tuning, held_out = order[:10], order[10:]
    threshold = best_threshold(labels[tuning], scores[tuning])

    found = measure(labels, scores, seed=3, resamples=2)

    assert found["tuned"] == balanced_accuracy(labels[tuning], scores[tuning], threshold)
    on_the_other = balanced_accuracy(labels[held_out], scores[held_out], threshold)
    assert found["balanced_accuracy"]["value"] == on_the_other != found["tuned"]


@pytest.mark.slow
def test_summaries_of_one_source_are_drawn_together() -> None:
    worse = np.array([0.9, 0.15, 0.8, 0.1, 0.6, 0.2])
    assert share_not_better(LABELS, SCORES, worse, ["one document"] * 6) == 0
    assert share_not_better(LABELS, worse, SCORES, ["one document"] * 6) == 1
    assert share_not_better(LABELS, SCORES, SCORES, ["one document"] * 6) == 1
    assert 0.1 < share_not_better(LABELS, SCORES, worse, [*"abcdef"]) < 0.9


@pytest.mark.parametrize(
    ("summary", "source", "expected"),
    [
        ("The pool is warm", "We found the pool is very warm indeed", 1),
        ("warm pool", "the pool is warm", 1 / 2),
        ("a b c d", "d c b a", 1 / 4),
        ("parking costs extra", "the pool is warm", 0),
    ],
)
def test_rouge_l_by_hand(summary: str, source: str, expected: float) -> None:
    assert rouge_l(summary, source) == pytest.approx(expected)


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write sets of the published form with sentences of our own."""
    source = "The library opens at nine. Children read for free. The reading room is heated."
    true, false = "The library opens at nine.", "The library never opens."
    labels = [1, 0] * 6
    texts = [true if label else false for label in labels]
    write(
        tmp_path / "factuality" / "qags_cnndm.jsonl.gz",
        [
            {"article": source, "sentences": [{"sentence": text}], "label": label}
            for text, label in zip(texts, labels, strict=True)
        ],
    )
    rows = [
        {"summary": t, "doc": source, "doc_id": "1", "label": i} for t, i in zip(texts, labels, strict=True)
    ]
    write(tmp_path / "factuality" / "cliff_goyal21.jsonl.gz", rows)
    write(tmp_path / "factuality" / "summedits.jsonl.gz", rows)
    write(tmp_path / "factuality" / "summedits_docs.jsonl.gz", [{"doc_id": "1", "doc": source}])
    scored = [[true, 0.9], ["Children read for free.", 0.1], ["The reading room is heated.", 0.0]]
    claim = {"claim": true, "score": 0.9, "support": scored, "weaken": [["It never opens.", -0.9]]}
    summary = {"system": "ours", "entity": "1", "aspect": "hours", "summary": true}
    summary["sentences"] = [{"sentence": true, "claims": [claim]}]
    write(tmp_path / "zs_summ" / "space" / "ours.jsonl.gz", [summary])
    write(
        tmp_path / "zs_summ" / "entailment_validation.jsonl.gz",
        [
            {"score": score, "claim": true, "reference": reference, "labels": {"a": label, "b": None}}
            for reference, score, label in (
                (true, 0.9, 2),
                ("Children read for free.", 0.1, 0),
                (false, 0, 0),
            )
        ],
    )
    return tmp_path


@pytest.mark.slow
def test_every_variant_and_baseline_is_measured(data: Path, tmp_path: Path) -> None:
    results = reproduce_factuality(data, tmp_path / "out", ["qags_cnndm"])
    assert set(results["qags_cnndm"]) == {*VARIANTS, "ROUGE-L", "inverted_bertscore"}
    assert results["best"]["qags_cnndm"] in VARIANTS
    for measured in results["qags_cnndm"].values():
        assert measured["roc_auc"]["value"] == 1  # a copy against its denial
        assert measured.get("p_against_rouge_l", 1) == 1  # which is perfect too
    assert set(results["agreement"]["vitaminc"]) == {"space/ours"}
    assert results["agreement"]["vitaminc"]["space/ours"]["spearman"] > 0.75
    assert results["agreement"]["human"]["pairs"] == 3
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == results
    assert (tmp_path / "out" / "results.md").read_text() == factuality_table(results)


@pytest.mark.slow
def test_chosen_variants_are_measured_as_among_all(data: Path, tmp_path: Path) -> None:
    chosen = reproduce_factuality(data, tmp_path / "out", ["qags_cnndm"], ["two sentences"])
    assert set(chosen["qags_cnndm"]) == {"two sentences", "ROUGE-L", "inverted_bertscore"}
    assert chosen["best"] == {"qags_cnndm": "two sentences"}


def test_an_unknown_set_or_variant_or_missing_data_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match="Unknown set nowhere"):
        reproduce_factuality(data, tmp_path / "out", ["nowhere"])
    with pytest.raises(
        ClaimwiseError, match=r"`variants` must be one of `two sentences`, .*got “seven words”"
    ):
        reproduce_factuality(data, tmp_path / "out", variants=["seven words"])
    with pytest.raises(ClaimwiseError, match="Set --data to the folder"):
        reproduce_factuality(tmp_path / "empty", tmp_path / "out")
    assert not (tmp_path / "out").exists()
