"""What a notebook shows: results, metrics and evidence in a few words, and claims as a table."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from typing import Any

import pytest
from evidence_examples import golden_cases
from judges import WordJudge
from pages import SCRIPT, Page, check_is_safe_and_whole

import claimwise
from claimwise.errors import ClaimwiseError
from claimwise.evidence import contrast_map, evidence_of

SUMMARIES = ["The pool is warm.", "The bar is not open."] * 6
REVIEWS = [["The pool is warm.", "It rained."], ["The bar is open."]] * 6


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    metric = claimwise.load("support_counts", judge=WordJudge(), support="sentences")
    ids = [f"hotel {number}" for number in range(12)]
    return metric.compute(predictions=SUMMARIES, references=REVIEWS, ids=ids, details=True)


def test_a_result_is_short_to_read_and_otherwise_a_dict(result: dict[str, Any]) -> None:
    assert len(repr(result)) < 2_000
    assert "<evidence of 12 rows of support_counts>" in repr(result)
    assert "'support_counts_scores': [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ...]" in repr(result)
    assert isinstance(result, dict)
    assert json.loads(json.dumps(result)) == pickle.loads(pickle.dumps(result)) == result
    page = check_is_safe_and_whole(result._repr_html_())  # type: ignore[attr-defined]
    assert "hotel 11" in page.shown
    assert "support_counts_top_score" in page.shown


def test_a_result_without_evidence_shows_its_first_rows() -> None:
    texts = [f"{SCRIPT} Good, but cold.", "It rains."] * 20
    shown = claimwise.load("complexity").compute(predictions=texts)._repr_html_()  # type: ignore[attr-defined]
    page = check_is_safe_and_whole(shown)
    assert "… and 20 more rows." in page.shown
    assert "complexity_repaired: 20" in page.shown


def test_claims_are_a_table_with_verdicts_scores_and_best_premises(result: dict[str, Any]) -> None:
    table = claimwise.frame(result)
    assert list(table.columns) == ["id", "claim", "verdict", "score", "best_premise"]
    assert len(table) == 12
    first, second = table.to_dict("records")[:2]
    assert first == {
        "id": "hotel 0",
        "claim": "The pool is warm.",
        "verdict": "thinly supported",
        "score": 1.0,
        "best_premise": "The pool is warm.",
    }
    assert (second["verdict"], second["best_premise"]) == ("contradicted", "The bar is open.")
    assert claimwise.frame(json.loads(json.dumps(result))).equals(table)  # from a file


def test_claims_of_two_summaries_say_whose_they_are() -> None:
    metric = claimwise.load("caspr", judge=WordJudge(), decomposer="sentences")
    found = metric.compute(
        predictions=["The bar is open. It rained."], references=["The bar is not open."], details=True
    )
    table = claimwise.frame(found)
    assert list(table["text"]) == ["summary A", "summary A", "summary B"]
    assert list(table["id"]) == [0, 0, 0]
    assert list(table["verdict"]) == ["contradicts", "stands alone", "contradicts"]
    assert list(table["score"]) == [1, 1, 1]
    assert list(table["best_premise"].fillna("–")) == ["The bar is not open.", "–", "The bar is open."]


@pytest.mark.parametrize("metric", ["caspr", "genericity", "pyramid", "summac_conv", "summac_zs"])
def test_every_metric_that_judges_claims_has_a_frame(metric: str) -> None:
    for case in golden_cases(metric):
        if case.details:
            table = claimwise.frame(case.result)
            assert set(table["id"]) <= set(case.result.get(f"{metric}_ids", range(len(case.details))))
            assert table["claim"].map(bool).all()


def test_rows_without_a_score_have_no_claims_and_several_metrics_are_told_apart(
    result: dict[str, Any],
) -> None:
    details = [None, *result["support_counts_details"][1:]]
    both = {"support_counts_details": details, "other_details": result["support_counts_details"][:1]}
    table = claimwise.frame(both)
    assert list(table["metric"]) == ["support_counts"] * 11 + ["other"]
    assert table["id"].iloc[0] == 1


def test_a_frame_without_claims_is_refused(result: dict[str, Any]) -> None:
    bare = {key: value for key, value in result.items() if key != "support_counts_details"}
    with pytest.raises(ClaimwiseError, match="There is no evidence") as caught:
        claimwise.frame(bare)
    assert "details=True" in caught.value.remedy
    words = claimwise.load("complexity").compute(predictions=["It rains."], details=True)
    with pytest.raises(ClaimwiseError, match="evidence of complexity has no claims"):
        claimwise.frame(words)


def test_evidence_is_short_to_read_and_drawn_in_a_notebook(result: dict[str, Any]) -> None:
    details = result["support_counts_details"]
    assert repr(evidence_of(details[0])) == "<SupportEvidence: score 0.0, 1 claims, 2 premises>"
    page = check_is_safe_and_whole(evidence_of(details[0])._repr_html_())
    assert "The pool is warm." in page.shown
    case = golden_cases("caspr")[0]
    assert len(repr(contrast_map(case.result))) < 200


def test_a_metric_shows_its_configuration_and_no_secret() -> None:
    metric = claimwise.load(
        "caspr", "paper", token="a-secret", judge="tei:http://me:a-secret@host", decomposer=str.split
    )
    assert repr(metric).startswith("Caspr('paper', ")
    assert "judge='tei:http://host'" in repr(metric)
    assert "decomposer=split" in repr(metric)
    assert repr(claimwise.load("complexity")) == "Complexity('default')"
    page = Page(metric._repr_html_())
    assert "CASPR" in page.shown
    assert "a-secret" not in repr(metric) + page.shown


def test_the_names_of_the_package_are_listed_and_each_is_there() -> None:
    names = dir(claimwise)
    assert {"Caspr", "ClaimwiseError", "METRICS", "frame", "load", "study", "support_map"} <= set(names)
    assert not [name for name in names if name.startswith("_") and name != "__version__"]
    assert all(hasattr(claimwise, name) for name in names)


def test_the_package_is_a_command() -> None:
    from claimwise import __version__

    done = subprocess.run(
        [sys.executable, "-m", "claimwise", "--version"], capture_output=True, text=True, timeout=300
    )
    assert done.stdout == f"{__version__}\n", done.stderr


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: claimwise.load("capsr"), "caspr"),
        (lambda: claimwise.load("SummaC-ZS-"), "summac_zs"),
        (lambda: claimwise.load("caspr", "papre"), "paper"),
        (lambda: claimwise.load("caspr", juge="mnli"), "judge"),
        (lambda: claimwise.load("caspr", pairs="likley").load(), "likely"),
        (lambda: claimwise.load("caspr", decomposer="sentence").load(), "sentences"),
        (lambda: claimwise.load("complexity").compute(predictions=["It rains."], detials=True), "details"),
        (
            lambda: claimwise.study({"a": {}, "b": {}}, metrics=["support_counts_top_scores"]),
            "support_counts_top_score",
        ),
    ],
)
def test_a_mistyped_name_gets_the_nearest_one(call: Any, near: str) -> None:
    with pytest.raises(ClaimwiseError) as caught:
        call()
    assert caught.value.remedy.startswith(f"Did you mean `{near}`?")


def test_an_unlike_name_gets_no_suggestion() -> None:
    with pytest.raises(ClaimwiseError) as caught:
        claimwise.load("rouge")
    assert caught.value.remedy.startswith("Choose one of abstractiveness")
