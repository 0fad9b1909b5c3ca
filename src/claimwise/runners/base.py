"""What every runner does: parts in, row scores out, the aggregate of all. Who scores is the runner's own."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.evidence.html import Details
from claimwise.files import cannot_be_written, chosen_names, lists_in
from claimwise.metrics.base import CorpusMetric, Metric, Row, RowScore
from claimwise.metrics.spec import MetricSpec
from claimwise.runners.kept import KeptParts, NumbersOfRows, read_line, warn_of_other_runs
from claimwise.runners.parts import (
    CHARACTERS_IN_PART,
    ON_ERROR,
    ROWS_IN_PART,
    Found,
    Job,
    OnError,
    Part,
    RowFailure,
    ScoredPart,
    prepared,
    scorable,
    silent,
    split,
)
from claimwise.runners.tables import (
    ROW_SUFFIXES,
    Rows,
    RowWriter,
    TableFile,
    metadata_path,
    write_metadata,
)
from claimwise.stats import IntervalMethod, check_interval
from claimwise.text.inputs import check_ids, check_lengths

Told = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class FileResult:
    """What was found for the rows of a file.

    Attributes:
        output: the file with a row for each.
        rows: how many there are.
        scored: how many have a score.
        failures: what is wrong with each row that could not be scored, by its number.
        result: the flat dict of ``compute`` without what is one a row, for that stands in the file.
    """

    output: Path
    rows: int
    scored: int
    failures: Mapping[int, str]
    result: Mapping[str, Any]


class Runner(ABC):
    """Scores many rows, in parts.

    Args:
        workers: so many score side by side.
        on_error: ``"stop"`` (an error for the first row that cannot be scored, before work starts where the
            row itself shows it) or ``"row"`` (such a row has an error instead of a score).
        rows_in_part: a part has at most so many rows.

    Raises:
        ClaimwiseError: for no worker, another ``on_error``, or parts without rows.
    """

    def __init__(
        self, workers: int = 1, *, on_error: OnError = "stop", rows_in_part: int = ROWS_IN_PART
    ) -> None:
        if workers < 1:
            raise ClaimwiseError(f"workers must be at least 1; got {workers}.", option="workers")
        if on_error not in ON_ERROR:
            raise ClaimwiseError(
                f"on_error must be one of {', '.join(map(repr, ON_ERROR))}; got {on_error!r}.",
                option="on_error",
            )
        if rows_in_part < 1:
            raise ClaimwiseError(
                f"rows_in_part must be at least 1; got {rows_in_part}.", option="rows_in_part"
            )
        self.workers = workers
        self.on_error: OnError = on_error
        self.rows_in_part = rows_in_part

    @abstractmethod
    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield what is found for each part, as it is done, in any order; parts are taken as needed."""

    def check(self, metric: Metric) -> None:
        """Refuse a limit of requests that each of several workers would count for itself."""
        parts = [getattr(metric.options, name, None) for name in ("nli_model", "decomposer")]
        asked = [one for part in parts for one in (part if isinstance(part, list | tuple) else [part])]
        if self.workers > 1 and any(getattr(one, "max_requests", None) is not None for one in asked):
            raise ClaimwiseError(
                "max_requests: several workers would each have that many.",
                "Use one worker; concurrency= sets how many requests it has under way.",
                option="max_requests",
            )

    def compute(
        self,
        metric: Metric,
        *,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        ids: Sequence[str | int] | None = None,
        details: bool = False,
        confidence_level: float | None = None,
        confidence_method: IntervalMethod = "normal",
        resamples: int = 10_000,
        seed: int | None = 0,
        **columns: Sequence[Any] | None,
    ) -> dict[str, Any]:
        """Score prediction i against reference i, as ``metric.compute`` does.

        Args:
            metric: such as ``claimwise.load("caspr")``.
            predictions: see ``Metric.compute``, as for the following.
            references: as many.
            ids: of the rows.
            details: add the evidence of every row.
            confidence_level: of the interval.
            confidence_method: of the interval.
            resamples: of the bootstrap.
            seed: of the bootstrap.
            **columns: further columns.

        Returns:
            What ``metric.compute`` gives; with ``on_error="row"`` also ``NAME_errors``, a message or None for
            each row, where any row has one.

        Raises:
            ClaimwiseError: for input that cannot be scored; the message names the row.
        """
        self.check(metric)
        further = {name: cells for name, cells in columns.items() if cells is not None}
        metric._check_known(columns)
        given = _lists(metric, {"predictions": predictions, "references": references, **further})
        count = len(given["predictions"])
        names = None if ids is None else check_ids(ids, count)
        if self.on_error == "stop":
            metric.check(given)
        if confidence_level is not None:  # before the work, not after it
            check_interval(count, confidence_level, confidence_method, resamples)
        quiet = silent(metric)
        job = self._job(
            quiet, details, lambda: scorable(quiet, split(given, self.rows_in_part), self.on_error)
        )
        found: dict[int, ScoredPart] = {}
        used: dict[str, int] = {}
        with _Bar(metric, count) as bar, closing(self.scored(job, split(given, self.rows_in_part))) as parts:
            for part in parts:
                found[part.number] = part
                _note(part, used)
                bar.update(len(part.rows))
        rows = [row for number in sorted(found) for row in found[number].rows]
        row_scores = [row for row in rows if isinstance(row, RowScore)]
        if not row_scores:
            raise _no_score([row.message for row in rows if isinstance(row, RowFailure)])
        aggregated = job.metric.aggregate(
            row_scores,
            confidence_level=confidence_level,
            confidence_method=confidence_method,
            resamples=resamples,
            seed=seed,
            columns=further,
        )
        result = replace(aggregated, inputs=metric.inputs(given), ids=names).as_dict()
        if len(row_scores) < len(rows):
            scored = [isinstance(row, RowScore) for row in rows]
            for key in one_a_row(metric.spec) & result.keys():
                cells = iter(result[key])
                nothing = 0.0 if key.endswith("_weights") else None
                spread: list[Any] = [next(cells) if has_score else nothing for has_score in scored]
                result[key] = Details(metric.name, spread, names) if key.endswith("_details") else spread
            result[f"{metric.name}_errors"] = [
                row.message if isinstance(row, RowFailure) else None for row in rows
            ]
        if used:
            result[f"{metric.name}_judge_used"] = used
        return result

    def score_file(
        self,
        metric: Metric,
        file: str | Path,
        output: str | Path,
        *,
        columns: Mapping[str, str] | None = None,
        details: bool = False,
        confidence_level: float | None = None,
        confidence_method: IntervalMethod = "normal",
        resamples: int = 10_000,
        seed: int | None = 0,
        told: Told | None = None,
    ) -> FileResult:
        """Score every row of a file, of any size, and write a file with a row for each.

        Parts are kept beside the output as they are done: a run that was stopped or killed goes on where it
        was. Texts are held for the parts under way alone, and some dozens of bytes for every row; a corpus
        metric holds what it prepares of all rows.

        Args:
            metric: such as ``claimwise.load("caspr")``.
            file: a .csv, .jsonl or .parquet file.
            output: a .parquet or .jsonl file: the columns of the input, then ``NAME_score``,
                ``NAME_weight``, a ``…_score`` for each further score, ``NAME_error``, and with ``details``
                the evidence as JSON in ``NAME_details``.
            columns: column of the metric → column of the file; by default their usual names.
            details: add the evidence of every row.
            confidence_level: see ``Metric.compute``, as for the following.
            confidence_method: of the interval.
            resamples: of the bootstrap.
            seed: of the bootstrap.
            told: is given a sentence where a run goes on.

        Raises:
            ClaimwiseError: for a file, row or option that is wrong, and for an output that cannot be written.
        """
        self.check(metric)
        metric._check_known(columns or {})
        source, target = Path(file), Path(output)
        if target.suffix.lower() not in ROW_SUFFIXES:
            raise ClaimwiseError(
                "is no file for rows.", f"End its name in {' or '.join(ROW_SUFFIXES[:2])}.", path=target
            )
        if target.exists() and not target.is_file():
            raise ClaimwiseError("is no file.", "Choose another place for the output.", path=target)
        spec = metric.spec
        table = TableFile(source, self.rows_in_part, [*(columns or {}).values(), *usual_names(spec)])
        names = read_names(source, table.names, spec, columns or {})
        further = further_columns(spec, details)
        check_new(source, table.names, further)
        is_corpus = isinstance(metric, CorpusMetric)
        sizes, rows = _first_pass(table, metric, names, self.on_error, keep=is_corpus)
        if confidence_level is not None:
            check_interval(sum(sizes), confidence_level, confidence_method, resamples)
        schema = table.schema() if target.suffix.lower() == ".parquet" else None
        digest = table.digest()
        optional = [name for name in names if name not in _required(spec)]
        quiet = silent(metric)
        quiet.load()
        identity = {
            "signature": quiet.signature(*optional),
            "file": digest,
            "columns": names,
            "details": details,
            "on_error": self.on_error,
            "parts": [self.rows_in_part, CHARACTERS_IN_PART],
        }
        with KeptParts(target, identity) as kept:
            warn_of_other_runs(kept)
            used = self._work(quiet, table, names, sizes, kept, details, rows, told)
            numbers = NumbersOfRows()
            for number, (first_row, count) in enumerate(_places(sizes)):
                for line in kept.lines(number, first_row, count):
                    numbers.add(line)
            if not len(numbers):
                raise _no_score(list(numbers.failures.values()))
            found = quiet.aggregate(
                numbers,
                confidence_level=confidence_level,
                confidence_method=confidence_method,
                resamples=resamples,
                seed=seed,
                columns=optional,
            )
            result = {k: v for k, v in found.as_dict().items() if k not in one_a_row(spec)}
            if used:
                result[f"{spec.name}_judge_used"] = used
            summary = FileResult(
                output=target,
                rows=numbers.rows,
                scored=sum(score is not None for score in found.scores),
                failures=numbers.failures,
                result=result,
            )
            finished = _join(table, kept, sizes, schema, spec, details, summary)
            if table.digest() != digest:
                raise ClaimwiseError(
                    "was changed while it was scored.", "Give the same command again.", path=source
                )
            kept.finish(*finished)
        return summary

    def _job(self, metric: Metric, details: bool, rows: Callable[[], Iterable[Row]]) -> Job:
        """Return what workers need; a corpus metric goes through all rows first."""
        if not isinstance(metric, CorpusMetric):
            return Job(metric=metric, details=details, on_error=self.on_error)
        state, left_out = prepared(metric, list(rows()), self.on_error)
        return Job(metric=metric, details=details, on_error=self.on_error, state=state, left_out=left_out)

    def _work(
        self,
        metric: Metric,
        table: TableFile,
        names: Mapping[str, str],
        sizes: Sequence[int],
        kept: KeptParts,
        details: bool,
        rows: Sequence[Row],
        told: Told | None,
    ) -> dict[str, int]:
        """Score the parts that are not done, and keep them; return what a judge that costs money used."""
        places = list(_places(sizes))
        done = {
            number
            for number, (first_row, count) in enumerate(places)
            if kept.read(number, first_row, count) is not None
        }
        if done and told is not None:
            told(f"Going on: {len(done):,} of {len(sizes):,} parts are done.")
        used: dict[str, int] = {}
        if len(done) == len(sizes):
            return used
        job = self._job(metric, details, lambda: rows)
        missing = (_part(table, metric, some, names) for some in table.parts() if some.number not in done)
        rows_done = sum(places[number][1] for number in done)
        with _Bar(metric, sum(sizes), rows_done) as bar, closing(self.scored(job, missing)) as parts:
            for part in parts:
                kept.write(part)
                _note(part, used)
                bar.update(len(part.rows))
        return used


