"""The correlation of each score of a study with human ratings: over rows, within ids, and over systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.report.results import SystemResult
from claimwise.scores.judge_quality import best_cut, weighted_kappa
from claimwise.stats import (
    COEFFICIENTS,
    Floats,
    correlations,
    holm,
    partial_correlations,
    seeded,
    sign_p_value,
)

Level = Literal["rows", "ids", "systems"]
Key = tuple[str, str]
"""A row: its id, and its system."""
Ints = npt.NDArray[np.int64]
RESAMPLES = 1_000
LEAST = 3
"""Minimum number of rows, ids or systems for a correlation."""
LENGTH = "number of words"
"""Name of the baseline: the number of words of the summary."""
VALUES = (*COEFFICIENTS, "partial")


@dataclass(frozen=True, kw_only=True)
class HumanCorrelation:
    """The correlations of a score with human ratings, each with the bounds of its percentile interval.

    Attributes:
        metric: the score, or ``LENGTH``.
        level: ``"rows"``; ``"ids"`` for the mean correlation within an id, over its systems; ``"systems"``
            for the means of systems.
        count: number of rows, ids or systems.
        pearson: Pearson's r.
        spearman: Spearman's ρ.
        kendall: Kendall's τ_b.
        partial: Spearman's ρ given the number of words; None where it is undefined.
        kappa: Cohen's kappa of the score's verdicts with labels, over rows; None for other ratings. A verdict
            uses the threshold with the best kappa on the rows of all other ids.
        p_value: p-value of the two-sided paired bootstrap test of the difference in absolute Kendall's τ_b
            from the score that agrees best; None for that score and the number of words.
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
    partial: float | None = None
    partial_low: float | None = None
    partial_high: float | None = None
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True)
class Ratings:
    """The ratings of one or several annotators: column → (id, system) → rating."""

    by_annotator: Mapping[str, Mapping[Key, float]]

    @property
    def mean(self) -> dict[Key, float]:
        """The mean rating of each row."""
        keys = dict.fromkeys(key for ratings in self.by_annotator.values() for key in ratings)
        rated = {key: [own[key] for own in self.by_annotator.values() if key in own] for key in keys}
        return {key: sum(ratings) / len(ratings) for key, ratings in rated.items()}

    @property
    def labels(self) -> tuple[float, float] | None:
        """The two labels, the lower first; None if there are more than two different ratings."""
        low, *others = sorted({value for own in self.by_annotator.values() for value in own.values()})
        return (low, others[0]) if len(others) == 1 else None

    @property
    def agreement(self) -> list[str]:
        """Sentences on how well each two annotators agree, over the rows that both have rated."""
        sentences = []
        for first, second in combinations(self.by_annotator, 2):
            here, there = self.by_annotator[first], self.by_annotator[second]
            keys = sorted(here.keys() & there.keys())
            pairs = np.array([(here[key], there[key]) for key in keys]).reshape(-1, 2)
            kappa = weighted_kappa(*pairs.T) if keys else None
            shown = "undefined" if kappa is None else f"{kappa:z.2f}"
            weights = "" if self.labels else ", quadratic weights"
            sentences.append(
                f"{first} and {second} agree with Cohen's kappa {shown} ({len(keys)} rows{weights})."
            )
        return sentences


def check_ratings(ratings: Sequence[float]) -> None:
    """Refuse ratings that no score can correlate with.

    Raises:
        ClaimwiseError: for fewer than three rows, or ratings that are all equal.
    """
    if len(ratings) < LEAST or len(set(ratings)) == 1:
        problem = f"{len(ratings)} rows have a rating and every score; at least {LEAST} are needed."
        if len(ratings) >= LEAST:
            problem = f"all {len(ratings)} ratings are {ratings[0]:g}, so no score can correlate with them."
        raise ClaimwiseError(problem, "Add ratings that differ, or leave the ratings out.", option="human")


