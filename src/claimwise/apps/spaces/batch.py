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
MAX_BYTES = 5 * 2**20
"""Largest upload; also the largest content of a Parquet file, whose texts may be compressed and repeated."""
ROWS_AT_ONCE = 4


class ScoredFile(NamedTuple):
    """The result of scoring a file.

    Attributes:
        path: the result file: the given rows with scores and signature and, except in .csv, the evidence.
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
                scored = job.score(part)
            rows = enumerate(scored.rows, scored.first_row)
            self.evidence |= {number: row.evidence for number, row in rows if isinstance(row, RowScore)}
            yield scored

    def _job(self, metric: Metric, details: bool, rows: Sequence[Row]) -> Job:
        with turn(self._options):
            return super()._job(metric, True, rows)


def score_file(page: Page, path: Path, options: Options, report: Callable[[int, int], None]) -> ScoredFile:
    """Score every row of an uploaded file; the result is written beside it, in a separate folder.

    ``report`` receives the number of finished rows and of all rows.

    Raises:
        RowsError: for invalid rows.
        ClaimwiseError: for a file that is unreadable or too large, or lacks a column.
    """
    names = page.names_in_files
    try:
        _check_upload(page, path)
        columns = dict(zip(names, read_columns(path, list(names.values())), strict=True))
        _check_size(page, path, columns)
        metric = page.metric(options)
        output = Path(tempfile.mkdtemp(dir=path.parent)) / f"{path.stem}-{metric.name}{path.suffix}"
        runner = _InTurns(options)
        result = runner.score_file(
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
        result,
        list(map(_text, columns["predictions"])),
        [runner.evidence.get(row) for row in range(result.rows)],
        [problem for problem, _ in metric.remarks(result.counts, named)],
    )


def _check_upload(page: Page, path: Path) -> None:
    """Raise an error for a file whose few bytes may stand for any amount of memory, before it is read."""
    if path.suffix.lower() == ".gz":
        raise ClaimwiseError("is compressed.", "Unpack it first.", path=path)
    size = path.stat().st_size
    if path.suffix.lower() == ".parquet" and size <= MAX_BYTES:
        import pyarrow
        from pyarrow.parquet import ParquetFile, read_metadata

        try:
            metadata = read_metadata(path)
            groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
            chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
            _check_count(page, path, metadata.num_rows, MAX_ROWS, "rows")
            _check_count(page, path, sum(c.num_values for c in chunks), MAX_CHARACTERS, "cells")
            size = sum(chunk.total_uncompressed_size for chunk in chunks)
            if size <= MAX_BYTES:
                # Each distinct text is read once, however often it is repeated.
                texts = sorted({c.path_in_schema for c in chunks if c.physical_type == "BYTE_ARRAY"})
                with ParquetFile(path, read_dictionary=texts) as file:
                    size = sum(_bytes(column) for batch in file.iter_batches() for column in batch.columns)
        except (pyarrow.ArrowException, OSError) as error:
            problem = f"is not a valid .parquet file ({' '.join(str(error).split())[:300]})."
            raise ClaimwiseError(problem, "Check that it is complete.", path=path) from error
    _check_count(page, path, size, MAX_BYTES, "bytes")


def _bytes(array: Any) -> int:
    """Return the size of the texts of an Arrow array, each as often as it occurs."""
    from pyarrow import compute, types

    kind = array.type
    if types.is_struct(kind):
        return sum(map(_bytes, array.flatten()))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_map(kind):
        return _bytes(array.flatten())
    if types.is_dictionary(kind):
        return compute.sum(compute.binary_length(array.dictionary).take(array.indices)).as_py() or 0
    return int(array.nbytes)


def _check_count(page: Page, path: Path, count: int, limit: int, unit: str) -> None:
    if count > limit:
        raise ClaimwiseError(
            f"{path.name} has {count:,} {unit}; this page takes up to {limit:,}.",
            "Split it, or score it on your own machine, which has no limit: "
            f"claimwise score {page.name} {path.name}.",
        )


def _check_size(page: Page, path: Path, columns: dict[str, list[Any]]) -> None:
    texts = {column: list(map(_text, cells)) for column, cells in columns.items()}
    characters = sum(len(text) for column in texts.values() for text in column)
    _check_count(page, path, len(columns["predictions"]), MAX_ROWS, "rows")
    _check_count(page, path, characters, MAX_CHARACTERS, "characters")
    boxes = {box.column: box for box in reversed(page.inputs.boxes)}
    long = []
    for column, cells in texts.items():
        for row, text in enumerate(cells):
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
