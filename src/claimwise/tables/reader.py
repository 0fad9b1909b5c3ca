"""Reading tables: rows in batches, with texts exactly as in the file."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from claimwise.errors import ClaimwiseError, warn
from claimwise.tables import arrow
from claimwise.tables.formats import (
    AS_LIST,
    DELIMITERS,
    check_delimiter,
    content_format,
    delimiter_of,
    encoding_of,
    named_format,
    not_json,
    rows_of,
)
from claimwise.tables.names import chosen_name, plain_name
from claimwise.tables.places import is_special

if TYPE_CHECKING:
    import pyarrow

ROWS_IN_BATCH = 256
CHARACTERS_IN_BATCH = 2**18
SEPARATORS = {".csv": ",", ".tsv": "\t"}
Row = dict[str, Any]
LONGEST = 2**26
"""Most bytes of a line, and characters of a cell: a quotation mark or line that never ends is an error."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a table.

    Attributes:
        first_row: number of the first row, from 0.
        content: the rows, as dicts or as an Arrow table.
        lines: first line of each row in the file, from 1; None for a file without lines.
    """

    first_row: int
    content: list[Row] | pyarrow.Table
    lines: list[int] | None = None

    def __len__(self) -> int:
        return len(self.content)

    def cells(self, name: str) -> list[Any]:
        """Return the cells of a column; None where it is missing."""
        if isinstance(self.content, list):
            return [row.get(name) for row in self.content]
        if name not in self.content.column_names:
            return [None] * len(self)
        cells: list[Any] = self.content.column(name).to_pylist()
        return cells

    def dicts(self) -> list[Row]:
        """Return each row as a dict."""
        rows: list[Row] = self.content if isinstance(self.content, list) else self.content.to_pylist()
        return rows


class Table:
    """A .csv, .tsv, .json, .jsonl (.ndjson) or .parquet file of rows; it can be read repeatedly.

    The content decides between JSON and JSON Lines, and about the delimiter. A pipe or device, and the
    content of a compressed file (.gz), is copied to a temporary file first. A file that is Windows-1252
    instead of UTF-8 is read with a warning.

    Args:
        path: the file.
        wanted: names of columns whose cells must not be lists of lists, and by which the delimiter of a CSV
            file is found.
        delimiter: the delimiter of a CSV file; None = it is found in the header.

    Attributes:
        suffix: the format: ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` or ``.parquet``.

    Raises:
        ClaimwiseError: for an unreadable file.
    """

    def __init__(self, path: Path, wanted: Collection[str] = (), delimiter: str | None = None) -> None:
        self.path, self.suffix = path, named_format(path)
        self._wanted, self._delimiter = set(wanted), check_delimiter(delimiter)
        self._plain_names = set(map(plain_name, wanted))
        self._file = path
        with self._reading():
            if (is_special(path) and not path.is_dir()) or path.name.lower().endswith(".gz"):
                self._copy = _copy_of(path)  # it is deleted with the table
                self._file = Path(self._copy.name)
            with self._file.open("rb") as file:
                if self.suffix != ".parquet":
                    self.suffix = content_format(self.suffix, file)
        rows = {".csv": self._csv, ".tsv": self._csv, ".json": self._json, ".jsonl": self._jsonl}
        self._rows: Callable[[], Iterator[tuple[int, Row]]] | None = rows.get(self.suffix)
        self._has_lines = self.suffix != ".json"

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns; a repeated name is a ClaimwiseError."""
        with self._reading():
            if self._rows is None:
                return _each_once(self.schema().names)
            if self.suffix in SEPARATORS:
                return next(self._csv_cells(), (1, []))[1]
            return list(dict.fromkeys(chain.from_iterable(row for _, row in self._rows())))

    def batches(
        self,
        rows: int = ROWS_IN_BATCH,
        characters: int = CHARACTERS_IN_BATCH,
        names: Sequence[str] | None = None,
    ) -> Iterator[Batch]:
        """Yield the rows in batches.

        Args:
            rows: maximum rows per batch.
            characters: approximate maximum characters per batch; a single row may exceed it.
            names: columns to read; None = all.

        Raises:
            ClaimwiseError: naming the file, and the line or row.
        """
        with self._reading():
            if self._rows is not None:
                yield from self._cut(self._rows(), rows, characters)
                return
            first_row = 0
            for content in arrow.batches(self._file, rows, characters, names):
                yield Batch(first_row, content)
                first_row += len(content)

    def digest(self) -> str:
        """Return the SHA-256 of the content."""
        with self._reading(), self._file.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def schema(self) -> pyarrow.Schema:
        """Return the column types, as a Parquet file needs them.

        Raises:
            ClaimwiseError: for a column with values of incompatible types.
        """
        with self._reading():
            if self._rows is None:
                from pyarrow.parquet import read_schema

                return read_schema(self._file)
            if self.suffix in SEPARATORS:
                import pyarrow

                return pyarrow.schema([(name, pyarrow.string()) for name in self.names])
            return arrow.unified(self.path, self.names, (batch.dicts() for batch in self.batches()))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn any failure into an error that names the file."""
        try:
            yield
        except ClaimwiseError as error:
            if error.path is not None:
                raise
            raise error.at(path=str(self.path)) from error
        except MemoryError as error:
            remedy = "Split it into several files."
            raise ClaimwiseError("does not fit into memory.", remedy, path=self.path) from error
        except Exception as error:
            reason = " ".join(str(getattr(error, "strerror", None) or error).split())[:300]
            if isinstance(error, OSError) and error.errno is not None:
                problem = f"cannot be read ({reason})."
                raise ClaimwiseError(problem, "Check the path.", path=self.path) from error
            kind = "path" if "\0" in str(self.path) else f"{self.suffix} file"
            remedy = "Check that it is complete, and that its name says its format."
            raise ClaimwiseError(f"is not a valid {kind} ({reason}).", remedy, path=self.path) from error

    def _cut(self, rows: Iterable[tuple[int, Row]], most: int, characters: int) -> Iterator[Batch]:
        first_row = size = 0
        lines: list[int] = []
        content: list[Row] = []
        for line, row in rows:
            lines.append(line)
            content.append(row)
            size += sum(map(_text_size, row.values()))
            if len(content) == most or size >= characters:
                yield Batch(first_row, content, lines if self._has_lines else None)
                first_row, size, lines, content = first_row + len(content), 0, [], []
        if content:
            yield Batch(first_row, content, lines if self._has_lines else None)

    @cached_property
    def _encoding(self) -> str:
        with self._file.open("rb") as file:
            encoding = encoding_of(file if self.suffix == ".json" else _lines(file))
        if encoding == "cp1252":
            warn(
                f"{self.path.name} is not UTF-8 and was read as Windows-1252. Save it as UTF-8 if any "
                "letters are wrong."
            )
        return encoding

    def _text(self, newline: str) -> TextIO:
        return self._file.open(encoding=self._encoding, newline=newline)

    # The rows of each format, with their first line (in a JSON list, their number) ---------------------

    def _csv(self) -> Iterator[tuple[int, Row]]:
        cells = self._csv_cells()
        _, names = next(cells, (1, []))
        empty = dict.fromkeys(names)
        for line, row in cells:
            yield line, empty | dict(zip(names, row, strict=False))

    def _csv_cells(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the header, then the cells of every non-blank row, each with its first line."""
        parser = _csv_parser()
        with self._text(newline="") as file:
            header = file.readline()
            hint = re.fullmatch(r"sep=(.)\s*", header, re.IGNORECASE)  # as Excel writes and reads it
            delimiter = self._delimiter or (
                hint[1] if hint else delimiter_of(header, self._wanted, SEPARATORS[self.suffix])
            )
            rows = parser.reader(chain([header], file), strict=True, delimiter=delimiter)
            if hint:
                next(rows)
            width: int | None = None
            while True:
                line = rows.line_num + 1
                try:
                    row = next(rows, None)
                except parser.Error as error:
                    raise ClaimwiseError(
                        f"is not valid CSV ({error}).",
                        'Quote cells that contain quotes or line breaks, and double the inner quotes ("").',
                        line=line,
                    ) from error
                if row is None:
                    return
                if width is None:
                    width = len(_each_once(row))
                elif len(row) > width:
                    raise ClaimwiseError(
                        f"has {len(row)} cells, but the header has only {width} columns.",
                        f"Quote cells that contain {DELIMITERS.get(delimiter, f'`{delimiter}`')}, or give "
                        "the delimiter of the file.",
                        line=line,
                    )
                elif not row:  # a blank line
                    continue
                yield line, row

    def _json(self) -> Iterator[tuple[int, Row]]:
        with self._text(newline="") as file:
            content = file.read()
        if not content.strip():
            return
        try:
            rows = rows_of(json.loads(content, object_pairs_hook=_object))
        except ClaimwiseError:
            raise
        except (ValueError, RecursionError) as error:
            raise not_json(content, error) from error
        for number, row in enumerate(rows, 1):
            self._check_object(row, row=number - 1)
            yield number, row

    def _jsonl(self) -> Iterator[tuple[int, Row]]:
        with self._text(newline="\n") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line, object_pairs_hook=_object)
                except ClaimwiseError as error:
                    raise error.at(line=number) from error
                except (ValueError, RecursionError) as error:
                    raise not_json(line, error, number) from error
                self._check_object(row, line=number)
                yield number, row

    def _check_object(self, value: Any, **where: Any) -> None:
        if not isinstance(value, dict):
            problem = f"expected a JSON object, got {type(value).__name__}."
            raise ClaimwiseError(problem, AS_LIST, **where)
        for name, cell in value.items():
            is_nested = isinstance(cell, list) and any(isinstance(item, list) for item in cell)
            if is_nested and plain_name(name) in self._plain_names:
                problem = f"`{name}` must be a text or a list of texts; got a list of lists."
                raise ClaimwiseError(problem, "Write a list of texts.", **where)


def read_columns(
    path: Path,
    alternatives: Sequence[Sequence[str]],
    delimiter: str | None = None,
    option: str | None = None,
) -> list[list[Any]]:
    """Read columns of a table into memory.

    Args:
        path: see ``Table``.
        alternatives: alternative names of each wanted column; the first that exists is read.
        delimiter: see ``Table``.
        option: the option that gave the names, for errors.

    Returns:
        One list of cells per wanted column; a missing JSON key or CSV cell gives None.

    Raises:
        ClaimwiseError: for a file that is unreadable or empty, or lacks a column.
    """
    table = Table(path, [name for names in alternatives for name in names], delimiter)
    chosen = [chosen_name(path, table.names, names, option) for names in alternatives] if table.names else []
    columns: dict[str, list[Any]] = {name: [] for name in chosen}
    for batch in table.batches(names=list(columns)) if columns else ():
        for name, cells in columns.items():
            cells += batch.cells(name)
    if not any(columns.values()):
        raise ClaimwiseError("has no rows to score.", path=path)
    return [columns[name] for name in chosen]


@cache
def _csv_parser() -> Any:
    """Return a parser of CSV for cells of up to ``LONGEST`` characters.

    The module ``csv`` limits cells to 131,072 characters, which a list of reviews can exceed, and its limit
    holds for the whole process. This is a copy of its parser, whose limit concerns nobody else.
    """
    specification = importlib.util.find_spec("_csv")
    if specification is None or specification.loader is None:
        raise ImportError("Python's csv module is missing.")
    parser: Any = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(parser)
    parser.field_size_limit(LONGEST)
    return parser


def _lines(file: BinaryIO) -> Iterator[bytes]:
    for number in count(1):
        line = file.readline(LONGEST + 1)
        if len(line) > LONGEST:
            remedy = "Check the quotation marks and line endings around it."
            raise ClaimwiseError(f"is longer than {LONGEST >> 20} MiB.", remedy, line=number)
        if not line:
            return
        yield line


def _text_size(cell: Any) -> int:
    """Return the approximate number of characters in a cell."""
    if isinstance(cell, str | bytes):
        return len(cell)
    if isinstance(cell, list | tuple):
        return sum(map(_text_size, cell))
    if isinstance(cell, Mapping):
        return sum(len(str(key)) + _text_size(value) for key, value in cell.items())
    return 8


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a repeated key is an error."""
    row = dict(pairs)
    if len(row) < len(pairs):
        _each_once([name for name, _ in pairs])
    return row


def _each_once(names: list[str]) -> list[str]:
    """Return the names of columns; a repeated name is an error."""
    if repeated := [name for index, name in enumerate(names) if name in names[:index]]:
        raise ClaimwiseError(f"has two columns named `{repeated[0]}`.", "Rename one of them.")
    return names


def _copy_of(path: Path) -> Any:
    """Return a temporary file with the content of a pipe, device or gzip file."""
    copy = tempfile.NamedTemporaryFile(prefix="claimwise-", suffix=path.suffix)  # noqa: SIM115 - it is kept
    is_compressed = path.name.lower().endswith(".gz")
    with gzip.open(path) if is_compressed else path.open("rb") as file:
        shutil.copyfileobj(file, copy)
    copy.flush()
    return copy