def human_correlations(
    results: Mapping[str, Sequence[SystemResult]],
    human: Mapping[Key, float],
    confidence_level: float = 0.95,
    *,
    words: Mapping[Key, int] | None = None,
    labels: tuple[float, float] | None = None,
    resamples: int = RESAMPLES,
    seed: int | None = 0,
) -> list[HumanCorrelation]:
    """Return the correlations of each score with human ratings: over rows, within ids, over mean scores.

    All scores are measured on the rows that have a rating and every score. Ids are resampled with the rows of
    all their systems, so that intervals and tests account for the similarity of rows with the same id
    (Deutsch et al. 2021, "Boot-Inputs"). The score that agrees best has the largest absolute Kendall's τ_b,
    because higher is not better for every metric; every other score is tested against it.

    Args:
        results: score → the result of each system, with ids.
        human: (id, system) → rating.
        confidence_level: level of the intervals.
        words: (id, system) → number of words of the summary: a baseline, and what partial correlations hold
            constant.
        labels: the two labels, the lower first, if ratings are labels; rows midway between them (annotators
            who are divided) have no kappa.
        resamples: number of resamples, drawn with ``seed``.
        seed: see ``resamples``.

    Returns:
        The correlations over rows, within ids if at least three have three differing ratings, and over
        systems if at least three have different mean ratings; the number of words is last at each level.

    Raises:
        ClaimwiseError: for fewer than three such rows, or ratings that are all equal.
    """
    scored = [_weighted_scores(systems) for systems in results.values()]
    keys = [key for key in sorted(human) if all(key in rows for rows in scored)]
    ratings = np.array([human[key] for key in keys])
    check_ratings(ratings.tolist())
    if words is not None:
        scored.append({key: (float(count), 1.0) for key, count in words.items()})
    scores, weights = np.array([[rows[key] for key in keys] for rows in scored]).transpose(2, 0, 1)
    by_level, kappas = _resampled(
        keys, ratings, scores, weights, words is not None, labels, resamples, seeded(seed)
    )
    names = [*results, *([] if words is None else [LENGTH])]
    return [
        line
        for level, (count, correlated) in by_level.items()
        if count >= LEAST and not math.isnan(correlated[0, 0, 0])
        for line in _lines(names, level, count, correlated, kappas, confidence_level)
    ]


def _resampled(
    keys: Sequence[Key],
    ratings: Floats,
    scores: Floats,
    weights: Floats,
    has_length: bool,
    labels: tuple[float, float] | None,
    resamples: int,
    generator: np.random.Generator,
) -> tuple[dict[Level, tuple[int, Floats]], Floats]:
    """Return level → count and coefficients ``[1 + resamples, scores, 4]``, and kappas ``[…, scores]``.

    The first coefficients are those of the rows themselves.
    """
    ids, id_of = np.unique([row_id for row_id, _ in keys], return_inverse=True)
    systems, system_of = np.unique([system for _, system in keys], return_inverse=True)
    rows = np.full((len(ids), len(systems)), -1)  # -1 = the system has no such row
    rows[id_of, system_of] = np.arange(len(keys))
    own_rows = [own[own >= 0] for own in rows]
    within = np.array([_coefficients(scores[:, own], ratings[own], has_length) for own in own_rows])
    within[(rows >= 0).sum(axis=1) < LEAST] = math.nan
    verdicts = _verdicts(scores, ratings, id_of, labels)
    correlated: dict[Level, list[Floats]] = {"rows": [], "ids": [], "systems": []}
    kappas: list[list[float]] = []
    for resample in range(resamples + 1):
        drawn_ids = generator.integers(len(ids), size=len(ids)) if resample else np.arange(len(ids))
        drawn = rows[drawn_ids][rows[drawn_ids] >= 0]
        correlated["rows"].append(_coefficients(scores[:, drawn], ratings[drawn], has_length))
        correlated["ids"].append(_mean_of_known(within[drawn_ids]))
        groups = system_of[drawn]
        means = [_means(*values, groups) for values in zip(scores[:, drawn], weights[:, drawn], strict=True)]
        mean_ratings = _means(ratings[drawn], np.ones(len(drawn)), groups)
        correlated["systems"].append(_coefficients(np.array(means), mean_ratings, has_length))
        kappas.append(_kappas(verdicts[:, drawn]))
    rated = int(np.isfinite(within[:, 0, 0]).sum())
    counts: dict[Level, int] = {"rows": len(keys), "ids": rated, "systems": len(systems)}
    return {level: (count, np.array(correlated[level])) for level, count in counts.items()}, np.array(kappas)


def _coefficients(scores: Floats, ratings: Floats, has_length: bool) -> Floats:
    """Return the coefficients ``[scores, 4]``; the last score may be the length, given which others agree."""
    partial = np.full(len(scores), math.nan)
    if has_length:
        partial[:-1] = partial_correlations(scores[:-1], ratings, scores[-1])
    return np.column_stack([[correlations(values, ratings) for values in scores], partial])


