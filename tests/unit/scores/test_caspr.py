"""CASPR against the paper's rules, case by case, and its invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from claimwise.errors import ClaimwiseError
from claimwise.scores.caspr import caspr_score, claim_scores, pair_labels

E, N, C = 0, 1, 2


def matrix(labels: list[list[int]]) -> np.ndarray:
    """Probabilities whose arg-max are ``labels``."""
    return np.eye(3, dtype=np.float32)[np.array(labels)] * 0.7 + 0.1


@pytest.mark.parametrize(
    ("a_to_b", "b_to_a", "expected"),
    [
        (N, N, N),
        (C, C, C),
        (E, E, E),
        (N, C, C),
        (C, N, C),
        (N, E, E),
        (E, N, E),
        (C, E, N),
        (E, C, N),
    ],
)
def test_directions_combine_as_in_section_2_2(a_to_b: int, b_to_a: int, expected: int) -> None:
    assert pair_labels(matrix([[a_to_b]]), matrix([[b_to_a]])) == [[expected]]


def test_directions_are_matched_by_claim_not_by_position() -> None:
    forward = matrix([[N, N, N], [N, N, N]])
    backward = matrix([[N, C], [N, N], [E, N]])
    assert pair_labels(forward, backward).tolist() == [[N, N, E], [C, N, N]]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([N, N, N], 1),  # case 1: an aspect that the other summary does not mention
        ([C, C, E], 1),  # case 2: more contradictions than entailments
        ([C, N, N], 1),
        ([E, C, N], -1),  # case 3: a tie counts as similar
        ([E, E, C], -1),
        ([E], -1),
    ],
)
def test_a_claim_scores_by_the_three_cases(labels: list[int], expected: int) -> None:
    assert claim_scores(np.array([labels])) == [expected]


def test_a_whole_pair_by_hand() -> None:
    # a1 agrees with b1, a2 contradicts b2, a3 stands alone; b3 stands alone.
    # Claim scores: a = (−1, +1, +1), b = (−1, +1, +1); mean 2/6; (1/3 + 1) / 2 · 100 = 66.7.
    forward = matrix([[E, N, N], [N, C, N], [N, N, N]])
    backward = matrix([[E, N, N], [N, N, N], [N, N, N]])
    score = caspr_score(forward, backward)
    assert score.claim_scores_a == [-1, 1, 1]
    assert score.claim_scores_b == [-1, 1, 1]
    assert score.score == pytest.approx(200 / 3)


def test_table_1_of_the_paper() -> None:
    """A paraphrase entailed both ways scores 0, a negation contradicted both ways 100."""
    assert caspr_score(matrix([[E]]), matrix([[E]])).score == 0
    assert caspr_score(matrix([[C]]), matrix([[C]])).score == 100


def both_directions(m: int, n: int) -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    probabilities = st.floats(0, 1, width=32)
    return st.tuples(
        arrays.arrays(np.float32, (m, n, 3), elements=probabilities),
        arrays.arrays(np.float32, (n, m, 3), elements=probabilities),
    )


matrices = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(lambda shape: both_directions(*shape))


@given(matrices)
def test_the_score_is_symmetric_and_bounded(directions: tuple[np.ndarray, np.ndarray]) -> None:
    forward, backward = directions
    score = caspr_score(forward, backward)
    assert 0 <= score.score <= 100
    swapped = caspr_score(backward, forward)
    assert swapped.score == score.score
    assert swapped.claim_scores_a == score.claim_scores_b
    assert (swapped.pair_labels == score.pair_labels.T).all()


@given(matrices, st.randoms(use_true_random=False))
def test_the_order_of_the_claims_does_not_matter(directions: tuple, random: object) -> None:
    forward, backward = directions
    order = list(range(len(forward)))
    random.shuffle(order)
    shuffled = caspr_score(forward[order], backward[:, order])
    assert shuffled.score == caspr_score(forward, backward).score


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match=r"\[m, n, 3\]"):
        caspr_score(np.zeros((2, 3, 3)), np.zeros((2, 3, 3)))
    with pytest.raises(ClaimwiseError, match="without claims"):
        caspr_score(np.zeros((0, 2, 3)), np.zeros((2, 0, 3)))
