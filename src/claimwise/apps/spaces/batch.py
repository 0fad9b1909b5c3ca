"""Scoring the rows of a file on a page: a table in, the same rows with scores out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from claimwise.apps.spaces.models import turn
from claimwise.apps.spaces.page import Options, Page, check_length
from claimwise.errors import ClaimwiseError, RowsError
from claimwise.evidence import Evidence
from claimwise.metrics import Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.runners.parts import Job, Part, ScoredPart, with_lists
from claimwise.runners.processes import LocalRunner
from claimwise.runners.results import FileResult
from claimwise.tables import read_columns

MAX_ROWS = 200
MAX_CHARACTERS = 300_000
ROWS_AT_ONCE = 4


class ScoredFile(NamedTuple):
    """The result of scoring a file.

    Attributes:
        path: the result file: the given rows with scores and signature and, except in .csv, the evidence.
        result: result of all rows.
        texts: texts of the first column.
        evidence: evidence of each row; None = it has no score.
        remarks: what the page says about texts that the metric cannot read.
    """

    path: Path
    result: FileResult
    texts: list[str]
    evidence: list[Evidence | None]
    remarks: list[str]


class _InTurns(LocalRunner):
    """Scores a few rows at a time, letting other visitors in between, and keeps the evidence of each."""

    def __init__(self, options: Options) -> None:
        super().__init__(rows_in_part=ROWS_AT_ONCE)
        self._options = options
        self.evidence: dict[int, Evidence | None] = {}

    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        for part in parts:
            with turn(self._options):
                found = job.score(part)
            rows = enumerate(found.rows, found.first_row)
            self.evidence |= {row: one.evidence for row, one in rows if isinstance(one, RowScore)}
            yield found

    def _job(self, metric: Metric, details: bool, rows: Sequence[Row]) -> Job:
        with turn(self._options):
            return super()._job(metric, True, rows)


def score_file(page: Page, path: Path, options: Options, report: Callable[[int, int], None]) -> ScoredFile:
    """Score every row of a file.

    Args:
        page: page of the metric.
        path: a .csv, .json, .jsonl or .parquet file; the result is written beside it, in a separate folder.
        options: options of the metric.
        report: receives the number of finished rows and of all rows.

    Raises:
        RowsError: for invalid rows.
        ClaimwiseError: for a file that is unreadable or too large, or lacks a column.
    """
    names = page.names_in_files
    try:
        columns = dict(zip(names, read_columns(path, list(names.values())), strict=True))
        _check_size(page, path, columns)
        metric = page.metric(options)
        output = Path(tempfile.mkdtemp(dir=path.parent)) / f"{path.stem}-{metric.name}{path.suffix}"
        runner = _InTurns(options)
        found = runner.score_file(
            metric,
            path,
            output,
            details=path.suffix.lower() != ".csv",
            signed=True,
            watch=lambda progress: report(progress.done, progress.rows),
        )
    except ClaimwiseError as error:  # visitors do not know the folder of an upload
        raise error if error.path is None else error.at(path=path.name) from error
    named = metric.spec.named(with_lists(metric.spec, columns)[0])
    return ScoredFile(
        output,
        found,
        list(map(_text, columns["predictions"])),
        [runner.evidence.get(row) for row in range(found.rows)],
        [problem for problem, _ in metric.remarks(found.counts, named)],
    )


def _check_size(page: Page, path: Path, columns: dict[str, list[Any]]) -> None:
    rows = len(columns["predictions"])
    texts = {name: list(map(_text, cells)) for name, cells in columns.items()}
    characters = sum(len(text) for of_column in texts.values() for text in of_column)
    for count, limit, unit in ((rows, MAX_ROWS, "rows"), (characters, MAX_CHARACTERS, "characters")):
        if count > limit:
            raise ClaimwiseError(
                f"{path.name} has {count:,} {unit}; this page takes up to {limit:,}.",
                f"Split it, or score it without a limit by “claimwise score {page.name} {path.name}” on your "
                f"own machine.",
            )
    boxes = {box.column: box for box in reversed(page.inputs.boxes)}
    long = []
    for column, of_column in texts.items():
        for row, text in enumerate(of_column):
            try:
                check_length(text, boxes[column], path=path, column=column, row=row)
            except ClaimwiseError as error:
                long.append(error)
    if long:
        raise RowsError(long, len(long))


def _text(cell: Any) -> str:
    """Return the text of a cell, with the texts of a list joined; empty for anything else."""
    if isinstance(cell, list):
        return " ".join(map(_text, cell))
    return cell if isinstance(cell, str) else ""
