"""The accessor of pandas, and the function for ``datasets.Dataset.map``."""

from __future__ import annotations

import math
import os
import pickle

import datasets
import numpy as np
import pandas as pd
import pytest
from judges import WordJudge
from scoring import A, B

import claimwise.integrations.pandas  # noqa: F401 - registers the accessor
from claimwise.errors import ClaimwiseError
from claimwise.integrations.datasets import Scores
from claimwise.metrics import load

SOURCES = [["The pool is warm.", "Parking is free."], ["The bar is closed."], ["A dog barked."]]
SUMMARIES = ["The pool is warm and parking is free.", "The bar is open. The pool is warm.", "A dog barked."]


def test_a_table_has_the_scores_of_compute_under_its_own_index() -> None:
    frame = pd.DataFrame({"summary_a": A, "summary_b": B}, index=list("wxyz"))
    caspr = load("caspr", judge=WordJudge())

    table = frame.claimwise.score(caspr)

    result = caspr.compute(predictions=A, references=B)
    assert table["caspr"].tolist() == result["caspr_scores"]
    assert list(table.index) == list("wxyz")
    assert (table.attrs["mean"], table.attrs["signature"]) == (result["caspr"], result["caspr_signature"])
    counts = table.attrs["counts"]
    assert {f"caspr_{count}": number for count, number in counts.items()}.items() <= result.items()
    assert "truncated" in counts
    assert list(frame.join(table).columns) == ["summary_a", "summary_b", "caspr", "caspr_strongest"]


def test_weights_and_further_scores_are_columns() -> None:
    frame = pd.DataFrame({"summary": SUMMARIES, "reviews": SOURCES})

    table = frame.claimwise.score("support_counts", judge=WordJudge(), support="sentences", details=True)

    result = load("support_counts", judge=WordJudge(), support="sentences").compute(
        predictions=SUMMARIES, references=SOURCES
    )
    assert list(table.columns) == [
        "support_counts",
        "support_counts_weight",
        "support_counts_top_score",
        "support_counts_details",
    ]
    assert table["support_counts_weight"].tolist() == result["support_counts_weights"]
    assert table["support_counts_top_score"].tolist() == result["support_counts_top_score_scores"]
    assert np.average(table["support_counts"], weights=table["support_counts_weight"]) == pytest.approx(
        result["support_counts"]
    )
    assert table["support_counts_details"][0]["claims"]


def test_genericity_sees_all_rows_of_a_table() -> None:
    frame = pd.DataFrame({"summary": SUMMARIES, "entities": ["one", "two", "three"]})

    table = frame.claimwise.score("genericity", judge=WordJudge())

    result = load("genericity", judge=WordJudge()).compute(
        predictions=SUMMARIES, entities=["one", "two", "three"]
    )
    assert table["genericity"].tolist() == result["genericity_scores"]
    assert table.attrs["signature"] == result["genericity_signature"]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, ""])
def test_a_missing_text_is_an_error_that_names_the_column_and_the_index(missing: object) -> None:
    frame = pd.DataFrame({"mine": ["The pool is warm.", missing], "theirs": ["A dog."] * 2}, index=["k", "l"])

    with pytest.raises(ClaimwiseError) as refused:
        frame.claimwise.score(
            "caspr", columns={"predictions": "mine", "references": "theirs"}, judge=WordJudge()
        )

    assert str(refused.value).startswith("mine, row 1: (index l) ")
    assert "on_error='row'" in str(refused.value)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, ""])
def test_a_missing_text_that_is_kept_has_no_score_and_a_reason(missing: object) -> None:
    frame = pd.DataFrame({"summary_a": [missing, "The pool is warm."], "summary_b": ["A dog."] * 2})

    table = frame.claimwise.score("caspr", judge=WordJudge(), on_error="row")

    assert math.isnan(table["caspr"][0])
    assert table["caspr"][1] == 100
    assert table.attrs["mean"] == 100
    assert table["caspr_error"][0].startswith("summary_a: ")
    assert pd.isna(table["caspr_error"][1])


