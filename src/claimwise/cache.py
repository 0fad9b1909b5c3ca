"""SQLite files that keep results between runs, safe for several threads and processes at once.

``OpenTable`` opens, reads and writes one table of such a file, and reports every failure as a
``CacheFailureError``. Each cache decides what a failure means, by one of two policies:

- **answers cost money** (``AnswerCache``): an unusable cache is an error, before any request is sent;
- **scores cost time** (``claimwise.judges.cache.ScoreCache``): an unusable cache is a warning, and the run
  continues without it.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, cast

from claimwise.errors import ClaimwiseError, shown

Key = str | bytes
Answer = TypeVar("Answer")
_BUSY_SECONDS = 60.0
_READ_AT_ONCE = 500
_MAGIC = b"SQLite format 3\0"
"""How every SQLite file begins. SQLite itself would overwrite a file shorter than its header."""


class CacheFailureError(Exception):
    """A file cannot be used as a cache; the message says why.

    ``is_damaged`` distinguishes a file with invalid content from one that cannot be opened, read or written.
    """

    def __init__(self, reason: object, *, is_damaged: bool = False) -> None:
        super().__init__(str(reason))
        self.is_damaged = is_damaged


@dataclass(frozen=True)
class Table:
    """A key-value table.

    Args:
        columns: names with their SQL types; the first is the key.
        suffix: SQL after the list of columns.
        versions: a GLOB pattern of this table's name in all versions of claimwise. A file that holds only
            the table of another version is not used.
        synchronous: SQLite's ``FULL`` or ``NORMAL``: whether committed rows survive a power failure.
    """

    name: str
    columns: Mapping[str, str]
    suffix: str = ""
    versions: str | None = None
    synchronous: str = "FULL"


class OpenTable:
    """A table in an SQLite file; file and folders are created if they are missing.

    Belongs to one thread; close it, or use it as a context manager. Every method raises
    ``CacheFailureError`` when the file cannot be used.
    """

    def __init__(self, path: Path, table: Table) -> None:
        self._table = table
        with _reporting_failures():
            path.parent.mkdir(parents=True, exist_ok=True)
            _check_is_no_other_file(path)
            self._connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            with _reporting_failures():
                self._prepare()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._connection.close()

    def read(self, keys: Sequence[Key]) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each known key: the key, then its values, which may be damaged."""
        key_column = next(iter(self._table.columns))
        for start in range(0, len(keys), _READ_AT_ONCE):
            asked = keys[start : start + _READ_AT_ONCE]
            query = (
                f"SELECT {', '.join(self._table.columns)} FROM {self._table.name} "
                f"WHERE {key_column} IN ({','.join('?' * len(asked))})"
            )
            with _reporting_failures():
                rows = self._connection.execute(query, asked).fetchall()
            if not {row[0] for row in rows} <= set(asked):
                raise CacheFailureError("it returned keys that were not requested", is_damaged=True)
            yield from rows

    def write(self, rows: Iterable[Sequence[object]], *, replace: bool = False) -> None:
        """Add rows (a key and its values) in one transaction; no rows only test whether the file is writable.

        A row of a known key replaces the older row with ``replace``, and is left out without.
        """
        rows = list(rows)
        names = ", ".join(self._table.columns)
        marks = ",".join("?" * len(self._table.columns))
        command = f"INSERT OR {'REPLACE' if replace else 'IGNORE'} INTO {self._table.name}"
        with _reporting_failures(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(f"{command} ({names}) VALUES ({marks})", rows)

    def _prepare(self) -> None:
        table = self._table
        self._connection.execute(f"PRAGMA synchronous = {table.synchronous}")
        if table.versions is not None:
            query = "SELECT name FROM sqlite_master WHERE name GLOB ?"
            names = {name for (name,) in self._connection.execute(query, (table.versions,))}
            if names and table.name not in names:
                raise CacheFailureError("it was written by another version of claimwise")
        columns = ", ".join(f"{name} {kind}" for name, kind in table.columns.items())
        self._connection.execute(f"CREATE TABLE IF NOT EXISTS {table.name} ({columns}) {table.suffix}")


def _check_is_no_other_file(path: Path) -> None:
    """Raise a ``CacheFailureError`` if a file is neither empty nor an SQLite file."""
    if path.is_file():
        with path.open("rb") as file:
            beginning = file.read(len(_MAGIC))
        if beginning not in (b"", _MAGIC):
            raise CacheFailureError("it is a file of another kind")


@contextmanager
def _reporting_failures() -> Iterator[None]:
    """Raise a ``CacheFailureError`` for any error of SQLite.

    On damaged files SQLite may also run out of memory, or quote bytes that are not text.
    """
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise CacheFailureError(error) from error
    except (sqlite3.Error, MemoryError, UnicodeDecodeError) as error:
        raise CacheFailureError(error, is_damaged=True) from error


def checked_path(path: object, option: str) -> Path:
    """Return ``path`` as a ``Path``; anything but a path is an error of ``option``."""
    if not isinstance(path, (str, os.PathLike)) or not str(path) or "\0" in str(path):
        raise ClaimwiseError(f"{option} must be the path of a file; got {shown(path)}.", option=option)
    return Path(path)


class AnswerCache(Generic[Answer]):
    """Paid answers, as JSON text: an unusable cache is always an error.

    Every call opens and closes the file, so threads and processes may share it freely.

    Args:
        path: created with its folders if missing.
        is_answer: whether decoded JSON is a valid answer.
        expected: the kind of answer, for errors, such as ``"a list of claims"``.
        table: name of the table, unique for each kind of answer.
        column: name of its second column.
        option: the option that gave ``path``, for errors.

    Raises:
        ClaimwiseError: from every method, if the file cannot be written or is not such a cache.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        is_answer: Callable[[object], bool],
        *,
        expected: str,
        table: str,
        column: str = "answer",
        option: str = "cache",
    ) -> None:
        self.path = checked_path(path, option).expanduser().absolute()
        self._is_answer = is_answer
        self._expected = expected
        self._option = option
        self._table = Table(table, {"key": "TEXT PRIMARY KEY", column: "TEXT NOT NULL"})
        with self._open() as opened:
            opened.write([])  # fails now, not later, if the file is not writable

    def get(self, keys: Sequence[str]) -> dict[str, Answer]:
        """Return the known answers by their keys."""
        with self._open() as opened:
            return {key: self._decode(text) for key, text in opened.read(keys)}

    def put(self, key: str, answer: Answer) -> None:
        """Store a JSON-serializable ``answer`` under ``key``, unless another process was first."""
        with self._open() as opened:
            opened.write([(key, json.dumps(answer))])  # ASCII: SQLite takes no lone surrogate

    @contextmanager
    def _open(self) -> Iterator[OpenTable]:
        try:
            with OpenTable(self.path, self._table) as opened:
                yield opened
        except CacheFailureError as failure:
            raise self._error(failure) from failure

    def _decode(self, text: object) -> Answer:
        try:
            if isinstance(text, str) and self._is_answer(answer := json.loads(text)):
                return cast(Answer, answer)
        except (ValueError, RecursionError):
            pass
        raise CacheFailureError(f"an entry is not {self._expected}", is_damaged=True)

    def _error(self, failure: CacheFailureError) -> ClaimwiseError:
        if failure.is_damaged:
            problem = f"The cache {self.path} is not a valid cache of answers: {failure}."
            remedy = "Delete the file (its answers will be requested again)"
        else:
            problem = f"The cache {self.path} cannot be used: {failure}."
            remedy = "Check the file, its folder and the free space,"
        return ClaimwiseError(problem, f"{remedy} or choose another {self._option}=.", option=self._option)
