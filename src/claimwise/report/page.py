"""One static page that compares the results of several systems, with the evidence behind them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence import example, page
from claimwise.signature import differing_parts
from claimwise.stats import paired_test

CONTRAST = ("caspr", "distinctiveness_score", "inverted_bertscore")
PERCENT = (*CONTRAST, "complexity")
SUPPORT = ("support_counts", "summac_zs", "summac_conv")
BINS = 20


class SystemResult(NamedTuple):
    """What a metric found for one system.

    Attributes:
        system: its name.
        metric: the name of the metric.
        result: what ``compute`` returned.
    """

    system: str
    metric: str
    result: Mapping[str, Any]

    @property
    def scores(self) -> list[float]:
        """One score per summary."""
        scores: list[float] = self.result[f"{self.metric}_scores"]
        return scores

    @property
    def signature(self) -> str:
        """What reproduces the scores."""
        return str(self.result[f"{self.metric}_signature"])


def read_results(paths: Sequence[Path]) -> list[SystemResult]:
    """Read what ``claimwise score … --output`` wrote; a system is called as its file.

    Args:
        paths: JSON files; where two of one metric have the same name, their folders are named too.

    Raises:
        ClaimwiseError: for a file that is not such a result.
    """
    read = [(path, *_read(path)) for path in paths]
    names = [(path.stem, metric) for path, metric, _ in read]
    return [
        SystemResult(str(path.with_suffix("")) if names.count(name) > 1 else name[0], metric, result)
        for (path, metric, result), name in zip(read, names, strict=True)
    ]


def report_page(results: Sequence[SystemResult], *, examples: int = 2) -> str:
    """Return a page with, for every metric: a table, the distributions, examples, and the signatures.

    Systems are tested against the first one with the paired permutation test, where they have as many scores.

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
    metrics = dict.fromkeys(result.metric for result in results)
    groups = [[result for result in results if result.metric == metric] for metric in metrics]
    body = "".join(f"<section>{_group(group, examples)}</section>" for group in groups)
    systems = list(dict.fromkeys(result.system for result in results))
    shown = ", ".join(systems)
    return page(f"claimwise report: {shown if len(shown) < 80 else f'{len(systems)} systems'}", body)


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    remedy = "Write it with claimwise score METRIC FILE --ci --details --output."
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ClaimwiseError(
            f"{path}: cannot be read ({error.strerror or error}). Check the path."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ClaimwiseError(f"{path}: is not a JSON file. {remedy}") from error
    keys = result if isinstance(result, dict) else ()
    metrics = [key.removesuffix("_signature") for key in keys if key.endswith("_signature")]
    if len(metrics) != 1:
        raise ClaimwiseError(f"{path}: is not the result of a metric. {remedy}")
    (metric,) = metrics
    scores = result.get(f"{metric}_scores")
    interval = result.get(f"{metric}_ci", [0.0, 0.0])
    numbers = [result.get(metric), *(scores if isinstance(scores, list) else [None]), *_as_list(interval)]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise ClaimwiseError(f"{path}: a score of {metric} is {number!r}, not a finite number. {remedy}")
    if not scores or len(_as_list(interval)) != 2:
        raise ClaimwiseError(f"{path}: holds no scores of {metric}. {remedy}")
    return metric, result


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _group(results: Sequence[SystemResult], examples: int) -> str:
    metric = results[0].metric
    return (
        f"<h2>{escape(metric)}</h2>{_differing_signatures(results)}{_table(results)}"
        f"<h3>Distribution of the scores</h3>{_distributions(results)}"
        f"{''.join(_examples(result, examples) for result in results)}"
        f"<h3>Signatures</h3>{_signatures(results)}"
    )


def _differing_signatures(results: Sequence[SystemResult]) -> str:
    differing = differing_parts([result.signature for result in results])
    if not differing:
        return ""
    return (
        '<p class="warning"><b>⚠ These scores cannot be compared as they are:</b> the signatures differ in '
        f"{escape(', '.join(differing))}. Score all systems with the same options and versions.</p>"
    )


def _table(results: Sequence[SystemResult]) -> str:
    first = results[0]
    rows = []
    for number, result in enumerate(results):
        low_high = result.result.get(f"{result.metric}_ci")
        interval = "[{:.2f}, {:.2f}]".format(*low_high) if low_high else "none (score with --ci)"
        difference, p_value = "–", "–"
        if number:
            difference, p_value = _significance(first, result)
        cells = (
            str(len(result.scores)),
            f"{result.result[result.metric]:.2f}",
            interval,
            difference,
            p_value,
        )
        data = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        rows.append(f'<tr><th scope="row">{escape(result.system)}</th>{data}</tr>')
    headings = ("system", "scores", "mean", "confidence interval", "difference to the first", "p")
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Table of the systems">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        '<p class="soft">Intervals are those that score --ci computed (95 % unless told otherwise). The '
        "difference is the mean over the rows; p is of the paired permutation test against the first system, "
        "two-sided, not corrected for the number of systems: * p &lt; .05, ** p &lt; .01.</p>"
    )


