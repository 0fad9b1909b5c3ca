"""Parts of the rows, and what a metric finds for one part: what every runner hands to its workers."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from claimwise.errors import ClaimwiseError, ClaimwiseWarning, RowsError
from claimwise.metrics.base import CorpusMetric, Metric, Row, RowScore
from claimwise.metrics.spec import MetricSpec
from claimwise.progress import without_bars
from claimwise.tables import lists_in

OnError = Literal["stop", "row"]

ROWS_IN_PART = 256
"""A part has at most so many rows."""
CHARACTERS_IN_CLAIM = 60
"""By which the claims of a text are guessed: what a row costs goes by pairs of claims."""
PAIRS_IN_PART = 2048
"""A part costs at most about so many pairs …"""
FIRST_PAIRS = 256
"""… the first ones fewer, after which it is known how long a pair takes …"""
SECONDS_IN_PART = 20
"""… and where it takes long, a part is what takes so many seconds: a run that is killed loses no more."""
PARTS_OF_WORKER = 4
"""Every worker gets so many parts at least, that all end at about the same time."""

Found = RowScore | ClaimwiseError


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some rows in a row.

    Attributes:
        first_row: the number of its first row.
        columns: the cells of each column that the metric reads, as the user gave them.
        claims: the columns that hold lists of claims in all rows of the run; see ``MetricSpec``.
    """

    first_row: int
    columns: Mapping[str, list[Any]]
    claims: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def at(self, start: int, stop: int) -> Part:
        """Return some of the rows, by their places."""
        columns = {name: cells[start:stop] for name, cells in self.columns.items()}
        return Part(first_row=self.first_row + start, columns=columns, claims=self.claims)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPart:
    """What was found for a part.

    Attributes:
        first_row: the number of its first row.
        rows: a score, or the error of a row that cannot be scored, for each row in order.
        used: what a judge that costs money has used for it.
        warnings: what was worked around.
        seconds: how long it took.
    """

    first_row: int
    rows: list[Found]
    used: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    seconds: float = 0.0


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
    left_out: Mapping[int, ClaimwiseError] = field(default_factory=dict)

    def score(self, part: Part) -> ScoredPart:
        """Return what the metric finds for a part.

        Raises:
            ClaimwiseError: for a row that cannot be scored, unless rows may fail; for anything else always.
        """
        before, start = self.metric.judge_used, time.monotonic()
        with warnings.catch_warnings(record=True) as caught, without_bars():
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
            first_row=part.first_row,
            rows=rows,
            used={what: used[what] - before.get(what, 0) for what in used},
            warnings=tuple(dict.fromkeys(said)),
            seconds=time.monotonic() - start,
        )

    def _rows(self, part: Part) -> list[Found]:
        if self.on_error == "stop":
            return list(self._scored(self.metric.rows(part.columns, part.first_row, part.claims)))
        found: dict[int, Found] = {}
        rows = []
        for number, row in enumerate(checked(self.metric, part), part.first_row):
            if isinstance(row, ClaimwiseError):
                found[number] = row
            elif number in self.left_out:
                found[number] = self.left_out[number]
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
                    found[row.number] = of_row
        return [found[number] for number in sorted(found)]

    def _scored(self, rows: Sequence[Row]) -> list[RowScore]:
        if isinstance(self.metric, CorpusMetric):
            return self.metric.score_rows(rows, details=self.details, state=self.state)
        return self.metric.score_rows(rows, details=self.details)


def with_lists(spec: MetricSpec, columns: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], bool]:
    """Return columns with lists for texts that are lists, and whether any is a list as Python writes it."""
    found, is_python = dict(columns), False
    for column in spec.columns:
        if column.may_hold_lists and column.name in columns:
            found[column.name], is_of_python = lists_in(columns[column.name])
            is_python |= is_of_python
    return found, is_python


def checked(metric: Metric, part: Part) -> Iterator[Row | ClaimwiseError]:
    """Yield each row of a part, or the error for one that cannot be scored, with its number.

    Raises:
        ClaimwiseError: for what is wrong with no row in particular.
    """
    try:
        yield from metric.rows(part.columns, part.first_row, part.claims)
    except ClaimwiseError as error:
        if error.row is None and not isinstance(error, RowsError):
            raise
    else:
        return
    for place in range(len(part)):
        cells = {name: [column[place]] for name, column in part.columns.items()}
        try:
            yield from metric.rows(cells, part.first_row + place, part.claims)
        except ClaimwiseError as error:
            yield error


def costs(columns: Mapping[str, Sequence[Any]]) -> list[float]:
    """Return about how many pairs of claims each row has, and claims to make."""

    def claims(cell: Any) -> float:
        texts = cell if isinstance(cell, list | tuple) else [cell]
        return sum(1.0 + len(text) // CHARACTERS_IN_CLAIM if isinstance(text, str) else 1.0 for text in texts)

    predictions, references = map(claims, columns["predictions"]), columns.get("references")
    if references is None:
        return list(predictions)
    return [a * b + a + b for a, b in zip(predictions, map(claims, references), strict=True)]


class Pace:
    """How much a part may cost, and how long the rest takes, by what was measured.

    Args:
        costs: of each row.
        done: of each row whether it is done.
        workers: so many score side by side.
        has_judge: whether pairs are judged, which takes long.
    """

    def __init__(self, costs: Sequence[float], done: Sequence[int], workers: int, has_judge: bool) -> None:
        self.left = sum(cost for cost, is_done in zip(costs, done, strict=True) if not is_done)
        share = self.left / (PARTS_OF_WORKER * workers)
        self._costs = costs
        self._most = min(share, PAIRS_IN_PART) if has_judge else share
        self._all, self._start = self.left, time.monotonic()
        self.limit = min(self._most, FIRST_PAIRS) if has_judge else self._most

    @property
    def elapsed(self) -> float:
        """How many seconds have passed."""
        return time.monotonic() - self._start

    @property
    def seconds_left(self) -> float | None:
        """About how many seconds the rest takes; None before anything is done."""
        done = self._all - self.left
        return self.elapsed * self.left / done if done > 0 else None

    def note(self, part: ScoredPart) -> None:
        """Take note of a part that is done."""
        cost = sum(self._costs[part.first_row : part.first_row + len(part.rows)])
        self.left -= cost
        in_time = cost * SECONDS_IN_PART / max(part.seconds, 1e-9)
        # As long as that is enough, parts are the same in every run.
        self.limit = self._most if 1.5 * in_time >= self._most else in_time

    def parts(self, batches: Iterable[Part], done: Sequence[int]) -> Iterator[Part]:
        """Yield batches cut into parts, without the rows that are done."""
        for batch in batches:
            start, count = 0, min(len(batch), len(self._costs) - batch.first_row)  # a file may have grown
            while start < count:
                stop, cost, first = start, 0.0, batch.first_row
                while stop < count and not done[first + stop]:
                    cost += self._costs[first + stop]
                    if stop > start and cost > self.limit:
                        break
                    stop += 1
                if stop > start:
                    yield batch.at(start, stop)
                start = max(stop, start + 1)
