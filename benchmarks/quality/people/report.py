"""What ``people.json`` says, as tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from benchmarks.machine import machine_markdown, markdown_table
from benchmarks.quality.people.tables import DIMENSIONS
from claimwise.metrics import METRICS

INTRODUCTION = """# Every metric against people's ratings

`python -m benchmarks.quality.people` writes this page and `people.json`. Other metrics are as recorded in
OpinSummEval; names in code are claimwise's. Brackets hold the 95% percentile interval of a bootstrap over
products or articles."""
Correlations = Sequence[Mapping[str, Any]]


def report(content: Mapping[str, Any]) -> list[str]:
    """Return the paragraphs of ``people.md``."""
    results = content["results"]
    paragraphs = [INTRODUCTION, machine_markdown(content["machine"])]
    if "opinsummeval" in results:
        paragraphs += [
            "## OpinSummEval: Spearman correlation within a product, mean over products",
            opinsummeval_table(results, "ids"),
            "## OpinSummEval: the same given the number of words",
            opinsummeval_table(results, "ids", "partial"),
            "## OpinSummEval: Spearman correlation of the means of 14 systems",
            opinsummeval_table(results, "systems"),
        ]
    if "rose" in results:
        paragraphs += [
            "## RoSE: Pearson correlation with the share of human content units, within an article",
            rose_table(results),
        ]
    return paragraphs


def opinsummeval_table(
    results: Mapping[str, Any],
    level: str = "ids",
    coefficient: str = "spearman",
    *,
    scores: Collection[str] = (),
    with_interval: bool = True,
) -> str:
    """Return the correlation of each score with each dimension that people rated.

    Args:
        results: of ``people.json``.
        level: ``"ids"``, within a product; or ``"systems"``.
        coefficient: ``"spearman"``, or ``"partial"``.
        scores: those to show; none given = all.
        with_interval: whether intervals are shown.
    """
    columns = {DIMENSIONS[rated]: lines for rated, lines in results["opinsummeval"].items()}
    return _table(columns, level, coefficient, scores, with_interval)


def rose_table(
    results: Mapping[str, Any], *, scores: Collection[str] = (), with_interval: bool = True
) -> str:
    """Return the correlation of each score with the share of human content units; see above."""
    columns = {"within an article": results["rose"]["acu"]}
    return _table(columns, "ids", "pearson", scores, with_interval)


def _table(
    columns: Mapping[str, Correlations],
    level: str,
    coefficient: str,
    scores: Collection[str],
    with_interval: bool,
) -> str:
    """Return a table of the scores, those that agree most with people first."""
    lines: dict[str, dict[str, Mapping[str, Any]]] = {}
    for column, correlations in columns.items():
        for line in correlations:
            if line["level"] == level and line[coefficient] is not None:
                lines.setdefault(line["metric"], {})[column] = line
    shown = [score for score in lines if score in scores or not scores]
    shown.sort(key=lambda score: -sum(abs(line[coefficient]) for line in lines[score].values()))
    names = {name for metric in METRICS.values() for name in (metric.spec.name, *metric.spec.further)}
    cells = []
    for score in shown:
        name = f"`{score}`" if score in names else score
        own = lines[score]
        cells.append([name, *(_cell(own.get(column), coefficient, with_interval) for column in columns)])
    return markdown_table(("score", *columns), cells)


def _cell(line: Mapping[str, Any] | None, coefficient: str, with_interval: bool) -> str:
    if line is None:
        return "–"
    interval = f" [{line[f'{coefficient}_low']:z.2f}, {line[f'{coefficient}_high']:z.2f}]"
    return f"{line[coefficient]:z.2f}{interval if with_interval else ''}".replace("-", "−")
