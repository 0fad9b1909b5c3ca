"""Abstractiveness: by hand, against what was published, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.zs_summ import read_published, read_reviews, read_system
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Abstractiveness

DATA = os.environ.get("CLAIMWISE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with zs_summ")
FOLDER = Path(str(DATA)) / "zs_summ"
AMAZON = [
    "fewsum-amazon",
    "gpt3-amazon",
    "gpt3-ml-amazon-fl",
    "gpt3-ml-amazon-ll",
    "qfsumm-amazon",
    "qfsumm-gpt3-amazon",
]
SPACE = ["acesum", "qg", "tcg"]
REVIEWS = ["The pool is warm in winter. Breakfast ends at ten.", "We liked the pool very much."]
SENTENCES = st.sampled_from(
    ["The pool is warm.", "Breakfast ends at ten.", "We liked the pool.", "It rained."]
)
texts = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)


def novelty(summary: str, source: str | list[str], **options: Any) -> dict[str, Any]:
    return Abstractiveness(**options).compute(predictions=[summary], references=[source], details=True)


def test_the_novel_ngrams_are_those_at_the_seams() -> None:
    result = novelty("The pool is warm in winter. We liked breakfast.", REVIEWS)

    # Trigrams: five copied (the pool is … in winter .), two novel (we liked breakfast, liked breakfast .).
    assert result["abstractiveness"] == pytest.approx(2 / 7)
    assert result["abstractiveness_4"] == pytest.approx(1 / 5)
    assert result["abstractiveness_5"] == 0
    (evidence,) = result["abstractiveness_details"]
    assert evidence["novel_3"] == ["We liked breakfast", "liked breakfast ."]
    assert evidence["copied_5"] == ["The pool is warm in", "pool is warm in winter", "is warm in winter ."]


def test_a_trigram_over_two_sentences_of_a_review_is_not_copied() -> None:
    assert novelty("in winter. Breakfast", "It rains in winter. Breakfast is late.")["abstractiveness"] == 0
    assert novelty("It rains in winter Breakfast is late", "It rains in winter. Breakfast is late.")[
        "abstractiveness_details"
    ][0]["novel_3"] == ["in winter Breakfast", "winter Breakfast is"]


def test_the_mean_goes_over_summaries_and_each_is_compared_with_its_own_source() -> None:
    result = Abstractiveness().compute(
        predictions=["Breakfast ends at ten.", "Breakfast ends at ten.", "Breakfast ends at ten. " * 9],
        references=[REVIEWS, "It rained all day.", REVIEWS],
    )
    assert result["abstractiveness_scores"] == [0, 1, 0]
    assert result["abstractiveness"] == pytest.approx(1 / 3)
    assert result["abstractiveness_5_scores"] == [0, 1, 0]


def test_a_summary_too_short_for_an_ngram_is_counted() -> None:
    result = novelty("Parking is free.", REVIEWS)
    assert (result["abstractiveness"], result["abstractiveness_5"]) == (1, 0)
    assert result["abstractiveness_too_short"] == 1
    assert novelty("Parking is free today.", REVIEWS)["abstractiveness_too_short"] == 0


@given(texts, st.lists(texts, min_size=1, max_size=3), texts)
def test_reviews_in_any_order_and_more_of_them(summary: str, reviews: list[str], more: str) -> None:
    score = novelty(summary, reviews)["abstractiveness"]
    assert novelty(summary, reviews[::-1])["abstractiveness"] == score
    assert novelty(summary, [*reviews, more])["abstractiveness"] <= score
    assert novelty(summary, [*reviews, summary])["abstractiveness"] == 0


@needs_data
@pytest.mark.parametrize(
    ("dataset", "names", "tolerance"),
    [pytest.param("space", SPACE, 0.01, marks=pytest.mark.slow), ("fewsum", AMAZON, 0.005)],
)
def test_abstractiveness_is_the_published_one(dataset: str, names: list[str], tolerance: float) -> None:
    reviews = read_reviews(FOLDER, dataset)
    summaries = [summary for name in names for summary in read_system(FOLDER, dataset, name)]
    result = Abstractiveness().compute(  # all systems at once, so that the reviews are read once
        predictions=[summary.summary for summary in summaries],
        references=[
            reviews[summary.entity].reviews or reviews[summary.entity].sentences for summary in summaries
        ],
    )

    for name in names:
        rows = [row for row, summary in enumerate(summaries) if summary.system == name]
        shares = {
            n: np.mean([result[key][row] for row in rows])
            for n, key in (
                ("3", "abstractiveness_scores"),
                ("4", "abstractiveness_4_scores"),
                ("5", "abstractiveness_5_scores"),
            )
        }
        published = read_published(FOLDER)[dataset][name]["abstractiveness"]
        assert shares == pytest.approx(published, abs=tolerance), name


def test_an_unknown_splitter_is_refused_when_loaded() -> None:
    with pytest.raises(ClaimwiseError, match=r"Unknown splitter.*nltk:untrained"):
        Abstractiveness(splitter="punkt").load()
