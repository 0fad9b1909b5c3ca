"""The formulas of the Pyramid, against values worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.scores.pyramid import (
    attainable_weight,
    f1_score,
    pyramid_score,
    same_units,
    unit_presence,
)

# Logits of three pairs: of entailment, neutral and contradiction.
LOGITS = np.array([[2.0, 1.0, -1.0], [1.0, -3.0, 2.0], [0.0, 1.0, 0.5]])
PROBABILITIES = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)


def presence(kind: Any, logits: Any = LOGITS) -> list[float]:
    return [round(float(x), 4) for x in unit_presence(PROBABILITIES, kind, logits)]


def test_of_three_classes_presence_is_the_probability_or_the_label_of_entailment() -> None:
    # e²/(e² + e + e⁻¹), e/(e + e⁻³ + e²), 1/(1 + e + e^0.5)
    assert presence("p3c") == [0.7054, 0.2676, 0.1863]
    assert presence("l3c") == [1, 0, 0]


def test_of_two_classes_the_logits_of_neutral_and_contradiction_are_added() -> None:
    # The margins are 2 − 0, 1 − (−1) and 0 − 1.5; of the second pair the three classes say contradiction.
    assert presence("p2c") == [0.8808, 0.8808, 0.1824]
    assert presence("l2c") == [1, 1, 0]


def test_a_class_that_a_judge_does_not_have_is_not_added() -> None:
    two_classes = np.array([[0.5, 1.0, -np.inf], [3.0, 1.0, -np.inf], [400.0, -400.0, -np.inf]])

    assert presence("p2c", two_classes) == [0.3775, 0.8808, 1.0]
    assert presence("l2c", two_classes) == [0, 1, 1]


@pytest.mark.parametrize("kind", ["p2c", "l2c"])
def test_two_classes_need_logits(kind: Any) -> None:
    with pytest.raises(ClaimwiseError, match=f"{kind}.*logits.*'p3c' or 'l3c'"):
        unit_presence(PROBABILITIES, kind)


def test_the_score_is_the_share_of_the_weight_that_is_found() -> None:
    assert pyramid_score([1, 0, 1, 0], [3, 2, 1, 1]) == pytest.approx(4 / 7)
    assert pyramid_score([0.5, 0.25], [1, 1]) == pytest.approx(0.375)
    assert pyramid_score([0, 0], [3, 1]) == 0
    assert pyramid_score([1, 1], [3, 1]) == 1


@pytest.mark.parametrize(
    ("units", "best"),
    [
        (2, 3 + 2),  # the example of the paper: the best summary has the heaviest units
        (3, 3 + 2 + 1),
        (9, 7),  # more than there are
        (1, 3 + 2),  # two were found in one claim
    ],
)
def test_attainable_is_the_weight_of_the_best_summary_of_as_many_units(units: int, best: float) -> None:
    assert pyramid_score([1, 0, 1, 0], [3, 2, 1, 1], units_in_summary=units) == pytest.approx(4 / best)


def test_a_part_of_a_unit_attains_a_part_of_its_weight() -> None:
    assert attainable_weight([3, 1, 2], 2.5) == 5.5
    assert attainable_weight([3, 1, 2], 0) == 0
    # 0.5 + 0.5 were found, that is one unit; the best summary of one has the unit of weight 2.
    assert pyramid_score([0.5, 0.5], [2, 1], units_in_summary=1) == pytest.approx(1.5 / 2)


def test_nothing_found_is_0_however_few_units_a_summary_has() -> None:
    assert pyramid_score([0, 0], [2, 1], units_in_summary=0) == 0
    assert pyramid_score([0, 1], [2, 0], units_in_summary=1) == 0


@given(
    units=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 9)), min_size=1, max_size=6),
    number=st.integers(0, 8),
)
def test_scores_lie_between_0_and_1_and_attainable_is_never_lower(
    units: list[tuple[float, float]], number: int
) -> None:
    found, weights = zip(*units, strict=True)
    if not any(weights):
        return

    of_all = pyramid_score(found, weights)
    attainable = pyramid_score(found, weights, units_in_summary=number)

    assert 0 <= of_all <= attainable + 1e-9 <= 1 + 2e-9


@pytest.mark.parametrize(
    ("found", "weights", "message"),
    [
        ([], [], "without units"),
        ([1.0], [1.0, 1.0], "1 units, 2 weights"),
        ([1.0], [-1.0], "0 or more"),
        ([1.0], [0.0], "not all 0"),
        ([1.0], [float("nan")], "numbers"),
        ([1.0], [float("inf")], "numbers"),
    ],
)
def test_what_has_no_score_is_refused(found: list[float], weights: list[float], message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message):
        pyramid_score(found, weights)


def test_f1_is_the_harmonic_mean() -> None:
    assert f1_score(0.5, 0.25) == pytest.approx(1 / 3)
    assert f1_score(0, 0) == 0


def entailments(claims: int, *pairs: tuple[int, int]) -> Any:
    matrix = np.zeros((claims, claims), dtype=np.bool_)
    for premise, hypothesis in pairs:
        matrix[premise, hypothesis] = True
    return matrix


def test_claims_that_entail_each_other_both_ways_are_one_unit() -> None:
    # Claims 0 and 1 of reference 0, claims 2 and 3 of reference 1: 0 and 3 say the same, 1 entails 2 only.
    entails = entailments(4, (0, 3), (3, 0), (1, 2))

    assert same_units([0, 0, 1, 1], entails) == [[0, 3], [1], [2]]


def test_a_unit_has_at_most_one_claim_of_a_reference() -> None:
    everything = np.ones((3, 3), dtype=np.bool_)

    assert same_units([0, 1, 1], everything) == [[0, 1], [2]]
    assert same_units([0, 1, 2], everything) == [[0, 1, 2]]


def test_a_claim_joins_a_unit_only_if_it_says_the_same_as_all_of_it() -> None:
    # 1 says the same as 0 and as 2, but 0 and 2 do not say the same.
    chain = entailments(3, (0, 1), (1, 0), (1, 2), (2, 1))

    assert same_units([0, 1, 2], chain) == [[0, 1], [2]]
