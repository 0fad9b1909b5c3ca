"""Align the rows of several systems by id, and find the metrics that their columns allow."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.metrics.registry import METRICS, spec_of, unknown_metric
from claimwise.metrics.spec import MetricSpec
from claimwise.report.agreement import check_ratings
from claimwise.report.compare import listed
from claimwise.signature import input_hash
from claimwise.tables import (
    JOIN,
    Layout,
    Repeated,
    Table,
    chosen_name,
    find_name,
    is_missing,
    joined,
    lists_in,
    placing,
    read_columns,
    selected,
    values_of,
)
from claimwise.text.inputs import cells_of, check_ids

ROLES = {"sources": "source", "references": "reference", "summaries": "other"}
"""Content of a metric's column ``references`` → name of that column in a study."""

PREDICTIONS = ("summary_a", "summary", "predictions")
USUAL = (*PREDICTIONS, "summary_b", "reviews", "reference_summary", "reference")
"""Usual names of columns, by which the delimiter of a CSV file is found."""

Given = Any
"""The rows of a system: the path of a file, a DataFrame, a mapping of columns, or a list of rows."""


@dataclass(frozen=True, kw_only=True)
class Aligned:
    """The rows of several systems.

    Attributes:
        baseline: the system that the others are compared with; it comes first.
        rows: system → id → cells by column of the files; ids are texts in sorted order.
        columns: metric → column of the metric → column of the files, for each metric that runs.
        scores: requested metrics and further scores, in order.
        notes: sentences on skipped metrics, missing rows and missing ratings.
        human: (id, system) → human rating.
        tables: system → the rows as given.
        numbers: system → id → number of the row as given.
        has_ids: whether the ids are the user's; else they are hashes of sources.
    """

    baseline: str
    rows: Mapping[str, Mapping[str, Mapping[str, Any]]]
    columns: Mapping[str, Mapping[str, str]]
    scores: tuple[str, ...]
    notes: tuple[str, ...]
    human: Mapping[tuple[str, str], float] = field(default_factory=dict)
    tables: Mapping[str, _Rows] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    has_ids: bool = True

    def where(self, one: str, system: str) -> dict[str, Any]:
        """Return the place of a row as its user knows it: arguments of ``ClaimwiseError``."""
        table, row = self.tables[system], self.numbers[system][one]
        path = f"{table.place}, id {one!r}" if self.has_ids else table.place
        return {"path": path, "row": row, "line": table.lines[row] if table.lines else None}

    @property
    def ids(self) -> list[str]:
        """The ids that any system has."""
        return sorted({one for of_system in self.rows.values() for one in of_system})

    def places(self, systems: Sequence[str]) -> list[tuple[str, str]]:
        """Return the rows of systems as (id, system), grouped by id."""
        return [(one, system) for one in self.ids for system in systems if one in self.rows[system]]

    def write(self, path: Path, systems: Sequence[str]) -> None:
        """Write the rows of systems, in the order of ``places``, as a .jsonl file."""
        with placing(path) as part, part.open("w", encoding="utf-8") as file:
            for one, system in self.places(systems):
                file.write(json.dumps(self.rows[system][one], default=lambda cell: cell.tolist()) + "\n")


