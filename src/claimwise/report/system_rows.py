"""The rows of each system of a study, from files or from memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.signature import input_hash
from claimwise.tables import (
    JOIN,
    Layout,
    Table,
    chosen_name,
    is_missing,
    joined,
    read_columns,
    selected,
    values_of,
)
from claimwise.text.inputs import cells_of, check_ids

PREDICTIONS = ("summary_a", "summary", "predictions")
USUAL = (*PREDICTIONS, "summary_b", "reviews", "reference_summary", "reference")
"""Usual names of columns, by which the delimiter of a CSV file is found."""

RowSource = Any
"""The rows of a system: the path of a file, a DataFrame, a mapping of columns, or a list of rows."""


class SystemRows:
    """The rows of a system; errors call them by their ``title``, the path of their file or its name."""

    def __init__(self, system: str, source: RowSource, delimiter: str | None = None) -> None:
        self.title, self._delimiter = system, delimiter
        self._table: Table | None = None
        if isinstance(source, str | Path):
            self.title, self._table = str(source), Table(Path(source), USUAL, delimiter)
            self.names = list(self._table.names)
        elif isinstance(source, Mapping) or hasattr(source, "columns"):
            self.names = [str(name) for name in source]
            self._column: Callable[[str], list[Any]] = lambda name: cells_of(source[name], name)
        else:
            rows = list(source)
            self.names = list(dict.fromkeys(name for row in rows for name in row))
            self._column = lambda name: [row.get(name) for row in rows]

    @cached_property
    def lines(self) -> list[int]:
        """The line of each row in the file; empty if there are none."""
        if self._table is None:
            return []
        return [line for batch in self._table.batches() for line in batch.lines or ()]

    def cells(self, names: Sequence[str]) -> dict[str, list[Any]]:
        """Return the cells of columns, by name."""
        if self._table is not None:
            read = read_columns(self._table.path, [[name] for name in names], self._delimiter)
        else:
            read = [self._column(chosen_name(self.title, self.names, [name])) for name in names]
        return dict(zip(names, read, strict=True))

    def dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        cells = self.cells(self.names)
        return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]

    def where(self, row: int | None) -> dict[str, Any]:
        """Return where a row is: arguments of ``ClaimwiseError``."""
        line = self.lines[row] if row is not None and self.lines else None
        return {"path": self.title, "row": row, "line": line}

    def ids(self, cells: Sequence[Any], *, is_id: bool) -> list[str]:
        """Return the ids in a column, or hashes of a column of sources; they must not repeat."""
        try:
            return check_ids(cells if is_id else [input_hash(cell) for cell in cells], len(cells))
        except ClaimwiseError as error:
            if is_id:
                raise error.at(**self.where(error.row)).with_choice(JOIN) from error
            problem = "two rows have the same source, so rows cannot be identified by their source."
            remedy = "Specify the column that contains the ids."
            raise ClaimwiseError(problem, remedy, option="id", **self.where(error.row)) from error

    def ratings(
        self, column: str, cells: Sequence[Any], ids: Sequence[str], positive: str | None = None
    ) -> dict[str, float]:
        """Return id → rating, without the rows that have none; a label is 1 if it is ``positive``, else 0."""
        ratings = {}
        for row, cell in enumerate(cells):
            text = str(cell).strip()
            if not text or is_missing(text):
                continue
            try:
                rating = float(text if positive is None else text == positive)
            except ValueError:
                rating = math.nan
            if not math.isfinite(rating):
                problem = f"the rating of the id {ids[row]} is “{cell}”, not a number."
                remedy = "Enter a number, or leave the cell empty. Of labels, name one with `positive`."
                raise ClaimwiseError(problem, remedy, column=column, **self.where(row))
            ratings[ids[row]] = rating
        return ratings


def rows_of_systems(
    systems: Mapping[str, RowSource] | RowSource,
    columns: Mapping[str, str],
    *,
    reviews: RowSource | None,
    by: str | None,
    system: str | None,
    delimiter: str | None,
) -> Mapping[str, RowSource]:
    """Return the rows of each system, with their reviews; see ``align`` for the arguments."""
    Layout(reviews=None if reviews is None else "reviews", by=by)  # which checks them
    if system is not None:
        systems = _split(SystemRows("the table", systems, delimiter), system)
    if by is None:
        separate: Mapping[str, RowSource] = systems
        return separate
    reviewed = None if reviews is None else SystemRows("the reviews", reviews, delimiter)
    review_rows = None if reviewed is None else reviewed.dicts()
    rows: dict[str, RowSource] = {}
    for name, source in systems.items():
        numbered = joined(
            source if system is not None else SystemRows(name, source, delimiter).dicts(),
            review_rows,
            by=by,
            place=name,
            of_reviews=None if reviewed is None else reviewed.title,
            text=columns.get("source"),
            same=[columns["summary"]] if "summary" in columns else PREDICTIONS,
        )
        rows[name] = [row for _, row in numbered]
    return rows


def _split(table: SystemRows, system: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each value of the column ``system``."""
    rows = table.dicts()
    column = chosen_name(table.title, table.names, [system])
    return {
        name: [rows[number] for number in selected(rows, table.names, {column: name}, table.title)]
        for name in values_of(rows, column, table.title)
    }
