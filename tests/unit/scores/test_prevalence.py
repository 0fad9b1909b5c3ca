"""The formula of opinion prevalence, by hand-computed values and invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from claimwise.errors import ClaimwiseError
from claimwise.scores.opinion_prevalence import redundant, sentence_scores, share_of_reviews

NEVER = np.zeros(3, dtype=bool)


def test_a_sentence_counts_the_share_of_the_reviews_that_imply_it() -> None:
    # Four reviews, three sentences: the first is shared by three, the second by none, the third by one.
    entailment = np.array([[0.9, 0.1, 0.2], [0.8, 0.2, 0.6], [0.5, 0.3, 0.1], [0.4, 0.0, 0.3]])

    share = share_of_reviews(entailment, [0, 1, 2, 3], threshold=0.5)

    assert share.tolist() == [0.75, 0, 0.25]
    assert sentence_scores(share, NEVER, NEVER).mean() == pytest.approx(1 / 3)


def test_a_review_in_several_premises_is_one_review() -> None:
    entailment = np.array([[0.9, 0.1], [0.7, 0.1], [0.1, 0.1]])

    share = share_of_reviews(entailment, ["long", "long", "short"], threshold=0.5)

    assert share.tolist() == [0.5, 0]


def test_a_trivial_or_redundant_sentence_counts_0() -> None:
    share = np.array([1.0, 0.5, 0.75])
    trivial, repeats = np.array([True, False, False]), np.array([False, False, True])

    assert sentence_scores(share, trivial, repeats).tolist() == [0, 0.5, 0]


def test_only_an_earlier_sentence_makes_a_sentence_redundant_even_one_that_is_redundant_itself() -> None:
    # The second follows from the first, the third only from the second, the first from the third.
    entailment = np.array([[1.0, 0.6, 0.1], [0.1, 1.0, 0.5], [0.9, 0.1, 1.0]])

    assert redundant(entailment, threshold=0.5).tolist() == [False, True, True]
    assert redundant(entailment, threshold=0.55).tolist() == [False, True, False]


def test_premises_without_their_reviews_are_refused() -> None:
    for entailment, reviews in ((np.zeros((2, 1)), [0]), (np.zeros((0, 1)), [])):
        with pytest.raises(ClaimwiseError):
            share_of_reviews(entailment, reviews)


probabilities = st.floats(0, 1, width=32)
matrices = st.tuples(st.integers(1, 6), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=probabilities)
)


@given(matrices, probabilities, st.randoms(use_true_random=False))
def test_shares_are_within_their_bounds_whatever_the_order_of_the_reviews(
    entailment: np.ndarray, threshold: float, random: object
) -> None:
    reviews = list(range(len(entailment)))
    share = share_of_reviews(entailment, reviews, threshold)
    random.shuffle(reviews)  # type: ignore[attr-defined]

    assert ((share >= 0) & (share <= 1)).all()
    assert share_of_reviews(entailment[reviews], reviews, threshold).tolist() == share.tolist()
    assert (share_of_reviews(entailment, reviews, 1.0) <= share).all()  # a higher threshold, fewer reviews
