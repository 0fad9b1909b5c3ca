"""Align the rows of several systems by id, and find the metrics that their columns allow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, shown
from claimwise.metrics.registry import METRICS, spec_of, unknown_metric
from claimwise.metrics.spec import MetricSpec
from claimwise.report.compare import listed
from claimwise.report.human import Key, Ratings, check_ratings
from claimwise.report.system_rows import RowSource, SystemRows, rows_of_systems
from claimwise.signature import input_hash
from claimwise.tables import Repeated, chosen_name, find_name, lists_in, placing

NUMBERS = "number of the row in the study"
"""The column that numbers the rows that a study writes."""
ROLES = {"sources": "source", "references": "reference", "summaries": "other"}
"""Content of a metric's column ``references`` → name of that column in a study and on the command line."""

Rows = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""System → id → cells by column of the files."""


@dataclass(frozen=True, kw_only=True)
class Aligned:
    """The rows of several systems.

    Attributes:
        rows: the rows of each system, the baseline first; ids are texts in sorted order.
        columns: metric → column of the metric → column of the files, for each metric that runs.
        scores: requested metrics and further scores, in order.
        notes: sentences on skipped metrics, missing rows and missing ratings.
        words: number of words of each summary.
        tables: system → the rows as its user passed them.
        numbers: system → id → number of the row in that table.
        has_ids: whether the ids are the user's; else they are hashes of sources.
    """

    rows: Rows
    columns: Mapping[str, Mapping[str, str]]
    scores: tuple[str, ...]
    notes: tuple[str, ...]
    human: Ratings = field(default_factory=lambda: Ratings({}))
    words: Mapping[Key, int] = field(default_factory=dict)
    tables: Mapping[str, SystemRows] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    has_ids: bool = True

    def where(self, key: Key) -> dict[str, Any]:
        """Return where a row is, as its user knows it: arguments of ``ClaimwiseError``."""
        row_id, system = key
        where = self.tables[system].where(self.numbers[system][row_id])
        return where | {"path": f"{where['path']}, id {row_id}"} if self.has_ids else where

    def keys(self, systems: Sequence[str]) -> list[Key]:
        """Return the rows of systems, grouped by id."""
        ids = sorted({row_id for rows in self.rows.values() for row_id in rows})
        return [(row_id, system) for row_id in ids for system in systems if row_id in self.rows[system]]

    def write(self, path: Path, systems: Sequence[str]) -> None:
        """Write the rows of systems, in the order of ``keys``, as a .jsonl file, numbered in ``NUMBERS``."""
        with placing(path) as part, part.open("w", encoding="utf-8") as file:
            for number, (row_id, system) in enumerate(self.keys(systems)):
                row = {**self.rows[system][row_id], NUMBERS: number}
                file.write(json.dumps(row, default=lambda cell: cell.tolist()) + "\n")


def align(
    systems: Mapping[str, RowSource] | RowSource,
    *,
    id: str | None = None,  # noqa: A002
    baseline: str | None = None,
    metrics: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    human: str | Sequence[str] = (),
    positive: str | None = None,
    reviews: RowSource | None = None,
    by: str | None = None,
    system: str | None = None,
    delimiter: str | None = None,
) -> Aligned:
    """Read the rows of systems and align them; see ``study`` for the arguments and errors."""
    named = dict(columns or {})
    sources = rows_of_systems(systems, named, reviews=reviews, by=by, system=system, delimiter=delimiter)
    id = by if id is None else id  # noqa: A001
    tables = _tables(sources, baseline, delimiter)
    annotators = [human] if isinstance(human, str) else list(human)
    _check_named(tables, [*named.items(), ("id", id), *(("human", column) for column in annotators)])
    chosen, scores, notes = _metrics(metrics, tables, named)
    shared, lists = _shared_inputs(chosen)
    key = id if id is not None else _source_column(shared, lists)
    texts = list(dict.fromkeys(column for columns in chosen.values() for column in columns.values()))
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    numbers: dict[str, dict[str, int]] = {}
    ratings: dict[str, dict[Key, float]] = {column: {} for column in annotators}
    for name, table in tables.items():
        cells = table.cells(list(dict.fromkeys([*texts, key, *annotators])))
        cells |= {column: lists_in(cells[column])[0] for column in lists}
        if id is None:
            _check_repeated(table, cells, chosen)
        ids = table.ids(cells[key], is_id=id is not None)
        numbers[name] = {row_id: row for row, row_id in enumerate(ids)}
        order = sorted(numbers[name].items())
        rows[name] = {row_id: {column: cells[column][row] for column in texts} for row_id, row in order}
        for column in annotators:
            rated = table.ratings(column, cells[column], ids, positive)
            ratings[column] |= {(row_id, name): rating for row_id, rating in rated.items()}
            notes += _gap(f"No {column} in {table.title}", sorted(set(ids) - set(rated)))
    _check_shared_inputs(tables, rows, shared)
    notes += _overlaps(rows, f"{'equal ' if id is None else ''}`{key}`")
    human_ratings = Ratings(ratings)
    _check_positive(ratings, positive)
    if annotators:
        check_ratings(list(human_ratings.mean.values()))
    return Aligned(
        rows=rows,
        columns=chosen,
        scores=tuple(scores),
        notes=tuple(notes),
        human=human_ratings,
        words=_words(rows, next(iter(chosen.values()))["predictions"]),
        tables=tables,
        numbers=numbers,
        has_ids=id is not None,
    )


def _words(rows: Rows, summaries: str) -> dict[Key, int]:
    return {
        (row_id, system): len(str(cells[summaries]).split())
        for system, by_id in rows.items()
        for row_id, cells in by_id.items()
    }


def _tables(
    sources: Mapping[str, RowSource], baseline: str | None, delimiter: str | None
) -> dict[str, SystemRows]:
    if len(sources) < 2:
        raise ClaimwiseError("A study needs at least two systems.", "Add the rows, or the file, of another.")
    first = next(iter(sources)) if baseline is None else baseline
    if first not in sources:
        raise ClaimwiseError(
            f"`{first}` is not one of the systems.", f"Choose from {', '.join(sources)}.", option="baseline"
        )
    return {name: SystemRows(name, sources[name], delimiter) for name in dict.fromkeys([first, *sources])}


def _check_named(tables: Mapping[str, SystemRows], named: Sequence[tuple[str, str | None]]) -> None:
    """Raise an error for a named column that a system lacks."""
    for option, column in named:
        for table in tables.values() if column is not None else ():
            chosen_name(table.title, table.names, [str(column)], option)


def _common_columns(tables: Mapping[str, SystemRows]) -> list[str]:
    """Return the names of the columns that all systems have, as the baseline spells them."""
    names = next(iter(tables.values())).names
    return [name for name in names if all(find_name(t.names, [name]) is not None for t in tables.values())]


def _shared_inputs(chosen: Mapping[str, Mapping[str, str]]) -> tuple[list[str], set[str]]:
    """Return the columns that must be equal in all systems, and those whose cells may be lists."""
    shared: dict[str, None] = {}
    lists: set[str] = set()
    for metric, columns in chosen.items():
        spec = METRICS[metric].spec
        shared |= dict.fromkeys(columns[name] for name in spec.shared if name in columns)
        lists |= {columns[c.name] for c in spec.columns if c.may_hold_lists and c.name in columns}
    return list(shared), lists


def _source_column(shared: Sequence[str], lists: Set[str]) -> str:
    """Return the column of sources, by which rows without ids are aligned."""
    for column in shared:
        if column in lists:
            return column
    problem = "The rows of the systems cannot be aligned: there are neither ids nor sources."
    raise ClaimwiseError(problem, "Name the column of the ids with `id`.", option="id")


def _check_positive(ratings: Mapping[str, Mapping[Key, float]], positive: str | None) -> None:
    """Raise an error if no rating is the label that counts as 1."""
    if positive is not None and not any(any(rated.values()) for rated in ratings.values()):
        raise ClaimwiseError(
            f"No rating is {shown(positive)}.", "Name a label of the column of ratings.", option="positive"
        )


def _check_shared_inputs(tables: Mapping[str, SystemRows], rows: Rows, shared: Sequence[str]) -> None:
    """Raise an error if the same id has different inputs in two systems."""
    first_seen: dict[tuple[str, str], tuple[str, str]] = {}
    for name, by_id in rows.items():
        for row_id, cells in by_id.items():
            for column in shared:
                digest = input_hash(cells[column])
                other, known = first_seen.setdefault((column, row_id), (name, digest))
                if digest != known:
                    files = f"{tables[other].title} and {tables[name].title}"
                    problem = f"{files} differ in this column for the id `{row_id}`."
                    raise ClaimwiseError(problem, "Use the same inputs for both systems.", column=column)


def _overlaps(rows: Rows, aligned_by: str) -> list[str]:
    """Return notes on rows that one of two systems lacks; fewer than two rows in common are an error."""
    first, *others = rows
    notes = []
    for name in others:
        both = rows[name].keys() & rows[first].keys()
        if len(both) < 2:
            count = ("no rows", "only one row")[len(both)]
            raise ClaimwiseError(
                f"{first} and {name} have {count} in common. A paired test needs at least two, aligned by "
                f"{aligned_by}.",
                "Check that both systems use the same ids, spelled the same way.",
            )
        for here, there in ((name, first), (first, name)):
            only = [row_id for row_id in rows[here] if row_id not in rows[there]]
            notes += _gap(f"Only in {here}, excluded from tests against {there}", only)
    return notes


def _metrics(
    wanted: Sequence[str] | None, tables: Mapping[str, SystemRows], named: Mapping[str, str]
) -> tuple[dict[str, dict[str, str]], list[str], list[str]]:
    """Return the columns of each metric that runs, the scores, and notes on skipped metrics."""
    scores: list[str] = []
    chosen: dict[str, dict[str, str]] = {}
    skipped: dict[str, list[str]] = {}
    for score in dict.fromkeys(METRICS if wanted is None else wanted):
        spec, _ = spec_of(score)
        if spec is None:
            further = (name for metric in METRICS.values() for name in metric.spec.further)
            raise unknown_metric(score, [*METRICS, *further], option="metrics")
        try:
            chosen[spec.name] = _columns_of(spec, tables, named)
        except ClaimwiseError as error:
            if wanted is not None:
                raise
            skipped.setdefault(error.problem, []).append(spec.name)
        else:
            scores.append(score)
    notes = [f"Skipped: {', '.join(metrics)}. {problem}" for problem, metrics in skipped.items()]
    read = {column for columns in chosen.values() for column in columns}
    if unknown := named.keys() - {"summary", *ROLES.values()} - read:
        raise ClaimwiseError(
            f"No metric of the study uses the column `{min(unknown)}`.", "Leave it out.", option=min(unknown)
        )
    if not chosen:
        raise ClaimwiseError(f"No metric can run. {' '.join(notes)}", "Name the columns that they need.")
    return chosen, scores, notes


def _columns_of(
    spec: MetricSpec, tables: Mapping[str, SystemRows], named: Mapping[str, str]
) -> dict[str, str]:
    """Return the column of the files for each column of a metric.

    A column of the files called ``references`` is not used, because its content is ambiguous.
    """
    columns, names = {}, _common_columns(tables)
    options = {"predictions": "summary", "references": ROLES.get(spec.references_are, "")}
    for column in spec.columns:
        option = options.get(column.name, column.name)
        usual = column.usual if column.name == "references" else (column.name, *column.usual)
        wanted = (named[option],) if option in named else usual
        if (own := find_name(names, wanted)) is not None:
            columns[column.name] = own
        elif column.required:
            own_names = {table.title: find_name(table.names, wanted) for table in tables.values()}
            if all(own_names.values()):
                differing = ", ".join(f"`{name}` in {title}" for title, name in own_names.items())
                raise ClaimwiseError(
                    f"The systems name {column.meaning} differently: {differing}.",
                    "Rename the columns of all but one.",
                    option=option,
                )
            raise ClaimwiseError(
                f"Not every system has a column {' or '.join(f'`{w}`' for w in wanted)} ({column.meaning}).",
                f"Name the column with `{option}`.",
                option=option,
            )
    return columns


def _check_repeated(
    table: SystemRows, cells: Mapping[str, Sequence[Any]], chosen: Mapping[str, Mapping[str, str]]
) -> None:
    """Raise an error if a summary repeats with different reviews."""
    for metric, columns in chosen.items():
        if METRICS[metric].spec.references_are == "sources":
            try:
                summaries, sources = (cells[columns[name]] for name in ("predictions", "references"))
                Repeated("summary").add(summaries, sources, table.lines)
            except ClaimwiseError as error:
                raise error.at(path=table.title) from None
            return


def _gap(missing: str, ids: Sequence[str]) -> list[str]:
    rows = "1 row" if len(ids) == 1 else f"{len(ids)} rows"
    return [f"{missing}: {listed(ids)} ({rows})."] if ids else []
