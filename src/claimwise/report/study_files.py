"""The result of a study, and its files: page, tables, rows, figures, and the signatures of every number."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise import __version__
from claimwise.errors import ClaimwiseError, warn
from claimwise.evidence.html import STYLE, fragment, page, rendered
from claimwise.metrics.registry import spec_of
from claimwise.report.figures import save, study_figures
from claimwise.report.human import RESAMPLES as CORRELATION_RESAMPLES
from claimwise.report.human import HumanCorrelation
from claimwise.report.lines import (
    RESAMPLES,
    Example,
    Line,
    best_correlated,
    explained_by_length,
    number,
    p_is,
    sentence_of,
    signed,
)
from claimwise.report.page import TEMPLATES, histograms
from claimwise.report.results import SystemResult
from claimwise.tables import cannot_be_written, placing

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = ("score", "system", "rows", "mean", "interval", "difference", "its interval", "p", "p (Holm)", "d")
COEFFICIENT_HEADINGS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "partial": "Spearman given length",
    "kappa": "kappa",
}
WIDEST = 500
"""Maximum characters of a line of a printed study."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Study:
    """The result of a study.

    Attributes:
        results: score → the result of each system, the baseline first.
        lines: the table.
        notes: sentences on skipped metrics and on rows that are missing or without a score.
        examples: score → the rows that differ most.
        confidence_level: level of the intervals.
        seed: seed of resampling.
        human: (id, system) → human rating.
        correlations: correlations of each score with the ratings, if there are any.
    """

    results: Mapping[str, Sequence[SystemResult]]
    lines: Sequence[Line]
    notes: Sequence[str] = ()
    examples: Mapping[str, Sequence[Example]] = field(default_factory=dict)
    confidence_level: float = 0.95
    seed: int | None = 0
    human: Mapping[tuple[str, str], float] = field(default_factory=dict)
    correlations: Sequence[HumanCorrelation] = ()

    def save(self, folder: str | Path) -> None:
        """Write the page, tables, rows, figures and signatures into a folder: all files, or none.

        Raises:
            ClaimwiseError: for a file that cannot be written.
        """
        write_study(self, Path(folder))

    def __repr__(self) -> str:
        return f"<Study of {', '.join(self.systems)} by {', '.join(self.results)}; print it for its table>"

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        console = Console(file=text, width=WIDEST, color_system=None, emoji=False)
        console.print(*printed_tables(self), sep="\n")
        return "\n".join([text.getvalue().rstrip(), "", *self.notes, *self.sentences])

    def _repr_html_(self) -> str:
        return f'<style>{STYLE}</style><div class="claimwise">{_body(self, ())}</div>'

    @property
    def systems(self) -> list[str]:
        """The names of the systems, the baseline first."""
        return list(dict.fromkeys(line.system for line in self.lines))

    @property
    def table(self) -> Any:
        """The lines as a pandas DataFrame, or as dicts if pandas is not installed."""
        rows = [asdict(line) for line in self.lines]
        try:
            import pandas
        except ImportError:
            return rows
        return pandas.DataFrame(rows)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The scores of every row and system, with their weights and the human rating."""
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for score, results in self.results.items():
            for result in results:
                for index, row_id in enumerate(result.ids or ()):
                    key = row_id, result.system
                    row = rows.setdefault(key, {"id": row_id, "system": result.system})
                    row |= {score: result.scores[index], f"{score}_weight": result.weight(index)}
                    row |= {"human": self.human.get(key)} if self.human else {}
        return [rows[key] for key in sorted(rows)]

    @property
    def signatures(self) -> list[str]:
        """The distinct signatures of all results."""
        return list(dict.fromkeys(r.signature for results in self.results.values() for r in results))

    @property
    def sentences(self) -> list[str]:
        """The differences in words, one sentence per score and system, and the best-agreeing scores."""
        baselines = {line.metric: line for line in self.lines if line.difference is None}
        sentences = [
            sentence_of(line, baselines[line.metric]) for line in self.lines if line.difference is not None
        ]
        for level in dict.fromkeys(line.level for line in self.correlations):
            own = [line for line in self.correlations if line.level == level]
            sentences += filter(None, [best_correlated(own), explained_by_length(own)])
        return sentences

    @property
    def method(self) -> str:
        """Sentences for a paper: what was scored, and how it was tested."""
        count = sum(line.p_holm is not None for line in self.lines)
        tests = f"{count} test{'' if count == 1 else 's'}"
        return (
            f"We scored {len(self.systems)} systems with claimwise {__version__} "
            f"({', '.join(self.results)}). Intervals are {100 * self.confidence_level:g}% percentile "
            f"bootstrap intervals over rows ({RESAMPLES:,} resamples, seed {self.seed}); differences from "
            f"{self.systems[0]} are tested with the two-sided paired permutation test ({RESAMPLES:,} "
            f"permutations), and p-values are Holm-corrected for {tests}; d is Cohen's d_z."
            f"{_method_of_correlations(self.correlations)}"
        )


def _method_of_correlations(correlations: Sequence[HumanCorrelation]) -> str:
    if not correlations:
        return ""
    kappa = (
        "; labels are compared with verdicts by Cohen's kappa, each at the threshold with the best kappa on "
        "the rows of all other ids"
    )
    return (
        " Correlation with human ratings is given as Pearson's r, Spearman's ρ and Kendall's τ_b, over rows, "
        "within ids (mean over ids) and over systems, and as partial Spearman's ρ given the number of words "
        f"of the summary{kappa if any(line.kappa is not None for line in correlations) else ''}. Percentile "
        "intervals and the two-sided paired tests of the difference between the absolute τ_b of two scores "
        f"are from a bootstrap over ids ({CORRELATION_RESAMPLES:,} resamples); the tests are Holm-corrected "
        "separately for each level."
    )


def write_study(study: Study, folder: Path) -> list[str]:
    """Write a study into a folder, all files or none, and return their names.

    ``index.html``, ``table.csv``, ``table.tex``, ``rows.parquet``, ``signature.txt``, with human ratings
    ``correlations.csv`` and ``correlations.tex``, and where matplotlib is installed ``differences`` and
    ``distributions`` as SVG and PDF.

    Raises:
        ClaimwiseError: for a file that cannot be written.
    """
    import pyarrow
    from pyarrow.parquet import write_table

    texts = {"index.html": _page(study), "table.csv": _csv(study.lines)}
    if study.correlations:
        texts["correlations.csv"] = _csv(study.correlations)
        texts["correlations.tex"] = _correlations_in_latex(study.correlations)
    texts["table.tex"] = _lines_in_latex(study.lines)
    texts["signature.txt"] = "\n\n".join([study.method, *study.sentences, *study.signatures, ""])
    try:
        figures = study_figures(study.results, study.lines)
    except ClaimwiseError as error:
        warn(f"No figures are drawn. {error}")
        figures = {}
    drawn = {f"{name}.{suffix}": figure for name, figure in figures.items() for suffix in ("svg", "pdf")}
    names = [*texts, "rows.parquet", *drawn]
    with ExitStack() as opened:
        paths = {name: opened.enter_context(placing(folder / name)) for name in names}
        try:
            for name, text in texts.items():
                paths[name].write_text(text, encoding="utf-8")
            write_table(pyarrow.Table.from_pylist(study.rows), paths["rows.parquet"])
            for name, figure in drawn.items():
                save(figure, paths[name], name.rpartition(".")[2])
        except OSError as error:
            raise cannot_be_written(folder, error) from error
    return names


def _page(study: Study) -> str:
    """Return a study as one page without network access or scripts; all texts are escaped."""
    groups = []
    for score, results in study.results.items():
        spec, further = spec_of(score)
        groups.append(
            {
                "score": score,
                "spec": None if further else spec,
                "histograms": list(histograms(results)),
                "examples": [_example(score, example) for example in study.examples.get(score, ())],
            }
        )
    systems = ", ".join(study.systems)
    return page(
        f"Study: {systems if len(systems) < 80 else 'many systems'}", _body(study, groups), study.signatures
    )


def _example(score: str, example: Example) -> dict[str, Any]:
    scores = zip(example.systems, example.scores, strict=True)
    evidence = zip(example.systems, example.evidence, strict=True)
    return {
        "id": example.id,
        "scores": ", ".join(f"{system} {number(score, value)}" for system, value in scores),
        "drawn": [(system, fragment(own)) for system, own in evidence if own is not None],
    }


def _body(study: Study, groups: Sequence[Mapping[str, Any]]) -> str:
    return rendered("study", TEMPLATES, study=study, tables=_tables(study), groups=groups)


def _tables(study: Study) -> dict[str, tuple[tuple[str, ...], list[list[str]]]]:
    """Return the tables as shown to readers: title → headings and rows."""
    tables: dict[str, tuple[tuple[str, ...], list[list[str]]]]
    tables = {"Table": (HEADINGS, [cells_of(line) for line in study.lines])}
    if study.correlations:
        tables["Correlation with human ratings"] = _correlation_table(study.correlations)
    return tables


def printed_tables(study: Study) -> Iterator[Table]:
    """Yield the tables for a terminal."""
    from rich.markup import escape
    from rich.table import Table

    for title, (headings, rows) in _tables(study).items():
        table = Table(*headings, title=title)
        table.columns[0].no_wrap = True  # the names of scores stay whole; intervals may wrap
        for cells in rows:
            table.add_row(*map(escape, cells))
        yield table


def _correlation_table(lines: Sequence[HumanCorrelation]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return headings and rows; a coefficient that no line has is left out."""
    values = [asdict(line) for line in lines]
    names = [name for name in COEFFICIENT_HEADINGS if any(of[name] is not None for of in values)]
    titles = [COEFFICIENT_HEADINGS[name] for name in names]
    rows = []
    for line, of in zip(lines, values, strict=True):
        coefficients = [_coefficient(of[name], of[f"{name}_low"], of[f"{name}_high"]) for name in names]
        p_values = _p(line.p_value), _p(line.p_holm)
        rows.append([line.metric, line.level, str(line.count), *coefficients, *p_values])
    return ("score", "over", "n", *titles, "p against best", "p (Holm)"), rows


