"""Correlation of scores with human ones, ``[documents, systems]`` both, over systems and over summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from claimwise.data.realsumm import Folds
from claimwise.reproduce.experiment import Floats
from claimwise.stats import bootstrap_interval, mean_difference

COEFFICIENTS = ("pearson", "spearman", "kendall")


def by_document(scores: Floats, human: Floats) -> dict[str, Floats]:
    """Return the correlation of scores with human ones over the systems, for each document.

    Args:
        scores: ``[documents, systems]``.
        human: ``[documents, systems]``.

    Returns:
        Pearson, Spearman and Kendall (τ_b), ``[documents]`` each; 0 where all scores of a document are alike,
        NaN where all human ones are.
    """
    is_flat, is_unknown = np.ptp(scores, axis=1) == 0, np.ptp(human, axis=1) == 0
    kendall = [stats.kendalltau(*rows).statistic for rows in zip(scores, human, strict=True)]
    found = {
        "pearson": _row_pearson(scores, human),
        "spearman": _row_pearson(stats.rankdata(scores, axis=1), stats.rankdata(human, axis=1)),
        "kendall": np.array(kendall, dtype=np.float64),
    }
    return {name: np.where(is_unknown, np.nan, np.where(is_flat, 0.0, of)) for name, of in found.items()}


def system_level(scores: Floats, human: Floats) -> dict[str, float]:
    """Return the correlations of the systems' mean scores over the documents."""
    found = by_document(scores.mean(axis=0, keepdims=True), human.mean(axis=0, keepdims=True))
    return {name: float(of[0]) for name, of in found.items()}


def measure(scores: Floats, human: Floats) -> dict[str, Any]:
    """Return correlations at the level of systems and of summaries; these are means over the documents.

    The 95 % percentile intervals are of a bootstrap over documents.
    """
    found = {name: of[np.isfinite(of)] for name, of in by_document(scores, human).items()}
    summary: dict[str, Any] = {name: float(of.mean()) for name, of in found.items()}
    summary["ci"] = {
        name: list(bootstrap_interval(of.tolist(), method="percentile")) for name, of in found.items()
    }
    return {"system": system_level(scores, human), "summary": summary}


def over_folds(
    scores: Floats, human: Floats, folds: Folds, *, of_systems: bool = False
) -> dict[str, dict[str, float]]:
    """Return the means of the correlations over folds of documents, or of systems (as published)."""
    parts = [
        (scores[:, list(fold)], human[:, list(fold)])
        if of_systems
        else (scores[list(fold)], human[list(fold)])
        for fold in folds
    ]
    levels: dict[str, list[dict[str, float]]] = {
        "system": [system_level(*part) for part in parts],
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
    """Test the summary-level Pearson of every other score against those of the baselines."""
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


def _row_pearson(first: Floats, second: Floats) -> Floats:
    a = first - first.mean(axis=1, keepdims=True)
    b = second - second.mean(axis=1, keepdims=True)
    norms = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    found: Floats = (a * b).sum(axis=1) / np.where(norms == 0, 1, norms)
    return found
