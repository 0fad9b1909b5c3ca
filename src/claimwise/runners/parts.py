"""Parts of the rows, and the job of scoring them, which every runner gives to its workers."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from claimwise.errors import ClaimwiseError, RowsError, collected_warnings
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import MetricSpec
from claimwise.progress import without_bars
from claimwise.tables import lists_in
from claimwise.text.inputs import is_list

OnError = Literal["stop", "row"]

ROWS_IN_PART = 256
"""Maximum rows per part."""
CHARACTERS_IN_CLAIM = 60
"""Used to estimate the number of claims of a text: the cost of a row depends on its pairs of claims."""
PAIRS_IN_PART = 2048
"""Approximate maximum pairs per part …"""
FIRST_PAIRS = 256
"""… fewer for the first parts, on which the time per pair is measured …"""
SECONDS_IN_PART = 20
"""… and if pairs are slow, a part takes this number of seconds, which is all that a killed run loses."""
PARTS_OF_WORKER = 4
"""Minimum parts per worker, so that all workers end at about the same time."""
MOST_DEATHS = 3
"""Number of workers that may die on a part before the part counts as the cause."""

Outcome = RowScore | ClaimwiseError


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Consecutive rows, of which the first has the number ``first_row``; their cells are unchecked.

    ``claims`` are the columns with lists of claims in all rows of the run; see ``MetricSpec``.
    """

    first_row: int
    columns: Mapping[str, list[Any]]
    claims: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def at(self, start: int, stop: int) -> Part:
        """Return a range of the rows."""
        columns = {name: cells[start:stop] for name, cells in self.columns.items()}
        return Part(first_row=self.first_row + start, columns=columns, claims=self.claims)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPart:
    """The score or the error of each row of a part, and in ``used`` the usage of a model that costs money."""

    first_row: int
    rows: list[Outcome]
    used: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """The job of scoring parts, as given to workers; it can be pickled.

    ``state`` is that of a corpus metric over all rows but those ``left_out``, each with its error.
    """

    metric: Metric
    details: bool = False
    on_error: OnError = "stop"
    state: Any = None
    left_out: Mapping[int, ClaimwiseError] = field(default_factory=dict)

    def score(self, part: Part) -> ScoredPart:
        """Score a part; an invalid row is an error, or with ``on_error="row"`` has one instead of a score."""
        before, start = self.metric.usage_before(), time.monotonic()
        with collected_warnings() as said, without_bars():
            rows = self._rows(part)
        return ScoredPart(
            first_row=part.first_row,
            rows=rows,
            used=self.metric.used_since(before),
            warnings=tuple(dict.fromkeys(said)),
            seconds=time.monotonic() - start,
        )

    def _rows(self, part: Part) -> list[Outcome]:
        if self.on_error == "stop":
            return list(self._scored(self.metric.rows(part.columns, part.first_row, part.claims)))
        outcomes: dict[int, Outcome] = {}
        rows = []
        for number, row in enumerate(checked(self.metric, part), part.first_row):
            if isinstance(row, ClaimwiseError):
                outcomes[number] = row
            elif number in self.left_out:
                outcomes[number] = self.left_out[number]
            else:
                rows.append(row)
        outcomes |= self._scored_or_refused(rows) if rows else {}
        return [outcomes[number] for number in sorted(outcomes)]

    def _scored_or_refused(self, rows: Sequence[Row]) -> dict[int, Outcome]:
        try:
            return {row.number: score for row, score in zip(rows, self._scored(rows), strict=True)}
        except ClaimwiseError as error:
            if error.row is None:
                raise
            if len(rows) == 1:
                return {rows[0].number: error}
            # A metric is a function of one row: scores do not change if rows are scored separately.
            return dict(item for row in rows for item in self._scored_or_refused([row]).items())

    def _scored(self, rows: Sequence[Row]) -> list[RowScore]:
        if isinstance(self.metric, CorpusMetric):
            return self.metric.score_rows(rows, details=self.details, state=self.state)
        return self.metric.score_rows(rows, details=self.details)


def dump_job(job: Job, dumps: Callable[[Job], bytes] = pickle.dumps) -> bytes:
    """Return a pickled job for ``load_job`` in another process."""
    try:
        return dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ClaimwiseError(
            f"The metric cannot be sent to worker processes ({error}).",
            "Use one local worker, or define its judge, decomposer and functions in a module.",
        ) from error


