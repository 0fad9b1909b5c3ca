"""Intervals and paired tests over per-summary scores. Texts are never rescored: only scores resampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError

IntervalMethod = Literal["normal", "percentile", "bca"]
TestMethod = Literal["permutation", "bootstrap"]
INTERVAL_METHODS = ("normal", "percentile", "bca")
TEST_METHODS = ("permutation", "bootstrap")
Floats = npt.NDArray[np.float64]


def bootstrap_interval(
    scores: Sequence[float],
    confidence_level: float = 0.95,
    *,
    weights: Sequence[float] | None = None,
    method: IntervalMethod = "normal",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> tuple[float, float]:
    """Return the bootstrap confidence interval of the (weighted) mean of ``scores``.

    The default is the one of the CASPR paper (Section 3.3): 10,000 resamples of summary pairs and the
    normal interval, mean ± z · (standard deviation of the resampled means) (Wasserman 2004, 8.3). It can
    leave the scale where scores are few; the others cannot.

    Args:
        scores: one score per summary pair, at least two.
        confidence_level: inside (0, 1).
        weights: how much each score counts in the mean, such as the number of its claims; resampled
            together with the scores.
        method: ``"normal"``, ``"percentile"`` or ``"bca"``.
        resamples: number of resamples, at least 2.
        seed: for the random generator; ``None`` draws a fresh one.

    Raises:
        ClaimwiseError: for fewer than two scores, or a parameter out of range.
    """
    from scipy import stats

    check_interval(len(scores), confidence_level, method, resamples)
    values = _checked(scores, "a confidence interval")
    counts = np.ones(values.size) if weights is None else np.asarray(weights, dtype=np.float64)
    mean = float(np.average(values, weights=counts))
    if np.ptp(values) == 0:
        return mean, mean

    def weighted_mean(values: Any, counts: Any, axis: int = -1) -> Any:
        return (values * counts).sum(axis=axis) / counts.sum(axis=axis)

    result = stats.bootstrap(
        (values, counts),
        weighted_mean,
        paired=True,
        n_resamples=resamples,
        confidence_level=confidence_level,
        method="BCa" if method == "bca" else "percentile",
        rng=np.random.default_rng(seed),
        batch=max(1, 10_000_000 // values.size),
    )
    if method == "normal":
        width = float(stats.norm.ppf((1 + confidence_level) / 2) * result.standard_error)
        return mean - width, mean + width
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def check_interval(count: int, confidence_level: float, method: str, resamples: int) -> None:
    """Refuse what ``bootstrap_interval`` cannot do, before any score is computed.

    Raises:
        ClaimwiseError: for fewer than two scores, or a parameter out of range.
    """
    if count < 2:
        raise ClaimwiseError(f"A confidence interval needs at least two scores; got {count}.")
    if not 0 < confidence_level < 1:
        raise ClaimwiseError(
            f"confidence_level must lie between 0 and 1; got {confidence_level}.", option="confidence_level"
        )
    if method not in INTERVAL_METHODS:
        raise ClaimwiseError(
            f"Unknown interval {method!r}.",
            f"Choose one of {', '.join(INTERVAL_METHODS)}.",
            option="confidence_method",
        )
    _check_resamples(resamples)


@dataclass(frozen=True)
class PairedTest:
    """The outcome of ``paired_test``: difference of the means (first − second) and two-sided p-value."""

    difference: float
    p_value: float
    method: str


def paired_test(
    first: Sequence[float],
    second: Sequence[float],
    *,
    weights: Sequence[float] | None = None,
    second_weights: Sequence[float] | None = None,
    method: TestMethod = "permutation",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> PairedTest:
    """Test whether two systems, scored on the same examples, differ in their (weighted) mean score.

    ``"permutation"`` swaps the systems' scores, each with its weight, within examples
    (``scipy.stats.permutation_test``); ``"bootstrap"`` resamples examples with their weights and counts how
    often the difference of the means changes sign.

    Args:
        first: scores of one system, one per example.
        second: scores of the other, same length and order.
        weights: how much each score counts in its mean, such as the number of its claims (default: alike).
        second_weights: those of ``second``, where they differ from ``weights``.
        method: which test.
        resamples: number of permutations or resamples.
        seed: for the random generator.

    Raises:
        ClaimwiseError: for unequal lengths, fewer than two scores, weights that are not positive, or an
            unknown method.
    """
    _check_resamples(resamples)
    if method not in TEST_METHODS:
        raise ClaimwiseError(
            f"Unknown test {method!r}.",
            f"Choose {' or '.join(map(repr, TEST_METHODS))}.",
            option="method",
        )
    if len(first) != len(second):
        raise ClaimwiseError(
            f"A paired test needs the same examples in both; got {len(first)} and {len(second)} scores."
        )
    scores = np.array([_checked(first, "a paired test"), _checked(second, "a paired test")])
    if weights is None and second_weights is not None:
        raise ClaimwiseError("second_weights are given without weights.", "Give both.", option="weights")
    counts = np.ones_like(scores)
    if weights is not None:
        counts[0] = _checked_weights(weights, scores.shape[1], "weights")
        counts[1] = counts[0]
    if second_weights is not None:
        counts[1] = _checked_weights(second_weights, scores.shape[1], "second_weights")
    compared = _Equal(scores) if np.ptp(counts) == 0 else _Weighted(scores, counts)
    difference = float(compared.difference(*compared.samples))
    if method == "permutation":
        p_value = _permuted(compared, resamples, seed)
    else:
        p_value = _resampled(compared, difference, resamples, seed)
    return PairedTest(difference=difference, p_value=p_value, method=method)


class _Equal:
    """Two systems whose rows all count alike: a permutation turns the sign of a difference."""

    def __init__(self, scores: Floats) -> None:
        self.samples = (scores[0] - scores[1],)
        self.is_constant = np.ptp(self.samples[0]) == 0

    def difference(self, differences: Floats, axis: int = -1) -> Any:
        return np.mean(differences, axis=axis)


class _Weighted:
    """Two systems whose rows count differently: the samples are places of (score, weight), not scores."""

    def __init__(self, scores: Floats, weights: Floats) -> None:
        self.scores, self.weights = scores.ravel(), weights.ravel()
        self.samples = tuple(np.arange(scores.size).reshape(scores.shape))
        self.is_constant = bool((np.ptp(scores, axis=1) == 0).all())

    def difference(self, first: Any, second: Any, axis: int = -1) -> Any:
        return self._mean(first, axis) - self._mean(second, axis)

    def _mean(self, places: Any, axis: int) -> Any:
        weights = self.weights[places]
        return (self.scores[places] * weights).sum(axis=axis) / weights.sum(axis=axis)


def _permuted(compared: _Equal | _Weighted, resamples: int, seed: int | None) -> float:
    from scipy import stats

    test = stats.permutation_test(
        compared.samples,
        compared.difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=_batch(compared),
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def _resampled(compared: _Equal | _Weighted, difference: float, resamples: int, seed: int | None) -> float:
    from scipy import stats

    if compared.is_constant:
        return float(difference == 0)
    found = stats.bootstrap(
        compared.samples,
        compared.difference,
        paired=True,
        vectorized=True,
        n_resamples=resamples,
        method="percentile",
        rng=np.random.default_rng(seed),
        batch=_batch(compared),
    ).bootstrap_distribution
    tail = 1 + min(np.count_nonzero(found <= 0), np.count_nonzero(found >= 0))
    return float(min(1.0, 2 * tail / (resamples + 1)))


def _batch(compared: _Equal | _Weighted) -> int:
    size: int = sum(sample.size for sample in compared.samples)
    return max(1, 10_000_000 // size)


def _checked_weights(weights: Sequence[float], count: int, name: str) -> Floats:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (count,):
        raise ClaimwiseError(f"{name}: expected one a score, {count}; got {values.size}.", option=name)
    if not (np.isfinite(values) & (values > 0)).all():
        row = int(np.flatnonzero(~(np.isfinite(values) & (values > 0)))[0])
        raise ClaimwiseError(f"{name} must be positive; row {row} has {values[row]:g}.", option=name)
    return values


def _check_resamples(resamples: int) -> None:
    if resamples < 2:
        raise ClaimwiseError(f"resamples must be at least 2; got {resamples}.", option="resamples")


def _checked(scores: Sequence[float], purpose: str) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size < 2:
        raise ClaimwiseError(f"{purpose.capitalize()} needs at least two scores; got {values.size}.")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ClaimwiseError(f"{purpose.capitalize()} needs finite scores; row {row} is {values[row]}.")
    return values
