"""The Pyramid: how much of what reference summaries say a summary says as well.

The score is that of Nenkova and Passonneau 2004, "Evaluating Content Selection in Summarization: The Pyramid
Method", Section 3, and of its light form (Shapira et al. 2019); the presence of a unit is judged by NLI as in
Zhang and Bansal 2021, "Finding a Balanced Degree of Automation for Summary Evaluation" (Lite2Pyramid and
Lite3Pyramid), Section 3. A reference is cut into content units; the weight of a unit is the number of
references behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT, NEUTRAL

Presence = Literal["p3c", "l3c", "p2c", "l2c"]
Normalization = Literal["all", "attainable"]

NEEDS_LOGITS = ("p2c", "l2c")
"""Presences that probabilities do not determine: z_n + z_c depends on what the softmax takes away."""


def unit_presence(
    probabilities: npt.NDArray[np.floating],
    presence: Presence = "p3c",
    logits: npt.NDArray[np.floating] | None = None,
) -> npt.NDArray[np.float64]:
    """Return how far each unit is present in the premise that it was judged with (Zhang and Bansal 2021).

    Args:
        probabilities: ``[…, 3]`` of entailment, neutral and contradiction.
        presence: of three classes ``"p3c"``, the probability p_e, or ``"l3c"``, 1 where entailment is the
            most probable label, else 0. Of two classes, with the logits (z_e, z_n + z_c): ``"p2c"``, the
            softmax of the first, or ``"l2c"``, 1 where the first is larger.
        logits: ``[…, 3]``, for the two classes; of a class that the judge does not have it is −∞.

    Returns:
        float64 ``[…]``, in [0, 1].

    Raises:
        ClaimwiseError: for two classes without logits.
    """
    if presence == "p3c":
        return np.asarray(probabilities[..., ENTAILMENT], dtype=np.float64)
    if presence == "l3c":
        return np.asarray(probabilities.argmax(axis=-1) == ENTAILMENT, dtype=np.float64)
    if logits is None:
        raise ClaimwiseError(
            f"presence={presence!r} is computed from logits, which probabilities do not determine.",
            "Give the logits, or choose 'p3c' or 'l3c'.",
            option="presence",
        )
    z = np.asarray(logits, dtype=np.float64)
    others = np.where(np.isneginf(z), 0.0, z)
    margin = z[..., ENTAILMENT] - (others[..., NEUTRAL] + others[..., CONTRADICTION])
    if presence == "l2c":
        return np.asarray(margin > 0, dtype=np.float64)
    softmax: npt.NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -margin))
    return softmax


def pyramid_score(
    found: Sequence[float] | npt.NDArray[np.floating],
    weights: Sequence[float] | npt.NDArray[np.floating],
    *,
    units_in_summary: float | None = None,
) -> float:
    """Return Σ weight · found over the weight that could have been found.

    Args:
        found: ``[units]``, how far each is present in the summary, in [0, 1].
        weights: ``[units]``, positive or 0, not all 0.
        units_in_summary: how many units the summary has, those of no reference included: divide by the weight
            of the best summary of as many (Nenkova and Passonneau 2004). None = by the weight of all units.
            Where more than that were found, for one sentence can hold several units, the number found counts.

    Returns:
        In [0, 1].

    Raises:
        ClaimwiseError: for no units, unequal lengths, or weights that are none.
    """
    x, w = np.asarray(found, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if not x.size:
        raise ClaimwiseError("A reference without units cannot be scored against.", "Give at least one unit.")
    if x.shape != w.shape:
        raise ClaimwiseError(f"Unequal lengths: {x.size} units, {w.size} weights.")
    if not (np.isfinite(w).all() and (w >= 0).all() and w.any()):
        raise ClaimwiseError("Unit weights must be numbers of 0 or more, not all 0.")
    best = w.sum() if units_in_summary is None else attainable_weight(w, max(units_in_summary, x.sum()))
    return min(float(x @ w / best), 1.0) if best else 0.0


def attainable_weight(weights: Sequence[float] | npt.NDArray[np.floating], units: float) -> float:
    """Return the weight of the best summary of so many units: that of the heaviest ones.

    Args:
        weights: ``[units]``, of all units of the references.
        units: how many the summary has; of a fraction, that part of the next heaviest unit.
    """
    heaviest = np.sort(np.asarray(weights, dtype=np.float64))[::-1]
    return float(heaviest @ np.clip(units - np.arange(heaviest.size), 0.0, 1.0))


def f1_score(recall: float, precision: float) -> float:
    """Return the harmonic mean of recall and precision, 0 where both are 0."""
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def same_units(references: Sequence[int], entails: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Put claims of several references that say the same into one unit.

    A claim joins the first unit that has no claim of its own reference yet (a unit has at most one
    contributor of a summary: Nenkova and Passonneau 2004) and whose every claim entails it and is entailed by
    it. What no unit takes is a unit of its own.

    Args:
        references: ``[claims]``, the number of the reference of each.
        entails: ``[claims, claims]``, whether the first entails the second.

    Returns:
        The numbers of the claims of each unit, in the order of the first of them.
    """
    both_ways = entails & entails.T
    units: list[list[int]] = []
    for claim, reference in enumerate(references):
        for unit in units:
            if all(references[other] != reference and both_ways[claim, other] for other in unit):
                unit.append(claim)
                break
        else:
            units.append([claim])
    return units
