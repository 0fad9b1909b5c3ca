"""Intervals and paired tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.stats import bootstrap_interval, mean_difference

SCORES = [12.0, 40.0, 55.0, 60.0, 71.0, 80.0, 84.0, 93.0, 97.0, 100.0]


def test_the_normal_interval_is_that_of_the_plug_in_standard_error() -> None:
    """The bootstrap's standard error of a mean converges to the scores' own deviation over √n."""
    low, high = bootstrap_interval(SCORES, 0.95, method="normal", resamples=50_000)
    width = 1.96 * np.std(SCORES) / np.sqrt(len(SCORES))
    assert low == pytest.approx(np.mean(SCORES) - width, abs=0.3)
    assert high == pytest.approx(np.mean(SCORES) + width, abs=0.3)


@pytest.mark.parametrize("method", ["normal", "percentile", "bca"])
def test_intervals_hold_the_mean_widen_with_confidence_and_repeat(method: str) -> None:
    low, high = bootstrap_interval(SCORES, 0.95, method=method)
    assert low < np.mean(SCORES) < high
    narrow_low, narrow_high = bootstrap_interval(SCORES, 0.5, method=method)
    assert low < narrow_low < narrow_high < high
    assert (low, high) == bootstrap_interval(SCORES, 0.95, method=method)
    assert (low, high) != bootstrap_interval(SCORES, 0.95, method=method, seed=1)


def test_equal_scores_have_an_interval_of_no_width() -> None:
    assert bootstrap_interval([50.0] * 5) == (50.0, 50.0)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([1.0], {}, "at least two"),
        ([1.0, float("nan")], {}, "row 1"),
        (SCORES, {"confidence_level": 95}, "between 0 and 1"),
        (SCORES, {"confidence_level": 1.0}, "between 0 and 1"),
        (SCORES, {"confidence_level": 0.0}, "between 0 and 1"),
        (SCORES, {"method": "exact"}, "`percentile`, `bca`, `normal`"),
        (SCORES, {"resamples": 1}, "at least 2"),
    ],
)
def test_impossible_intervals_say_why(scores: list[float], options: dict, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message):
        bootstrap_interval(scores, **options)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_a_consistent_difference_is_significant_and_chance_is_not(method: str) -> None:
    noise = np.random.default_rng(3).normal(size=(2, 40))
    better = mean_difference(noise[0] + 1, noise[0] + 0.1 * noise[1], method=method)
    assert better.difference == pytest.approx(1, abs=0.1)
    assert better.p_value < 0.001
    same = mean_difference(noise[0], noise[0][::-1], method=method)
    assert same.p_value > 0.5


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_a_system_does_not_differ_from_itself(method: str) -> None:
    assert mean_difference(SCORES, SCORES, method=method).p_value == 1


def test_a_small_permutation_test_by_hand() -> None:
    """Three differences of one sign: only 2 of the 8 sign patterns are as extreme."""
    assert mean_difference([2, 3, 4], [1, 1, 1]).p_value == pytest.approx(2 / 8)


def test_a_bootstrap_by_hand() -> None:
    """No resample of differences of one sign changes it, and p is not 0 for that; half of (-1, 1) is 0."""
    assert mean_difference([2, 3, 4], [1, 1, 1], method="bootstrap", resamples=99).p_value == 2 / 100
    assert mean_difference([0, 2], [1, 1], method="bootstrap").p_value == 1


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12), st.floats(-5, 5))
def test_the_test_is_antisymmetric_and_a_p_value(scores: list[float], shift: float) -> None:
    other = [score * 0.5 + shift for score in scores]
    forward = mean_difference(scores, other, resamples=200)
    backward = mean_difference(other, scores, resamples=200)
    assert 0 < forward.p_value <= 1
    assert forward.difference == pytest.approx(-backward.difference)


def test_unpaired_scores_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match="3 and 2"):
        mean_difference([1, 2, 3], [1, 2])
    with pytest.raises(ClaimwiseError, match="`method` must be one of"):
        mean_difference([1, 2], [1, 2], method="t")


FIRST, WEIGHTS = [4.0, 6.0, 8.0], [1.0, 2.0, 1.0]
SECOND, SECOND_WEIGHTS = [1.0, 5.0, 9.0], [1.0, 1.0, 2.0]


def test_the_difference_is_that_of_the_weighted_means() -> None:
    test = mean_difference(FIRST, SECOND, weights=WEIGHTS, second_weights=SECOND_WEIGHTS)

    assert test.difference == pytest.approx((4 + 2 * 6 + 8) / 4 - (1 + 5 + 2 * 9) / 4) == 0
    assert mean_difference(FIRST, SECOND, weights=WEIGHTS).difference == pytest.approx(
        6 - (1 + 2 * 5 + 9) / 4
    )


def test_a_weighted_permutation_swaps_scores_with_their_weights() -> None:
    """Three rows, eight ways to swap (score, weight); the differences of weighted means, by hand.

    First (4·1, 6·2, 8·1) and second (1·1, 3·1, 5·2) differ by 24/4 − 14/4 = 2.5. Swapping no row, or all of
    them, gives ±2.5; row 0: (1 + 12 + 8)/4 − (4 + 3 + 10)/4 = 1; row 1: (4 + 3 + 8)/3 −
    (1 + 12 + 10)/5 = 0.4; row 2: (4 + 12 + 10)/5 − (1 + 3 + 8)/3 = 1.2; the other three are those of their
    complements. Only the two of ±2.5 are as extreme.
    """
    test = mean_difference([4, 6, 8], [1, 3, 5], weights=[1, 2, 1], second_weights=[1, 1, 2])

    assert test.difference == pytest.approx(2.5)
    assert test.p_value == pytest.approx(2 / 8)
    # Rows that are not the most extreme as they are: swapping row 0 of the same gives 1, between 1.2 and 0.4.
    swapped = mean_difference([1, 6, 8], [4, 3, 5], weights=[1, 2, 1], second_weights=[1, 1, 2])
    assert swapped.difference == pytest.approx(1)
    assert swapped.p_value == pytest.approx(6 / 8)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
@pytest.mark.parametrize("count", [5, 40])
def test_equal_weights_are_no_weights(method: str, count: int) -> None:
    first, second = np.random.default_rng(1).normal(size=(2, count))

    weighted = mean_difference(first, second, weights=[3.0] * count, method=method)

    assert weighted == mean_difference(first, second, method=method)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_the_weighted_test_tells_a_difference_from_chance(method: str) -> None:
    random = np.random.default_rng(3)
    scores, weights = random.normal(size=40), random.integers(1, 9, (2, 40))
    options = {"weights": weights[0], "second_weights": weights[1], "method": method}

    assert mean_difference(scores + 2, scores, **options).p_value < 0.001
    assert mean_difference(scores, scores[::-1], **options).p_value > 0.05
    itself = mean_difference(scores, scores, weights=weights[0], method=method)
    assert (itself.difference, itself.p_value) == (0, 1)
    assert mean_difference([5] * 3, [5] * 3, weights=[1, 2, 3], method=method).p_value == 1


def test_a_row_that_weighs_more_decides_more() -> None:
    """The same scores: what the third row says outweighs the first two, or is outweighed."""
    first, second = [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]

    assert mean_difference(first, second, weights=[1, 1, 8]).difference == pytest.approx(-0.6)
    assert mean_difference(first, second, weights=[4, 4, 2]).difference == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("options", "message", "option"),
    [
        ({"weights": [1, 2]}, "`weights` must be 3 numbers, one for each score; got 2", "weights"),
        ({"weights": [1, 0, 2]}, "row 1: `weights` must be positive; got 0", "weights"),
        ({"weights": [1, 1, float("nan")]}, "row 2: `weights` must be positive; got nan", "weights"),
        ({"weights": [1, 1, 1], "second_weights": [1, -1, 1]}, "`second_weights` must be", "second_weights"),
    ],
)
def test_weights_that_cannot_be_are_refused(options: dict, message: str, option: str) -> None:
    with pytest.raises(ClaimwiseError, match=message) as refused:
        mean_difference([1, 2, 3], [3, 2, 1], **options)
    assert refused.value.option == option


def test_a_normal_interval_of_weighted_scores_is_centred_on_their_weighted_mean() -> None:
    low, high = bootstrap_interval([0.0, 1.0, 1.0, 0.0], weights=[1, 3, 1, 1], method="normal")
    assert (low + high) / 2 == pytest.approx(4 / 6)
