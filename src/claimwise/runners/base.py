"""The base class of runners: parts in, row scores out, then their aggregate; subclasses choose who scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Unpack, get_args

from claimwise.errors import ClaimwiseError, RowsError, TextError, warn
from claimwise.evidence import Details, maps_html
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.options import check
from claimwise.progress import bar
from claimwise.runners.file_rows import FileRows, added_columns, check_new
from claimwise.runners.kept import KeptParts, KeptRows
from claimwise.runners.parts import (
    ROWS_IN_PART,
    Found,
    Job,
    OnError,
    Pace,
    Part,
    ScoredPart,
    checked,
    costs,
)
from claimwise.runners.results import (
    FileResult,
    Progress,
    Watch,
    suffix_of,
    whole_result,
    without_rows,
)
from claimwise.signature import unsigned
from claimwise.stats import Interval, check_interval
from claimwise.tables import (
    SUFFIXES,
    Layout,
    Writer,
    cannot_be_written,
    is_special,
    metadata_path,
    placing,
    write_json,
)
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

    @abstractmethod
    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield each scored part as it is done, in any order; parts are consumed as needed."""

    def check(self, metric: Metric) -> None:
        """Reject a request limit that each of several workers would count separately."""
        parts = [getattr(metric.options, name, None) for name in ("judge", "decomposer")]
        asked = [one for part in parts for one in (part if isinstance(part, list | tuple) else [part])]
        if self.workers > 1 and any(getattr(one, "max_requests", None) is not None for one in asked):
            raise ClaimwiseError(
                "max_requests would apply to each worker separately.",
                "Use one worker; concurrency= sets how many requests it sends at once.",
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
            predictions: see ``Metric.compute``.
            references: see ``Metric.compute``.
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
        given = _lists(metric, {"predictions": predictions, "references": references, **further})
        count = len(given["predictions"])
        names = None if ids is None else check_ids(ids, count)
        used: dict[str, int] = {}
        try:
            if interval and self.on_error == "stop":
                metric.check(given)
            check_interval(count, **interval)  # before any work
            found = self.score_rows(metric, given, details=details, used=used)
        except (TextError, RowsError) as error:
            raise error.with_choice("Or score the other rows: pass on_error='row' to the runner.") from error
        row_scores = [row for row in found if isinstance(row, RowScore)]
        errors = [str(row) if isinstance(row, ClaimwiseError) else None for row in found]
        if not row_scores:
            raise _no_score(list(filter(None, errors)))
        aggregated = metric.aggregate(row_scores, columns=metric.spec.named(given), **interval)
        aggregated = replace(aggregated, input_hashes=metric.input_hashes(given), ids=names)
        return whole_result(aggregated, errors, used)

    def score_rows(
        self,
        metric: Metric,
        columns: Mapping[str, Sequence[Any]],
        *,
        details: bool = False,
        used: dict[str, int] | None = None,
    ) -> list[Found]:
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
        given = _lists(metric, columns)
        if self.on_error == "stop":
            metric.check(given)
        whole = Part(first_row=0, columns=given, claims=metric.spec.claims_in(given))
        rows = usable(metric, whole, self.on_error) if isinstance(metric, CorpusMetric) else []
        job = self._job(metric, details, rows)
        starts = range(0, len(whole), self.rows_in_part)
        batches = (whole.at(start, start + self.rows_in_part) for start in starts)
        of_rows, done = costs(given), bytearray(len(whole))
        found: dict[int, list[Found]] = {}
        for part in self._run(job, batches, of_rows, done, {} if used is None else used):
            found[part.first_row] = part.rows
        return [row for first_row in sorted(found) for row in found[first_row]]

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

        Scored parts are stored beside the output: a stopped or killed run resumes there. Memory holds texts
        only for the current parts, and some hundred bytes per row; the state of a corpus metric, and a whole
        result (no output, a .json file, a map), are held in memory. Runs are not resumed if the metric has a
        function without a signature.

        Args:
            metric: such as ``claimwise.load("caspr")``.
            file: a .csv, .tsv, .json, .jsonl or .parquet file.
            output: a .json file for the whole result; or a .parquet, .jsonl or .csv file: the columns of the
                input, then ``NAME`` (the score), ``NAME_weight``, each further score, ``NAME_input`` (a hash
                of the input that all systems share), ``NAME_error``, and with ``details`` the evidence in
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
            where: a column → the value of the rows to score, such as ``{"system": "A"}``; other rows are left
                out.
            delimiter: the delimiter of a CSV file (default: it is found).
            **interval: ``confidence_level`` and the other arguments of ``Metric.compute`` for the interval.

        Raises:
            ClaimwiseError: for an invalid file, row or option, or an output that cannot be written.
                ``RowsError`` for several invalid rows.
        """
        self.check(metric)
        target = None if output is None else Path(output)
        suffix = suffix_of(target)
        is_table = suffix in SUFFIXES
        evidence = details or maps is not None
        with ExitStack() as opened:
            place, page, beside = (
                None if one is None else opened.enter_context(placing(one))
                for one in (
                    target,
                    None if maps is None else Path(maps),
                    metadata_path(target) if target and is_table and suffix != ".parquet" else None,
                )
            )
            layout = Layout(reviews=reviews, by=by, where=where, delimiter=delimiter)
            rows = FileRows(Path(file), metric, columns or {}, ids, self.rows_in_part, layout)
            further = added_columns(metric, rows.names, details)
            if signed:
                further[f"{metric.name}_signature"] = "text"
            if is_table:
                check_new(rows.table.path, rows.table.names, further)
            corpus = rows.survey(self.on_error)
            check_interval(len(rows.costs), **interval)
            metric.load()
            named = metric.spec.named(rows.names, rows.claims)
            digest = rows.table.digest()
            identity = {
                "signature": metric.signature(*named),
                "file": digest,
                "columns": rows.names,
                "delimiter": delimiter,
                "details": evidence,
                "on_error": self.on_error,
            }
            resumes = target is not None and not is_special(target) and not unsigned(metric.options)
            with KeptParts(target if resumes else None, identity, len(rows.costs)) as kept:
                used: dict[str, int] = {}
                try:
                    if not all(kept.done):
                        job = self._job(metric, evidence, corpus)
                        for part in self._run(job, rows.parts(), rows.costs, kept.done, used, watch):
                            kept.write(part, rows.message)
                except ClaimwiseError as error:
                    raise rows.located(error) from error
                numbers = KeptRows(kept.lines())
                if not len(numbers):
                    raise _no_score(list(numbers.failures.values()))
                aggregated = metric.aggregate(numbers, columns=named, **interval)
                if page is not None or not is_table:
                    every = [own for _, cells in rows.outcomes(kept, details=evidence) for own in cells]
                    inputs = [own[f"{metric.name}_input"] for own in every]
                    drawn = [own[key] for own in every if (key := f"{metric.name}_details") in own]
                    aggregated = replace(
                        aggregated,
                        input_hashes=None if inputs[0] is None else inputs,
                        ids=rows.ids,
                        details=None if None in drawn else Details(metric.name, drawn),
                    )
                errors = [numbers.failures.get(row) for row in range(numbers.rows)]
                whole = whole_result(aggregated, errors, used)
                found = FileResult(
                    output=target,
                    rows=numbers.rows,
                    mean=aggregated.mean,
                    scores=whole[f"{metric.name}_scores"],
                    failures=numbers.failures,
                    counts=aggregated.counts,
                    signature=aggregated.signature,
                    result=without_rows(metric, whole) if is_table else whole,
                )
                try:
                    if is_table and place is not None:
                        metadata = {
                            "metric": metric.name,
                            "rows": found.rows,
                            "scored": found.scored,
                            "errors": len(found.failures),
                            "ids": ids,
                            "result": found.result,
                        }
                        with Writer(place, suffix, rows.table, further, metadata, beside) as writer:
                            for batch, cells in rows.outcomes(kept, details=details):
                                signature = {f"{metric.name}_signature": found.signature}
                                writer.write(batch, [own | signature for own in cells])
                    if page is not None:
                        page.write_text(maps_html(whole), encoding="utf-8")
                    if not details:
                        whole.pop(f"{metric.name}_details", None)
                    if place is not None and not is_table:
                        write_json(place, whole)
                except OSError as error:
                    raise cannot_be_written(Path(output or maps or ""), error) from error
                if rows.table.digest() != digest:
                    raise rows.changed()
        kept.remove()
        return found

    def _job(self, metric: Metric, details: bool, rows: Sequence[Row]) -> Job:
        """Return the job for workers; a corpus metric reads all rows first."""
        if not isinstance(metric, CorpusMetric):
            return Job(metric=metric, details=details, on_error=self.on_error)
        left_out: dict[int, ClaimwiseError] = {}
        while True:
            taken = [row for row in rows if row.number not in left_out]
            try:
                state = metric.prepare(taken)
            except ClaimwiseError as error:
                is_of_row = error.row in {row.number for row in taken}
                if error.row is None or not is_of_row or self.on_error == "stop" or len(taken) == 1:
                    raise
                left_out[error.row] = error
            else:
                break
        return Job(metric=metric, details=details, on_error=self.on_error, state=state, left_out=left_out)

    def _run(
        self,
        job: Job,
        batches: Iterable[Part],
        of_rows: Sequence[float],
        done: Sequence[int],
        used: dict[str, int],
        watch: Watch | None = None,
    ) -> Generator[ScoredPart]:
        """Yield the scored parts of all remaining rows; the only loop over parts."""
        metric = job.metric
        pace = Pace(of_rows, done, self.workers, has_judge=hasattr(metric.options, "judge"))
        resumed = finished = sum(done)
        said: set[str] = set()
        shown = getattr(metric.options, "show_progress", True)
        with (
            bar(metric.spec.title, len(of_rows), "row", shown=shown, done=resumed) as on_screen,
            closing(self.scored(job, pace.parts(batches, done))) as parts,
        ):
            for part in chain([None], parts):
                if part is not None:
                    pace.note(part)
                    for sentence in part.warnings:
                        if sentence not in said:
                            warn(sentence)
                    said |= set(part.warnings)
                    for what, count in part.used.items():
                        used[what] = used.get(what, 0) + count
                    yield part
                    finished += len(part.rows)
                    on_screen.update(len(part.rows))
                if watch is not None:
                    watch(
                        Progress(
                            rows=len(of_rows),
                            done=finished,
                            resumed=resumed,
                            seconds=pace.elapsed,
                            seconds_left=pace.seconds_left,
                        )
                    )


def usable(metric: Metric, part: Part, on_error: OnError) -> list[Row]:
    """Return the valid rows.

    Raises:
        ClaimwiseError: for the first invalid row, unless ``on_error`` is ``"row"``.
    """
    found = list(checked(metric, part))
    if on_error == "stop":
        for row in found:
            if isinstance(row, ClaimwiseError):
                raise row
    return [row for row in found if isinstance(row, Row)]


def _lists(metric: Metric, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns that a metric reads, as lists of equal length.

    Raises:
        ClaimwiseError: for anything else.
    """
    read = [c for c in metric.spec.columns if c.required or columns.get(c.name) is not None]
    lists = {c.name: cells_of(columns.get(c.name), c.name, c.holds) for c in read}
    check_lengths(lists)
    return lists


def _no_score(messages: Sequence[str]) -> ClaimwiseError:
    first = f" The first: {messages[0]}" if messages else ""
    return ClaimwiseError(f"No row has a score.{first}", "Provide at least one row that can be scored.")
