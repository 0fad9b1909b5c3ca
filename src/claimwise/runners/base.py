"""The base class of runners: parts in, row scores out, then their aggregate; subclasses choose who scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Unpack, get_args

from claimwise.errors import ClaimwiseError, RowsError, TextError, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import Row
from claimwise.options import check
from claimwise.progress import bar
from claimwise.runners.file_rows import FileRows, check_new
from claimwise.runners.files import Plan, open_outputs
from claimwise.runners.kept import KeptParts
from claimwise.runners.parts import (
    FIRST_PAIRS,
    ROWS_IN_PART,
    Job,
    OnError,
    Outcome,
    Pace,
    Part,
    ScoredPart,
    checked,
    costs,
)
from claimwise.runners.results import FileResult, Progress, Watch, aggregate, whole_result
from claimwise.stats import Interval, check_interval
from claimwise.tables import Layout, check_outputs
from claimwise.text.inputs import cells_of, check_ids, check_lengths


class Runner(ABC):
    """Scores many rows, in parts.

    Args:
        workers: number of parallel workers.
        on_error: ``"stop"`` (raise an error for invalid rows, before any work if the input shows it) or
            ``"row"`` (invalid rows get an error instead of a score).
        rows_in_part: maximum rows per part; parts with expensive rows are smaller.

    Raises:
        ClaimwiseError: for an invalid option.
    """

    def __init__(
        self, workers: int = 1, *, on_error: OnError = "stop", rows_in_part: int = ROWS_IN_PART
    ) -> None:
        check("workers", workers, at_least=1)
        check("on_error", on_error, choices=get_args(OnError))
        check("rows_in_part", rows_in_part, at_least=1)
        self.workers = workers
        self.on_error: OnError = on_error
        self.rows_in_part = rows_in_part

    first_pairs: ClassVar[int] = FIRST_PAIRS
    """Approximate maximum pairs per part before any time is measured."""

    @abstractmethod
    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield each scored part as it is done, in any order; parts are consumed as needed."""

    def check(self, metric: Metric) -> None:
        """Reject a request limit that each of several workers would count separately."""
        judge, decomposer = (getattr(metric.options, name, None) for name in ("judge", "decomposer"))
        models = [*(judge if isinstance(judge, list | tuple) else [judge]), decomposer]
        if self.workers > 1 and any(getattr(model, "max_requests", None) is not None for model in models):
            raise ClaimwiseError(
                "`max_requests` would apply to each worker separately.",
                "Use one worker. Its option `concurrency` says how many requests it sends at once.",
                option="max_requests",
            )

    def compute(
        self,
        metric: Metric,
        *,
        predictions: Sequence[str | Sequence[str]],
        references: Sequence[str | Sequence[str]] | None = None,
        ids: Sequence[str | int] | None = None,
        details: bool = False,
        **further: Any,
    ) -> dict[str, Any]:
        """Score prediction i against reference i, as ``metric.compute`` does.

        Args:
            metric: such as ``claimwise.load("caspr")``.
            predictions: see ``Metric.compute``, also for the following.
            references: texts to compare with.
            ids: ids of the rows.
            details: add the evidence of every row.
            **further: ``confidence_level`` and the other arguments for the interval, and further columns.

        Returns:
            The result of ``metric.compute``; with ``on_error="row"`` and any invalid row also
            ``NAME_errors``, a message or None for each row.

        Raises:
            ClaimwiseError: for invalid input; the message names the row.
        """
        interval: Any = {name: further.pop(name) for name in Interval.__annotations__ if name in further}
        metric._check_known(further)
        columns = _lists(metric, {"predictions": predictions, "references": references, **further})
        count = len(columns["predictions"])
        names = None if ids is None else check_ids(ids, count)
        used: dict[str, int] = {}
        try:
            if interval and self.on_error == "stop":
                metric.check(columns)
            check_interval(count, **interval)  # before any work
            outcomes = self.score_rows(metric, columns, details=details, used=used)
        except (TextError, RowsError) as error:
            raise error.with_choice("Or score the other rows: pass on_error='row' to the runner.") from error
        aggregated = aggregate(metric, outcomes, metric.spec.named(columns), interval)
        aggregated = replace(aggregated, input_hashes=metric.input_hashes(columns), ids=names)
        return whole_result(aggregated, outcomes, used)

    def score_rows(
        self,
        metric: Metric,
        columns: Mapping[str, Sequence[Any]],
        *,
        details: bool = False,
        used: dict[str, int] | None = None,
    ) -> list[Outcome]:
        """Return the score of each row, or with ``on_error="row"`` its error.

        Args:
            metric: such as ``claimwise.load("caspr")``.
            columns: columns of the metric, of equal length.
            details: add the evidence of every row.
            used: receives the usage of a judge that costs money.

        Raises:
            ClaimwiseError: for invalid input; it names the row.
        """
        self.check(metric)
        cells = _lists(metric, columns)
        if self.on_error == "stop":
            metric.check(cells)
        whole = Part(first_row=0, columns=cells, claims=metric.spec.claims_in(cells))
        rows = usable(metric, whole, self.on_error) if isinstance(metric, CorpusMetric) else []
        job = self._job(metric, details, rows)
        starts = range(0, len(whole), self.rows_in_part)
        batches = (whole.at(start, start + self.rows_in_part) for start in starts)
        parts = self._run(job, batches, costs(cells), bytearray(len(whole)), {} if used is None else used)
        return [row for part in sorted(parts, key=attrgetter("first_row")) for row in part.rows]

    def score_file(
        self,
        metric: Metric,
        file: str | Path,
        output: str | Path | None = None,
        *,
        maps: str | Path | None = None,
        columns: Mapping[str, str] | None = None,
        ids: str | None = None,
        details: bool = False,
        signed: bool = False,
        watch: Watch | None = None,
        reviews: str | Path | None = None,
        by: str | None = None,
        where: Mapping[str, Any] | None = None,
        delimiter: str | None = None,
        **interval: Unpack[Interval],
    ) -> FileResult:
        """Score every row of a file, of any size.

        Scored parts are stored beside the output, and a stopped or killed run resumes there, unless the
        metric has a function without a signature. Memory holds texts only for the current parts, and about
        a kilobyte per row; also the state of a corpus metric, and a whole result (no output, a .json file,
        a map).

        Args:
            metric: such as ``claimwise.load("caspr")``.
            file: a .csv, .tsv, .json, .jsonl or .parquet file.
            output: a .json file for the whole result; or a .parquet, .jsonl or .csv file: the columns of the
                input, then ``NAME`` (the score), ``NAME_weight``, each further score, ``NAME_input_hash``, by
                which rows of systems belong together, ``NAME_error``, and with ``details`` the evidence in
                ``NAME_details``.
            maps: an HTML file for the evidence of every row.
            columns: column of the metric → column of the file; default: the usual names.
            ids: the column of the file with the ids of the rows.
            details: add the evidence of every row.
            signed: add the signature to every row of a table, as ``NAME_signature``.
            watch: called before the work and after each part.
            reviews: a file with one review per row, which are joined to the rows of ``file`` by the column
                ``by``; None, with ``by`` = ``file`` itself has one review per row.
            by: the column, of both files, that says what is reviewed.
            where: a column → the value of the rows to score; others are left out: ``{"system": "A"}``.
            delimiter: the delimiter of a CSV file (default: it is found).
            **interval: ``confidence_level`` and the other arguments of ``Metric.compute`` for the interval.

        Raises:
            ClaimwiseError: for an invalid file, row (``RowsError`` for several), option or output.
        """
        self.check(metric)
        check_outputs((output, maps), (file, reviews))
        layout = Layout(reviews=reviews, by=by, where=where, delimiter=delimiter)
        with open_outputs(output, maps) as outputs:
            rows = FileRows(Path(file), metric, columns or {}, ids, self.rows_in_part, layout)
            plan = Plan(metric=metric, rows=rows, outputs=outputs, details=details, signed=signed)
            corpus = self._survey(plan, interval)
            with plan.kept_parts(self.on_error) as kept:
                used = self._score_parts(plan, corpus, kept, watch)
                result = plan.finish(kept, used, interval)
        kept.remove()
        return result

    def _survey(self, plan: Plan, interval: Interval) -> list[Row]:
        """Find errors before the work; return the rows that a corpus metric prepares."""
        if plan.outputs.is_table:
            check_new(plan.rows.path, plan.rows.table.names, plan.added)
        corpus = plan.rows.survey(self.on_error)
        check_interval(len(plan.rows.costs), **interval)
        plan.metric.load()
        return corpus

    def _score_parts(
        self, plan: Plan, corpus: Sequence[Row], kept: KeptParts, watch: Watch | None
    ) -> dict[str, int]:
        """Score and keep the parts that no earlier run has kept; return the usage of a judge."""
        rows, used = plan.rows, dict[str, int]()
        if all(kept.done):
            return used
        try:
            job = self._job(plan.metric, plan.needs_evidence, corpus)
            for part in self._run(job, rows.parts(), rows.costs, kept.done, used, watch):
                kept.write(part, rows.message)
        except ClaimwiseError as error:
            raise rows.located(error) from error
        return used

    def _job(self, metric: Metric, details: bool, rows: Sequence[Row]) -> Job:
        """Return the job for workers; a corpus metric reads all rows first."""
        job = Job(metric=metric, details=details, on_error=self.on_error)
        if not isinstance(metric, CorpusMetric):
            return job
        left_out: dict[int, ClaimwiseError] = {}
        while True:
            remaining = {row.number: row for row in rows if row.number not in left_out}
            try:
                return replace(job, state=metric.prepare(list(remaining.values())), left_out=left_out)
            except ClaimwiseError as error:
                if self.on_error == "stop" or error.row not in remaining or len(remaining) == 1:
                    raise
                left_out[error.row] = error

    def _run(
        self,
        job: Job,
        batches: Iterable[Part],
        row_costs: Sequence[float],
        done: Sequence[int],
        used: dict[str, int],
        watch: Watch | None = None,
    ) -> Generator[ScoredPart]:
        """Yield the scored parts of all remaining rows; the only loop over parts."""
        options, resumed = job.metric.options, sum(done)
        pace = Pace(row_costs, done, self.workers, hasattr(options, "judge"), self.first_pairs)
        progress = Progress(rows=len(row_costs), done=resumed, resumed=resumed, seconds=0, seconds_left=None)
        watch = watch or (lambda _: None)
        watch(progress)
        warned: set[str] = set()
        shown = getattr(options, "show_progress", True)
        with (
            bar(job.metric.spec.title, progress.rows, "row", shown=shown, done=resumed) as on_screen,
            closing(self.scored(job, pace.parts(batches, done))) as parts,
        ):
            for part in parts:
                pace.note(part)
                for warning in part.warnings:
                    if warning not in warned:
                        warn(warning)
                warned |= set(part.warnings)
                for unit, count in part.used.items():
                    used[unit] = used.get(unit, 0) + count
                yield part
                on_screen.update(len(part.rows))
                progress = replace(
                    progress,
                    done=progress.done + len(part.rows),
                    seconds=pace.elapsed,
                    seconds_left=pace.seconds_left,
                )
                watch(progress)


def usable(metric: Metric, part: Part, on_error: OnError) -> list[Row]:
    """Return the valid rows; unless ``on_error`` is ``"row"``, the first invalid row is an error."""
    rows = []
    for row in checked(metric, part):
        if isinstance(row, Row):
            rows.append(row)
        elif on_error == "stop":
            raise row
    return rows


def _lists(metric: Metric, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns that a metric reads, as lists of equal length."""
    read = [c for c in metric.spec.columns if c.required or columns.get(c.name) is not None]
    lists = {c.name: cells_of(columns.get(c.name), c.name, c.holds) for c in read}
    check_lengths(lists)
    return lists
