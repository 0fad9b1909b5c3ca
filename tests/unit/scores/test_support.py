"""Support by hand, its invariants, and the published numbers from the recorded scores."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.zs_summ import SUPPORT_THRESHOLDS, read_published, read_system, systems
from claimwise.errors import ClaimwiseError
from claimwise.scores.support import (
    claim_scores,
    expected_support,
    is_enough,
    share_supported,
    support_percent,
    support_percent_of_table_6,
    support_size,
    top_score,
)

DATA = os.environ.get("CLAIMWISE_DATA")
untimed = settings(deadline=None)


def test_a_claim_is_scored_by_entailment_less_contradiction() -> None:
    matrix = np.array([[[0.9, 0.1, 0.0], [0.25, 0.25, 0.5]], [[0.0, 0.0, 1.0], [0.5, 0.5, 0.0]]])
    assert claim_scores(matrix).tolist() == [[0.9, -1.0], [-0.25, 0.5]]


def test_a_score_at_the_threshold_supports() -> None:
    assert support_size([0.75, 0.7499, 0.9]) == 2
    assert support_size([0.5, 0.49], threshold=0.5) == 1
    assert support_size(np.array([0.7], dtype=np.float32), threshold=0.7) == 1


def test_every_way_to_count_by_hand() -> None:
    # The claim is supported twice by review 0, once by review 1 in the words of review 0, not by review 2.
    scores = [0.9, 0.8, 0.9, 0.1]
    reviews = [0, 0, 1, 2]
    sentences = ["The bar is open.", "Open bar!", "The bar is open.", "It rained."]
    assert support_size(scores) == 3
    assert support_size(scores, reviews=reviews) == 2
    assert support_size(scores, sentences=sentences) == 2
    assert support_size(scores, reviews=reviews, sentences=sentences) == 2  # "Open bar!" counts for review 0


def test_a_review_that_only_repeats_is_not_counted_when_repeated_sentences_are_dropped() -> None:
    reviews, sentences = [0, 1, 2], ["Lovely pool.", "Lovely pool.", "Lovely pool."]
    assert support_size([0.9, 0.9, 0.9], reviews=reviews) == 3
    assert support_size([0.9, 0.9, 0.9], reviews=reviews, sentences=sentences) == 1
    assert support_size([0.2, 0.2, 0.2], reviews=reviews, sentences=sentences) == 0


def test_percentages_by_hand() -> None:
    sizes = [0, 0, 1, 2, 3, 4, 5, 17]
    assert support_percent(sizes) == {"0": 25, "1": 12.5, "2": 12.5, "3": 12.5, "4": 12.5, "5+": 25}
    assert support_percent_of_table_6(sizes) == {"0": 25, "1": 12.5, "2-4": 37.5, "5+": 25}
    assert share_supported(sizes) == 0.5
    assert top_score([-0.5, 0.25]) == 0.25


@pytest.mark.parametrize("function", [share_supported, support_percent, support_percent_of_table_6])
def test_no_claims_are_refused(function: Any) -> None:
    with pytest.raises(ClaimwiseError, match="at least one"):
        function([])


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match="without premises"):
        top_score([])
    with pytest.raises(ClaimwiseError, match="2 scores, but 1 reviews"):
        support_size([0.9, 0.9], reviews=[0])
    with pytest.raises(ClaimwiseError, match="3 sentences"):
        support_size([0.9], sentences=["a", "b", "c"])
    with pytest.raises(ClaimwiseError, match=r"\[premises, claims, 3\]"):
        claim_scores(np.zeros((2, 3)))


# ---------------------------------------------------------------------------------------------
# Invariants. A review is a list of sentences; the same sentence has the same score everywhere.
# ---------------------------------------------------------------------------------------------

SCORES = {"a": 0.95, "b": 0.8, "c": 0.75, "d": 0.3, "e": -0.9}
REVIEWS = st.lists(st.lists(st.sampled_from(sorted(SCORES)), min_size=1, max_size=4), min_size=1, max_size=6)


def sizes(reviews: list[list[str]]) -> list[int]:
    """Return the support size of a claim, counted in each of the four ways."""
    sentences = [sentence for review in reviews for sentence in review]
    numbers = [number for number, review in enumerate(reviews) for _ in review]
    scores = [SCORES[sentence] for sentence in sentences]
    return [
        support_size(scores, reviews=by_review, sentences=by_text)
        for by_review, by_text in product((None, numbers), (None, sentences))
    ]


def top(reviews: list[list[str]]) -> float:
    return top_score([SCORES[sentence] for review in reviews for sentence in review])


@untimed
@given(REVIEWS, st.data())
def test_duplicating_a_review_never_lowers_a_support_count(reviews: list[list[str]], data: Any) -> None:
    duplicated = [*reviews, data.draw(st.sampled_from(reviews))]
    assert all(after >= before for before, after in zip(sizes(reviews), sizes(duplicated), strict=True))


@untimed
@given(REVIEWS, REVIEWS)
def test_adding_reviews_never_lowers_a_top_score(reviews: list[list[str]], others: list[list[str]]) -> None:
    assert top(reviews + others) >= top(reviews)


@untimed
@given(REVIEWS, st.randoms(use_true_random=False))
def test_the_order_of_the_reviews_does_not_matter(reviews: list[list[str]], random: Random) -> None:
    shuffled = random.sample(reviews, len(reviews))
    assert sizes(shuffled) == sizes(reviews)
    assert top(shuffled) == top(reviews)


@untimed
@given(REVIEWS)
def test_the_stricter_count_is_never_the_larger(reviews: list[list[str]]) -> None:
    of_sentences, of_texts, of_reviews, of_both = sizes(reviews)
    assert of_both <= min(of_texts, of_reviews) <= max(of_texts, of_reviews) <= of_sentences
    assert (of_both > 0) == (of_sentences > 0)


@untimed
@given(st.lists(st.integers(0, 9), min_size=1))
def test_percentages_sum_to_100_and_agree(support: list[int]) -> None:
    percent, of_table_6 = support_percent(support), support_percent_of_table_6(support)
    assert sum(percent.values()) == pytest.approx(100)
    assert sum(of_table_6.values()) == pytest.approx(100)
    assert share_supported(support) == pytest.approx((percent["3"] + percent["4"] + percent["5+"]) / 100)


# ---------------------------------------------------------------------------------------------
# The published numbers
# ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with the recorded evidence (zs_summ)")
def test_the_recorded_scores_give_the_published_numbers() -> None:
    folder = Path(str(DATA)) / "zs_summ"
    published = read_published(folder)
    compared = [(d, s) for d, s in systems(folder) if s in published.get(d, {})]
    assert compared
    for dataset, system in compared:
        claims = [claim for summary in read_system(folder, dataset, system) for claim in summary.claims]
        recorded = [[sentence.score for sentence in claim.support] for claim in claims]
        expected = published[dataset][system]

        found = np.mean([top_score(scores) for scores in recorded])
        assert found == pytest.approx(expected["top_score"], abs=1e-4), system

        percent = support_percent([support_size(scores, SUPPORT_THRESHOLDS[dataset]) for scores in recorded])
        of_bins = {name.rstrip("+"): value for name, value in percent.items()}
        assert of_bins == pytest.approx(expected["support_percent"], abs=0.01), system


def test_the_expected_number_of_reviews_takes_the_best_premise_of_each_and_leaves_out_the_unlikely() -> None:
    scores, reviews = [0.9, 0.4, 0.5, 0.2, 0.1], ["a", "a", "b", "c", "d"]

    assert expected_support(scores, reviews, 0.2) == pytest.approx(0.9 + 0.5 + 0.2)
    assert expected_support(scores, reviews, 0) == pytest.approx(0.9 + 0.5 + 0.2 + 0.1)
    assert expected_support([], []) == 0
    with pytest.raises(ClaimwiseError):
        expected_support(scores, reviews[:2])


def test_expected_numbers_are_rounded_to_count_as_three_or_more() -> None:
    assert [is_enough(size) for size in (2, 2.49, 2.5, 2.91, 3)] == [False, False, True, True, True]
    assert share_supported([2.49, 2.5, 0.2, 5.0]) == 0.5
    assert support_percent([0.4, 0.6, 2.5, 7.2]) == {"0": 25, "1": 25, "2": 0, "3": 25, "4": 0, "5+": 25}
