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
    assert (score.strongest_a, score.strongest_b) == ([0, 1, None], [0, 1, None])
    assert score.strongest == score.score  # no claim both agrees and contradicts


def comparison(entailment: float, contradiction: float) -> list[float]:
    return [entailment, 1 - entailment - contradiction, contradiction]


@pytest.mark.parametrize(
    ("comparisons", "strongest", "by_count", "by_strength"),
    [
        # one sure contradiction, one entailment at .55: a tie for the paper, which calls it similar
        ([((0, 0.98), (0, 0.98)), ((0.55, 0), (0.55, 0))], 0, 0.0, 100.0),
        # and the other way round, with two contradictions
        ([((0, 0.6), (0, 0.6)), ((0.9, 0), (0.9, 0)), ((0, 0.7), (0, 0.7))], 1, 100.0, 0.0),
        # the mean of both directions counts: (.9 + .1) / 2 < (.6 + .6) / 2
        ([((0.9, 0), (0.1, 0)), ((0, 0.6), (0, 0.6))], 1, 0.0, 100.0),
        # equals: the entailment decides
        ([((0, 0.75), (0, 0.75)), ((0.75, 0), (0.75, 0))], 1, 0.0, 0.0),
        # neutral comparisons decide nothing, whatever else is probable
        ([((0.45, 0), (0.45, 0)), ((0, 0.4), (0, 0.4))], None, 100.0, 100.0),
    ],
)
def test_the_surest_comparison_decides_by_strength(
    comparisons: list[tuple], strongest: int | None, by_count: float, by_strength: float
) -> None:
    forward = np.array([[comparison(*there) for there, _ in comparisons]])
    backward = np.array([[comparison(*back)] for _, back in comparisons])
    found = caspr_score(forward, backward)
    assert found.strongest_a == [strongest]
    others = [
        -1 if sum(there) and there[0] > 0.5 else 1 for there, _ in comparisons
    ]  # each has one comparison
    for score, of_a in ((found.score, by_count), (found.strongest, by_strength)):
        contrasting = of_a / 100 + others.count(1)
        assert score == pytest.approx(100 * contrasting / (1 + len(others)))


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
    assert 0 <= score.strongest <= 100
    swapped = caspr_score(backward, forward)
    assert (swapped.score, swapped.strongest) == (score.score, score.strongest)
    assert swapped.claim_scores_a == score.claim_scores_b
    assert (swapped.pair_labels == score.pair_labels.T).all()


@given(matrices, st.randoms(use_true_random=False))
def test_the_order_of_the_claims_does_not_matter(directions: tuple, random: object) -> None:
    forward, backward = directions
    order = list(range(len(forward)))
    random.shuffle(order)
    shuffled, found = caspr_score(forward[order], backward[:, order]), caspr_score(forward, backward)
    assert (shuffled.score, shuffled.strongest) == (found.score, found.strongest)


def with_a_claim_more(directions: tuple, there: object, back: object) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrices with one more claim in B, given its probabilities with all claims of A."""
    forward, backward = directions
    of_all = np.broadcast_to(np.array([there, back], dtype=np.float32)[:, None], (2, len(forward), 3))
    return np.concatenate([forward, of_all[0][:, None]], axis=1), np.concatenate([backward, of_all[1:]])


@given(matrices)
def test_a_neutral_claim_more_never_lowers_a_score(directions: tuple[np.ndarray, np.ndarray]) -> None:
    found = caspr_score(*directions)
    more = caspr_score(*with_a_claim_more(directions, [0.25, 0.5, 0.25], [0.0, 1.0, 0.0]))
    assert more.score >= found.score
    assert more.strongest >= found.strongest


@given(matrices, st.floats(0.5, 1, width=32), st.floats(0, 1, width=32))
def test_a_weaker_entailment_never_turns_what_a_surer_contradiction_decided(
    directions: tuple[np.ndarray, np.ndarray], there: float, back: float
) -> None:
    found = caspr_score(*directions)
    entailments = [there, 0.0, 0.0], [back, 0.0, 0.0]
    more = caspr_score(*with_a_claim_more(directions, *entailments))
    for claim, strongest in enumerate(found.strongest_a):
        if strongest is not None and found.pair_labels[claim, strongest] == C:
            certainty = (directions[0][claim, strongest, C] + directions[1][strongest, claim, C]) / 2
            if np.float32(there + back) / 2 < certainty:
                assert more.strongest_a[claim] == strongest


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match=r"\[m, n, 3\]"):
        caspr_score(np.zeros((2, 3, 3)), np.zeros((2, 3, 3)))
    with pytest.raises(ClaimwiseError, match="without claims"):
        caspr_score(np.zeros((0, 2, 3)), np.zeros((2, 0, 3)))