def align(
    systems: Mapping[str, Given] | Given,
    *,
    id: str | None = None,  # noqa: A002
    baseline: str | None = None,
    metrics: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    human: str | None = None,
    reviews: Given | None = None,
    by: str | None = None,
    system: str | None = None,
    delimiter: str | None = None,
) -> Aligned:
    """Read the rows of systems and align them.

    Args:
        systems: name → a file, a DataFrame, a mapping of columns, or a list of rows; with ``system`` one of
            these that holds all systems.
        id: the column of ids; None = ``by``, or rows are aligned by equal sources (or references).
        baseline: a system (default: the first).
        metrics: names of metrics and of further scores; None = every metric that the columns allow.
        columns: ``summary``, ``source``, ``reference``, ``other`` (the other summary of a pair) or a further
            column of a metric → the column of the files, if it has an unusual name.
        human: the column of human ratings; empty cells are noted.
        reviews: one review per row, to be joined by the column ``by``.
        by: the column that says what is reviewed; without ``reviews``, the rows have one review each.
        system: the column that says which system wrote a summary.
        delimiter: the delimiter of CSV files (default: it is found).

    Raises:
        ClaimwiseError: for fewer than two systems, a missing column, missing or duplicate ids, rows with the
            same id and different sources, fewer than two rows in common with the baseline, a rating that is
            not a number, fewer than three ratings, or ratings that are all equal.
    """
    systems = _systems(systems, columns or {}, reviews, by, system, delimiter)
    id = by if id is None else id  # noqa: A001
    if len(systems) < 2:
        raise ClaimwiseError("A study needs at least two systems.", "Add the rows of another system.")
    first = next(iter(systems)) if baseline is None else baseline
    if first not in systems:
        problem = f"{first!r} is not one of the systems {', '.join(map(repr, systems))}."
        raise ClaimwiseError(problem, "Specify one of them.", option="baseline")
    tables = {
        name: _Rows(name, systems[name], delimiter) for name in (first, *(n for n in systems if n != first))
    }
    named = dict(columns or {})
    for option, column in {**named, "id": id, "human": human}.items():
        if column is None:
            continue
        for table in tables.values():
            try:
                chosen_name(table.place, table.names, [column])
            except ClaimwiseError as error:
                raise error.at(option=option) from None
    shared_names = [
        name
        for name in tables[first].names
        if all(find_name(table.names, [name]) is not None for table in tables.values())
    ]
    chosen, scores, notes = _metrics(metrics, shared_names, named)
    specs = [METRICS[metric].spec for metric in chosen]
    shared = dict.fromkeys(chosen[s.name][name] for s in specs for name in s.shared if name in chosen[s.name])
    lists = {
        chosen[s.name][c.name]
        for s in specs
        for c in s.columns
        if c.may_hold_lists and c.name in chosen[s.name]
    }
    texts = dict.fromkeys(column for of_metric in chosen.values() for column in of_metric.values())
    keys = [id] if id is not None else [column for column in shared if column in lists][:1]
    if not keys:
        problem = "The rows of the systems cannot be aligned: there are neither ids nor sources."
        raise ClaimwiseError(problem, "Specify the column that contains the ids.", option="id")
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    numbers: dict[str, dict[str, int]] = {}
    seen: dict[tuple[str, str], tuple[str, str]] = {}
    ratings: dict[tuple[str, str], float] = {}
    for name, table in tables.items():
        cells = table.cells(list(dict.fromkeys([*texts, *keys, *([human] if human is not None else [])])))
        cells |= {column: lists_in(cells[column])[0] for column in lists}
        _check_repeated(table, cells, chosen, is_id=id is not None)
        ids = _ids(table, cells[keys[0]], is_id=id is not None)
        if human is not None:
            rated = _ratings(table, human, cells[human], ids)
            ratings |= {(one, name): rating for one, rating in rated.items()}
            notes += _gap(f"No {human} in {table.place}", sorted(set(ids) - set(rated)))
        order = sorted(range(len(ids)), key=ids.__getitem__)
        numbers[name] = {one: row for row, one in enumerate(ids)}
        rows[name] = {ids[place]: {column: cells[column][place] for column in texts} for place in order}
        for one, of_row in rows[name].items():
            for column in shared:
                told = input_hash(of_row[column])
                other, before = seen.setdefault((column, one), (name, told))
                if told != before:
                    problem = (
                        f"{tables[other].place} and {table.place} differ in this column for the id {one!r}."
                    )
                    raise ClaimwiseError(problem, "Use the same inputs for both systems.", column=column)
    for name, of_system in rows.items():
        both = of_system.keys() & rows[first].keys()
        if len(both) < 2:
            count = ("no rows", "only one row")[len(both)]
            problem = f"{first} and {name} have {count} in common."
            raise ClaimwiseError(
                f"{problem} A paired test needs at least two, aligned by "
                f"{'equal ' if id is None else ''}{keys[0]!r}.",
                "Check that both systems use the same ids, spelled the same way.",
            )
        for one, other in ((name, first), (first, name)):
            only = [row for row in rows[one] if row not in rows[other]]
            notes += _gap(f"Only in {one}, excluded from tests against {other}", only)
    if human is not None:
        check_ratings(list(ratings.values()))
    return Aligned(
        baseline=first,
        rows=rows,
        columns=chosen,
        scores=tuple(scores),
        notes=tuple(notes),
        human=ratings,
        tables=tables,
        numbers=numbers,
        has_ids=id is not None,
    )


