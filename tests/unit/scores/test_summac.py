"""SummaC-ZS, TOPK and SENTLI by hand, and their invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from claimwise.errors import ClaimwiseError
from claimwise.scores.summac import (
    best_premises,
    entailment,
    entailment_minus_contradiction,
    hypothesis_scores,
    retrieve,
    summary_score,
)

# Four premises, two hypotheses: p_e, p_n, p_c.
MATRIX = np.array(
    [
        [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]],
        [[0.7, 0.0, 0.3], [0.2, 0.2, 0.6]],
        [[0.1, 0.1, 0.8], [0.5, 0.5, 0.0]],
        [[0.3, 0.7, 0.0], [0.3, 0.0, 0.7]],
    ]
)


# ---------------------------------------------------------------------------------------------
# By hand
# ---------------------------------------------------------------------------------------------


def test_a_hypothesis_scores_what_its_best_premise_gives() -> None:
    assert hypothesis_scores(MATRIX) == pytest.approx([0.7, 0.5])
    assert best_premises(MATRIX) == [[1], [2]]


def test_with_contradiction_another_premise_can_be_the_best() -> None:
    """Of the first hypothesis: 0.6 − 0.1 of the first premise is more than 0.7 − 0.3 of the second."""
    assert hypothesis_scores(MATRIX, entailment_minus_contradiction) == pytest.approx([0.5, 0.5])
    assert best_premises(MATRIX, entailment_minus_contradiction) == [[0], [2]]


def test_separate_maxima_take_contradiction_from_any_premise_as_the_released_code_does() -> None:
    """0.7 of the second premise − 0.8 of the third; 0.5 of the third − 0.7 of the fourth."""
    found = hypothesis_scores(MATRIX, entailment_minus_contradiction, "separate")

    assert found == pytest.approx([-0.1, -0.2])
    assert best_premises(MATRIX, entailment_minus_contradiction, "separate") == [[1, 2], [2, 3]]


def test_one_premise_can_be_both_maxima() -> None:
    assert best_premises(MATRIX[1:2], entailment_minus_contradiction, "separate") == [[0], [0]]


def test_any_function_of_the_three_probabilities_scores() -> None:
    found = hypothesis_scores(MATRIX, lambda p_e, p_n, p_c: p_e + p_n / 2)

    assert found == pytest.approx([0.75, 0.75])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"k": 1}, [[1], [2]]),
        ({"k": 2}, [[1, 0], [2, 3]]),
        ({"k": 3, "order": "document"}, [[0, 1, 3], [1, 2, 3]]),
        ({"k": 9}, [[1, 0, 3, 2], [2, 3, 1, 0]]),
        ({"k": 1, "by": "entailment_and_contradiction"}, [[1, 2], [2, 3]]),
        ({"k": 2, "by": "entailment_and_contradiction"}, [[1, 0, 2], [2, 3, 1]]),
        ({"k": 2, "by": "entailment_and_contradiction", "order": "document"}, [[0, 1, 2], [1, 2, 3]]),
    ],
)
def test_retrieval_takes_the_best_premises_once_each(
    options: dict[str, object], expected: list[list[int]]
) -> None:
    assert retrieve(MATRIX, **options) == expected


def test_of_equal_premises_the_first_is_taken() -> None:
    same = np.repeat(MATRIX[:1], 3, axis=0)

    assert best_premises(same) == [[0], [0]]
    assert retrieve(same, 2) == [[0, 1], [0, 1]]


def test_claims_are_averaged_within_their_sentence_first() -> None:
    """Appendix D: sentence 0 has the claims 1.0 and 0.0, sentence 1 the claim 0.9."""
    scores = [1.0, 0.0, 0.9]

    assert summary_score(scores) == pytest.approx(1.9 / 3)
    assert summary_score(scores, sentences=[0, 0, 1]) == pytest.approx(0.7)
    assert summary_score(scores, "min") == summary_score(scores, "min", sentences=[0, 0, 1]) == 0.0


# ---------------------------------------------------------------------------------------------
# Invariants
# ---------------------------------------------------------------------------------------------


def probabilities(premises: int, hypotheses: int) -> st.SearchStrategy[np.ndarray]:
    logits = arrays.arrays(np.float64, (premises, hypotheses, 3), elements=st.floats(-8, 8))
    return logits.map(lambda x: np.exp(x) / np.exp(x).sum(axis=2, keepdims=True))


matrices = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(lambda shape: probabilities(*shape))
scorings = st.sampled_from([entailment, entailment_minus_contradiction])
maxima = st.sampled_from(["joint", "separate"])


@given(matrices, scorings, maxima)
def test_scores_lie_in_the_range_of_their_function_and_min_is_at_most_mean(
    matrix: np.ndarray, scoring: object, maxima: str
) -> None:
    scores = hypothesis_scores(matrix, scoring, maxima)

    least, mean = summary_score(scores, "min"), summary_score(scores, "mean")
    assert (0 if scoring is entailment else -1) <= least <= mean + 1e-12
    assert mean <= 1


@given(matrices, scorings, maxima, st.randoms(use_true_random=False))
def test_the_order_of_the_premises_does_not_matter(
    matrix: np.ndarray, scoring: object, maxima: str, random: object
) -> None:
    order = list(range(len(matrix)))
    random.shuffle(order)

    permuted = hypothesis_scores(matrix[order], scoring, maxima)

    assert (permuted == hypothesis_scores(matrix, scoring, maxima)).all()


@given(matrices, st.data())
def test_a_further_premise_never_lowers_a_score(matrix: np.ndarray, data: st.DataObject) -> None:
    further = data.draw(probabilities(2, matrix.shape[1]))
    more = np.concatenate([matrix, further])

    for scoring in (entailment, entailment_minus_contradiction):
        assert (hypothesis_scores(more, scoring) >= hypothesis_scores(matrix, scoring)).all()


@given(matrices, scorings)
def test_separate_maxima_and_joint_ones_agree_on_entailment_and_bound_each_other(
    matrix: np.ndarray, scoring: object
) -> None:
    joint = hypothesis_scores(matrix, scoring, "joint")
    separate = hypothesis_scores(matrix, scoring, "separate")

    assert (separate <= joint).all()
    if scoring is entailment or len(matrix) == 1:
        assert (separate == joint).all()


@given(matrices, st.integers(1, 6), st.booleans())
def test_what_is_retrieved_holds_the_best_premise_and_as_many_as_asked_for(
    matrix: np.ndarray, k: int, also_contradiction: bool
) -> None:
    by = "entailment_and_contradiction" if also_contradiction else "entailment"
    wanted = min(k, len(matrix))

    for chosen, (best,) in zip(retrieve(matrix, k, by), best_premises(matrix), strict=True):
        assert chosen[0] == best
        assert len(set(chosen)) == len(chosen)
        assert wanted <= len(chosen) <= (min(2 * k, len(matrix)) if also_contradiction else wanted)


# ---------------------------------------------------------------------------------------------
# Refusals
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (2, 2), (2, 2, 4)])
def test_a_matrix_without_pairs_or_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    for function in (hypothesis_scores, best_premises, lambda matrix: retrieve(matrix, 1)):
        with pytest.raises(ClaimwiseError, match=r"\[premises, hypotheses, 3\]"):
            function(np.zeros(shape))


@pytest.mark.parametrize(
    "scoring",
    [lambda p_e, p_n, p_c: 1.0, lambda p_e, p_n, p_c: p_e.max(axis=0), lambda p_e, p_n, p_c: p_e * np.nan],
)
def test_a_scoring_function_that_does_not_score_every_pair_is_refused(scoring: object) -> None:
    with pytest.raises(ClaimwiseError, match="one finite number per pair"):
        hypothesis_scores(MATRIX, scoring)


def test_what_cannot_be_retrieved_or_aggregated_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match="at least 1; got 0"):
        retrieve(MATRIX, 0)
    with pytest.raises(ClaimwiseError, match="without hypotheses"):
        summary_score([])
    with pytest.raises(ClaimwiseError, match="2 scores, 1 sentences"):
        summary_score([0.5, 0.5], sentences=[0])
