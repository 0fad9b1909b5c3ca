"""Reviews without content are left out and counted, in every metric with sources and on every way in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import Run, check_refused
from judges import WordJudge

import claimwise.integrations.pandas  # noqa: F401 - registers the accessor
from claimwise.errors import ClaimwiseError
from claimwise.metrics import METRICS, Metric, load
from claimwise.runners import local

WITH_SOURCES = [name for name, metric in METRICS.items() if metric.spec.references_are == "sources"]
SUMMARIES = ["The pool is warm. The bar is open.", "Parking is free."]
REVIEWS = [["The pool is warm.", "The bar is open."], ["Parking is free of charge."]]
BLANK = [
    ["N/A", "The pool is warm.", float("nan"), "…", "The bar is open."],
    ["Parking is free of charge.", None],
]


def made(name: str, needed: dict[str, dict[str, Any]]) -> Metric:
    is_judged = "judge" in METRICS[name].Options.names() and name != "summac_conv"
    judge = {"judge": WordJudge()} if is_judged else {}
    return load(name, **judge, **needed.get(name, {}))


@pytest.mark.parametrize("name", WITH_SOURCES)
def test_a_blank_review_is_as_if_it_were_not_there(name: str, needed: dict[str, dict[str, Any]]) -> None:
    metric = made(name, needed)

    without = metric.compute(predictions=SUMMARIES, references=REVIEWS)
    for given in (BLANK, pd.Series([pd.Series(row) for row in BLANK])):
        result = metric.compute(predictions=SUMMARIES, references=given)
        assert result.pop(f"{name}_blank_reviews") == 4
        assert result == without
    assert local().compute(metric, predictions=SUMMARIES, references=BLANK)[f"{name}_blank_reviews"] == 4


def test_documents_are_joined_without_blank_reviews() -> None:
    metric = load("summac_zs", judge=WordJudge(), premise_granularity="document")

    (row,) = metric.compute(predictions=SUMMARIES[:1], references=BLANK[:1], details=True)[
        "summac_zs_details"
    ]

    assert [premise["premise"] for premise in row["premises"]] == ["The pool is warm. The bar is open."]


def test_evidence_names_the_reviews_by_the_users_own_numbers() -> None:
    result = load("support_counts", judge=WordJudge(), support="sentences").compute(
        predictions=SUMMARIES, references=BLANK, details=True
    )

    assert {premise["review"] for premise in result["support_counts_details"][0]["premises"]} == {1, 4}


def test_files_and_frames_count_them_too(run: Run, tmp_path: Path) -> None:
    frame = pd.DataFrame({"summary": SUMMARIES, "reviews": BLANK})
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)

    done = run("score", "abstractiveness", "t.jsonl", "--output", "s.json")

    assert done.code == 0, done.err
    assert "blank_reviews: 4" in done.out
    result = json.loads((tmp_path / "s.json").read_text())
    expected = load("abstractiveness").compute(predictions=SUMMARIES, references=REVIEWS)
    assert result["abstractiveness_scores"] == expected["abstractiveness_scores"]
    assert result["abstractiveness_input_hashes"] == expected["abstractiveness_input_hashes"]
    assert (
        frame.claimwise.score("abstractiveness")["abstractiveness"].tolist()
        == result["abstractiveness_scores"]
    )


def test_a_row_with_only_blank_reviews_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"summary": "Warm.", "reviews": ["N/A", "…"]}\n')

    check_refused(
        run("score", "abstractiveness", "t.jsonl"), "line 1: all reviews are blank", "fill in the reviews"
    )


def test_reviews_in_files_may_be_objects(run: Run, tmp_path: Path) -> None:
    row = {"summary": "The pool is warm.", "reviews": [{"stars": 5, "reviewText": "The pool is warm."}]}
    (tmp_path / "t.jsonl").write_text(f"{json.dumps(row)}\n" * 3)

    done = run("score", "abstractiveness", "t.jsonl")

    assert done.out.startswith("abstractiveness 0.00")
    assert done.err.count("`reviewText` was read as their text") == 1
    (tmp_path / "t.jsonl").write_text(json.dumps(row).replace("reviewText", "words"))
    check_refused(run("score", "abstractiveness", "t.jsonl"), "they have `stars`, `words`", "`text`")


def test_a_frame_with_a_column_twice_is_refused() -> None:
    frame = pd.DataFrame([["a b c", "d e f", "g h i"]], columns=["summary", "reviews", "reviews"])

    with pytest.raises(ClaimwiseError, match=r"reviews: expected a list of strings, .* got a DataFrame"):
        frame.claimwise.score("abstractiveness")