def usual_names(spec: MetricSpec) -> list[str]:
    """Return all names that the columns of a metric usually have in a file."""
    return [name for column in spec.columns for name in (column.name, *column.usual)]


def one_a_row(spec: MetricSpec) -> set[str]:
    """Return the keys of a result that hold one value a row."""
    scores = {f"{name}_scores" for name in (spec.name, *spec.further)}
    return scores | {f"{spec.name}_weights", f"{spec.name}_details"}


def _required(spec: MetricSpec) -> list[str]:
    return [column.name for column in spec.columns if column.required]


def further_columns(spec: MetricSpec, details: bool) -> dict[str, str]:
    """Return the columns that a metric adds to a file, with what they hold."""
    further = {f"{spec.name}_score": "number", f"{spec.name}_weight": "number"}
    further |= {f"{name}_score": "number" for name in spec.further}
    further[f"{spec.name}_error"] = "text"
    return further | ({f"{spec.name}_details": "json"} if details else {})


def check_new(place: Path, names: Collection[str], further: Collection[str]) -> None:
    """Refuse rows that have a column which is to be added, so that nothing is overwritten."""
    if clash := [name for name in further if name in names]:
        raise ClaimwiseError(
            f"has a column {clash[0]!r} already.", "Rename it, or score the rows without it.", path=place
        )


