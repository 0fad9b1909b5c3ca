"""Parts of the rows, and what a metric finds for one part: what every runner hands to its workers."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.metrics.base import CorpusMetric, Metric, Row, RowScore

OnError = Literal["stop", "row"]
ON_ERROR = ("stop", "row")

ROWS_IN_PART = 256
"""A part has at most so many rows …"""
CHARACTERS_IN_PART = 2**18
"""… and its texts about so many characters, so that a row with a hundred reviews is a part of few rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some rows in a row.

    Attributes:
        number: of the part, from 0.
        first_row: the number of its first row.
        columns: the cells of each column that the metric reads, as the user gave them.
    """

    number: int
    first_row: int
    columns: Mapping[str, list[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFailure:
    """A row that could not be scored.

    Attributes:
        message: what is wrong with it, and what to do.
    """

    message: str


Found = RowScore | RowFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPart:
    """What was found for a part.

    Attributes:
        number: of the part.
        first_row: the number of its first row.
        rows: a score or a failure for each row, in order.
        used: what a judge that costs money has used for it.
        warnings: what was worked around.
    """

    number: int
    first_row: int
    rows: list[Found]
    used: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a worker needs to score any part; it can be pickled.

    Attributes:
        metric: that scores.
        details: whether evidence is wanted.
        on_error: what becomes of a row that cannot be scored.
        state: what a corpus metric knows of all rows.
        left_out: rows that are no part of that state, each with what is wrong with it.
    """

    metric: Metric
    details: bool = False
    on_error: OnError = "stop"
    state: Any = None
    left_out: Mapping[int, str] = field(default_factory=dict)

    def score(self, part: Part) -> ScoredPart:
        """Return what the metric finds for a part.

        Raises:
            ClaimwiseError: for a row that cannot be scored, unless rows may fail; for anything else always.
        """
        before = self.metric.judge_used
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ClaimwiseWarning)
            rows = self._rows(part)
        said = []
        for one in caught:
            if issubclass(one.category, ClaimwiseWarning):
                said.append(str(one.message))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        used = self.metric.judge_used
        return ScoredPart(
            number=part.number,
            first_row=part.first_row,
            rows=rows,
            used={what: used[what] - before.get(what, 0) for what in used},
            warnings=tuple(dict.fromkeys(said)),
        )

    def _rows(self, part: Part) -> list[Found]:
        if self.on_error == "stop":
            return list(self._scored(self.metric.rows(part.columns, part.first_row)))
        found: dict[int, Found] = {}
        rows = []
        for row in checked(self.metric, part):
            if isinstance(row, ClaimwiseError):
                found[row.row or 0] = RowFailure(message=str(row))
            elif row.number in self.left_out:
                found[row.number] = RowFailure(message=self.left_out[row.number])
            else:
                rows.append(row)
        try:
            scores = self._scored(rows) if rows else []
            found |= {row.number: score for row, score in zip(rows, scores, strict=True)}
        except ClaimwiseError as error:
            if error.row is None:
                raise
            # A metric is a function of one row: the others get what they would have got together.
            for row in rows:
                try:
                    (found[row.number],) = self._scored([row])
                except ClaimwiseError as of_row:
                    if of_row.row is None:
                        raise
                    found[row.number] = RowFailure(message=str(of_row))
        return [found[number] for number in sorted(found)]

    def _scored(self, rows: Sequence[Row]) -> list[RowScore]:
        if isinstance(self.metric, CorpusMetric):
            return self.metric.score_rows(rows, details=self.details, state=self.state)
        return self.metric.score_rows(rows, details=self.details)


def checked(metric: Metric, part: Part) -> Iterator[Row | ClaimwiseError]:
    """Yield each row of a part, or the error for one that cannot be scored, with its number.

    Raises:
        ClaimwiseError: for what is wrong with no row in particular.
    """
    try:
        yield from metric.rows(part.columns, part.first_row)
    except ClaimwiseError as error:
        if error.row is None:
            raise
    else:
        return
    for place in range(len(part)):
        cells = {name: [column[place]] for name, column in part.columns.items()}
        try:
            yield from metric.rows(cells, part.first_row + place)
        except ClaimwiseError as error:
            yield error


def scorable(metric: Metric, parts: Iterable[Part], on_error: OnError) -> Iterator[Row]:
    """Yield the rows of parts that can be scored.

    Raises:
        ClaimwiseError: for the first that cannot, unless rows may fail.
    """
    for part in parts:
        for row in checked(metric, part):
            if isinstance(row, Row):
                yield row
            elif on_error == "stop":
                raise row


def prepared(metric: CorpusMetric, rows: Sequence[Row], on_error: OnError) -> tuple[Any, dict[int, str]]:
    """Return what a corpus metric knows of all rows, and which rows it could not take, if rows may fail.

    Raises:
        ClaimwiseError: naming the row, or for too few rows.
    """
    left_out: dict[int, str] = {}
    while True:
        taken = [row for row in rows if row.number not in left_out]
        try:
            return metric.prepare(taken), left_out
        except ClaimwiseError as error:
            if on_error == "stop" or error.row not in {row.number for row in taken} or len(taken) == 1:
                raise
            left_out[error.row] = str(error)


def silent(metric: Metric) -> Metric:
    """Return the same metric without bars of its own; a runner shows one for all rows."""
    if not getattr(metric.options, "show_progress", False):
        return metric
    without = copy.copy(metric)
    without.options = replace(metric.options, show_progress=False)
    return without


def text_size(cell: Any) -> int:
    """Return about how many characters a cell holds."""
    if isinstance(cell, str | bytes):
        return len(cell)
    if isinstance(cell, list | tuple):
        return sum(map(text_size, cell))
    if isinstance(cell, Mapping):
        return sum(len(str(key)) + text_size(value) for key, value in cell.items())
    return 8


def split(columns: Mapping[str, list[Any]], rows_in_part: int) -> Iterator[Part]:
    """Yield the parts of columns."""
    count = len(next(iter(columns.values())))
    first = number = size = 0
    for row in range(count):
        size += sum(text_size(column[row]) for column in columns.values())
        if row + 1 - first == rows_in_part or size >= CHARACTERS_IN_PART or row + 1 == count:
            cells = {name: column[first : row + 1] for name, column in columns.items()}
            yield Part(number=number, first_row=first, columns=cells)
            first, number, size = row + 1, number + 1, 0
