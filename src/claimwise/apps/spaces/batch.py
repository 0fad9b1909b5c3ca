"""Scoring the rows of a file on a page: a CSV or JSONL file in, the same rows with scores out."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from claimwise.apps.spaces.models import turn
from claimwise.apps.spaces.page import Columns, Options, Page, check_length
from claimwise.errors import ClaimwiseError
from claimwise.files import lists_in, read_columns
from claimwise.metrics import Metric
from claimwise.metrics.base import CorpusMetric, Result, Row, RowScore

MAX_ROWS = 200
MAX_CHARACTERS = 300_000
MESSAGES_SHOWN = 10
ROWS_AT_ONCE = 4


class ScoredFile(NamedTuple):
    """What became of a file.

    Attributes:
        path: of the result file: the rows that were given, with scores, weights where they differ, and the
            signature; a .jsonl file has the evidence as well.
        result: of all rows.
        texts: of the first column, one per row.
    """

    path: Path
    result: Result
    texts: list[str]


class RowsError(ClaimwiseError):
    """Rows that cannot be scored, each with a message of its own."""

    def __init__(self, messages: list[str]) -> None:
        super().__init__(" ".join(messages))
        self.messages = messages


def score_file(page: Page, path: Path, options: Options, report: Callable[[int, int], None]) -> ScoredFile:
    """Score every row of a file.

    Args:
        page: of the metric.
        path: a .csv or .jsonl file; the result is written beside it, in a folder of its own.
        options: of the metric.
        report: is told how many rows of how many are done.

    Raises:
        RowsError: for rows that cannot be scored; rows are counted from 1.
        ClaimwiseError: for a file that cannot be read, is too large, or lacks a column.
    """
    columns = _columns(page, path)
    _check_size(page, path, columns)
    metric = page.metric(options)
    rows = _rows(page, metric, columns)
    row_scores: list[RowScore] = []
    score: Callable[[list[Row]], list[RowScore]] = partial(metric.score_rows, details=True)
    report(0, len(rows))
    if isinstance(metric, CorpusMetric):
        with turn(options):
            score = partial(metric.score_rows, details=True, state=metric.prepare(rows))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        with turn(options):
            row_scores += score(rows[start : start + ROWS_AT_ONCE])
        report(len(row_scores), len(rows))
    result = metric.aggregate(row_scores)
    return ScoredFile(_write(path, columns, result), result, columns["predictions"])


def _columns(page: Page, path: Path) -> Columns:
    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise ClaimwiseError(
            f"{path.name} is neither a .csv nor a .jsonl file.", "Save the rows as one of them."
        )
    names = page.names_in_files
    try:
        columns = dict(zip(names, read_columns(path, list(names.values())), strict=True))
    except ClaimwiseError as error:  # the folder of an upload does not help a visitor
        raise error.at(path=path.name) from error
    of_texts = {column.name for column in page.spec.columns if column.holds == "texts"}
    return {name: cells if name in of_texts else lists_in(path, cells) for name, cells in columns.items()}


def _check_size(page: Page, path: Path, columns: Columns) -> None:
    rows = len(columns["predictions"])
    characters = sum(len(_text(cell)) for cells in columns.values() for cell in cells)
    for count, limit, unit in ((rows, MAX_ROWS, "rows"), (characters, MAX_CHARACTERS, "characters")):
        if count > limit:
            raise ClaimwiseError(
                f"{path.name} has {count:,} {unit}; this page takes up to {limit:,}.",
                f"Split it, or score it with “claimwise score {page.name} {path.name}” on your own machine, "
                f"without a limit.",
            )


def _rows(page: Page, metric: Metric, columns: Columns) -> list[Row]:
    """Return the rows; raise ``RowsError`` with the messages of all that cannot be scored."""
    boxes = {box.column: box for box in reversed(page.inputs.boxes)}
    messages = []
    for row, cells in enumerate(zip(*columns.values(), strict=True)):
        try:
            metric.check({name: [cell] for name, cell in zip(columns, cells, strict=True)}, first_row=row)
            for name, cell in zip(columns, cells, strict=True):
                check_length(_text(cell), boxes[name], column=name, row=row)
        except ClaimwiseError as error:
            messages.append(page.in_words_of_files(error))
    if messages:
        further = len(messages) - MESSAGES_SHOWN
        raise RowsError(messages[:MESSAGES_SHOWN] + [f"… and {further} more rows."] * (further > 0))
    rows: list[Row] = metric.rows(columns)
    return rows


def _text(cell: Any) -> str:
    """Return the text of a cell, the texts of a list joined; nothing for what is no text."""
    if isinstance(cell, list):
        return " ".join(map(_text, cell))
    return cell if isinstance(cell, str) else ""


def _write(given: Path, columns: Columns, result: Result) -> Path:
    """Write the given rows with their scores, in a folder of their own beside the given file."""
    name, suffix = result.name, given.suffix.lower()
    path = Path(tempfile.mkdtemp(dir=given.parent)) / f"{given.stem}-{name}{suffix}"
    found = result.as_dict()
    scores = {key.removesuffix("_scores"): rows for key, rows in found.items() if key.endswith("_scores")}
    table = columns | scores
    if result.weights is not None:
        table[f"{name}_weights"] = result.weights
    table[f"{name}_signature"] = [result.signature] * len(result.scores)
    if suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            for row in zip(*table.values(), strict=True):
                writer.writerow(
                    json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell for cell in row
                )
        return path
    table[f"{name}_details"] = result.details
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*table.values(), strict=True):
            file.write(json.dumps(dict(zip(table, row, strict=True)), ensure_ascii=False) + "\n")
    return path