def _metrics(
    wanted: Sequence[str] | None, names: Sequence[str], given: Mapping[str, str]
) -> tuple[dict[str, dict[str, str]], list[str], list[str]]:
    """Return the columns of each metric that runs, the requested scores, and notes on skipped metrics."""
    scores = list(METRICS) if wanted is None else list(dict.fromkeys(wanted))
    chosen: dict[str, dict[str, str]] = {}
    notes: list[str] = []
    for score in list(scores):
        spec, _ = spec_of(score)
        if spec is None:
            further = (name for metric in METRICS.values() for name in metric.spec.further)
            raise unknown_metric(score, [*METRICS, *further], option="metrics")
        try:
            chosen[spec.name] = columns_of(spec, names, given)
        except ClaimwiseError as error:
            if wanted is not None:
                raise
            scores.remove(score)
            notes.append(f"{spec.name} was skipped: {error.problem}")
    if unknown := given.keys() - {"summary", *ROLES.values()} - {c for of in chosen.values() for c in of}:
        raise ClaimwiseError(
            f"No metric in the study uses the column {min(unknown)!r}.", "Leave it out.", option=min(unknown)
        )
    if not chosen:
        raise ClaimwiseError(f"No metric can run. {' '.join(notes)}", "Specify the columns.")
    return chosen, scores, notes


