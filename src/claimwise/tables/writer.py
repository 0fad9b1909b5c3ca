"""Writing scored rows as tables, and reading them again: rows in a file, and what is said of all of them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from claimwise.errors import ClaimwiseError
from claimwise.signature import file_digest
from claimwise.tables.reader import Batch, Table

if TYPE_CHECKING:
    import pyarrow

SUFFIXES = (".csv", ".jsonl", ".ndjson", ".parquet")
"""Of tables with a row for each row of the input; a .json file holds a whole result."""
METADATA = "claimwise"
"""The key under which a table holds what is said of all rows: the metric, its mean, its signature."""

Holds = Literal["number", "text", "json"]


class Writer:
    """Writes batches of rows with further columns.

    Args:
        path: of the file to write.
        suffix: of the table, which decides its format: one of ``SUFFIXES``.
        table: the input; the file has its columns.
        further: the further columns with what they hold. What ``"json"`` holds stands in a .csv or .parquet
            file as text.
        metadata: what is said of all rows.
        beside: where the metadata of a .csv or .jsonl file is written; a .parquet file holds its own.

    Raises:
        ClaimwiseError: for a column that holds values of several types, if the file is to be .parquet.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        table: Table,
        further: Mapping[str, Holds],
        metadata: Mapping[str, Any],
        beside: Path | None = None,
    ) -> None:
        self._further, self._suffix = further, suffix
        self._path, self._metadata, self._beside = path, metadata, beside
        if suffix == ".parquet":
            from pyarrow.parquet import ParquetWriter

            self._schema = table.schema()
            told = {**(self._schema.metadata or {}), METADATA.encode(): json.dumps(metadata).encode()}
            self._whole = with_columns(self._schema.empty_table(), further, []).schema.with_metadata(told)
            self._file: Any = ParquetWriter(path, self._whole)
            return
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        if suffix == ".csv":
            self._csv = csv.DictWriter(self._file, [*table.names, *further])
            self._csv.writeheader()

    def write(self, rows: Batch, found: Sequence[Mapping[str, Any]]) -> None:
        """Write rows with the further cells of each."""
        if self._suffix == ".parquet":
            import pyarrow

            table = rows.content
            if isinstance(table, list):
                columns = [pyarrow.array([r.get(one.name) for r in table], one.type) for one in self._schema]
                table = pyarrow.table(columns, schema=self._schema)
            table = with_columns(table.cast(self._schema.remove_metadata()), self._further, found)
            self._file.write_table(table.cast(self._whole))
            return
        for row, own in zip(rows.dicts(), found, strict=True):
            cells = row | {name: own.get(name) for name in self._further}
            if self._suffix == ".csv":
                # What is no text or number stands there as JSON, and no number as nothing.
                for name, cell in cells.items():
                    cells[name] = (as_json if isinstance(cell, list | dict | bool) else _finite)(cell)
                self._csv.writerow(cells)
            else:
                self._file.write(as_json(cells) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write what is left, and the metadata with the digest of the rows."""
        self._file.close()
        if kind is None and self._beside is not None:
            write_json(self._beside, {"sha256": file_digest(self._path), METADATA: self._metadata})


def with_columns(
    table: pyarrow.Table, further: Mapping[str, Holds], found: Sequence[Mapping[str, Any]]
) -> pyarrow.Table:
    """Return an Arrow table with further columns, of which each row of ``found`` has the cells."""
    import pyarrow

    types = {"number": pyarrow.float64(), "text": pyarrow.string(), "json": pyarrow.string()}
    for name, holds in further.items():
        cells = [row.get(name) for row in found]
        if holds == "json":
            cells = [None if cell is None else as_json(cell) for cell in cells]
        field = pyarrow.field(name, types[holds])
        table = table.append_column(field, pyarrow.array(cells, type=field.type))
    return table


def metadata_path(path: Path) -> Path:
    """Return where the metadata of a .csv or .jsonl file stands."""
    return path.with_name(f"{path.name}.meta.json")


def write_json(place: Path, content: Any) -> None:
    """Write a JSON file."""
    with place.open("w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False, indent=1)


def read_scored(path: Path) -> tuple[dict[str, Any], Table]:
    """Return the metadata of a table that ``Writer`` wrote, and the table.

    Raises:
        ClaimwiseError: for another file, and for one that was changed since.
    """
    table = Table(path)
    if table.suffix == ".parquet":
        told = (table.schema().metadata or {}).get(METADATA.encode())
        if told is None:
            raise ClaimwiseError("was not written by claimwise score.", path=path)
        return json.loads(told), table
    beside = metadata_path(path)
    digest = table.digest()  # which tells of a file that cannot be read
    if not beside.exists():
        raise ClaimwiseError(f"lacks {beside.name}, which holds its mean and its signature.", path=path)
    read = json.loads(beside.read_text(encoding="utf-8"))
    if read["sha256"] != digest:
        raise ClaimwiseError("has changed since claimwise wrote it.", path=path)
    metadata: dict[str, Any] = read[METADATA]
    return metadata, table


def as_json(value: Any) -> str:
    """Return a value as JSON that any UTF-8 file takes, whatever a table's cell held."""
    text = json.dumps(_finite(value), ensure_ascii=False, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        text = json.dumps(_finite(value), default=str)
    return text


def _finite(value: Any) -> Any:
    """Return a value without the numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    return value