def _coefficient(value: float | None, low: float, high: float) -> str:
    return "–" if value is None else f"{value:z.2f} [{low:z.2f}, {high:z.2f}]"


def _p(value: float | None) -> str:
    return "–" if value is None else p_is(value).removeprefix("p ").removeprefix("= ")


def cells_of(line: Line) -> list[str]:
    """Return a line of the table as shown to readers."""
    shown = [line.metric, line.system, str(line.rows), number(line.metric, line.mean)]
    shown.append(_interval(line.metric, line.low, line.high))
    if line.difference is None:
        return shown + ["–"] * (len(HEADINGS) - len(shown))
    interval = _interval(line.metric, line.difference_low or 0, line.difference_high or 0)
    effect = "–" if line.effect_size is None else signed(line.effect_size)
    difference = number(line.metric, line.difference, "+")
    return [*shown, difference, interval, _p(line.p_value), _p(line.p_holm), effect]


def _interval(score: str, low: float, high: float) -> str:
    return f"[{number(score, low)}, {number(score, high)}]"


def _csv(lines: Sequence[Line] | Sequence[HumanCorrelation]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [column.name for column in fields(lines[0])])
    writer.writeheader()
    writer.writerows(map(asdict, lines))
    return text.getvalue()


def _lines_in_latex(lines: Sequence[Line]) -> str:
    groups = []
    for _, group in groupby(lines, key=attrgetter("metric")):
        rows: list[list[str]] = []
        for line in group:
            score, system, _, mean, interval, difference, its_interval, _, p_holm, _ = cells_of(line)
            tested = difference if line.difference is None else f"{difference} {its_interval}"
            rows.append(["" if rows else score, system, f"{mean} {interval}", tested, p_holm])
        groups.append(rows)
    return _latex(["Metric", "System", "Mean", "Difference", "$p$ (Holm)"], groups)


