"""The rows of a file as a metric reads them, their places, and the columns that are added to them."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, RowsError, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import Row
from claimwise.metrics.spec import MetricSpec
from claimwise.runners.parts import ROWS_IN_PART, OnError, Outcome, Part, checked, costs, with_lists
from claimwise.runners.snapshot import Snapshot
from claimwise.tables import (
    AS_IT_IS,
    JOIN,
    REVIEWS,
    TEXT_FIELDS,
    Batch,
    Holds,
    Layout,
    Repeated,
    chosen_name,
    find_name,
)
from claimwise.text.inputs import check_ids

IN_LONG_FORMAT = ("reviews", "review", "review_text", "review_body")
"""Columns of a file for a metric without sources that show that it has one review per row."""


class FileRows:
    """The rows of a file, which is read once.

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
        digest: digest of what the metric reads, set by ``survey``.
        claims: columns of the metric with lists of claims in all rows, set when rows are read.

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
        self.path, self.metric, self.id_column = path, metric, ids
        self._files = [Path(file) for file in (path, layout.reviews) if file is not None]
        self._states = self._states_now()
        columns, how = long_columns(metric.spec, columns, layout)
        usual = [name for column in metric.spec.columns for name in (column.name, *column.usual)]
        expected = [*columns.values(), *usual, *filter(None, [how["text"]]), *TEXT_FIELDS]
        self.table = Snapshot(layout.table(path, expected, **how), rows_in_batch)
        self.names = read_names(path, self.table.names, metric.spec, columns)
        if ids is not None:
            chosen_name(path, self.table.names, [ids], "ids")
        self.costs, self._lines = array("d"), array("q")
        self.digest = ""
        self.ids: list[str] | None = None
        self.claims: frozenset[str] | None = None
        self._has_python_lists = False
        self._repeated = Repeated("summary")

    def parts(self) -> Iterator[Part]:
        """Yield the rows as the metric reads them."""
        return map(self._part, self.table.batches())

    def survey(self, on_error: OnError) -> list[Row]:
        """Read all rows before the work; return the rows that a corpus metric prepares.

        Raises:
            ClaimwiseError: for invalid rows, unless ``on_error`` is ``"row"``.
        """
        is_corpus = isinstance(self.metric, CorpusMetric)
        kept: list[Row] = []
        bad: list[ClaimwiseError] = []
        ids: list[Any] = []
        digest = hashlib.sha256()
        for batch in self.table.batches():
            part = self._part(batch)
            digest.update(repr((batch.lines, part.columns)).encode(errors="surrogatepass"))
            self.costs.extend(costs(part.columns))
            self._lines.extend(batch.lines or ())
            if self.id_column is None:
                self._check_repeated(part, batch)
            else:
                ids += batch.cells(self.id_column)
            if on_error == "row" and not is_corpus:
                continue
            for row in checked(self.metric, part):
                if isinstance(row, Row):
                    kept += [row] if is_corpus else []
                else:
                    bad.append(self.located(row) if len(bad) < 10 else row)
        self.digest = digest.hexdigest()
        if not self.costs:
            raise ClaimwiseError("has no rows to score.", path=self.path)
        if bad and on_error == "stop":
            raise bad[0] if len(bad) == 1 else RowsError(bad, len(bad))
        self.ids = None if self.id_column is None else self._checked_ids(ids)
        if self._has_python_lists:
            warn(
                f"{self.path.name}: cells in Python's list syntax (['a', 'b']) were read as lists. "
                f"JSON is safer: write each list with json.dumps."
            )
        return kept

    def check_unchanged(self) -> None:
        """Raise an error if a file has changed since it was read."""
        if self._states_now() != self._states:
            problem = "changed while it was being scored."
            raise ClaimwiseError(problem, "Run the same command again.", path=self.path)

    def _states_now(self) -> list[tuple[int, int] | None]:
        """Return size and time of the files; None for a pipe, or a file that does not exist."""
        states = [file.stat() if file.is_file() else None for file in self._files]
        return [state and (state.st_size, state.st_mtime_ns) for state in states]

    def _part(self, batch: Batch) -> Part:
        """Return the cells of some rows that the metric reads; lists may be written as text."""
        cells = {own: batch.cells(name) for own, name in self.names.items()}
        columns, is_python = with_lists(self.metric.spec, cells)
        self._has_python_lists |= is_python
        if self.claims is None:
            self.claims = self.metric.spec.claims_in(columns)
        return Part(first_row=batch.first_row, columns=columns, claims=self.claims)

    def _checked_ids(self, ids: Sequence[Any]) -> list[str]:
        try:
            return check_ids(ids, len(self.costs))
        except ClaimwiseError as error:
            if "references" in self.names and self.metric.references_are == "sources":
                error = error.at(remedy=f"{error.remedy} {JOIN}")
            raise self.located(error) from error

    def _check_repeated(self, part: Part, batch: Batch) -> None:
        """Raise an error if the file has one review per row, so that a summary repeats."""
        if self.metric.references_are == "sources":
            sources = part.columns["references"]
        elif (column := find_name(self.table.names, IN_LONG_FORMAT)) is not None:
            sources = batch.cells(column)
        else:
            return
        try:
            self._repeated.add(part.columns["predictions"], sources, batch.lines)
        except ClaimwiseError as error:
            raise error.at(path=str(self.path)) from None

    def located(self, error: ClaimwiseError) -> ClaimwiseError:
        """Return an error about a row with its place in the file, and the file's name of its column."""
        if error.row is None or error.path is not None:
            return error
        names = {**self.names, "ids": self.id_column}
        line = self._lines[error.row] if self._lines else None
        column = names.get(error.column or "", error.column)
        return error.at(path=str(self.path), column=column, line=line)

    def message(self, error: ClaimwiseError) -> str:
        """Return the message for the error cell of an invalid row."""
        return str(self.located(error).at(path=self.path.name))

    def cells(
        self, outcomes: Sequence[Outcome], evidence: Iterator[Any]
    ) -> Iterator[tuple[Batch, list[dict[str, Any]]]]:
        """Yield the rows again, each with its added cells; see ``added_columns``."""
        for batch in self.table.batches():
            own = outcomes[batch.first_row : batch.first_row + len(batch)]
            inputs = self.metric.input_hashes(self._part(batch).columns) or repeat(None)
            rows = zip(own, inputs, islice(evidence, len(batch)), strict=False)
            yield batch, [added_cells(self.metric.spec, *row) for row in rows]


