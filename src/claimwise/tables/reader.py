"""Reading tables: rows in batches of bounded size, with texts exactly as in the file."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import json
import os
import stat
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from claimwise.errors import ClaimwiseError, warn
from claimwise.tables import arrow
from claimwise.tables.formats import (
    AS_LIST,
    DELIMITERS,
    check_delimiter,
    delimiter_of,
    found_format,
    header_of,
    is_cp1252,
    is_gzip,
    named_format,
    not_json,
    rows_of,
)
from claimwise.tables.names import plain_name

if TYPE_CHECKING:
    import pyarrow

# Limits of a single read, so that no file, however crafted, takes more than 2 GiB of memory.
MOST_BYTES = 256 * 2**20
MOST_BYTES_IN_ROW = 16 * 2**20
MOST_TEXTS = 5_000_000
MOST_NAMES = 10_000
ROWS_IN_BATCH = 256
CHARACTERS_IN_BATCH = 2**18
SEPARATORS = {".csv": ",", ".tsv": "\t"}
_LIMIT_OF_CSV = threading.Lock()


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a table.

    Attributes:
        first_row: number of the first row, from 0.
        content: the rows, as dicts or as an Arrow table.
        lines: first line of each row in the file, from 1; None for a file without lines.
    """

    first_row: int
    content: list[dict[str, Any]] | pyarrow.Table
    lines: list[int] | None = None

    def __len__(self) -> int:
        return len(self.content)

    def names(self) -> Iterable[str]:
        """Return the column names of these rows."""
        if isinstance(self.content, list):
            return dict.fromkeys(name for row in self.content for name in row)
        names: list[str] = self.content.column_names
        return names

    def cells(self, name: str) -> list[Any]:
        """Return the cells of a column; None where it is missing."""
        if isinstance(self.content, list):
            return [row.get(name) for row in self.content]
        if name not in self.content.column_names:
            return [None] * len(self)
        cells: list[Any] = self.content.column(name).to_pylist()
        return cells

    def dicts(self) -> list[dict[str, Any]]:
        """Return each row as a dict."""
        rows: list[dict[str, Any]]
        rows = self.content if isinstance(self.content, list) else self.content.to_pylist()
        return rows