def _correlations_in_latex(lines: Sequence[HumanCorrelation]) -> str:
    headings, rows = _correlation_table(lines)
    return _latex(
        [_tex(heading) for heading in headings], [list(g) for _, g in groupby(rows, key=itemgetter(1))]
    )


def _latex(headings: Sequence[str], groups: Sequence[Sequence[Sequence[str]]]) -> str:
    r"""Return a table for ``\usepackage{booktabs}`` with a rule above each group of rows.

    Headings are LaTeX, cells are plain text.
    """
    lines = [r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{ll{'r' * (len(headings) - 2)}}}", r"\toprule"]
    lines.append(rf"{' & '.join(headings)} \\")
    for rows in groups:
        lines.append(r"\midrule")
        lines += [rf"{' & '.join(map(_tex, cells))} \\" for cells in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


_TEX = {c: rf"\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {"\\": r"\textbackslash{}", "<": r"\ensuremath{<}", "–": "--"}


def _tex(text: str) -> str:
    text = re.sub(r"[&%$#_{}~^\\<–]", lambda match: _TEX[match[0]], text)
    # In numbers, a hyphen is a minus; in names it stays.
    return re.sub(r"-(?=[\d.])", r"\\ensuremath{-}", text) if re.fullmatch(r"[\[\]\d., +-]+", text) else text