def long_columns(
    spec: MetricSpec, columns: Mapping[str, str], layout: Layout
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the joined table's column for each column of a metric, and how its reviews are joined.

    If there are reviews to join, ``columns["references"]`` is the column of their texts. How they are joined
    are the arguments ``text`` and ``same`` of ``joined``.

    Raises:
        ClaimwiseError: for reviews that the metric does not read.
    """
    after, text = dict(columns), None
    if layout.reviews is not None and spec.references_are != "sources":
        raise ClaimwiseError(f"{spec.name} reads no reviews.", "Leave them out.", option="reviews")
    if layout.by is not None and spec.references_are == "sources":
        text = after.pop("references", None)
        after["references"] = REVIEWS
    predictions = next(column for column in spec.columns if column.name == "predictions")
    same = [after["predictions"]] if "predictions" in after else ["predictions", *predictions.usual]
    return after, {"text": text, "same": same}


def read_names(
    place: Path,
    names: Sequence[str],
    spec: MetricSpec,
    given: Mapping[str, str],
    *,
    optional: bool = False,
) -> dict[str, str]:
    """Return the table's column for each column that a metric reads.

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
            f"{spec.name} has no column `{name}`.", f"Its columns are {', '.join(known)}.", option=name
        )
    if not names:
        raise ClaimwiseError("has no rows to score.", path=place)
    chosen = {}
    for name, column in known.items():
        candidates = [given[name]] if name in given else [name, *column.usual]
        if column.required or name in given or (optional and find_name(names, candidates) is not None):
            try:
                chosen[name] = chosen_name(place, names, candidates)
            except ClaimwiseError as error:
                remedy = f"Specify the column that contains {column.meaning or name}."
                remedy += f" {JOIN}" if column.holds == "sources" else ""
                raise error.at(remedy=remedy, option=name) from error
    return chosen


def added_columns(metric: Metric, columns: Collection[str], details: bool) -> dict[str, Holds]:
    """Return the columns that are added to rows, with their types; the metric reads ``columns``."""
    spec = metric.spec
    added: dict[str, Holds] = {spec.name: "number", f"{spec.name}_weight": "number"}
    added |= dict.fromkeys(spec.further, "number")
    if set(spec.shared) & set(columns):
        added[f"{spec.name}_input_hash"] = "text"
    added[f"{spec.name}_error"] = "text"
    return added | ({f"{spec.name}_details": "json"} if details else {})


def check_new(place: Path, names: Collection[str], added: Collection[str]) -> None:
    """Raise an error for a table that already has an added column, so that nothing is overwritten."""
    for name in added:
        if name in names:
            raise ClaimwiseError(f"already has a column `{name}`.", "Rename or remove it.", path=place)


def added_cells(
    spec: MetricSpec, outcome: Outcome, input_hash: str | None, evidence: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the added cells of a row; by default with the evidence of the row score."""
    cells: dict[str, Any] = {f"{spec.name}_input_hash": input_hash}
    if isinstance(outcome, ClaimwiseError):
        return cells | {f"{spec.name}_error": str(outcome)}
    if evidence is None and outcome.evidence is not None:
        evidence = outcome.evidence.as_dict()
    cells |= {spec.name: outcome.score, f"{spec.name}_weight": outcome.weight}
    cells[f"{spec.name}_details"] = evidence
    return cells | {further: outcome.further.get(further) for further in spec.further}
