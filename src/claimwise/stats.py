"""Confidence intervals of means and tests of their differences: scores are resampled, never recomputed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.options import check

IntervalMethod = Literal["percentile", "bca", "normal"]
TestMethod = Literal["permutation", "bootstrap"]
Floats = npt.NDArray[np.float64]
COEFFICIENTS = ("pearson", "spearman", "kendall")


class Interval(TypedDict, total=False):
    """Arguments of ``compute`` that describe the confidence interval, passed on to ``interval_of_mean``."""

    confidence_level: float | None
    confidence_method: IntervalMethod
    resamples: int
    seed: int | None


def seeded(seed: int | None) -> np.random.Generator:
    """Return a generator of random numbers; ``None`` draws a fresh seed.

    Raises:
        ClaimwiseError: for a seed that is no whole number of at least 0.
    """
    if seed is not None:
        check("seed", seed, at_least=0)
    return np.random.default_rng(seed)


def interval_of_mean(
    scores: Sequence[float],
    weights: Sequence[float],
    confidence_level: float | None = None,
    confidence_method: IntervalMethod = "percentile",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> tuple[float, float] | None:
    """Return ``bootstrap_interval`` for the arguments of ``compute``; None = no ``confidence_level``."""
    if confidence_level is None:
        return None
    return bootstrap_interval(
        scores, confidence_level, weights=weights, method=confidence_method, resamples=resamples, seed=seed
    )


def bootstrap_interval(
    scores: Sequence[float],
    confidence_level: float = 0.95,
    *,
    weights: Sequence[float] | None = None,
    method: IntervalMethod = "percentile",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> tuple[float, float]:
    """Return the bootstrap confidence interval of the (weighted) mean of ``scores``.

    The CASPR paper (Section 3.3) uses the normal interval of 10,000 resamples of summary pairs, mean ±
    z · (standard deviation of the resampled means) (Wasserman 2004, 8.3). With few scores the normal interval
    can exceed the metric's range; the other intervals cannot.

    Args:
        scores: one score per row, at least two.
        confidence_level: in (0, 1).
        weights: weight of each score in the mean, such as its number of claims; resampled together with the
            scores.
        method: ``"percentile"``, ``"bca"`` or ``"normal"``.
        resamples: at least 2.
        seed: ``None`` draws a fresh one.

    Raises:
        ClaimwiseError: for fewer than two scores, or a parameter out of range.
    """
    from scipy import stats

    check_interval(len(scores), confidence_level, method, resamples)
    values = _checked(scores, "A confidence interval")
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
        rng=seeded(seed),
        batch=max(1, 10_000_000 // values.size),
    )
    if method == "normal":
        width = float(stats.norm.ppf((1 + confidence_level) / 2) * result.standard_error)
        return mean - width, mean + width
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def check_interval(
    count: int,
    confidence_level: float | None = None,
    confidence_method: str = "percentile",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> None:
    """Reject invalid arguments of ``bootstrap_interval`` before any score is computed; None = no interval."""
    if confidence_level is None:
        return
    if count < 2:
        raise ClaimwiseError(
            f"A confidence interval needs at least two scores; got {count}.",
            "Score more rows, or leave out the interval.",
        )
    if not 0 < confidence_level < 1:
        raise ClaimwiseError(
            f"`confidence_level` must be between 0 and 1; got {confidence_level}.",
            "Pass 0.95 for 95%.",
            option="confidence_level",
        )
    check("confidence_method", confidence_method, choices=get_args(IntervalMethod))
    check("resamples", resamples, at_least=2)


class MeanDifference(NamedTuple):
    """Difference of two means (first − second) and its two-sided p-value."""

    difference: float
    p_value: float


def mean_difference(
    first: Sequence[float],
    second: Sequence[float],
    weights: Sequence[float] | None = None,
    second_weights: Sequence[float] | None = None,
    *,
    method: TestMethod = "permutation",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> MeanDifference:
    """Test whether two (weighted) means of paired scores differ.

    ``"permutation"`` swaps both scores of a pair, each with its weight (``scipy.stats.permutation_test``);
    ``"bootstrap"`` resamples pairs with their weights and counts how often the difference changes sign.

    Args:
        first: scores ``[pairs]``.
        second: scores ``[pairs]``.
        weights: weight of each score of ``first`` in its mean, such as its number of claims (default: equal).
        second_weights: weights of ``second`` (default: ``weights``).
        method: ``"permutation"`` or ``"bootstrap"``.
        resamples: number of permutations or resamples, at least 2.
        seed: ``None`` draws a fresh one.

    Raises:
        ClaimwiseError: for unequal lengths, fewer than two scores, weights that are not positive, or an
            unknown method.
    """
    from scipy import stats

    check("method", method, choices=get_args(TestMethod))
    samples, difference, options = _paired(first, second, weights, second_weights, resamples, seed)
    if method == "permutation":
        p_value = stats.permutation_test(samples, difference, permutation_type="samples", **options).pvalue
    else:
        resampled = stats.bootstrap(samples, difference, paired=True, method="percentile", **options)
        p_value = sign_p_value(resampled.bootstrap_distribution)
    return MeanDifference(float(difference(*samples)), float(p_value))


def sign_p_value(differences: Floats) -> float:
    """Return the two-sided p-value of resampled differences ``[resamples]``: how often their sign changes."""
    tail = 1 + min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
    return min(1.0, 2 * tail / (len(differences) + 1))


class Difference(NamedTuple):
    """The size of a difference of means: ends of its interval, and the effect size (None: no variance)."""

    low: float
    high: float
    effect_size: float | None


def size_of_difference(
    first: Sequence[float],
    second: Sequence[float],
    weights: Sequence[float] | None = None,
    second_weights: Sequence[float] | None = None,
    *,
    confidence_level: float = 0.95,
    resamples: int = 10_000,
    seed: int | None = 0,
) -> Difference:
    """Return the percentile interval and the effect size of the difference of paired (weighted) means.

    The interval resamples pairs with their weights. The effect size is Cohen's d_z (Lakens 2013, Equation 7):
    the difference divided by the standard deviation of the pairs' contributions to it (with equal weights,
    of the pairs' differences). See ``mean_difference`` for arguments and errors; the level is in (0, 1).
    """
    from scipy import stats

    check_interval(len(first), confidence_level, "percentile", resamples)
    samples, difference, options = _paired(first, second, weights, second_weights, resamples, seed)
    ends = stats.bootstrap(
        samples, difference, paired=True, method="percentile", confidence_level=confidence_level, **options
    ).confidence_interval
    spread = float(contributions(first, second, weights, second_weights).std(ddof=1))
    effect = None if spread < 1e-9 else float(difference(*samples)) / spread
    return Difference(float(ends.low), float(ends.high), effect)


def contributions(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    weights: Sequence[float] | Floats | None = None,
    second_weights: Sequence[float] | Floats | None = None,
) -> Floats:
    """Return each pair's contribution to the difference of (weighted) means, centred, ``[pairs]``."""
    if second_weights is None:
        second_weights = weights

    def centred(scores: Sequence[float] | Floats, weights: Sequence[float] | Floats | None) -> Floats:
        values = np.asarray(scores, dtype=np.float64)
        counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        terms: Floats = counts / counts.mean() * (values - np.average(values, weights=counts))
        return terms

    return centred(first, weights) - centred(second, second_weights)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for multiple testing (Holm 1979), in the given order and within [0, 1]."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.asarray(p_values, dtype=np.float64)[order] * np.arange(len(order), 0, -1)
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return corrected.tolist()


