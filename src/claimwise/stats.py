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
    normal interval, mean ± z · (standard deviation of the resampled means) (Wasserman 2004, 8.3).

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
        raise ClaimwiseError(f"confidence_level must lie between 0 and 1; got {confidence_level}.")
    if method not in INTERVAL_METHODS:
        raise ClaimwiseError(f"Unknown interval {method!r}.", f"Choose one of {', '.join(INTERVAL_METHODS)}.")
    _check_resamples(resamples)


@dataclass(frozen=True)
class PairedTest:
    """The outcome of ``paired_test``: mean difference (first − second) and two-sided p-value."""

    difference: float
    p_value: float
    method: str


def paired_test(
    first: Sequence[float],
    second: Sequence[float],
    *,
    method: TestMethod = "permutation",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> PairedTest:
    """Test whether two systems, scored on the same examples, differ in their mean score.

    ``"permutation"`` swaps the systems' scores within examples (``scipy.stats.permutation_test``);
    ``"bootstrap"`` resamples examples and counts how often the mean difference changes sign.

    Args:
        first: scores of one system, one per example.
        second: scores of the other, same length and order.
        method: which test.
        resamples: number of permutations or resamples.
        seed: for the random generator.

    Raises:
        ClaimwiseError: for unequal lengths, fewer than two scores, or an unknown method.
    """
    from scipy import stats

    _check_resamples(resamples)
    if len(first) != len(second):
        raise ClaimwiseError(
            f"A paired test needs the same examples in both; got {len(first)} and {len(second)} scores."
        )
    differences = _checked(first, "a paired test") - _checked(second, "a paired test")
    generator = np.random.default_rng(seed)
    observed = float(differences.mean())
    if method == "permutation":
        test: Any = stats.permutation_test(
            (differences,),
            np.mean,
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            batch=max(1, 10_000_000 // differences.size),
            rng=generator,
        )
        p_value = float(test.pvalue)
    elif method == "bootstrap":
        if np.ptp(differences) == 0:
            p_value = float(observed == 0)
        else:
            means = stats.bootstrap(
                (differences,),
                np.mean,
                n_resamples=resamples,
                method="percentile",
                rng=generator,
                batch=max(1, 10_000_000 // differences.size),
            ).bootstrap_distribution
            tail = 1 + min(np.count_nonzero(means <= 0), np.count_nonzero(means >= 0))
            p_value = float(min(1.0, 2 * tail / (resamples + 1)))
    else:
        raise ClaimwiseError(f"Unknown test {method!r}.", "Choose 'permutation' or 'bootstrap'.")
    return PairedTest(difference=observed, p_value=p_value, method=method)


def _check_resamples(resamples: int) -> None:
    if resamples < 2:
        raise ClaimwiseError(f"resamples must be at least 2; got {resamples}.")


def _checked(scores: Sequence[float], purpose: str) -> npt.NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or values.size < 2:
        raise ClaimwiseError(f"{purpose.capitalize()} needs at least two scores; got {values.size}.")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ClaimwiseError(f"{purpose.capitalize()} needs finite scores; row {row} is {values[row]}.")
    return values
