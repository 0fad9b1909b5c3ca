"""One static page that compares the results of several systems, with the evidence behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from claimwise.errors import ClaimwiseError
from claimwise.evidence import example, page
from claimwise.report.compare import Comparison, compare
from claimwise.report.results import SystemResult

BINS = 20
WIDTH, HEIGHT = 320, 72

ENDS = {
    "contrast": ("the most contrasting", "the least contrasting"),
    "coverage": ("the most of the references", "the least of the references"),
    "factuality": ("the best supported", "the least supported"),
    "style": ("the highest scores", "the lowest scores"),
}
"""What the highest and the lowest scores of a family are called."""


@dataclass(frozen=True)
class TableRow:
    """A system in the table: how many scores, mean, interval, difference to the first system, p-value."""

    system: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Histogram:
    """The distribution of a system's scores: ``shares`` of the highest bar among all systems."""

    system: str
    shares: tuple[float, ...]
    mean: float
    low: float
    high: float
    said: str
    width: int = WIDTH
    height: int = HEIGHT
    step: float = WIDTH / BINS


@dataclass(frozen=True)
class Examples:
    """Drawn evidence under a heading; None = the result holds no evidence."""

    heading: str
    drawn: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class Group:
    """What the page says of one metric."""

    name: str
    scale: str
    mean_over: str
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    rows: tuple[TableRow, ...]
    histograms: tuple[Histogram, ...]
    examples: tuple[Examples, ...]
    signatures: Mapping[str, Sequence[str]]


def report_page(results: Sequence[SystemResult], *, examples: int = 2) -> str:
    """Return a page with, for every metric: a table, the distributions, examples, and the signatures.

    Systems are tested against the first one with the paired permutation test, over the rows that have a score
    in both, each counting as it does in the means.

    Args:
        results: of one or several metrics; the first of a metric is what the others are compared with.
        examples: how many of the highest and of the lowest scores of each system are shown with their
            evidence (if the result holds it).

    Returns:
        HTML that needs no network and no script; every text in it is escaped.

    Raises:
        ClaimwiseError: if there is no result, or evidence is not of the form that the metric gives.
    """
    if not results:
        raise ClaimwiseError("No result to report: give at least one.")
    metrics = dict.fromkeys(result.score for result in results)
    groups = [_group([result for result in results if result.score == name], examples) for name in metrics]
    systems = list(dict.fromkeys(result.system for result in results))
    shown = ", ".join(systems)
    title = f"claimwise report: {shown if len(shown) < 80 else f'{len(systems)} systems'}"
    return page(title, _environment().get_template("report.html.jinja").render(groups=groups))


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("claimwise.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _group(results: Sequence[SystemResult], examples: int) -> Group:
    spec = results[0].spec
    rows: list[TableRow] = []
    warnings: list[str] = []
    for result in results[1:]:
        found, limits = _compared(results[0], result)
        rows.append(_row(result, found, tested=True))
        warnings += limits
    signatures: dict[str, list[str]] = {}
    for result in results:
        signatures.setdefault(result.signature, []).append(result.system)
    scale = ""
    if spec is not None:
        low, high = spec.ends
        scale = f"{spec.title}, from “{low}” to “{high}”: {spec.question}"
    return Group(
        name=results[0].score,
        scale=scale,
        mean_over=spec.mean_over if spec is not None else "rows",
        warnings=tuple(warnings),
        notes=tuple(_notes(results)),
        rows=(_row(results[0], None, tested=False), *rows),
        histograms=tuple(_histograms(results)),
        examples=tuple(shown for result in results for shown in _examples(result, examples)),
        signatures=signatures,
    )


def _notes(results: Sequence[SystemResult]) -> Iterator[str]:
    spec = results[0].spec
    if spec is None:
        return
    low, high = spec.bounds
    ends = [end for result in results for end in result.interval or ()]
    if any(end < low - 1e-9 or end > high + 1e-9 for end in ends):
        yield (
            f"An interval that leaves the scale, {low:g} to {high:g}, is a normal one; score with "
            f"--ci-method percentile for one that does not."
        )


def _compared(first: SystemResult, result: SystemResult) -> tuple[Comparison | None, Sequence[str]]:
    """Return how a system differs from the first, if it can be tested, and what limits that."""
    try:
        found = compare(first, result)
    except ClaimwiseError as error:
        return None, [f"{result.system} is not tested against {first.system}: {error}"]
    return found, found.warnings


def _row(result: SystemResult, found: Comparison | None, tested: bool) -> TableRow:
    scored, rows = len(result.known_scores), len(result.scores)
    interval = "none (score with --ci)"
    if result.interval is not None:
        interval = "[{:.2f}, {:.2f}]".format(*result.interval)
    difference, p_value = "–", "not tested" if tested else "–"
    if found is not None:
        difference, p_value = f"{0 - found.difference:+.2f}", _p_value(found)
    count = str(rows) if scored == rows else f"{scored} of {rows}"
    return TableRow(result.system, (count, f"{result.mean:.2f}", interval, difference, p_value))


def _p_value(found: Comparison) -> str:
    stars = "**" if found.p_value < 0.01 else "*" if found.p_value < 0.05 else ""
    rows = "" if found.compared == found.rows else f" ({found.compared} rows scored in both)"
    return f"{found.p_value:.4f}{stars}{rows}"


def _histograms(results: Sequence[SystemResult]) -> Iterator[Histogram]:
    every = [score for result in results for score in result.known_scores]
    spec = results[0].spec
    top = spec.bounds[1] if spec is not None and math.isfinite(spec.bounds[1]) else 1.0
    low, high = min(0.0, *every), max(top, *every)
    counts = [np.histogram(result.known_scores, bins=BINS, range=(low, high))[0] for result in results]
    # Shares, so that systems with unlike numbers of rows can be compared by eye.
    highest = max(float(count.max() / count.sum()) for count in counts)
    for result, count in zip(results, counts, strict=True):
        quartiles = np.quantile(result.known_scores, (0, 0.25, 0.5, 0.75, 1))
        yield Histogram(
            system=result.system,
            shares=tuple(float(share) for share in count / count.sum() / highest),
            mean=WIDTH * (result.mean - low) / (high - low),
            low=low,
            high=high,
            said="lowest {:.2f}, quartiles {:.2f}, {:.2f} and {:.2f}, highest {:.2f}".format(*quartiles),
        )


def _examples(result: SystemResult, count: int) -> list[Examples]:
    details = result.details
    if details is None:
        return [Examples(f"{result.system}: examples", None)]
    scores = {row: score for row, score in enumerate(result.scores) if score is not None}
    ranked = sorted(scores, key=lambda row: -scores[row])
    count = min(count, (len(ranked) + 1) // 2)
    highest, lowest = ranked[:count], ranked[count:][::-1][:count]
    titles = ENDS[result.spec.family if result.spec is not None else "style"]
    try:
        for row in (*highest, *lowest):
            float(details[row]["score"])  # evidence has that of its row
        return [
            Examples(
                f"{result.system}: {title}",
                tuple(example(result.score, result.row_name(row), details[row]) for row in rows),
            )
            for title, rows in zip(titles, (highest, lowest), strict=True)
            if rows
        ]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ClaimwiseError(
            f"{result.system}: {result.score}_details is not the evidence that {result.score} gives.",
            "Score it again with --details.",
        ) from error
