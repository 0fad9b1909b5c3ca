"""Agreement of two judges beyond chance, and calibration of a judge.

Cohen 1960, "A coefficient of agreement for nominal scales"; Brier 1950, "Verification of forecasts expressed
in terms of probability" (the sum over all labels, so from 0 to 2); the expected calibration error of Naeini
et al. 2015, "Obtaining well calibrated probabilities using Bayesian binning", with bins of equal width over
the probability of the most probable label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]


def confusion(first: Ints, second: Ints, labels: int = 3) -> Ints:
    """Return the confusion matrix ``[labels, labels]``: rows are labels of ``first``, columns of ``second``.

    Args:
        first: ``[n]``, indices of labels.
        second: ``[n]``.
        labels: number of labels.
    """
    counts = np.zeros((labels, labels), dtype=np.int64)
    np.add.at(counts, (first, second), 1)
    return counts


def kappa(counts: Ints) -> float | None:
    """Return Cohen's kappa of a confusion matrix, at most 1; None if chance agreement is complete."""
    total = counts.sum()
    if not total:
        return None
    by_chance = float((counts.sum(axis=0) * counts.sum(axis=1)).sum()) / float(total) ** 2
    if by_chance == 1:
        return None
    return (float(np.trace(counts)) / float(total) - by_chance) / (1 - by_chance)


def brier(probabilities: Floats, labels: Ints) -> float:
    """Return the mean squared distance between probabilities ``[n, 3]`` and labels, from 0 to 2."""
    wanted = np.eye(probabilities.shape[1])[labels]
    return float(((probabilities - wanted) ** 2).sum(axis=1).mean())


def calibration_error(probabilities: Floats, labels: Ints, bins: int = 10) -> float:
    """Return the mean difference between confidence and accuracy over ``bins`` of confidence, from 0 to 1."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [
        abs(float(confidence[bin_of == number].mean()) - float(right[bin_of == number].mean()))
        * float((bin_of == number).mean())
        for number in np.unique(bin_of)
    ]
    return sum(gaps)
