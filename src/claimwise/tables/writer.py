"""Writing and reading tables of scored rows, with metadata on all rows."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from claimwise.errors import ClaimwiseError
from claimwise.signature import file_digest
from claimwise.tables.reader import Batch, Table

if TYPE_CHECKING:
    import pyarrow

SUFFIXES = (".csv", ".jsonl", ".ndjson", ".parquet")
"""File types of tables with one row per input row; a .json file holds a whole result."""
METADATA = "claimwise"
"""The key of a table's metadata: metric, mean and signature."""

Holds = Literal["number", "text", "json"]


class Columns(Protocol):
    """The columns of a table: their names, and their types as a Parquet file needs them."""

    @property
    def names(self) -> list[str]:
        """The names."""

    def schema(self) -> pyarrow.Schema:
        """Return the types."""


class Writer:
    """Writes batches of rows with additional columns.

    Args:
        path: the file.
        suffix: the format, one of ``SUFFIXES``.
        table: the input, whose columns are copied.
        further: the additional columns with their types; .csv and .parquet files store ``"json"`` as text.
        metadata: metadata on all rows.
        beside: file for the metadata of a .csv or .jsonl table; a .parquet file contains its metadata.

    Raises:
        ClaimwiseError: for a .parquet file, if a column has values of incompatible types.
    """

    def __init__(
        self,
        path: Path,
        suffix: str,
        table: Columns,
        further: Mapping[str, Holds],
        metadata: Mapping[str, Any],
        beside: Path | None = None,
    ) -> None:
        self._further, self._suffix = further, suffix
        self._path, self._metadata, self._beside = path, metadata, beside
        if suffix == ".parquet":
            from pyarrow.parquet import ParquetWriter

            self._schema = table.schema()
            every = {**(self._schema.metadata or {}), METADATA.encode(): json.dumps(metadata).encode()}
            self._whole = with_columns(self._schema.empty_table(), further, []).schema.with_metadata(every)
            self._file: Any = ParquetWriter(path, self._whole)
            return
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        if suffix == ".csv":
            self._csv = csv.DictWriter(self._file, [*table.names, *further])
            self._csv.writeheader()

    def write(self, rows: Batch, cells: Sequence[Mapping[str, Any]]) -> None:
        """Write rows with their additional cells."""
        if self._suffix == ".parquet":
            import pyarrow

            table = rows.content
            if isinstance(table, list):
                columns = [pyarrow.array(rows.cells(field.name), field.type) for field in self._schema]
                table = pyarrow.table(columns, schema=self._schema)
            table = with_columns(table.cast(self._schema.remove_metadata()), self._further, cells)
            self._file.write_table(table.cast(self._whole))
            return
        for row, further in zip(rows.dicts(), cells, strict=True):
            whole = row | {name: further.get(name) for name in self._further}
            if self._suffix == ".csv":
                # Lists, dicts and bools are written as JSON, numbers that are not finite as empty cells.
                self._csv.writerow(
                    {
                        name: (as_json if isinstance(cell, list | dict | bool) else _finite)(cell)
                        for name, cell in whole.items()
                    }
                )
            else:
                self._file.write(as_json(whole) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write the remaining rows, and the metadata with the digest of the rows."""
        self._file.close()
        if kind is None and self._beside is not None:
            write_json(self._beside, {"sha256": file_digest(self._path), METADATA: self._metadata})


def with_columns(
    table: pyarrow.Table, further: Mapping[str, Holds], rows: Sequence[Mapping[str, Any]]
) -> pyarrow.Table:
    """Return an Arrow table with additional columns, whose cells are in ``rows``."""
    import pyarrow

    types = {"number": pyarrow.float64(), "text": pyarrow.string(), "json": pyarrow.string()}
    for name, holds in further.items():
        cells = [row.get(name) for row in rows]
        if holds == "json":
            cells = [None if cell is None else as_json(cell) for cell in cells]
        field = pyarrow.field(name, types[holds])
        table = table.append_column(field, pyarrow.array(cells, type=field.type))
    return table


def metadata_path(path: Path) -> Path:
    """Return the path of the metadata of a .csv or .jsonl file."""
    return path.with_name(f"{path.name}.meta.json")


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file."""
    with path.open("w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False, indent=1)


def read_scored(path: Path) -> tuple[dict[str, Any], Table]:
    """Return the metadata of a table that ``Writer`` wrote, and the table.

    Raises:
        ClaimwiseError: for any other file, and for one that has changed since.
    """
    table = Table(path)
    if table.suffix == ".parquet":
        stored = (table.schema().metadata or {}).get(METADATA.encode())
        if stored is None:
            raise ClaimwiseError(
                "is not a result.", "Name a file that claimwise score has written.", path=path
            )
        return json.loads(stored), table
    beside = metadata_path(path)
    digest = table.digest()  # reports an unreadable file
    if not beside.exists():
        raise ClaimwiseError(
            f"is not a result: there is no {beside.name} beside it.",
            "Name a file that claimwise score has written.",
            path=path,
        )
    content = json.loads(beside.read_text(encoding="utf-8"))
    if content["sha256"] != digest:
        raise ClaimwiseError("has changed since claimwise wrote it.", "Score the rows again.", path=path)
    metadata: dict[str, Any] = content[METADATA]
    return metadata, table


def as_json(value: Any) -> str:
    """Return any value of a cell as JSON that can be encoded as UTF-8."""
    text = json.dumps(_finite(value), ensure_ascii=False, default=str)
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        text = json.dumps(_finite(value), default=str)
    return text


def _finite(value: Any) -> Any:
    """Return a value with None for numbers that are not finite, which JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_finite(element) for element in value]
    if isinstance(value, dict):
        return {key: _finite(element) for key, element in value.items()}
    return value
