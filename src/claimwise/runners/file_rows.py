"""The rows of a file as a metric reads them, their places, and the columns that are added to them."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, RowsError, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import Row
from claimwise.metrics.spec import MetricSpec
from claimwise.runners.kept import KeptParts, read_evidence, read_row
from claimwise.runners.parts import ROWS_IN_PART, Found, OnError, Part, checked, costs, with_lists
from claimwise.tables import (
    AS_IT_IS,
    JOIN,
    REVIEWS,
    TEXT_FIELDS,
    Batch,
    Holds,
    Layout,
    Repeated,
    Table,
    chosen_name,
    find_name,
)
from claimwise.text.inputs import check_ids

IN_LONG_FORMAT = ("reviews", "review", "review_text", "review_body")
"""Columns of a file for a metric without sources that show that it has one review per row."""


class FileRows:
    """The rows of a file.

    Args:
        path: the file.
        metric: the metric that reads the rows.
        columns: column of the metric → column of the file, for columns without a usual name.
        ids: the column of ids, if there is one.
        rows_in_batch: maximum rows read at once.
        layout: how the file is read.

    Attributes:
        names: column of the metric → column of the file.
        costs: cost of each row, set by ``survey``.
        claims: columns of the metric with lists of claims, set when rows are read.

    Raises:
        ClaimwiseError: for a file that is unreadable or lacks a column.
    """

    def __init__(
        self,
        path: Path,
        metric: Metric,
        columns: Mapping[str, str],
        ids: str | None = None,
        rows_in_batch: int = ROWS_IN_PART,
        layout: Layout = AS_IT_IS,
    ) -> None:
        self.table, columns = _table(path, metric.spec, columns, layout)
        self.names = read_names(path, self.table.names, metric.spec, columns)
        if ids is not None:
            chosen_name(path, self.table.names, [ids])
        self.costs, self._lines = array("d"), array("q")
        self.ids: list[str] | None = None
        self.claims: frozenset[str] | None = None
        self.metric, self._ids, self._rows_in_batch = metric, ids, rows_in_batch
        self._has_python_lists = False
        self._repeated = Repeated("summary")

    def batches(self) -> Iterator[Batch]:
        """Yield the rows with all columns."""
        return self.table.batches(rows=self._rows_in_batch)

    def part(self, batch: Batch) -> Part:
        """Return the cells of some rows that the metric reads; lists may be written as text."""
        cells = {own: batch.cells(name) for own, name in self.names.items()}
        columns, is_python = with_lists(self.metric.spec, cells)
        self._has_python_lists |= is_python
        if self.claims is None:
            self.claims = self.metric.spec.claims_in(columns)
        return Part(first_row=batch.first_row, columns=columns, claims=self.claims)

    def parts(self) -> Iterator[Part]:
        """Yield the surveyed rows as the metric reads them.

        Raises:
            ClaimwiseError: if the number of rows has changed.
        """
        rows = 0
        for batch in self.batches():
            rows += len(batch)
            if rows > len(self.costs):
                break
            yield self.part(batch)
        if rows != len(self.costs):
            raise self.changed()

    def changed(self) -> ClaimwiseError:
        """Return the error for a file that has changed since the work began."""
        return ClaimwiseError(
            "changed while it was being scored.", "Run the same command again.", path=self.table.path
        )

    def survey(self, on_error: OnError) -> list[Row]:
        """Read all rows before the work; return the rows that a corpus metric prepares.

        Raises:
            ClaimwiseError: for invalid rows, unless ``on_error`` is ``"row"``.
        """
        is_corpus = isinstance(self.metric, CorpusMetric)
        kept: list[Row] = []
        bad: list[ClaimwiseError] = []
        ids: list[Any] = []
        for batch in self.batches():
            part = self.part(batch)
            self.costs.extend(costs(part.columns))
            if self._ids is None:
                self._check_repeated(part, batch)
            self._lines.extend(batch.lines or ())
            ids += batch.cells(self._ids) if self._ids is not None else []
            if on_error == "row" and not is_corpus:
                continue
            for row in checked(self.metric, part):
                if isinstance(row, Row):
                    kept += [row] if is_corpus else []
                else:
                    bad.append(self.located(row) if len(bad) < 10 else row)
        if not self.costs:
            raise ClaimwiseError("has no rows to score.", path=self.table.path)
        if bad and on_error == "stop":
            raise bad[0] if len(bad) == 1 else RowsError(bad, len(bad))
        if self._ids is not None:
            try:
                self.ids = check_ids(ids, len(self.costs))
            except ClaimwiseError as error:
                if "references" in self.names and self.metric.references_are == "sources":
                    error = error.at(remedy=f"{error.remedy} {JOIN}")
                raise self.located(error) from error
        if self._has_python_lists:
            warn(
                f"{self.table.path.name}: cells in Python's list syntax (['a', 'b']) were read as lists. "
                f"JSON is safer: write each list with json.dumps."
            )
        return kept

    def _check_repeated(self, part: Part, batch: Batch) -> None:
        """Raise an error if the file has one review per row, so that a summary repeats."""
        if self.metric.references_are == "sources":
            sources = part.columns["references"]
        elif (column := find_name(self.table.names, IN_LONG_FORMAT)) is not None:
            sources = batch.cells(column)
        else:
            return
        try:
            self._repeated.add(part.columns["predictions"], sources)
        except ClaimwiseError as error:
            raise error.at(path=str(self.table.path)) from None

    def located(self, error: ClaimwiseError) -> ClaimwiseError:
        """Return an error about a row with the line (or row) and the column of the file."""
        if error.row is None or error.path is not None:
            return error
        names = {**self.names, "ids": self._ids}
        line = self._lines[error.row] if self._lines else None
        column = names.get(error.column or "", error.column)
        return error.at(path=str(self.table.path), column=column, line=line)

    def message(self, error: ClaimwiseError) -> str:
        """Return the message for the error cell of an invalid row."""
        return str(self.located(error).at(path=self.table.path.name))

    def outcomes(self, kept: KeptParts, *, details: bool) -> Iterator[tuple[Batch, list[dict[str, Any]]]]:
        """Yield the rows again, each with its added cells; see ``added_columns``."""
        lines = kept.lines()
        for batch in self.batches():
            inputs = self.metric.input_hashes(self.part(batch).columns) or repeat(None)
            yield (
                batch,
                [
                    added_cells(
                        self.metric.spec, read_row(line), of_input, read_evidence(line) if details else None
                    )
                    for line, of_input in zip(islice(lines, len(batch)), inputs, strict=False)
                ],
            )


def _table(
    path: Path, spec: MetricSpec, columns: Mapping[str, str], layout: Layout
) -> tuple[Table, dict[str, str]]:
    """Return the table of a file, and the given columns that it has."""
    given = dict(columns)
    usual = [name for column in spec.columns for name in (column.name, *column.usual)]
    text = None
    if layout.by is not None:
        if layout.reviews is not None and spec.references_are != "sources":
            problem = f"{spec.name} reads no reviews."
            raise ClaimwiseError(problem, "Leave the file of reviews out.", option="reviews")
        if spec.references_are == "sources":  # whose column is that of the texts to join
            text = given.pop("references", None)
            given["references"] = REVIEWS
    predictions = next(column for column in spec.columns if column.name == "predictions")
    summaries = [given["predictions"]] if "predictions" in given else ["predictions", *predictions.usual]
    wanted = [*given.values(), *usual, *filter(None, [text]), *TEXT_FIELDS]
    return layout.table(path, wanted, text=text, same=summaries), given


def read_names(
    place: Path,
    names: Sequence[str],
    spec: MetricSpec,
    given: Mapping[str, str],
    *,
    optional: bool = False,
) -> dict[str, str]:
    """Return the columns of a table that a metric reads: column of the metric → column of the table.

    Args:
        place: the table, for messages.
        names: its column names.
        spec: specification of the metric.
        given: column of the metric → column of the table; others have their usual names.
        optional: whether to read existing columns that are neither required nor given.

    Raises:
        ClaimwiseError: for a column that the table lacks, or that the metric does not read.
    """
    known = {column.name: column for column in spec.columns}
    for name in given.keys() - known.keys():
        raise ClaimwiseError(
            f"{spec.name} has no column {name!r}.", f"Its columns are {', '.join(known)}.", option=name
        )
    if not names:
        raise ClaimwiseError("has no rows to score.", path=place)
    chosen = {}
    for name, column in known.items():
        wanted = [given[name]] if name in given else [name, *column.usual]
        if column.required or name in given or (optional and find_name(names, wanted) is not None):
            try:
                chosen[name] = chosen_name(place, names, wanted)
            except ClaimwiseError as error:
                remedy = f"Specify the column that contains {column.meaning or name}."
                remedy += f" {JOIN}" if column.holds == "sources" else ""
                raise error.at(remedy=remedy, option=name) from error
    return chosen


def added_columns(metric: Metric, columns: Collection[str], details: bool) -> dict[str, Holds]:
    """Return the columns that are added to rows, with their types.

    Args:
        metric: the metric.
        columns: the columns that it reads.
        details: whether evidence is added.
    """
    spec = metric.spec
    further: dict[str, Holds] = {spec.name: "number", f"{spec.name}_weight": "number"}
    further |= dict.fromkeys(spec.further, "number")
    if set(spec.shared) & set(columns):
        further[f"{spec.name}_input"] = "text"
    further[f"{spec.name}_error"] = "text"
    return further | ({f"{spec.name}_details": "json"} if details else {})


def check_new(place: Path, names: Collection[str], further: Collection[str]) -> None:
    """Reject a table that already has an added column, so that nothing is overwritten.

    Raises:
        ClaimwiseError: naming the column.
    """
    if clash := [name for name in further if name in names]:
        raise ClaimwiseError(
            f"already has a column {clash[0]!r}.", "Rename or remove the column.", path=place
        )


def added_cells(
    spec: MetricSpec, found: Found, of_input: str | None, evidence: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the added cells of a row; by default with the evidence of the row score."""
    cells: dict[str, Any] = {f"{spec.name}_input": of_input}
    if isinstance(found, ClaimwiseError):
        return cells | {f"{spec.name}_error": str(found)}
    if evidence is None and found.evidence is not None:
        evidence = found.evidence.as_dict()
    cells |= {spec.name: found.score, f"{spec.name}_weight": found.weight, f"{spec.name}_details": evidence}
    return cells | {further: found.further.get(further) for further in spec.further}
