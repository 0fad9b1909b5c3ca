"""Pyramid and SSAS against human scores: the measures by hand, the whole on a small set of our own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judges import WordJudge

from benchmarks.papers.correlation import measure
from benchmarks.papers.pyramid import (
    DRAWS,
    PUBLISHED,
    SPLITS,
    accuracy,
    random_summaries,
    reproduce_pyramid,
)
from benchmarks.papers.realsumm import read_realsumm
from benchmarks.papers.ssas import cross_validated, scores_of
from claimwise.errors import ClaimwiseError
from claimwise.scores.ssas import FEATURES, GROUPS, SIGNS
from claimwise.stats import COEFFICIENTS

RANDOM = np.random.default_rng(3)
FACTS = [
    "The library opens at nine.",
    "Children read for free.",
    "The reading room is heated.",
    "The roof was mended in March.",
    "Two paintings hang in the hall.",
    "The director likes old maps.",
]
SYSTEMS = ["abs_all", "abs_most", "ext_first", "ext_other"]


def data_in(folder: Path, documents: int = 5) -> Path:
    """Write data of the published form: systems say all, two, one or none of three facts."""
    folder.mkdir(parents=True)
    items, summaries = [], []
    for number in range(documents):
        facts = [fact.replace("library", f"library {number}") for fact in FACTS]
        facts = facts[number % 3 :] + facts[: number % 3]
        reference = facts[:3]
        items.append(
            {
                "id": f"d{number}",
                "document": " ".join(facts + [f"Nobody saw cat {cat}." for cat in range(4)]),
                "reference": [*reference, "."],
                "scus": reference,
                "stus": [*(f"{fact} It is so." for fact in reference), "."],
            }
        )
        said = {
            "abs_all": reference,
            "abs_most": [reference[0], reference[2]],
            "ext_first": reference[:1],
            "ext_other": facts[4:5],
        }
        summaries += [
            {
                "id": f"d{number}",
                "system": system,
                "summary": " ".join(of_system),
                "scu_labels": [int(fact in of_system) for fact in reference],
                "human": sum(fact in of_system for fact in reference) / 3,
            }
            for system, of_system in said.items()
        ]
    for name, rows in (("items", items), ("systems", summaries)):
        with gzip.open(folder / f"realsumm_{name}.jsonl.gz", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)
    folds = {
        "by_examples": [[f"d{number}"] for number in range(documents)],
        "by_systems": [SYSTEMS[:2], SYSTEMS[2:]],
    }
    (folder / "realsumm_folds.json").write_text(json.dumps(folds), encoding="utf-8")
    return folder


# Measures -----------------------------------------------------------------------------------------


def test_scores_that_are_all_alike_tell_nothing_and_human_ones_leave_the_document_out() -> None:
    human = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0], [3.0, 1.0, 2.0]])
    found = measure(np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]), human)
    assert [found["summary"][name] for name in COEFFICIENTS] == pytest.approx([0.5] * 3)
    low, high = found["summary"]["ci"]["pearson"]
    assert 0 <= low <= 0.5 <= high <= 1


def test_human_scores_themselves_are_perfect_and_turned_around_the_opposite() -> None:
    human = RANDOM.random((5, 7))
    for scores, expected in ((human, 1), (-human, -1)):
        found = measure(scores, human)
        for level in ("system", "summary"):
            assert [found[level][name] for name in COEFFICIENTS] == pytest.approx([expected] * 3)


def test_an_accuracy_by_hand() -> None:
    """Of four comparisons of the first document two are won and one tied; of the second all are lost."""
    summaries, random = np.array([[0.5, 0.2], [0.0, 0.1]]), np.array([[0.2, 0.4], [0.5, 0.5]])
    assert accuracy(summaries, random) == pytest.approx((2 + 0.5) / 8)


def test_weights_never_see_what_they_score() -> None:
    """People of the second half go by another feature; weights of a fold are those of the other."""
    features = RANDOM.random((8, 10, 9))
    human = np.concatenate([features[:4, :, 0], features[4:, :, 8]])
    weights = cross_validated(features, human, (tuple(range(4)), tuple(range(4, 8))))
    assert weights[:4, 8] == pytest.approx(1, abs=0.1)
    assert weights[4:, 0] == pytest.approx(1, abs=0.1)
    assert scores_of(features, weights).shape == (8, 10)
    left_out = cross_validated(features, human, (tuple(range(4)), tuple(range(4, 8))), GROUPS["neutrality"])
    assert not left_out[:, list(GROUPS["neutrality"])].any()


def test_by_systems_summaries_of_one_document_are_compared() -> None:
    """Systems are rows; what separates documents as wholes teaches nothing."""
    features = RANDOM.random((6, 10, 9))
    features[:, :, 0] = np.arange(10) / 10
    human = features[:, :, 8] + 9 * features[:, :, 0]
    weights = cross_validated(features, human, ((0, 1, 2), (3, 4, 5)), in_rows=False)
    assert weights[:, 8] == pytest.approx(1, abs=0.1)
    assert weights[:, 0] == pytest.approx(0, abs=0.1)


# Data ---------------------------------------------------------------------------------------------


def test_random_summaries_are_sentences_of_the_document_as_many_as_the_reference_has(tmp_path: Path) -> None:
    dataset = read_realsumm(data_in(tmp_path / "pyramid"))
    drawn = random_summaries(dataset)
    assert drawn == random_summaries(dataset)
    for source, of_document in zip(dataset.sources, drawn, strict=True):
        assert len(of_document) == DRAWS
        assert len(set(of_document)) > 1
        for text in of_document:
            sentences = [f"{part}." for part in text.rstrip(".").split(". ")]
            assert len(sentences) == 3
            assert [source.index(one) for one in sentences] == sorted(source.index(one) for one in sentences)


def test_the_data_are_found_in_the_folder_or_below(tmp_path: Path) -> None:
    folder = data_in(tmp_path / "pyramid")
    dataset = read_realsumm(tmp_path)
    assert dataset.documents == read_realsumm(folder).documents == tuple(f"d{n}" for n in range(5))
    assert dataset.human[1].tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert dataset.summaries[0][1] == "The library 0 opens at nine. The reading room is heated."
    assert dataset.folds_of_systems == ((0, 1), (2, 3))


@pytest.mark.parametrize("lost", ["realsumm_folds.json", "realsumm_items.jsonl.gz"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, lost: str) -> None:
    folder = data_in(tmp_path / "pyramid")
    (folder / lost).unlink()
    with pytest.raises(ClaimwiseError, match=lost.partition(".")[0]):
        read_realsumm(tmp_path)


@pytest.mark.parametrize("lost", ["summary", "fold"])
def test_data_that_are_not_complete_are_refused(tmp_path: Path, lost: str) -> None:
    folder = data_in(tmp_path / "pyramid")
    if lost == "summary":
        path = folder / "realsumm_systems.jsonl.gz"
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        path.write_bytes(gzip.compress(b"".join(lines[:-1])))
    else:
        path = folder / "realsumm_folds.json"
        path.write_text(path.read_text("utf-8").replace('"d1"', '"d2"'), encoding="utf-8")
    with pytest.raises(ClaimwiseError, match="not contain a complete copy of REALSumm"):
        read_realsumm(tmp_path)


# The whole ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_whole_on_a_small_set(tmp_path: Path) -> None:
    data_in(tmp_path / "data" / "pyramid")
    out = tmp_path / "out"
    judge = WordJudge(60)

    results = reproduce_pyramid(tmp_path / "data", out, judge=judge)

    assert json.loads((out / "results.json").read_text("utf-8")) == results
    assert list(results) == ["realsumm", "random_sentences"]
    names = {
        *("pyramid_scus", "pyramid_stus", "pyramid_claims", "ssas", "ssas_by_systems", "ssas_out_of_box"),
        *("rouge1", "rouge2", "rougeL", "rouge_su4", "word_overlap", "inverted_bertscore"),
    }
    assert names <= set(results["realsumm"])
    for found in results["realsumm"].values():
        assert set(found["system"]) == set(COEFFICIENTS)
        assert set(found["summary"]) == {*COEFFICIENTS, "ci"}
        assert all(low <= high for low, high in found["summary"]["ci"].values())
    for name in ("pyramid_scus", "pyramid_claims", "rouge1"):  # words tell it all here
        assert results["realsumm"][name]["summary"]["pearson"] > 0.9
    ablations = {f"ssas_without_{name}" for name in GROUPS}
    assert {"ssas", "rouge1", "word_overlap", *ablations} <= set(results["random_sentences"])
    assert all(0 <= share <= 1 for share in results["random_sentences"].values())
    comparisons: dict[str, Any] = json.loads((out / "comparisons.json").read_text("utf-8"))
    assert len(comparisons["splits"]) == len(SPLITS)
    assert set(comparisons["paired_bootstrap"]["ssas"]) == {
        "word_overlap",
        *("rouge1", "rouge2", "rougeL", "rouge_su4"),
    }
    assert set(comparisons["folds"]["ssas"]) == {"examples", "systems"}
    table = (out / "results.md").read_text("utf-8")
    for shown in (*names, *PUBLISHED, "0.913", "default", "sentences"):
        assert shown in table
    assert (out / "summary_level.png").stat().st_size > 5000

    asked = judge.asked
    again = reproduce_pyramid(tmp_path / "data", out, judge=judge)  # from the score cache
    assert again == results
    assert judge.asked == asked


def test_data_without_triplets_have_no_such_score(tmp_path: Path) -> None:
    folder = data_in(tmp_path / "pyramid")
    path = folder / "realsumm_items.jsonl.gz"
    items = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    path.write_bytes(gzip.compress("".join(json.dumps(one | {"stus": []}) + "\n" for one in items).encode()))
    assert read_realsumm(tmp_path).stus == ()


def test_even_weights_are_the_signs() -> None:
    assert scores_of(np.ones((1, 1, len(FEATURES))), SIGNS[np.newaxis]).item() == pytest.approx(
        (5 - 4 + 2) / 7
    )