def read_names(
    place: Path, names: Sequence[str], spec: MetricSpec, given: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns of a file that a metric reads: those named, and the required ones."""
    if not names:
        raise ClaimwiseError("has no rows to score.", path=place)
    known = {column.name: column for column in spec.columns}
    wanted = {
        name: [given[name]] if name in given else [name, *column.usual]
        for name, column in known.items()
        if column.required or name in given
    }
    typed = [f"--{name} (in Python columns={{{name!r}: …}})" for name in wanted]
    chosen = chosen_names(place, names, list(wanted.values()), typed)
    return dict(zip(wanted, chosen, strict=True))


def _part(table: TableFile, metric: Metric, rows: Rows, names: Mapping[str, str]) -> Part:
    """Return the cells that a metric reads; in a .csv file lists are written as JSON."""
    part = rows.part(names)
    lists = [column.name for column in metric.spec.columns if column.name in names and column.may_hold_lists]
    return replace(
        part, columns={**part.columns, **{name: lists_in(table.path, part.columns[name]) for name in lists}}
    )


def _first_pass(
    table: TableFile, metric: Metric, names: Mapping[str, str], on_error: OnError, *, keep: bool
) -> tuple[list[int], list[Row]]:
    """Return the rows of each part, and for a corpus metric all rows that can be scored.

    Raises:
        ClaimwiseError: for the first row that cannot be scored, unless rows may fail.
    """
    sizes, kept = [], []
    for rows in table.parts():
        sizes.append(len(rows))
        if on_error == "row" and not keep:
            continue
        for row in scorable(metric, [_part(table, metric, rows, names)], on_error):
            kept += [row] if keep else []
    if not sizes:
        raise ClaimwiseError("has no rows to score.", path=table.path)
    return sizes, kept


def _places(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the number of the first row of each part, and how many it has."""
    first_row = 0
    for size in sizes:
        yield first_row, size
        first_row += size


def _join(
    table: TableFile,
    kept: KeptParts,
    sizes: Sequence[int],
    schema: Any,
    spec: MetricSpec,
    details: bool,
    summary: FileResult,
) -> list[tuple[Path, Path]]:
    """Make the output: the rows of the input, each with what was found for it.

    Returns:
        The files that were made, each with the place that it is for.
    """
    output = summary.output
    made, beside = kept.place("output"), kept.place("metadata")
    further = further_columns(spec, details)
    metadata = {
        "metric": spec.name,
        "rows": summary.rows,
        "scored": summary.scored,
        "errors": len(summary.failures),
        "result": summary.result,
    }
    places = list(_places(sizes))
    try:
        writer = RowWriter(made, schema, further, metadata)
        try:
            for rows in table.parts():
                lines = kept.lines(rows.number, *places[rows.number])
                read = (read_line(line, evidence=details) for line in lines)
                cells = [further_cells(found, spec, details, evidence) for found, evidence in read]
                writer.write(rows, cells)
        finally:
            writer.close()
    except OSError as error:
        raise cannot_be_written(output, error) from error
    if schema is not None:
        return [(made, output)]
    write_metadata(made, metadata, beside, output)
    return [(made, output), (beside, metadata_path(output))]


def further_cells(
    found: Found, spec: MetricSpec, details: bool, evidence: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the further cells of a row; the evidence is the row score's own, if it is not given."""
    name = spec.name
    if isinstance(found, RowFailure):
        return {f"{name}_error": found.message}
    cells: dict[str, Any] = {f"{name}_score": found.score, f"{name}_weight": found.weight}
    cells |= {f"{further}_score": found.further.get(further) for further in spec.further}
    if not details:
        return cells
    if evidence is None and found.evidence is not None:
        evidence = found.evidence.as_dict()
    told = None if evidence is None else json.dumps(evidence, ensure_ascii=False)
    return cells | {f"{name}_details": told}


def _lists(metric: Metric, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the columns that a metric reads as lists of one length.

    Raises:
        ClaimwiseError: for something else.
    """
    read = [c.name for c in metric.spec.columns if c.required or columns.get(c.name) is not None]
    for name in read:
        if isinstance(columns.get(name), str | bytes | dict) or not isinstance(columns.get(name), Iterable):
            metric.check({**{other: [] for other in read}, name: columns.get(name)})  # which refuses it
    lists = {name: list(columns[name]) for name in read}
    check_lengths(lists)
    return lists


def _note(part: ScoredPart, used: dict[str, int]) -> None:
    """Add up what was used for a part, and say what was worked around."""
    for what, count in part.used.items():
        used[what] = used.get(what, 0) + count
    for said in part.warnings:
        warn(said)


def _no_score(messages: Sequence[str]) -> ClaimwiseError:
    first = f" The first: {messages[0]}" if messages else ""
    return ClaimwiseError(f"No row has a score.{first}", "Give at least one row that can be scored.")


class _Bar:
    """Shows rows, their rate and the time that is left; a context manager."""

    def __init__(self, metric: Metric, rows: int, done: int = 0) -> None:
        from tqdm.auto import tqdm

        shown = getattr(metric.options, "show_progress", True)
        self._bar: Any = tqdm(
            total=rows,
            initial=done,
            desc=metric.spec.title,
            unit="row",
            delay=2,
            disable=None if shown else True,  # None: only on a terminal
            leave=False,
        )

    def __enter__(self) -> Any:
        return self._bar

    def __exit__(self, *_: object) -> None:
        self._bar.close()