class Table:
    """A .csv, .tsv, .json, .jsonl (.ndjson) or .parquet file of rows; it can be read repeatedly.

    The content decides between JSON and JSON Lines, and about the delimiter. A .json file and a compressed
    file (.gz) have at most 256 MiB. A pipe or device, and the content of a compressed file, is copied to a
    temporary file first. A file that is Windows-1252 instead of UTF-8 is read with a warning.

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
        self._wanted, self._delimiter, self._encoding = set(wanted), check_delimiter(delimiter), "utf-8"
        self._plain = set(map(plain_name, wanted))
        self._place = path
        self._copy: Any = None
        with self._reading():
            if path.exists():
                if not path.is_file():
                    self._keep(_copy(path))
                with _opened(self._place) as file:
                    compressed = is_gzip(file.peek(2)[:2])
                if compressed:
                    self._keep(_copy(self._place, compressed=True))
                with _opened(self._place) as file:
                    self.suffix = found_format(self.suffix, file)
        rows: dict[str, Callable[[BinaryIO], Iterator[tuple[int, dict[str, Any]]]]] = {
            **dict.fromkeys(SEPARATORS, self._csv),
            ".json": self._json,
            ".jsonl": self._jsonl,
            ".ndjson": self._jsonl,
        }
        self._rows = rows.get(self.suffix)
        self._has_lines = self.suffix != ".json"

    def _keep(self, copy: Any) -> None:
        self._copy, self._place = copy, Path(copy.name)

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns; a repeated name is a ClaimwiseError."""
        names: dict[str, None] = {}
        with self._reading():
            if self._rows is None:
                return _each_once(self.schema().names)
            with _opened(self._place) as file:
                if self.suffix in SEPARATORS:
                    return next(self._csv_cells(file), (1, []))[1]
                for _, row in self._rows(file):
                    names |= dict.fromkeys(row)
                    if len(names) > MOST_NAMES:
                        raise ClaimwiseError(f"has more than {MOST_NAMES:,} different keys.", path=self.path)
        return list(names)

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
            if self._rows is None:
                first_row = 0
                for content in arrow.batches(self._place, rows, characters, 4 * MOST_BYTES_IN_ROW, names):
                    yield Batch(first_row, content)
                    first_row += len(content)
                return
            with _opened(self._place) as file:
                yield from self._cut(self._rows(file), rows, characters)

    def digest(self) -> str:
        """Return the SHA-256 of the file."""
        with self._reading(), _opened(self._place) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def schema(self) -> pyarrow.Schema:
        """Return the column types, as a Parquet file needs them.

        Raises:
            ClaimwiseError: for a column with values of incompatible types.
        """
        with self._reading():
            if self._rows is None:
                from pyarrow.parquet import read_schema

                return read_schema(self._place)
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

    def _cut(self, rows: Iterable[tuple[int, dict[str, Any]]], most: int, characters: int) -> Iterator[Batch]:
        first_row = size = 0
        lines: list[int] = []
        content: list[dict[str, Any]] = []
        for line, row in rows:
            lines.append(line)
            content.append(row)
            size += sum(map(text_size, row.values()))
            if len(content) == most or size >= characters:
                yield Batch(first_row, content, lines if self._has_lines else None)
                first_row, size, lines, content = first_row + len(content), 0, [], []
        if content:
            yield Batch(first_row, content, lines if self._has_lines else None)

    def _csv(self, file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
        cells = self._csv_cells(file)
        _, names = next(cells, (1, []))
        empty = dict.fromkeys(names)
        for line, row in cells:
            yield line, empty | dict(zip(names, row, strict=False))

    def _csv_cells(self, file: BinaryIO) -> Iterator[tuple[int, list[str]]]:
        """Yield the header, then the cells of every non-blank row, each with its first line."""
        head = file.read(2**16)
        file.seek(0)
        if b"\r" in head and b"\n" not in head:  # lines end in carriage returns only
            file = io.BytesIO(self._whole(file).replace(b"\r", b"\n"))
        header = header_of(head)
        hint = header.strip().lower()  # "sep=;", as Excel writes and reads it
        has_hint = len(hint) == 5 and hint.startswith("sep=")
        own = SEPARATORS[self.suffix]
        delimiter = self._delimiter or (hint[4] if has_hint else delimiter_of(header, self._wanted, own))
        size = 0
        usual_limit, is_raised = csv.field_size_limit(), False

        def lines_of_rows() -> Iterator[str]:
            nonlocal size, is_raised
            for number, line in self._lines(file):
                size += len(line)
                if size > MOST_BYTES_IN_ROW:
                    problem = f"a row has more than {MOST_BYTES_IN_ROW >> 20} million characters."
                    raise ClaimwiseError(problem, "Check the quotation marks before this line.", line=number)
                if size > usual_limit and not is_raised:  # the whole process shares the limit
                    is_raised = _LIMIT_OF_CSV.acquire()
                    csv.field_size_limit(MOST_BYTES_IN_ROW)
                yield line

        rows = csv.reader(lines_of_rows(), strict=True, delimiter=delimiter)
        if has_hint:
            next(rows)
        width: int | None = None
        while True:
            begin, size = rows.line_num + 1, 0
            try:
                row = next(rows, None)
            except csv.Error as error:
                raise ClaimwiseError(
                    f"is not valid CSV ({error}).",
                    'Quote cells that contain quotes or line breaks, and double the inner quotes ("").',
                    line=rows.line_num,
                ) from error
            finally:
                if is_raised:  # before another reader continues
                    csv.field_size_limit(usual_limit)
                    _LIMIT_OF_CSV.release()
                    is_raised = False
            if row is None:
                return
            if width is None:
                width = len(_each_once(row))
            elif len(row) > width:
                raise ClaimwiseError(
                    f"has {len(row)} cells, but the header has only {width} columns.",
                    f"Quote cells that contain {DELIMITERS.get(delimiter, repr(delimiter))}, or give the "
                    f"delimiter of the file.",
                    line=begin,
                )
            if row or begin == 1:  # not a blank line
                yield begin, row

    def _json(self, file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
        content = self._decoded(self._whole(file).removeprefix(codecs.BOM_UTF8))
        if not content.strip():
            return
        try:
            rows = rows_of(json.loads(content, object_pairs_hook=_object))
        except (ValueError, RecursionError) as error:
            if isinstance(error, ClaimwiseError):
                raise
            raise not_json(content, error) from error
        for number, row in enumerate(rows, 1):
            self._check_object(row, row=number - 1)
            yield number, row

    def _jsonl(self, file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in self._lines(file):
            if not line.strip():
                continue
            if len(line) > MOST_BYTES_IN_ROW:
                raise _too_long(number)
            try:
                row = json.loads(line, object_pairs_hook=_object)
            except ClaimwiseError as error:
                raise error.at(line=number) from error
            except (ValueError, RecursionError) as error:
                raise not_json(line, error, number) from error
            self._check_object(row, line=number)
            yield number, row

    def _check_object(self, found: Any, **where: Any) -> None:
        if not isinstance(found, dict):
            problem = f"expected a JSON object, got {type(found).__name__}."
            raise ClaimwiseError(problem, AS_LIST, **where)
        for name, cell in found.items():
            nested = isinstance(cell, list) and any(isinstance(item, list) for item in cell)
            if nested and plain_name(name) in self._plain:
                problem = f"{name!r} must be a text or a list of texts; got a list of lists."
                raise ClaimwiseError(problem, "Write a list of texts.", **where)

    def _whole(self, file: BinaryIO) -> bytes:
        content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise too_large()
        return content

    def _lines(self, file: BinaryIO) -> Iterator[tuple[int, str]]:
        number = 0
        while line := file.readline(4 * MOST_BYTES_IN_ROW + 1):  # a character has at most four bytes
            number += 1
            if len(line) > 4 * MOST_BYTES_IN_ROW:
                raise _too_long(number)
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield number, self._decoded(line, number)

    def _decoded(self, content: bytes, line: int | None = None) -> str:
        """Return bytes of the file as text; the first that are not UTF-8 decide about the whole file."""
        try:
            return content.decode(self._encoding)
        except UnicodeDecodeError as error:
            if self._encoding == "utf-8":
                with _opened(self._place) as whole:
                    is_other = is_cp1252(whole)
                if is_other:
                    self._encoding = "cp1252"
                    warn(
                        f"{self.path.name} is not UTF-8 and was read as Windows-1252. Save it as UTF-8 if "
                        f"any letters are wrong."
                    )
                    return content.decode(self._encoding)
            problem = f"is neither UTF-8 nor Windows-1252 ({error.reason})."
            raise ClaimwiseError(problem, "Save it as UTF-8.", line=line) from error


def text_size(cell: Any) -> int:
    """Return the approximate number of characters in a cell."""
    if isinstance(cell, str | bytes):
        return len(cell)
    if isinstance(cell, list | tuple):
        return sum(map(text_size, cell))
    if isinstance(cell, Mapping):
        return sum(len(str(key)) + text_size(value) for key, value in cell.items())
    return 8


def too_large() -> ClaimwiseError:
    """Return the error for a file that exceeds the limits of a single read."""
    return ClaimwiseError(
        f"contains more than {MOST_BYTES >> 20} MiB or {MOST_TEXTS:,} texts.", "Split it into several files."
    )


def _too_long(line: int) -> ClaimwiseError:
    return ClaimwiseError(
        f"has more than {MOST_BYTES_IN_ROW >> 20} million characters.",
        "Check the quotation marks and line endings around it.",
        line=line,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a repeated key is an error."""
    found = dict(pairs)
    if len(found) < len(pairs):
        _each_once([name for name, _ in pairs])
    return found


def _each_once(names: list[str]) -> list[str]:
    """Return the names of columns; a repeated name is an error."""
    if repeated := [name for place, name in enumerate(names) if name in names[:place]]:
        raise ClaimwiseError(f"has two columns named {repeated[0]!r}.", "Rename one of them.")
    return names


@contextmanager
def _opened(path: Path) -> Iterator[io.BufferedReader]:
    # Opened without waiting: a pipe without a writer would block forever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            os.set_blocking(descriptor, True)
        yield file


def _copy(path: Path, *, compressed: bool = False) -> Any:
    """Return a temporary file with the content of a pipe, device or gzip file; a folder is an OSError."""
    copy = tempfile.NamedTemporaryFile(prefix="claimwise-", suffix=path.suffix)  # noqa: SIM115 - it is kept
    with _opened(path) as file:
        content_of: Any = gzip.GzipFile(fileobj=file) if compressed else file
        while content := content_of.read(2**20):
            copy.write(content)
            if copy.tell() > MOST_BYTES:
                raise too_large()
        if not copy.tell() and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            raise ClaimwiseError("is a pipe without a writer.", "Start the writer first.")
    copy.flush()
    return copy
