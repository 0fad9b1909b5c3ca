"""How well each score of a study agrees with human ratings, over rows and over systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.report.results import SystemResult
from claimwise.stats import COEFFICIENTS, Floats, correlations, holm, sign_p_value

Level = Literal["rows", "systems"]
Correlations = tuple[float, float, float]
RESAMPLES = 1_000
LEAST = 3
"""Minimum number of rows or systems for a correlation."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The correlations of a score with human ratings, each with the bounds of its percentile interval.

    Attributes:
        metric: the score.
        level: ``"rows"``, or ``"systems"`` for the means of systems.
        count: number of rows or systems.
        pearson: Pearson's r.
        spearman: Spearman's ρ.
        kendall: Kendall's τ_b.
        p_value: p-value of the two-sided paired bootstrap test of the difference in absolute Kendall's τ_b
            from the score that agrees best; None for that score.
        p_holm: p-value corrected for all tests of the level (Holm 1979).
    """

    metric: str
    level: Level
    count: int
    pearson: float
    pearson_low: float
    pearson_high: float
    spearman: float
    spearman_low: float
    spearman_high: float
    kendall: float
    kendall_low: float
    kendall_high: float
    p_value: float | None = None
    p_holm: float | None = None


def check_ratings(ratings: Sequence[float]) -> None:
    """Refuse ratings that no score can correlate with.

    Raises:
        ClaimwiseError: for fewer than three rows, or ratings that are all equal.
    """
    if len(ratings) < LEAST or len(set(ratings)) == 1:
        problem = f"too few rows have a rating and every score: {len(ratings)}; at least {LEAST} are needed."
        if len(ratings) >= LEAST:
            problem = f"all {len(ratings)} ratings are {ratings[0]:g}, so no score can correlate with them."
        raise ClaimwiseError(problem, "Provide more, differing ratings, or omit the ratings.", option="human")


def agreements(
    results: Mapping[str, Sequence[SystemResult]],
    human: Mapping[tuple[str, str], float],
    confidence_level: float = 0.95,
    *,
    resamples: int = RESAMPLES,
    seed: int | None = 0,
) -> list[Agreement]:
    """Return the agreement of each score with human ratings, over rows and over the means of systems.

    All scores are measured on the rows that have a rating and every score. Ids are resampled with the rows of
    all their systems, so that intervals and tests account for the similarity of rows with the same id
    (Deutsch et al. 2021, "Boot-Inputs"). The score that agrees best has the largest absolute Kendall's τ_b,
    because higher is not better for every metric; every other score is tested against it.

    Args:
        results: score → the result of each system, with ids.
        human: (id, system) → rating.
        confidence_level: level of the intervals.
        resamples: number of resamples.
        seed: seed of resampling.

    Returns:
        The agreement over rows, then over systems if there are at least three and their mean ratings differ.

    Raises:
        ClaimwiseError: for fewer than three such rows, or ratings that are all equal.
    """
    found = [
        {
            (one, result.system): (score, result.weight(place))
            for result in of_score
            for place, (one, score) in enumerate(zip(result.ids or (), result.scores, strict=True))
            if score is not None
        }
        for of_score in results.values()
    ]
    rows = [row for row in sorted(human) if all(row in of_score for of_score in found)]
    ratings = np.array([human[row] for row in rows])
    check_ratings(ratings.tolist())
    scores, weights = np.array([[of_score[row] for row in rows] for of_score in found]).transpose(2, 0, 1)
    ids, of_rows = np.unique([one for one, _ in rows], return_inverse=True)
    systems, system_of = np.unique([system for _, system in rows], return_inverse=True)
    places = np.full((len(ids), len(systems)), -1)
    places[of_rows, system_of] = np.arange(len(rows))
    counts: dict[Level, int] = {"rows": len(rows), "systems": len(systems)}
    correlated: dict[Level, list[list[Correlations]]] = {level: [] for level in counts}
    generator = np.random.default_rng(seed)
    for resample in range(resamples + 1):  # the first pass uses the rows themselves
        chosen = places[generator.integers(len(ids), size=len(ids))] if resample else places
        chosen = chosen[chosen >= 0]
        correlated["rows"].append([correlations(of_score[chosen], ratings[chosen]) for of_score in scores])
        of_systems = _means(ratings[chosen], np.ones(len(chosen)), system_of[chosen])
        correlated["systems"].append(
            [
                correlations(_means(of_score[chosen], of_weight[chosen], system_of[chosen]), of_systems)
                for of_score, of_weight in zip(scores, weights, strict=True)
            ]
        )
    return [
        line
        for level, count in counts.items()
        if count >= LEAST and not math.isnan(correlated[level][0][0][0])
        for line in _lines(list(results), level, count, np.array(correlated[level]), confidence_level)
    ]


def _means(values: Floats, weights: Floats, groups: npt.NDArray[np.int64]) -> Floats:
    """Return the weighted mean of each group that has values."""
    totals = np.bincount(groups, weights)
    means = np.bincount(groups, values * weights)[totals > 0] / totals[totals > 0]
    return np.round(means, 10)  # means that differ only by the order of summation are ties


def _lines(
    scores: Sequence[str], level: Level, count: int, correlated: Floats, confidence_level: float
) -> Iterator[Agreement]:
    """Yield the agreement of each score from its correlations ``[1 + resamples, scores, 3]``."""
    first, resampled = correlated[0], correlated[1:]
    ends = np.nanquantile(resampled, [(1 - confidence_level) / 2, (1 + confidence_level) / 2], axis=0)
    signs = np.where(first[:, -1] < 0, -1, 1)
    taus = resampled[np.isfinite(resampled).all(axis=(1, 2)), :, -1] * signs
    best = int(np.argmax(first[:, -1] * signs))
    others = [metric for metric in range(len(scores)) if metric != best]
    p_values = [sign_p_value(np.round(taus[:, best] - taus[:, metric], 10)) for metric in others]
    tests = dict(zip(others, zip(p_values, holm(p_values), strict=True), strict=True))
    for metric, score in enumerate(scores):
        p_value, p_holm = tests.get(metric, (None, None))
        values: dict[str, float] = {}
        for number, name in enumerate(COEFFICIENTS):
            low, high = ends[:, metric, number].tolist()
            values |= {name: float(first[metric, number]), f"{name}_low": low, f"{name}_high": high}
        yield Agreement(metric=score, level=level, count=count, p_value=p_value, p_holm=p_holm, **values)