def correlations(scores: Floats, human: Floats) -> tuple[float, float, float]:
    """Return Pearson's r, Spearman's ρ and Kendall's τ_b of scores ``[n]`` with human ratings ``[n]``.

    All are 0 where all scores are equal, and NaN where all ratings are, or there are fewer than two.
    """
    from scipy import stats

    if len(human) < 2 or np.ptp(human) == 0:
        return math.nan, math.nan, math.nan
    if np.ptp(scores) == 0:
        return 0.0, 0.0, 0.0
    ranks = stats.rankdata(scores), stats.rankdata(human)
    tau = stats.kendalltau(scores, human).statistic
    return float(np.corrcoef(scores, human)[0, 1]), float(np.corrcoef(*ranks)[0, 1]), float(tau)


def partial_correlations(scores: Floats, human: Floats, covariate: Floats) -> Floats:
    """Return the partial Spearman ρ of scores ``[scores, n]`` with human ratings, given a covariate.

    It is Pearson's partial correlation of the ranks; NaN for fewer than four values, and where the covariate
    has the ranks of the scores or of the ratings. Ratings and covariate are ``[n]``; a constant covariate
    explains nothing.
    """
    from scipy import stats

    ranks = stats.rankdata([human, covariate, *scores], axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(ranks, axis=1, keepdims=True)
    ranks = np.divide(ranks, lengths, out=np.zeros_like(ranks), where=lengths > 1e-9)
    with_human, with_covariate = ranks[2:] @ ranks[0], ranks[2:] @ ranks[1]
    explained = float(ranks[0] @ ranks[1])
    rest = (1 - with_covariate**2) * (1 - explained**2)
    known = (rest > 1e-9) & (ranks.shape[1] > 3) & (lengths[0] > 1e-9)
    partial = np.full(len(scores), math.nan)
    partial[known] = (with_human - with_covariate * explained)[known] / np.sqrt(rest[known])
    return partial


def _paired(
    first: Sequence[float],
    second: Sequence[float],
    weights: Sequence[float] | None,
    second_weights: Sequence[float] | None,
    resamples: int,
    seed: int | None,
) -> tuple[Any, Callable[..., Any], Any]:
    """Return the indices of both samples, their difference of means, and the resampling options, checked."""
    check("resamples", resamples, at_least=2)
    if len(first) != len(second):
        raise ClaimwiseError(
            f"A paired test needs as many scores of one system as of the other; got {len(first)} and "
            f"{len(second)}.",
            "Pass the scores of the same rows.",
        )
    scores = np.concatenate([_checked(first, "A paired test"), _checked(second, "A paired test")])
    count = len(first)
    counts = np.ones(count) if weights is None else _checked_weights(weights, count, "weights")
    others = counts if second_weights is None else _checked_weights(second_weights, count, "second_weights")
    counts = np.concatenate([counts, others])

    # SciPy resamples indices into both samples rather than scores, because a score has to move together with
    # its weight, and permutation_test exchanges single values: it would swap scores and leave weights behind.
    def mean(indices: Any, axis: int) -> Any:
        return (scores[indices] * counts[indices]).sum(axis=axis) / counts[indices].sum(axis=axis)

    def difference(indices: Any, other_indices: Any, axis: int = -1) -> Any:
        # Rounded, so that differences count as equal whatever the order of summation.
        return np.round(mean(indices, axis) - mean(other_indices, axis), 10)

    options = {
        "vectorized": True,
        "n_resamples": resamples,
        "batch": max(1, 10_000_000 // (2 * count)),
        "rng": seeded(seed),
    }
    return tuple(np.arange(2 * count).reshape(2, count)), difference, options


def _checked_weights(weights: Sequence[float], count: int, name: str) -> Floats:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (count,):
        problem = f"`{name}` must be {count} numbers, one for each score; got {values.size}."
        raise ClaimwiseError(problem, option=name)
    if (bad := np.flatnonzero(~(np.isfinite(values) & (values > 0)))).size:
        problem = f"`{name}` must be positive; got {values[bad[0]]:g}."
        raise ClaimwiseError(problem, option=name, row=int(bad[0]))
    return values


def _checked(scores: Sequence[float], purpose: str) -> Floats:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size < 2:
        raise ClaimwiseError(f"{purpose} needs at least two scores; got {values.size}.", "Score more rows.")
    if (bad := np.flatnonzero(~np.isfinite(values))).size:
        problem = f"{purpose} needs finite scores; got {values[bad[0]]}."
        raise ClaimwiseError(problem, "Leave this row out.", row=int(bad[0]))
    return values
