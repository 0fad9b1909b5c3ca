"""The Pyramid: the share of the content units of reference summaries that a summary contains.

The score follows Nenkova and Passonneau 2004, "Evaluating Content Selection in Summarization: The Pyramid
Method", Section 3, and its light form (Shapira et al. 2019); the presence of a unit is judged by NLI as in
Zhang and Bansal 2021, "Finding a Balanced Degree of Automation for Summary Evaluation" (Lite2Pyramid and
Lite3Pyramid), Section 3. A reference is split into content units; the weight of a unit is the number of
references that contain it.
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
"""Presences that probabilities do not determine: z_n + z_c depends on a constant that the softmax removes."""


def unit_presence(
    probabilities: npt.NDArray[np.floating],
    presence: Presence = "p3c",
    logits: npt.NDArray[np.floating] | None = None,
) -> npt.NDArray[np.float64]:
    """Return the presence of each unit in the premise that it was judged with (Zhang and Bansal 2021).

    Args:
        probabilities: ``[…, 3]`` of entailment, neutral and contradiction.
        presence: for three classes ``"p3c"``, the probability p_e, or ``"l3c"``, 1 if entailment is the most
            probable label, else 0. For two classes, with the logits (z_e, z_n + z_c): ``"p2c"``, the softmax
            of the first, or ``"l2c"``, 1 if the first is larger.
        logits: ``[…, 3]``, needed for two classes; −∞ for a class that the judge lacks.

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
            f"The presence `{presence}` is computed from logits, which probabilities do not determine.",
            "Pass the logits, or choose 'p3c' or 'l3c'.",
            option="presence",
        )
    z = np.asarray(logits, dtype=np.float64)
    others = np.where(np.isneginf(z), 0.0, z)
    margin = z[..., ENTAILMENT] - (others[..., NEUTRAL] + others[..., CONTRADICTION])
    if presence == "l2c":
        return np.asarray(margin > 0, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # pairs that an estimate counts have no logits
        softmax: npt.NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -margin))
    return softmax


def pyramid_score(
    found: Sequence[float] | npt.NDArray[np.floating],
    weights: Sequence[float] | npt.NDArray[np.floating],
    *,
    units_in_summary: float | None = None,
) -> float:
    """Return Σ weight · found, divided by the attainable weight or the weight of all units.

    Args:
        found: ``[units]``, presence of each unit in the summary, in [0, 1].
        weights: ``[units]``, positive or 0, not all 0.
        units_in_summary: number of units in the summary, including units of no reference: divide by the
            weight of the best summary with this number (Nenkova and Passonneau 2004), or with the number of
            found units if it is larger, because one sentence can contain several. None = divide by the weight
            of all units.

    Returns:
        In [0, 1].

    Raises:
        ClaimwiseError: for no units, unequal lengths, or invalid weights.
    """
    x, w = np.asarray(found, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if not x.size:
        raise ClaimwiseError(
            "A reference without units cannot be scored against.", "Provide at least one unit."
        )
    if x.shape != w.shape:
        raise ClaimwiseError(f"Unequal lengths: {x.size} units, {w.size} weights.")
    if not (np.isfinite(w).all() and (w >= 0).all() and w.any()):
        raise ClaimwiseError("Unit weights must be numbers of 0 or more, not all 0.")
    best = w.sum() if units_in_summary is None else attainable_weight(w, max(units_in_summary, x.sum()))
    return min(float(x @ w / best), 1.0) if best else 0.0


def attainable_weight(weights: Sequence[float] | npt.NDArray[np.floating], units: float) -> float:
    """Return the weight of the best summary with a number of units: the sum of the largest weights.

    Args:
        weights: ``[units]``, weights of all units of the references.
        units: number of units; a fraction adds that part of the next largest weight.
    """
    heaviest = np.sort(np.asarray(weights, dtype=np.float64))[::-1]
    return float(heaviest @ np.clip(units - np.arange(heaviest.size), 0.0, 1.0))


def f1_score(recall: float, precision: float) -> float:
    """Return the harmonic mean of recall and precision; 0 if both are 0."""
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def same_units(references: Sequence[int], entails: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Merge equivalent claims of several references into units.

    A claim joins the first unit that has no claim of the same reference yet (a unit has at most one
    contributor per summary: Nenkova and Passonneau 2004) and whose claims all entail it and are entailed by
    it. If there is none, it forms a new unit.

    Args:
        references: ``[claims]``, index of the reference of each claim.
        entails: ``[claims, claims]``, whether the first entails the second.

    Returns:
        The indices of the claims of each unit, ordered by their first claim.
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
