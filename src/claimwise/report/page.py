"""A static page that compares the results of several systems, with their evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence import example, page
from claimwise.evidence.html import rendered
from claimwise.report.compare import Comparison, compare
from claimwise.report.results import SystemResult

TEMPLATES = Path(__file__).parent / "templates"
BINS = 20
WIDTH, HEIGHT = 320, 72

ENDS = {
    "contrast": ("the most contrasting", "the least contrasting"),
    "coverage": ("the highest coverage", "the lowest coverage"),
    "factuality": ("the best supported", "the least supported"),
    "style": ("the highest scores", "the lowest scores"),
}
"""Headings of the highest and the lowest scores of a family."""


def report_page(results: Sequence[SystemResult], *, examples: int = 2) -> str:
    """Return a page with a table, the distributions, examples and the signatures for every metric.

    Systems are tested against the first one with the paired permutation test, over the weighted rows scored
    in both; see ``paired_test``.

    Args:
        results: results of one or several metrics; the first result of a metric is the baseline.
        examples: number of the highest and of the lowest scores of each system that are shown with their
            evidence (if the result contains it).

    Returns:
        HTML that needs no network and no script; all texts are escaped.

    Raises:
        ClaimwiseError: if there is no result, or the evidence does not belong to the metric.
    """
    if not results:
        raise ClaimwiseError("There is no result to report.", "Pass at least one.")
    metrics = dict.fromkeys(result.score for result in results)
    groups = [_group([result for result in results if result.score == name], examples) for name in metrics]
    systems = list(dict.fromkeys(result.system for result in results))
    shown = ", ".join(systems)
    title = f"claimwise report: {shown if len(shown) < 80 else f'{len(systems)} systems'}"
    return page(title, rendered("report", TEMPLATES, groups=groups))


def _group(results: Sequence[SystemResult], examples: int) -> dict[str, Any]:
    """Return the content of the page for one metric."""
    first, *others = results
    comparisons: dict[str, Comparison | None] = {}
    warnings: list[str] = []
    for result in others:
        try:
            comparison = comparisons[result.system] = compare(first, result)
        except ClaimwiseError as error:
            comparisons[result.system] = None
            located = error if error.row is None else error.at(path=first.system)
            warnings.append(f"{result.system} is not tested against {first.system}: {located}")
        else:
            warnings += comparison.warnings
    signatures: dict[str, list[str]] = {}
    for result in results:
        signatures.setdefault(result.signature, []).append(result.system)
    low, high = first.bounds
    ends = [end for result in results for end in result.interval or ()]
    return {
        "name": first.score,
        "spec": first.spec,
        "further": first.further,
        "bounds": first.bounds,
        "results": results,
        "comparisons": comparisons,
        "warnings": warnings,
        "interval_leaves": any(end < low - 1e-9 or end > high + 1e-9 for end in ends),
        "histograms": list(histograms(results)),
        "examples": [shown for result in results for shown in _examples(result, examples)],
        "signatures": [f"{', '.join(named)}: {signature}" for signature, named in signatures.items()],
    }


def histograms(results: Sequence[SystemResult]) -> Iterator[dict[str, Any]]:
    """Yield the distribution of each system's scores, with bars as shares of the highest bar of all."""
    every = [score for result in results for score in result.known_scores]
    highest_possible = results[0].bounds[1]
    top = highest_possible if math.isfinite(highest_possible) else 1.0
    low, high = min(0.0, *every), max(top, *every)
    counts = [np.histogram(result.known_scores, bins=BINS, range=(low, high))[0] for result in results]
    # Shares, so that systems with different numbers of rows are comparable.
    highest = max(float(count.max() / count.sum()) for count in counts)
    for result, count in zip(results, counts, strict=True):
        quartiles = np.quantile(result.known_scores, (0, 0.25, 0.5, 0.75, 1))
        yield {
            "system": result.system,
            "shares": (count / count.sum() / highest).tolist(),
            "mean": WIDTH * (result.mean - low) / (high - low),
            "low": low,
            "high": high,
            "said": "lowest {:.2f}, quartiles {:.2f}, {:.2f} and {:.2f}, highest {:.2f}".format(*quartiles),
            "width": WIDTH,
            "height": HEIGHT,
        }


def _examples(result: SystemResult, count: int) -> list[tuple[str, list[str] | None]]:
    """Return the drawn evidence by heading; None if the result contains no evidence."""
    details = result.details
    if details is None:
        return [(f"{result.system}: examples", None)]
    scores = {row: score for row, score in enumerate(result.scores) if score is not None}
    ranked = sorted(scores, key=lambda row: -scores[row])
    count = min(count, (len(ranked) + 1) // 2)
    highest, lowest = ranked[:count], ranked[count:][::-1][:count]
    titles = ENDS[result.spec.family if result.spec is not None else "style"]
    try:
        for row in (*highest, *lowest):
            float(details[row]["score"])  # evidence contains the score of its row
        return [
            (
                f"{result.system}: {title}",
                [example(result.score, result.row_name(row), details[row], scores[row]) for row in rows],
            )
            for title, rows in zip(titles, (highest, lowest), strict=True)
            if rows
        ]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ClaimwiseError(
            f"{result.system}: {result.score}_details is not evidence of {result.score}.",
            "Score it again with details=True.",
        ) from error
