"""Reading columns of texts from CSV, JSONL and Parquet files, and writing results all or nothing."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from claimwise.errors import ClaimwiseError


def read_columns(path: Path, alternatives: Sequence[Sequence[str]]) -> list[list[Any]]:
    """Read columns of a table.

    Args:
        path: a .csv, .jsonl (or .ndjson) or .parquet file.
        alternatives: per wanted column the names it may have; the first that exists is read.

    Returns:
        One list of cells per wanted column; a missing JSON key gives None.

    Raises:
        ClaimwiseError: for a file that cannot be read, is empty, or lacks a column.
    """
    readers = {
        ".csv": _read_csv,
        ".jsonl": _read_jsonl,
        ".ndjson": _read_jsonl,
        ".parquet": _read_parquet,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ClaimwiseError(f"{path}: unknown file type. Give a .csv, .jsonl or .parquet file.")
    try:
        table = reader(path)
    except ClaimwiseError:
        raise
    except OSError as error:
        raise ClaimwiseError(
            f"{path}: cannot be read ({error.strerror or error}). Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise ClaimwiseError(
            f"{path}: is not UTF-8 ({error.reason} at byte {error.start}). Save it as UTF-8."
        ) from error
    except Exception as error:
        raise ClaimwiseError(
            f"{path}: is not a valid {path.suffix} file ({' '.join(str(error).split())})."
        ) from error
    if not table or not any(len(cells) for cells in table.values()):
        raise ClaimwiseError(f"{path}: has no rows to score.")
    columns = []
    for names in alternatives:
        found = next((name for name in names if name in table), None)
        if found is None:
            raise ClaimwiseError(
                f"{path}: has no column {' or '.join(map(repr, names))}; it has "
                f"{', '.join(map(repr, table))}. "
                f"Name the column with --predictions, --references or --common."
            )
        columns.append(table[found])
    return columns


def _read_csv(path: Path) -> dict[str, list[Any]]:
    import pandas

    try:
        frame = pandas.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except pandas.errors.EmptyDataError:
        return {}
    if not isinstance(frame.index, pandas.RangeIndex):
        raise ClaimwiseError(
            f"{path}: the rows have more cells than the header has columns. Put texts with commas in quotes."
        )
    return {str(name): frame[name].tolist() for name in frame.columns}


def _read_jsonl(path: Path) -> dict[str, list[Any]]:
    rows = []
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                raise ClaimwiseError(f"{path}, line {number}: is not valid JSON ({error}).") from error
            if not isinstance(row, dict):
                raise ClaimwiseError(
                    f"{path}, line {number}: expected a JSON object, got {type(row).__name__}."
                )
            rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _read_parquet(path: Path) -> dict[str, list[Any]]:
    import pyarrow.parquet

    columns: dict[str, list[Any]] = pyarrow.parquet.read_table(path).to_pydict()
    return columns


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a text file that appears at ``path`` only when the block ends without an error.

    Enter it before long work: a place that cannot be written to is an error at once.

    Raises:
        ClaimwiseError: if the file cannot be written.
    """

    def refusal(error: OSError) -> ClaimwiseError:
        return ClaimwiseError(
            f"{path}: cannot be written ({error.strerror or error}). Choose another place for the output."
        )

    # A pipe or device is written to, never replaced: as root, --output /dev/null would end as a file.
    try:
        is_special = path.exists() and not path.is_file()
        part = path if is_special else path.with_name(f".{path.name}.{os.getpid()}.part")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(13, "it is read-only")
        if not is_special:
            part.touch()
    except OSError as error:
        raise refusal(error) from error
    content = io.StringIO()  # so that an OSError below is one of writing, not one of the caller's work
    try:
        yield content
        try:
            part.write_text(content.getvalue(), encoding="utf-8")
            if not is_special:
                part.replace(path)
        except OSError as error:
            raise refusal(error) from error
    finally:
        if not is_special:
            part.unlink(missing_ok=True)
