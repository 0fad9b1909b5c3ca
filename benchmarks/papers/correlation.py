"""Correlation of scores with human scores, both ``[documents, systems]``, over systems and over summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.papers.experiment import Floats
from benchmarks.papers.realsumm import Folds
from claimwise.stats import COEFFICIENTS, bootstrap_interval, correlations, mean_difference


def by_document(scores: Floats, human: Floats) -> dict[str, Floats]:
    """Return the correlation of scores with human scores over the systems, for each document.

    Args:
        scores: ``[documents, systems]``.
        human: ``[documents, systems]``.

    Returns:
        Pearson, Spearman and Kendall (τ_b), ``[documents]`` each; 0 if all scores of a document are equal,
        NaN if all its human scores are equal.
    """
    found = np.array([correlations(*rows) for rows in zip(scores, human, strict=True)])
    return dict(zip(COEFFICIENTS, found.T, strict=True))


def coefficients(scores: Floats, others: Floats) -> dict[str, float]:
    """Return the correlations of scores ``[n]`` with other scores ``[n]``."""
    return dict(zip(COEFFICIENTS, correlations(scores, others), strict=True))


def measure(scores: Floats, human: Floats) -> dict[str, Any]:
    """Return system-level correlations, and summary-level correlations averaged over documents.

    The 95 % percentile intervals come from a bootstrap over documents.
    """
    found = {name: of[np.isfinite(of)] for name, of in by_document(scores, human).items()}
    summary: dict[str, Any] = {name: float(of.mean()) for name, of in found.items()}
    summary["ci"] = {
        name: list(bootstrap_interval(of.tolist(), method="percentile")) for name, of in found.items()
    }
    return {"system": coefficients(scores.mean(axis=0), human.mean(axis=0)), "summary": summary}


def over_folds(
    scores: Floats, human: Floats, folds: Folds, *, of_systems: bool = False
) -> dict[str, dict[str, float]]:
    """Return mean correlations over folds of documents, or of systems (as published)."""
    parts = [
        (scores[:, list(fold)], human[:, list(fold)])
        if of_systems
        else (scores[list(fold)], human[list(fold)])
        for fold in folds
    ]
    levels: dict[str, list[dict[str, float]]] = {
        "system": [coefficients(*(one.mean(axis=0) for one in part)) for part in parts],
        "summary": [
            {name: float(np.nanmean(of)) for name, of in by_document(*part).items()} for part in parts
        ],
    }
    return {
        level: {name: float(np.nanmean([one[name] for one in of_folds])) for name in COEFFICIENTS}
        for level, of_folds in levels.items()
    }


def against(
    baselines: Sequence[str], scores: Mapping[str, Floats], human: Floats
) -> dict[str, dict[str, dict[str, float]]]:
    """Test the summary-level Pearson correlation of every other score against the baselines."""
    known = np.ptp(human, axis=1) > 0
    pearson = {name: by_document(of, human)["pearson"][known].tolist() for name, of in scores.items()}
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name in (name for name in scores if name not in baselines):
        tests = {
            other: mean_difference(pearson[name], pearson[other], method="bootstrap") for other in baselines
        }
        found[name] = {
            other: {"difference": test.difference, "p_value": test.p_value} for other, test in tests.items()
        }
    return found
