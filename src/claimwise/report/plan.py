"""How many rows a comparison of two systems needs, simulated from a pilot by the test that it will use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.options import check
from claimwise.report.compare import scored_pairs
from claimwise.report.results import SystemResult
from claimwise.stats import Floats, TestMethod, contributions, mean_difference, seeded

LEAST_PILOT = 10
"""Minimum number of rows of a pilot: fewer say too little about the variance."""
MOST_ROWS = 2_000
"""Maximum number of rows that is simulated."""
ALPHA = 0.05
STUDIES = 1_000
RESAMPLES = 500
BATCH = 100
NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How many rows detect a difference.

    Attributes:
        rows: smallest number of rows that reaches the power, up to 3 %.
        power: share of the simulated studies with this number of rows that find the difference.
        difference: the difference to detect.
        pilot: number of rows of the pilot with both scores.
    """

    rows: int
    power: float
    difference: float
    pilot: int


def rows_needed(
    first: SystemResult,
    second: SystemResult,
    difference: float,
    *,
    power: float = 0.8,
    method: TestMethod = "permutation",
    seed: int | None = 0,
) -> Plan:
    """Return how many rows detect a difference of means with a given power, by ``paired_test`` at .05.

    A simulated study draws rows of the pilot with replacement, with both scores and weights. The scores of
    the first system are shifted, so that the true difference is ``difference``. A study finds it if the test
    is significant and the difference has its sign. The variance is that of the pilot: a small pilot gives a
    rough plan.

    Args:
        first: the pilot's result of one system.
        second: its result of the other system, on the same rows.
        difference: the difference of means to detect, first − second; not 0.
        power: share of studies that are to find it, in (0.05, 1).
        method: method of the test.
        seed: seed of the simulation; ``None`` draws a fresh one.

    Raises:
        ClaimwiseError: as ``paired_test``; for a pilot of fewer than ten rows or without variance; for a
            difference of 0, or one so small that more than 2,000 rows are needed.
    """
    if not math.isfinite(difference) or difference == 0:
        problem = f"The difference to detect must be a number other than 0; got {difference:g}."
        raise ClaimwiseError(problem, "Choose the smallest difference that matters to you.", option="plan")
    check("power", power, between=(ALPHA, 1))
    columns = np.array(scored_pairs(first, second)[0], dtype=np.float64).T
    count = columns.shape[1]
    if count < LEAST_PILOT:
        problem = f"The pilot has {count} rows with both scores; at least {LEAST_PILOT} are needed."
        raise ClaimwiseError(problem, "Score more rows of both systems.", option="plan")
    spread = float(contributions(*columns).std(ddof=1))
    if spread < 1e-9:
        problem = "All rows of the pilot have the same difference, so its variance is unknown."
        raise ClaimwiseError(problem, "Score more rows of both systems.", option="plan")
    scores, others, weights, other_weights = columns
    shift = difference - np.average(scores, weights=weights) + np.average(others, weights=other_weights)
    shifted = np.stack([scores + shift, others, weights, other_weights])
    guess = max(2, _rows_for(power, abs(difference) / spread))
    if guess > MOST_ROWS:
        problem = f"About {guess:,} rows are needed, more than the {MOST_ROWS:,} that can be simulated."
        raise ClaimwiseError(problem, "Plan for a larger difference.", option="plan")
    rows, reached = _search(shifted, guess, power, method, seeded(seed))
    return Plan(rows=rows, power=reached, difference=difference, pilot=count)


def _rows_for(power: float, effect: float) -> int:
    """Return how many rows find an effect (mean by standard deviation) by the normal approximation."""
    return math.ceil(((NORMAL.inv_cdf(1 - ALPHA / 2) + NORMAL.inv_cdf(power)) / effect) ** 2)


def _search(
    columns: Floats, rows: int, power: float, method: TestMethod, generator: np.random.Generator
) -> tuple[int, float]:
    """Return the smallest number of rows that reaches the power, up to 3 %, and its simulated power.

    Each number of rows is simulated, and corrected by the effect that its simulated power corresponds to; a
    gap that remains is halved. Few rows need that: a permutation test of them has few p-values.
    """
    powers: dict[int, float] = {}
    while rows not in powers:
        share = powers[rows] = _simulated_power(columns, rows, power, method, generator)
        within = min(max(share, 0.05), 0.99)  # beyond, a share says little of the effect
        effect = (NORMAL.inv_cdf(1 - ALPHA / 2) + NORMAL.inv_cdf(within)) / math.sqrt(rows)
        fitted = min(_rows_for(power, effect), 2 * rows)
        if share < power:
            rows = max(rows + 1, fitted)
        elif fitted < 0.97 * rows:
            rows = max(2, fitted)
    reached = min(rows for rows, share in powers.items() if share >= power)
    missed = max((rows for rows, share in powers.items() if share < power), default=int(0.97 * reached))
    while reached - missed > max(1, 0.03 * reached):
        middle = (missed + reached) // 2
        powers[middle] = _simulated_power(columns, middle, power, method, generator)
        missed, reached = (missed, middle) if powers[middle] >= power else (middle, reached)
    return reached, powers[reached]


def _simulated_power(
    columns: Floats, rows: int, power: float, method: TestMethod, generator: np.random.Generator
) -> float:
    """Return the share of simulated studies that find the difference of means of the columns.

    The columns are the scores of both systems and their weights, ``[4, pilot rows]``; each study draws
    ``rows`` of them. The simulation ends early if the share is clearly different from ``power``.
    """
    wanted = np.sign(np.average(columns[0], weights=columns[2]) - np.average(columns[1], weights=columns[3]))
    hits = 0
    for study in range(1, STUDIES + 1):
        drawn = columns[:, generator.integers(columns.shape[1], size=rows)]
        seed = int(generator.integers(2**32))
        test = mean_difference(*drawn, method=method, resamples=RESAMPLES, seed=seed)
        hits += test.p_value < ALPHA and np.sign(test.difference) == wanted
        if study % BATCH == 0 and abs(hits / study - power) > 4 * math.sqrt(power * (1 - power) / study):
            break
    return float(hits / study)