def load_job(dumped: bytes) -> Job:
    """Return the job of another process, with its metric loaded."""
    try:
        job: Job = pickle.loads(dumped)
    except (AttributeError, ImportError) as error:
        raise ClaimwiseError(
            f"A worker process cannot load the metric ({error}).",
            "Define its judge, decomposer and functions in an importable module.",
        ) from error
    job.metric.load()
    return job


def failure(error: Exception) -> Exception:
    """Return an exception that can be sent to another process; those of other packages become text."""
    if isinstance(error, ClaimwiseError):
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def deadly(part: Part) -> ClaimwiseError:
    """Return the error for a part on which workers die."""
    first, last = part.first_row + 1, part.first_row + len(part)
    return ClaimwiseError(
        f"rows {first} to {last} (counted from 1): {MOST_DEATHS} successive worker processes died while "
        f"scoring them.",
        "If memory ran out, use fewer workers or a smaller `max_tokens_per_batch`. In a script, start the "
        'run within `if __name__ == "__main__"`.',
    )


def with_lists(spec: MetricSpec, columns: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], bool]:
    """Return columns with parsed lists, and whether any list is in Python syntax."""
    parsed, is_python = dict(columns), False
    for column in spec.columns:
        if column.may_hold_lists and column.name in columns:
            parsed[column.name], is_in_python = lists_in(columns[column.name])
            is_python |= is_in_python
    return parsed, is_python


def checked(metric: Metric, part: Part) -> Iterator[Row | ClaimwiseError]:
    """Yield each valid row of a part, or the error of an invalid row with its number.

    Raises:
        ClaimwiseError: for errors that concern no particular row.
    """
    try:
        yield from metric.rows(part.columns, part.first_row, part.claims)
    except ClaimwiseError as error:
        if error.row is None and not isinstance(error, RowsError):
            raise
    else:
        return
    for index in range(len(part)):
        row = part.at(index, index + 1)
        try:
            yield from metric.rows(row.columns, row.first_row, part.claims)
        except ClaimwiseError as error:
            yield error


def costs(columns: Mapping[str, Sequence[Any]]) -> list[float]:
    """Return the approximate cost of each row: its pairs of claims, and the claims to decompose."""

    def claims(cell: Any) -> float:
        texts = cell if is_list(cell) else [cell]
        return sum(1.0 + len(text) // CHARACTERS_IN_CLAIM if isinstance(text, str) else 1.0 for text in texts)

    predictions, references = map(claims, columns["predictions"]), columns.get("references")
    if references is None:
        return list(predictions)
    return [a * b + a + b for a, b in zip(predictions, map(claims, references), strict=True)]


class Pace:
    """Determines the size of parts and the remaining time from measured times.

    Without a judge, which is slow, parts are as large as the number of workers allows. Before any time is
    measured, a part has about ``first_pairs`` pairs at most.
    """

    def __init__(
        self,
        costs: Sequence[float],
        done: Sequence[int],
        workers: int,
        has_judge: bool,
        first_pairs: int = FIRST_PAIRS,
    ) -> None:
        self.left = sum(cost for cost, is_done in zip(costs, done, strict=True) if not is_done)
        share = self.left / (PARTS_OF_WORKER * workers)
        self._costs = costs
        self._most = min(share, PAIRS_IN_PART) if has_judge else share
        self._all, self._start = self.left, time.monotonic()
        self.limit = min(self._most, first_pairs) if has_judge else self._most

    @property
    def elapsed(self) -> float:
        """Elapsed seconds."""
        return time.monotonic() - self._start

    @property
    def seconds_left(self) -> float | None:
        """Approximate remaining seconds; None before anything is done."""
        done = self._all - self.left
        return self.elapsed * self.left / done if done > 0 else None

    def note(self, part: ScoredPart) -> None:
        """Record a finished part."""
        cost = sum(self._costs[part.first_row : part.first_row + len(part.rows)])
        self.left -= cost
        in_time = cost * SECONDS_IN_PART / max(part.seconds, 1e-9)
        # Unless pairs are slow, parts are the same in every run.
        self.limit = self._most if 1.5 * in_time >= self._most else in_time

    def parts(self, batches: Iterable[Part], done: Sequence[int]) -> Iterator[Part]:
        """Yield batches cut into parts, without finished rows."""
        for batch in batches:
            start, count = 0, len(batch)
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
