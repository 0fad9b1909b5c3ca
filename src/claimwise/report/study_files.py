"""The files of a study: page, tables, rows, figures, and the signatures of every number."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, fields
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.evidence.html import STYLE, environment, fragment, page
from claimwise.metrics.registry import spec_of
from claimwise.report.agreement import Agreement
from claimwise.report.figures import save, study_figures
from claimwise.report.lines import Line, StudyResult, number, p_is, shortened, signed
from claimwise.report.page import histograms
from claimwise.stats import COEFFICIENTS
from claimwise.tables import cannot_be_written, placing

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = ("score", "system", "rows", "mean", "interval", "difference", "its interval", "p", "p (Holm)", "d")
AGREEMENT_HEADINGS = ("score", "over", "n", "Pearson", "Spearman", "Kendall", "p against best", "p (Holm)")
SCALE, CHARACTER = 290, 6.6
"""Widths of the scale in a plot of differences, and of one character of the names to its left."""
WIDEST = 500
"""Maximum characters of a line of a printed study."""


def write_study(study: StudyResult, folder: Path) -> None:
    """Write a study into a folder: all files, or none.

    ``index.html``, ``table.csv``, ``table.tex``, ``rows.parquet``, ``signature.txt``, with human ratings
    ``agreement.csv``, and where matplotlib is installed ``differences`` and ``distributions`` as SVG and PDF
    at each width.

    Raises:
        ClaimwiseError: for a file that cannot be written.
    """
    import pyarrow
    from pyarrow.parquet import write_table

    texts = {
        "index.html": study_page(study),
        "table.csv": _csv(study.lines),
        **({"agreement.csv": _csv(study.agreements)} if study.agreements else {}),
        "table.tex": _latex(study),
        "signature.txt": _signatures(study),
    }
    try:
        figures = study_figures(study)
    except ClaimwiseError as error:
        warn(f"No figures are drawn. {error}")
        figures = {}
    with ExitStack() as opened:
        places = {name: opened.enter_context(placing(folder / name)) for name in (*texts, "rows.parquet")}
        drawn = {
            (name, suffix): opened.enter_context(placing(folder / f"{name}.{suffix}"))
            for name in figures
            for suffix in ("svg", "pdf")
        }
        try:
            for name, text in texts.items():
                places[name].write_text(text, encoding="utf-8")
            write_table(pyarrow.Table.from_pylist(study.rows), places["rows.parquet"])
            for (name, suffix), place in drawn.items():
                save(figures[name], place, suffix)
        except OSError as error:
            raise cannot_be_written(folder, error) from error


def study_page(study: StudyResult) -> str:
    """Return a study as one page without network access or scripts; all texts are escaped."""
    groups = []
    for score, results in study.results.items():
        spec, further = spec_of(score)
        lines = [line for line in study.lines if line.metric == score and line.difference is not None]
        groups.append(
            {
                "score": score,
                "spec": None if further else spec,
                "histograms": list(histograms(results)),
                **_forest(score, lines),
                "examples": [
                    {
                        "id": one.id,
                        "said": ", ".join(
                            f"{system} {number(score, value)}"
                            for system, value in zip(one.systems, one.scores, strict=True)
                        ),
                        "drawn": [
                            (system, fragment(evidence))
                            for system, evidence in zip(one.systems, one.evidence, strict=True)
                            if evidence is not None
                        ],
                    }
                    for one in study.examples.get(score, ())
                ],
            }
        )
    systems = ", ".join(dict.fromkeys(line.system for line in study.lines))
    title = f"Study: {systems if len(systems) < 80 else 'many systems'}"
    return page(title, _body(study, groups), study.signatures)


def study_in_notebook(study: StudyResult) -> str:
    """Return the findings and the tables of a study as HTML for a notebook."""
    return f'<style>{STYLE}</style><div class="claimwise">{_body(study, ())}</div>'


def _body(study: StudyResult, groups: Sequence[Mapping[str, Any]]) -> str:
    template = environment(files("claimwise.report") / "templates").get_template("study.html.jinja")
    return template.render(study=study, tables=tables_of(study), groups=groups)


def _forest(score: str, lines: Sequence[Line]) -> dict[str, Any]:
    """Return the differences in one score, on the scale of a plot and in words."""
    spans = [(line.system, line.difference, line.difference_low, line.difference_high) for line in lines]
    ends = [value or 0.0 for _, *values in spans for value in values]
    low, high = min(0.0, *ends), max(0.0, *ends)
    low, high = (low, high) if low < high else (-1.0, 1.0)
    names = shortened([line.system for line in lines])
    left = max(120, CHARACTER * max(map(len, names), default=0))

    def at(value: float | None) -> float:
        return left + SCALE * ((value or 0.0) - low) / (high - low)

    said = [
        f"{system} {number(score, middle or 0, '+')} {_interval(score, start or 0, end or 0)}"
        for system, middle, start, end in spans
    ]
    return {
        "forest": [
            {"system": name, "at": at(middle), "low": at(start), "high": at(end)}
            for name, (_, middle, start, end) in zip(names, spans, strict=True)
        ],
        "zero": at(0),
        "left": left,
        "width": left + SCALE + 10,
        "ends": (number(score, low), number(score, high)),
        "said": "; ".join(said),
    }


def tables_of(study: StudyResult) -> dict[str, tuple[tuple[str, ...], list[list[str]]]]:
    """Return the tables as shown to readers: title → headings and rows."""
    tables: dict[str, tuple[tuple[str, ...], list[list[str]]]]
    tables = {"Table": (HEADINGS, [cells_of(line) for line in study.lines])}
    if study.agreements:
        cells = [_agreement_cells(one) for one in study.agreements]
        tables["Agreement with human ratings"] = (AGREEMENT_HEADINGS, cells)
    return tables


def printed_tables(study: StudyResult) -> Iterator[Table]:
    """Yield the tables for a terminal."""
    from rich.markup import escape
    from rich.table import Table

    for title, (headings, rows) in tables_of(study).items():
        table = Table(*headings, title=title)
        for cells in rows:
            table.add_row(*map(escape, cells))
        yield table


def study_as_text(study: StudyResult) -> str:
    """Return the tables, the notes and the findings of a study, as wide as the tables need."""
    from rich.console import Console

    text = io.StringIO()
    Console(file=text, width=WIDEST, color_system=None, emoji=False).print(*printed_tables(study), sep="\n")
    return "\n".join([text.getvalue().rstrip(), "", *study.notes, *study.sentences])


def _agreement_cells(one: Agreement) -> list[str]:
    values = asdict(one)
    shown = [
        f"{values[name]:z.2f} [{values[f'{name}_low']:z.2f}, {values[f'{name}_high']:z.2f}]"
        for name in COEFFICIENTS
    ]
    return [one.metric, one.level, str(one.count), *shown, _p(one.p_value), _p(one.p_holm)]


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


def _csv(lines: Sequence[Line] | Sequence[Agreement]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(lines[0])])
    writer.writeheader()
    writer.writerows(map(asdict, lines))
    return text.getvalue()


def _latex(study: StudyResult) -> str:
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


_TEX = {c: rf"\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_TEX |= {"\\": r"\textbackslash{}", "<": r"\ensuremath{<}", "–": "--"}


def _tex(text: str) -> str:
    text = re.sub(r"[&%$#_{}~^\\<–]", lambda found: _TEX[found[0]], text)
    return re.sub(r"-(?=[\d.])", r"\\ensuremath{-}", text) if re.fullmatch(r"[\[\]\d., +-]+", text) else text


def _signatures(study: StudyResult) -> str:
    return "\n\n".join([study.method, *study.sentences, *study.signatures, ""])
