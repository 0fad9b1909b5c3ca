"""Scoring the rows of a file on a page: a CSV or JSONL file in, the same rows with scores out."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from claimwise.apps.spaces.models import computing
from claimwise.apps.spaces.page import Columns, Options, Page, check_length
from claimwise.errors import ClaimwiseError
from claimwise.files import read_columns

MAX_ROWS = 200
MAX_CHARACTERS = 300_000
MESSAGES_SHOWN = 10


class ScoredFile(NamedTuple):
    """What became of a file.

    Attributes:
        path: of the result file: the rows that were given, with scores and the signature; a .jsonl file has
            the evidence as well.
        mean: of the metric.
        scores: one per row; None where the metric gives none.
        texts: of the first column, one per row.
        signature: of the metric.
    """

    path: Path
    mean: float
    scores: list[float | None]
    texts: list[str]
    signature: str


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
    rows = len(columns["predictions"])
    characters = sum(len(_text(cell)) for cells in columns.values() for cell in cells)
    for count, limit, unit in ((rows, MAX_ROWS, "rows"), (characters, MAX_CHARACTERS, "characters")):
        if count > limit:
            raise ClaimwiseError(
                f"{path.name} has {count:,} {unit}; this page takes up to {limit:,}. Split it, or score it "
                f"with “claimwise score {page.name} {path.name}” on your own machine, without a limit."
            )
    metric = page.metric(options)
    _check(page, metric.check, columns, rows)
    step = page.rows_at_once or rows
    per_row: dict[str, list[Any]] = {}
    for start in range(0, rows, step):
        report(start, rows)
        part = {name: texts[start : start + step] for name, texts in columns.items()}
        try:
            with computing:
                result = metric.compute(**part, details=True)
        except ClaimwiseError as error:
            raise ClaimwiseError(_counted_from_one(str(error), start)) from error
        for key, values in result.items():
            if key.endswith(("_scores", "_details")):
                per_row.setdefault(key, []).extend(values)
    report(rows, rows)
    scores: list[float | None] = per_row[f"{page.name}_scores"]
    weights = [page.weight(evidence) for evidence in per_row[f"{page.name}_details"]]
    scored = [row for row, score in enumerate(scores) if score is not None]
    mean = np.average([scores[row] for row in scored], weights=[weights[row] for row in scored])
    signature = metric.signature()
    return ScoredFile(
        _write(page.name, path, columns, per_row, signature),
        float(mean),
        scores,
        columns["predictions"],
        signature,
    )


def _columns(page: Page, path: Path) -> Columns:
    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise ClaimwiseError(
            f"{path.name} is neither a .csv nor a .jsonl file. Save the rows as one of them."
        )
    names = {field.column: field.names for field in page.fields}
    try:
        return dict(zip(names, read_columns(path, list(names.values())), strict=True))
    except ClaimwiseError as error:  # the folder of an upload does not help a visitor
        message = str(error).replace(str(path), path.name)
        raise ClaimwiseError(message) from error


def _check(page: Page, check: Callable[..., Any], columns: Columns, rows: int) -> None:
    """Raise ``RowsError`` if any row cannot be scored, with the messages of all such rows."""
    fields = {field.column: field for field in page.fields}
    messages = []
    for row in range(rows):
        cells = {name: texts[row] for name, texts in columns.items()}
        try:
            check({name: [cell] for name, cell in cells.items()})
            for name, cell in cells.items():
                check_length(_text(cell), fields[name], f"{name}, row 0:")
        except ClaimwiseError as error:
            messages.append(_counted_from_one(str(error), row))
    if messages:
        further = len(messages) - MESSAGES_SHOWN
        raise RowsError(messages[:MESSAGES_SHOWN] + [f"… and {further} more rows."] * (further > 0))


def _text(cell: Any) -> str:
    """Return the text of a cell, the texts of a list joined; nothing for what is no text."""
    if isinstance(cell, list):
        return " ".join(map(_text, cell))
    return cell if isinstance(cell, str) else ""


def _counted_from_one(message: str, first_row: int) -> str:
    return re.sub(r"\brow (\d+)", lambda found: f"row {int(found[1]) + first_row + 1}", message, count=1)


def _write(name: str, given: Path, columns: Columns, per_row: dict[str, list[Any]], signature: str) -> Path:
    """Write the given rows with their scores, in a folder of their own beside the given file."""
    path = Path(tempfile.mkdtemp(dir=given.parent)) / f"{given.stem}-{name}{given.suffix.lower()}"
    scores = {key.removesuffix("_scores"): rows for key, rows in per_row.items() if key.endswith("_scores")}
    table = columns | scores | {f"{name}_signature": [signature] * len(columns["predictions"])}
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
        return path
    table |= {key: rows for key, rows in per_row.items() if key.endswith("_details")}
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*table.values(), strict=True):
            file.write(json.dumps(dict(zip(table, row, strict=True)), ensure_ascii=False) + "\n")
    return path