def test_a_missing_column_is_named_with_those_there_are() -> None:
    frame = pd.DataFrame({"summary_a": A})

    with pytest.raises(ClaimwiseError, match=r"no column `references` or `summary_b`; it has `summary_a`"):
        frame.claimwise.score("caspr")
    with pytest.raises(ClaimwiseError, match="has no column `reference`"):
        frame.claimwise.score("caspr", columns={"reference": "summary_a"})


def test_map_adds_the_scores_of_compute() -> None:
    data = datasets.Dataset.from_dict({"summary": SUMMARIES, "reviews": SOURCES})

    scored = data.map(
        Scores("support_counts", judge=WordJudge(), support="sentences"), batched=True, batch_size=2
    )

    result = load("support_counts", judge=WordJudge(), support="sentences").compute(
        predictions=SUMMARIES, references=SOURCES
    )
    assert scored["support_counts"][:] == result["support_counts_scores"]
    assert scored["support_counts_weight"][:] == result["support_counts_weights"]
    assert scored["support_counts_top_score"][:] == result["support_counts_top_score_scores"]


def test_map_in_two_processes_and_again_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ)  # `map` puts a copy in its place, which others would see
    data = datasets.Dataset.from_dict({"summary_a": A, "summary_b": B})

    scores = Scores("distinctiveness_score")
    scored = data.map(scores, batched=True, batch_size=1, num_proc=2)

    expected = load("distinctiveness_score").compute(predictions=A, references=B)
    assert scored["distinctiveness_score"][:] == expected["distinctiveness_score_scores"]
    again = pickle.loads(pickle.dumps(scores))
    assert datasets.fingerprint.Hasher.hash(again) == datasets.fingerprint.Hasher.hash(scores)
    other = Scores("distinctiveness_score", stemmer=None)
    assert datasets.fingerprint.Hasher.hash(other) != datasets.fingerprint.Hasher.hash(scores)


def test_map_leaves_a_missing_text_without_a_score() -> None:
    data = datasets.Dataset.from_dict({"summary_a": ["The pool is warm.", None], "summary_b": B[:2]})

    kept = data.map(Scores("caspr", judge=WordJudge(), on_error="row"), batched=True)
    assert kept["caspr"][1] is None
    assert kept["caspr"][0] is not None
    assert kept["caspr_error"][1] == (
        "summary_a: the text is missing (None). Drop the row or fill in the text."
    )


def test_map_without_batches_and_metrics_of_all_rows_are_refused() -> None:
    data = datasets.Dataset.from_dict({"summary_a": A, "summary_b": B})

    with pytest.raises(ClaimwiseError, match=r"batched=True"):
        data.map(Scores("distinctiveness_score"))
    with pytest.raises(ClaimwiseError, match="batch by batch"):
        Scores("genericity")


def test_a_table_tells_what_the_judge_has_used() -> None:
    class Paid(WordJudge):
        @property
        def used(self) -> dict[str, int]:
            return {"requests": self.asked}

    frame = pd.DataFrame({"summary_a": A, "summary_b": B})

    table = frame.claimwise.score("caspr", judge=Paid(), decomposer="sentences")

    expected = load("caspr", judge=Paid(), decomposer="sentences").compute(predictions=A, references=B)
    assert table.attrs["judge_used"] == expected["caspr_judge_used"]


def test_reviews_for_a_metric_that_reads_none_are_refused() -> None:
    frame = pd.DataFrame({"hotel": ["Sun"], "summary_a": A[:1], "summary_b": B[:1]})

    with pytest.raises(ClaimwiseError) as refused:
        frame.claimwise.score(
            "caspr", reviews=pd.DataFrame({"hotel": ["Sun"], "text": ["Warm."]}), by="hotel"
        )

    assert refused.value.option == "reviews"