def columns_of(spec: MetricSpec, names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Map the columns of a metric to columns of the files.

    A column of the files called ``references`` is not used, because its content is ambiguous.

    Raises:
        ClaimwiseError: for a required column that the files lack.
    """
    found = {}
    role = ROLES.get(spec.references_are, "")
    for column in spec.columns:
        option = {"predictions": "summary", "references": role}.get(column.name, column.name)
        usual = column.usual if column.name == "references" else (column.name, *column.usual)
        wanted = (given[option],) if option in given else usual
        if (own := find_name(names, wanted)) is not None:
            found[column.name] = own
        elif column.required:
            meaning = f"{column.meaning}: not every system has a column {' or '.join(map(repr, wanted))}."
            raise ClaimwiseError(meaning, "Specify the column that contains them.", option=option)
    return found


def _systems(
    given: Mapping[str, Given] | Given,
    columns: Mapping[str, str],
    reviews: Given | None,
    by: str | None,
    system: str | None,
    delimiter: str | None,
) -> Mapping[str, Given]:
    """Return the rows of each system, with their reviews."""
    Layout(reviews=None if reviews is None else "reviews", by=by)  # which checks them
    if system is None and by is None:
        found: Mapping[str, Given] = given
        return found
    tables = {"": given} if system is not None else given
    rows: dict[str, list[dict[str, Any]]] = {}
    for name, of_system in tables.items():
        table = _Rows(name or "the table", of_system, delimiter)
        own = table.dicts()
        if system is None:
            rows[name] = own
            continue
        column = chosen_name(table.place, table.names, [system])
        for one in values_of(own, column, table.place):
            rows[one] = [own[place] for place in selected(own, table.names, {column: one}, table.place)]
    if by is None:
        return rows
    other = None if reviews is None else _Rows("the reviews", reviews, delimiter)
    of_reviews = None if other is None else other.dicts()
    return {
        name: [
            row
            for _, row in joined(
                own,
                of_reviews,
                by=by,
                place=name,
                of_reviews=None if other is None else other.place,
                text=columns.get("source"),
                same=[columns["summary"]] if "summary" in columns else PREDICTIONS,
            )
        ]
        for name, own in rows.items()
    }


def _check_repeated(
    table: _Rows, cells: Mapping[str, Sequence[Any]], chosen: Mapping[str, Mapping[str, str]], *, is_id: bool
) -> None:
    """Raise an error if a summary or an id repeats with different reviews."""
    of_sources = [of for name, of in chosen.items() if METRICS[name].spec.references_are == "sources"]
    if of_sources and not is_id:
        summaries, sources = (cells[of_sources[0][name]] for name in ("predictions", "references"))
        try:
            Repeated("summary").add(summaries, sources)
        except ClaimwiseError as error:
            raise error.at(path=table.place) from None


class _Rows:
    """The rows of a system, in a file or in memory."""

    def __init__(self, system: str, given: Given, delimiter: str | None = None) -> None:
        self.place, self._given, self._delimiter = system, given, delimiter
        if isinstance(given, str | Path):
            self.place = str(given)
            self.names = list(Table(Path(given), USUAL, delimiter).names)
        elif isinstance(given, Mapping) or hasattr(given, "columns"):
            self.names = [str(name) for name in given]
            self._read: Callable[[str], list[Any]] = lambda name: cells_of(given[name], name)
        else:
            rows = list(given)
            self.names = list(dict.fromkeys(name for row in rows for name in row))
            self._read = lambda name: [row.get(name) for row in rows]

    @cached_property
    def lines(self) -> list[int]:
        """The line of each row in the file; empty if there are none."""
        if not isinstance(self._given, str | Path):
            return []
        return [line for batch in Table(Path(self._given)).batches() for line in batch.lines or ()]

    def cells(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return the cells of columns, by name."""
        if isinstance(self._given, str | Path):
            read = read_columns(Path(self._given), [[name] for name in names], self._delimiter)
        else:
            read = [self._read(chosen_name(self.place, self.names, [name])) for name in names]
        return dict(zip(names, read, strict=True))

    def dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        cells = self.cells(self.names)
        return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def _ids(table: _Rows, cells: Sequence[Any], *, is_id: bool) -> list[str]:
    try:
        return check_ids(cells if is_id else [input_hash(cell) for cell in cells], len(cells))
    except ClaimwiseError as error:
        if is_id:
            raise error.at(path=table.place, line=_line(table, error.row)).with_choice(JOIN) from error
        problem = "two rows have the same source, so rows cannot be identified by their source."
        remedy = "Specify the column that contains the ids."
        where: dict[str, Any] = {"path": table.place, "row": error.row, "line": _line(table, error.row)}
        raise ClaimwiseError(problem, remedy, option="id", **where) from error


def _ratings(table: _Rows, column: str, cells: Sequence[Any], ids: Sequence[str]) -> dict[str, float]:
    """Map ids to ratings, leaving out rows without a rating."""
    found = {}
    for row, cell in enumerate(cells):
        text = str(cell).strip()
        if not text or is_missing(text):
            continue
        try:
            found[ids[row]] = float(text)
        except ValueError:
            found[ids[row]] = math.nan
        if not math.isfinite(found[ids[row]]):
            problem = f"the rating of the id {ids[row]!r} is {cell!r}, not a number."
            remedy = "Enter a number, or leave the cell empty."
            where: dict[str, Any] = {"path": table.place, "row": row, "line": _line(table, row)}
            raise ClaimwiseError(problem, remedy, column=column, **where)
    return found


def _line(table: _Rows, row: int | None) -> int | None:
    return table.lines[row] if row is not None and table.lines else None


def _gap(what: str, ids: Sequence[str]) -> list[str]:
    """Return a sentence that names ids, if there are any."""
    rows = "1 row" if len(ids) == 1 else f"{len(ids)} rows"
    return [f"{what}: {listed(ids)} ({rows})."] if ids else []
