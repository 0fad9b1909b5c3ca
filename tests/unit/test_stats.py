"""Intervals and paired tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.stats import INTERVAL_METHODS, bootstrap_interval, paired_test

SCORES = [12.0, 40.0, 55.0, 60.0, 71.0, 80.0, 84.0, 93.0, 97.0, 100.0]


def test_the_normal_interval_is_that_of_the_plug_in_standard_error() -> None:
    """The bootstrap's standard error of a mean converges to the scores' own deviation over √n."""
    low, high = bootstrap_interval(SCORES, 0.95, resamples=50_000)
    width = 1.96 * np.std(SCORES) / np.sqrt(len(SCORES))
    assert low == pytest.approx(np.mean(SCORES) - width, abs=0.3)
    assert high == pytest.approx(np.mean(SCORES) + width, abs=0.3)


@pytest.mark.parametrize("method", INTERVAL_METHODS)
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
        (SCORES, {"method": "exact"}, "normal, percentile, bca"),
        (SCORES, {"resamples": 1}, "at least 2"),
    ],
)
def test_impossible_intervals_say_why(scores: list[float], options: dict, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message):
        bootstrap_interval(scores, **options)


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_a_consistent_difference_is_significant_and_chance_is_not(method: str) -> None:
    noise = np.random.default_rng(3).normal(size=(2, 40))
    better = paired_test(noise[0] + 1, noise[0] + 0.1 * noise[1], method=method)
    assert better.difference == pytest.approx(1, abs=0.1)
    assert better.p_value < 0.001
    same = paired_test(noise[0], noise[0][::-1], method=method)
    assert same.p_value > 0.5


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_a_system_does_not_differ_from_itself(method: str) -> None:
    assert paired_test(SCORES, SCORES, method=method).p_value == 1


def test_a_small_permutation_test_by_hand() -> None:
    """Three differences of one sign: only 2 of the 8 sign patterns are as extreme."""
    assert paired_test([2, 3, 4], [1, 1, 1]).p_value == pytest.approx(2 / 8)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12), st.floats(-5, 5))
def test_the_test_is_antisymmetric_and_a_p_value(scores: list[float], shift: float) -> None:
    other = [score * 0.5 + shift for score in scores]
    forward = paired_test(scores, other, resamples=200)
    backward = paired_test(other, scores, resamples=200)
    assert 0 < forward.p_value <= 1
    assert forward.difference == pytest.approx(-backward.difference)


def test_unpaired_scores_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match="3 and 2"):
        paired_test([1, 2, 3], [1, 2])
    with pytest.raises(ClaimwiseError, match="Unknown test"):
        paired_test([1, 2], [1, 2], method="t")
