"""What goes with the weights: the threshold, and tables of what a logit is worth, from validation pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from claimwise.labels import NEUTRAL

Floats = npt.NDArray[np.float32]

FEWEST = 20
"""A bin with fewer pairs has no bound of its own: anything may be in it."""


@dataclass(frozen=True)
class Threshold:
    """The log odds from which on a pair is asked about, and what that does to the validation pairs.

    Attributes:
        value: the log odds.
        recall: share of the non-neutral pairs above it.
        asked: share of all pairs above it.
    """

    value: float
    recall: float
    asked: float


def threshold_of(odds: Floats, verdicts: Floats, recall: float) -> Threshold:
    """Return the highest threshold that keeps a share ``recall`` of the non-neutral pairs."""
    wanted = np.sort(odds[verdicts.argmax(1) != NEUTRAL])
    value = math.floor(float(wanted[math.floor((1 - recall) * len(wanted))]) * 1000) / 1000
    return Threshold(value, float((wanted >= value).mean()), float((odds >= value).mean()))


def edges_of(odds: Floats) -> list[float]:
    """Return the edges of the bins: half a unit each, between the ends of what was seen."""
    low, high = np.floor(np.quantile(odds, [0.001, 0.999]) * 2) / 2
    return [float(edge) for edge in np.arange(low, high + 0.5, 0.5)]


def non_neutral(odds: Floats, verdicts: Floats, edges: list[float]) -> list[list[float]]:
    """Return for each bin the share of pairs that are not neutral, and the upper end of its 95 % interval."""
    bins = np.searchsorted(edges, odds, side="right")
    table = []
    for number in range(len(edges) + 1):
        here = verdicts[bins == number].argmax(1) != NEUTRAL
        hits, pairs = int(here.sum()), len(here)
        upper = 1.0 if hits == pairs else float(beta.ppf(0.975, hits + 1, pairs - hits))
        table.append([round(hits / pairs, 5) if pairs else 1.0, round(upper, 5)])
    return table


def bounds(entailment: Floats, scores: Floats, edges: list[float], share_below: float) -> list[float]:
    """Return for each bin of the logit of entailment the score that a share of its pairs are below.

    They never fall from bin to bin; a bin with few pairs has the bound 1.
    """
    bins = np.searchsorted(edges, entailment, side="right")
    of_bins = [
        float(np.quantile(scores[bins == number], share_below))
        if (bins == number).sum() >= FEWEST
        else np.nan
        for number in range(len(edges) + 1)
    ]
    # At the low end of what was seen, few pairs are no reason to fear anything; at the high end they are.
    first = next((number for number, bound in enumerate(of_bins) if not np.isnan(bound)), 0)
    filled = [of_bins[max(number, first)] for number in range(len(of_bins))]
    filled = [1.0 if np.isnan(bound) else bound for bound in filled]
    return [round(float(bound), 5) for bound in np.minimum(1, np.maximum.accumulate(filled))]
