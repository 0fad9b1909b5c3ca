"""The correlation of each score of a study with human ratings, over rows and over systems."""

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
class HumanCorrelation:
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


def human_correlations(
    results: Mapping[str, Sequence[SystemResult]],
    human: Mapping[tuple[str, str], float],
    confidence_level: float = 0.95,
    *,
    resamples: int = RESAMPLES,
    seed: int | None = 0,
) -> list[HumanCorrelation]:
    """Return the correlations of each score with human ratings, over rows and over the means of systems.

    All scores are measured on the rows that have a rating and every score. Ids are resampled with the rows of
    all their systems, so that intervals and tests account for the similarity of rows with the same id
    (Deutsch et al. 2021, "Boot-Inputs"). The score that agrees best has the largest absolute Kendall's τ_b,
    because higher is not better for every metric; every other score is tested against it.

    Args:
        results: score → the result of each system, with ids.
        human: (id, system) → rating.
        confidence_level: level of the intervals.
        resamples: number of resamples, drawn with ``seed``.
        seed: see ``resamples``.

    Returns:
        The correlations over rows, then over systems if at least three have different mean ratings.

    Raises:
        ClaimwiseError: for fewer than three such rows, or ratings that are all equal.
    """
    scored = [_weighted_scores(of_systems) for of_systems in results.values()]
    keys = [key for key in sorted(human) if all(key in of_score for of_score in scored)]
    ratings = np.array([human[key] for key in keys])
    check_ratings(ratings.tolist())
    scores, weights = np.array([[of_score[key] for key in keys] for of_score in scored]).transpose(2, 0, 1)
    ids, id_of = np.unique([row_id for row_id, _ in keys], return_inverse=True)
    systems, system_of = np.unique([system for _, system in keys], return_inverse=True)
    rows = np.full((len(ids), len(systems)), -1)
    rows[id_of, system_of] = np.arange(len(keys))
    correlated: dict[Level, list[list[Correlations]]] = {"rows": [], "systems": []}
    generator = np.random.default_rng(seed)
    for resample in range(resamples + 1):  # the first pass uses the rows themselves
        drawn = rows[generator.integers(len(ids), size=len(ids))] if resample else rows
        drawn = drawn[drawn >= 0]
        correlated["rows"].append([correlations(of_score[drawn], ratings[drawn]) for of_score in scores])
        of_systems = _means(ratings[drawn], np.ones(len(drawn)), system_of[drawn])
        correlated["systems"].append(
            [
                correlations(_means(of_score[drawn], of_weight[drawn], system_of[drawn]), of_systems)
                for of_score, of_weight in zip(scores, weights, strict=True)
            ]
        )
    counts: dict[Level, int] = {"rows": len(keys), "systems": len(systems)}
    return [
        line
        for level, count in counts.items()
        if count >= LEAST and not math.isnan(correlated[level][0][0][0])
        for line in _lines(list(results), level, count, np.array(correlated[level]), confidence_level)
    ]


def _weighted_scores(results: Sequence[SystemResult]) -> dict[tuple[str, str], tuple[float, float]]:
    """Return (id, system) → the score of a row and its weight."""
    return {
        (row_id, result.system): (score, result.weight(row))
        for result in results
        for row, (row_id, score) in enumerate(zip(result.ids or (), result.scores, strict=True))
        if score is not None
    }


def _means(values: Floats, weights: Floats, groups: npt.NDArray[np.int64]) -> Floats:
    """Return the weighted mean of each group that has values."""
    totals = np.bincount(groups, weights)
    means = np.bincount(groups, values * weights)[totals > 0] / totals[totals > 0]
    return np.round(means, 10)  # means that differ only by the order of summation are ties


def _lines(
    scores: Sequence[str], level: Level, count: int, correlated: Floats, confidence_level: float
) -> Iterator[HumanCorrelation]:
    """Yield the line of each score from its correlations ``[1 + resamples, scores, 3]``."""
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
        yield HumanCorrelation(
            metric=score, level=level, count=count, p_value=p_value, p_holm=p_holm, **values
        )