def _significance(first: SystemResult, other: SystemResult) -> tuple[str, str]:
    if len(first.scores) != len(other.scores):
        return "–", "not tested (other rows)"
    if len(first.scores) < 2:
        return "–", "not tested (one row)"
    test = paired_test(first.scores, other.scores)
    stars = "**" if test.p_value < 0.01 else "*" if test.p_value < 0.05 else ""
    return f"{0 - test.difference:+.2f}", f"{test.p_value:.4f}{stars}"


def _distributions(results: Sequence[SystemResult]) -> str:
    every = [score for result in results for score in result.scores]
    top = 100.0 if results[0].metric in PERCENT else 1.0
    low, high = min(0.0, *every), max(top, *every)
    counts = [np.histogram(result.scores, bins=BINS, range=(low, high))[0] for result in results]
    # Shares, so that systems with unlike numbers of rows can be compared by eye.
    highest = max(float(count.max() / count.sum()) for count in counts)
    drawn = "".join(
        _histogram(result, count / count.sum() / highest, low, high)
        for result, count in zip(results, counts, strict=True)
    )
    return f'<div class="histograms">{drawn}</div>'


def _histogram(result: SystemResult, heights: Any, low: float, high: float) -> str:
    width, height = 320, 72
    step = width / BINS
    bars = "".join(
        f'<rect x="{i * step + 0.5:.1f}" y="{height * (1 - share):.1f}" width="{step - 1:.1f}" '
        f'height="{height * share:.1f}"/>'
        for i, share in enumerate(heights)
    )
    mean = width * (result.result[result.metric] - low) / (high - low)
    quartiles = np.quantile(result.scores, (0, 0.25, 0.5, 0.75, 1))
    said = "lowest {:.2f}, quartiles {:.2f}, {:.2f} and {:.2f}, highest {:.2f}".format(*quartiles)
    name = escape(result.system)
    return (
        f"<figure><figcaption><b>{name}</b></figcaption>"
        f'<svg viewBox="0 -4 {width} {height + 22}" role="img" aria-label="Histogram of {name}: {said}">'
        f'<g class="bars">{bars}</g><path d="M0 {height}H{width}"/>'
        f'<path class="mean" d="M{mean:.1f} -4V{height}"><title>mean</title></path>'
        f'<text x="0" y="{height + 15}">{low:g}</text>'
        f'<text x="{width}" y="{height + 15}" text-anchor="end">{high:g}</text></svg>'
        f'<p class="soft number">{said}; the dashed line is the mean</p></figure>'
    )


def _examples(result: SystemResult, count: int) -> str:
    details = result.result.get(f"{result.metric}_details")
    name = escape(result.system)
    if details is None:
        return f"<h3>{name}: examples</h3><p>This result holds no evidence: score it with --details.</p>"
    try:
        ranked = sorted(
            (row for row, evidence in enumerate(details) if evidence["score"] is not None),
            key=lambda row: -details[row]["score"],
        )
        count = min(count, (len(ranked) + 1) // 2)
        highest, lowest = ranked[:count], ranked[count:][::-1][:count]
        drawn = [
            f"<h3>{name}: {title}</h3>{''.join(example(result.metric, row, details[row]) for row in rows)}"
            for title, rows in zip(_titles(result.metric), (highest, lowest), strict=True)
            if rows
        ]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ClaimwiseError(
            f"{result.system}: {result.metric}_details is not the evidence that {result.metric} gives. Score "
            f"it again with --details."
        ) from error
    return "".join(drawn)


def _titles(metric: str) -> tuple[str, str]:
    if metric in CONTRAST:
        return "the most contrasting", "the least contrasting"
    if metric in SUPPORT:
        return "the best supported", "the least supported"
    return "the highest scores", "the lowest scores"


def _signatures(results: Sequence[SystemResult]) -> str:
    by_signature: dict[str, list[str]] = {}
    for result in results:
        by_signature.setdefault(result.signature, []).append(result.system)
    return "".join(
        f'<p class="signature"><b>{escape(", ".join(systems))}</b>: {escape(signature)}</p>'
        for signature, systems in by_signature.items()
    )