def _weighted_scores(results: Sequence[SystemResult]) -> dict[Key, tuple[float, float]]:
    """Return (id, system) → the score of a row and its weight."""
    return {
        (row_id, result.system): (score, result.weight(row))
        for result in results
        for row, (row_id, score) in enumerate(zip(result.ids or (), result.scores, strict=True))
        if score is not None
    }


def _means(values: Floats, weights: Floats, groups: Ints) -> Floats:
    """Return the weighted mean of each group that has values."""
    totals = np.bincount(groups, weights)
    means = np.bincount(groups, values * weights)[totals > 0] / totals[totals > 0]
    return np.round(means, 10)  # means that differ only by the order of summation are ties


def _mean_of_known(values: Floats) -> Floats:
    """Return the mean over the first axis without NaN; NaN where there is nothing else."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    means: Floats = np.where(known, values, 0).sum(axis=0) / np.maximum(count, 1)
    return np.where(count > 0, means, math.nan)


def _verdicts(scores: Floats, ratings: Floats, id_of: Ints, labels: tuple[float, float] | None) -> Floats:
    """Return the labels of people and the verdicts of scores as 0, 1 or NaN, ``[1 + scores, rows]``.

    Rows of an id do not choose its own threshold: kappa would be too high.
    """
    verdicts = np.full((1 + len(scores), len(ratings)), math.nan)
    if labels is None:
        return verdicts
    decided = ratings != sum(labels) / 2
    positive = ratings > sum(labels) / 2
    for held_out in np.unique(id_of):
        own, others = id_of == held_out, decided & (id_of != held_out)
        for verdict, values in zip(verdicts[1:], scores, strict=True) if others.any() else ():
            threshold, is_higher = best_cut(values[others], positive[others])
            verdict[own] = (values[own] >= threshold) == is_higher
    verdicts[0] = positive
    verdicts[:, ~decided] = math.nan
    return verdicts


def _kappas(verdicts: Floats) -> list[float]:
    """Return the kappa of each score's verdicts with the labels; NaN where it is undefined."""
    known = verdicts[:, np.isfinite(verdicts).all(axis=0)]
    if not known.shape[1]:
        return [math.nan] * (len(verdicts) - 1)
    kappas = [weighted_kappa(known[0], verdict) for verdict in known[1:]]
    return [math.nan if kappa is None else kappa for kappa in kappas]


def _lines(
    scores: Sequence[str],
    level: Level,
    count: int,
    correlated: Floats,
    kappas: Floats,
    confidence_level: float,
) -> Iterator[HumanCorrelation]:
    """Yield the line of each score from coefficients ``[1 + resamples, scores, 4]`` and their kappas."""
    kendall = VALUES.index("kendall")
    first, taus = correlated[0, :, kendall], correlated[1:, :, kendall]
    signs = np.where(first < 0, -1, 1)
    taus = taus[np.isfinite(correlated[1:, :, : kendall + 1]).all(axis=(1, 2))] * signs
    tested = [metric for metric, score in enumerate(scores) if score != LENGTH]
    best = max(tested, key=lambda metric: (first * signs)[metric])
    others = [metric for metric in tested if metric != best]
    p_values = [sign_p_value(np.round(taus[:, best] - taus[:, metric], 10)) for metric in others]
    tests = dict(zip(others, zip(p_values, holm(p_values), strict=True), strict=True))
    for metric, score in enumerate(scores):
        p_value, p_holm = tests.get(metric, (None, None))
        values = dict(zip(VALUES, correlated[:, metric].T, strict=True))
        if level == "rows":
            values["kappa"] = kappas[:, metric]
        shown = {
            name: value
            for coefficient, resampled in values.items()
            if np.isfinite(resampled[0])
            for name, value in _with_ends(coefficient, resampled, confidence_level).items()
        }
        yield HumanCorrelation(
            metric=score, level=level, count=count, p_value=p_value, p_holm=p_holm, **shown
        )


def _with_ends(name: str, values: Floats, confidence_level: float) -> dict[str, float]:
    """Return a coefficient and the ends of its interval from the sample and its resamples."""
    resampled = values[1:] if np.isfinite(values[1:]).any() else values
    low, high = np.nanquantile(resampled, [(1 - confidence_level) / 2, (1 + confidence_level) / 2]).tolist()
    return {name: float(values[0]), f"{name}_low": low, f"{name}_high": high}
