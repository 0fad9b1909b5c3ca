"""Agreement beyond chance of two judges, annotators or verdicts, and calibration of a judge.

Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted kappa"; Brier 1950,
"Verification of forecasts expressed in terms of probability" (the sum over all labels, so from 0 to 2); the
expected calibration error of Naeini et al. 2015, "Obtaining well calibrated probabilities using Bayesian
binning", with bins of equal width over the probability of the most probable label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]


def confusion(first: Ints, second: Ints, labels: int = 3) -> Ints:
    """Return the confusion matrix ``[labels, labels]`` of indices ``[n]``; rows are labels of ``first``."""
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


def weighted_kappa(first: Floats, second: Floats) -> float | None:
    """Return Cohen's kappa of labels as numbers ``[n]``, at most 1; None if both are constant and equal.

    Disagreements count by their squared distance. With two labels this is ``kappa``.
    """
    by_chance = float((first**2).mean() + (second**2).mean() - 2 * first.mean() * second.mean())
    return None if by_chance < 1e-12 else 1 - float(((first - second) ** 2).mean()) / by_chance


def best_cut(scores: Floats, positive: npt.NDArray[np.bool_]) -> tuple[float, bool]:
    """Return the threshold with the largest absolute kappa of "score ≥ threshold" with labels.

    Args:
        scores: ``[n]``, at least one.
        positive: labels ``[n]``.

    Returns:
        The threshold, midway between two scores, and whether higher scores mean positive.
    """
    order = np.argsort(-scores, kind="stable")
    ordered, hits = scores[order], np.cumsum(positive[order])
    share, base = np.arange(1, len(scores) + 1) / len(scores), positive.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        kappas = 1 - (share + base - 2 * hits / len(scores)) / (share + base - 2 * share * base)
    ends = np.append(ordered[:-1] > ordered[1:], False)  # equal scores get the same verdict
    if not ends.any():
        return float(ordered[0]), True
    best = int(np.nanargmax(np.where(ends, np.abs(kappas), -1)))
    return float(ordered[best] + ordered[best + 1]) / 2, bool(kappas[best] >= 0)


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
