"""The result of a study, and its files: page, tables, rows, figures, and the signatures of every number."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
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
        systems = ", ".join(dict.fromkeys(line.system for line in self.lines))
        return f"<Study of {systems} by {', '.join(self.results)}; print it for its table>"

    def __str__(self) -> str:
        return study_as_text(self)

    def _repr_html_(self) -> str:
        return study_in_notebook(self)

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
        means = {(line.metric, line.system): line for line in self.lines}
        baseline = self.lines[0].system
        sentences = [sentence_of(line, baseline, means) for line in self.lines if line.p_holm is not None]
        for level in dict.fromkeys(line.level for line in self.correlations):
            own = [line for line in self.correlations if line.level == level]
            sentences += filter(None, [best_correlated(own), explained_by_length(own)])
        return sentences

    @property
    def method(self) -> str:
        """A sentence for a paper: what was scored, and how it was tested."""
        tests, level = sum(line.p_holm is not None for line in self.lines), 100 * self.confidence_level
        first = self.lines[0]
        kappa = ""
        if any(line.kappa is not None for line in self.correlations):
            kappa = (
                "; labels are compared with verdicts by Cohen's kappa, each at the threshold with the best "
                "kappa on the rows of all other ids"
            )
        correlation = (
            " Correlation with human ratings is given as Pearson's r, Spearman's ρ and Kendall's τ_b, over "
            "rows, within ids (mean over ids) and over systems, and as partial Spearman's ρ given the number "
            f"of words of the summary{kappa}. Percentile intervals and the two-sided paired tests of the "
            "difference between the absolute τ_b of two scores are from a bootstrap over ids "
            f"({CORRELATION_RESAMPLES:,} resamples); the tests are Holm-corrected separately for each level."
        )
        return (
            f"We scored {len({line.system for line in self.lines})} systems with claimwise {__version__} "
            f"({', '.join(self.results)}). Intervals are {level:g} % percentile bootstrap intervals over "
            f"rows ({RESAMPLES:,} resamples, seed {self.seed}); differences from {first.system} are tested "
            f"with the two-sided paired permutation test ({RESAMPLES:,} permutations), and p-values are "
            f"Holm-corrected for {tests} {'test' if tests == 1 else 'tests'}; d is Cohen's d_z."
            f"{correlation if self.correlations else ''}"
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

    texts = {"index.html": study_page(study), "table.csv": _csv(study.lines)}
    if study.correlations:
        texts |= {"correlations.csv": _csv(study.correlations), "correlations.tex": _correlations_tex(study)}
    texts |= {"table.tex": _latex(study), "signature.txt": _signatures(study)}
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


def study_page(study: Study) -> str:
    """Return a study as one page without network access or scripts; all texts are escaped."""
    groups = [
        {
            "score": score,
            "spec": None if further else spec,
            "histograms": list(histograms(results)),
            "examples": [_example(score, example) for example in study.examples.get(score, ())],
        }
        for score, results in study.results.items()
        for spec, further in [spec_of(score)]
    ]
    systems = ", ".join(dict.fromkeys(line.system for line in study.lines))
    title = f"Study: {systems if len(systems) < 80 else 'many systems'}"
    return page(title, _body(study, groups), study.signatures)


def _example(score: str, example: Example) -> dict[str, Any]:
    """Return an example as the template reads it."""
    scores = zip(example.systems, example.scores, strict=True)
    evidence = zip(example.systems, example.evidence, strict=True)
    return {
        "id": example.id,
        "scores": ", ".join(f"{system} {number(score, value)}" for system, value in scores),
        "drawn": [(system, fragment(of_row)) for system, of_row in evidence if of_row is not None],
    }


def study_in_notebook(study: Study) -> str:
    """Return the findings and the tables of a study as HTML for a notebook."""
    return f'<style>{STYLE}</style><div class="claimwise">{_body(study, ())}</div>'


def _body(study: Study, groups: Sequence[Mapping[str, Any]]) -> str:
    return rendered("study", TEMPLATES, study=study, tables=tables_of(study), groups=groups)


def tables_of(study: Study) -> dict[str, tuple[tuple[str, ...], list[list[str]]]]:
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

    for title, (headings, rows) in tables_of(study).items():
        table = Table(*headings, title=title)
        table.columns[0].no_wrap = True  # the names of scores stay whole; intervals may wrap
        for cells in rows:
            table.add_row(*map(escape, cells))
        yield table


def study_as_text(study: Study) -> str:
    """Return the tables, the notes and the findings of a study, as wide as the tables need."""
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=WIDEST, color_system=None, emoji=False).print(*printed_tables(study), sep="\n")
    return "\n".join([text.getvalue().rstrip(), "", *study.notes, *study.sentences])


def _correlation_table(lines: Sequence[HumanCorrelation]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return headings and rows; a coefficient that no line has is left out."""
    values = [asdict(line) for line in lines]
    names = [name for name in COEFFICIENT_HEADINGS if any(of[name] is not None for of in values)]
    headings = (
        "score",
        "over",
        "n",
        *(COEFFICIENT_HEADINGS[name] for name in names),
        "p against best",
        "p (Holm)",
    )
    return headings, [
        [
            line.metric,
            line.level,
            str(line.count),
            *(_coefficient(of, name) for name in names),
            _p(line.p_value),
            _p(line.p_holm),
        ]
        for line, of in zip(lines, values, strict=True)
    ]


def _coefficient(values: Mapping[str, Any], name: str) -> str:
    """Return a coefficient with its interval, such as ``".31 [.20, .42]"``."""
    if values[name] is None:
        return "–"
    return f"{values[name]:z.2f} [{values[f'{name}_low']:z.2f}, {values[f'{name}_high']:z.2f}]"


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


def _latex(study: Study) -> str:
    r"""Return the table for LaTeX with ``\usepackage{booktabs}``."""
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{tabular}{llrrr}",
        r"\toprule",
        r"Metric & System & Mean & Difference & $p$ (Holm) \\",
    ]
    before = ""
    for line in study.lines:
        score, system, _, mean, interval, difference, its_interval, _, p_value, _ = map(_tex, cells_of(line))
        if line.metric != before:
            lines.append(r"\midrule")
        spread = f" {its_interval}" if line.difference is not None else ""
        name = score if line.metric != before else ""
        lines.append(rf"{name} & {system} & {mean} {interval} & {difference}{spread} & {p_value} \\")
        before = line.metric
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _correlations_tex(study: Study) -> str:
    r"""Return the correlations for LaTeX with ``\usepackage{booktabs}``."""
    headings, rows = _correlation_table(study.correlations)
    lines = [r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{ll{'r' * (len(headings) - 2)}}}", r"\toprule"]
    lines.append(rf"{' & '.join(map(_tex, headings))} \\")
    before = ""
    for cells in rows:
        lines += [r"\midrule"] if cells[1] != before else []
        lines.append(rf"{' & '.join(map(_tex, cells))} \\")
        before = cells[1]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


_TEX = {c: rf"\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {"\\": r"\textbackslash{}", "<": r"\ensuremath{<}", "–": "--"}


def _tex(text: str) -> str:
    text = re.sub(r"[&%$#_{}~^\\<–]", lambda match: _TEX[match[0]], text)
    return re.sub(r"-(?=[\d.])", r"\\ensuremath{-}", text) if re.fullmatch(r"[\[\]\d., +-]+", text) else text


def _signatures(study: Study) -> str:
    return "\n\n".join([study.method, *study.sentences, *study.signatures, ""])
