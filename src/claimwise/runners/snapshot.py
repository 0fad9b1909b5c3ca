"""A table that is read only once, however often its rows are needed."""

from __future__ import annotations

import pickle
import tempfile
import zlib
from collections import deque
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError
from claimwise.tables import Batch, Table
from claimwise.tables.arrow import unified

if TYPE_CHECKING:
    import pyarrow

BYTES_IN_MEMORY = 2**24
WITH_HEADER = (".csv", ".tsv", ".parquet")


class Snapshot:
    """A table whose rows are kept, compressed, in a temporary file when they are first read.

    So a large file is parsed once, needs no memory, and may change without effect on the run.

    Args:
        table: the table.
        rows: maximum rows per batch.
    """

    def __init__(self, table: Table, rows: int) -> None:
        self.path, self.suffix = table.path, table.suffix
        self._table, self._rows_in_batch = table, rows
        self._file = tempfile.SpooledTemporaryFile(BYTES_IN_MEMORY, prefix="claimwise-")  # noqa: SIM115
        self._count: int | None = None
        self._seen: dict[str, None] = {}

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns; those of JSON are known once all rows are read."""
        if self.suffix in WITH_HEADER:
            return self._table.names
        if self._count is None:
            deque(self.batches(), maxlen=0)
        return list(self._seen)

    def schema(self) -> pyarrow.Schema:
        """Return the column types; see ``Table.schema``."""
        if self.suffix in WITH_HEADER:
            return self._table.schema()
        return unified(self.path, self.names, (batch.dicts() for batch in self.batches()))

    def batches(self) -> Iterator[Batch]:
        """Yield the rows in batches."""
        if self._count is None:
            yield from self._first_time()
            return
        self._file.seek(0)
        for _ in range(self._count):
            first_row, content, lines = pickle.loads(zlib.decompress(pickle.load(self._file)))
            yield Batch(first_row, _from_bytes(content) if isinstance(content, bytes) else content, lines)

    def _first_time(self) -> Iterator[Batch]:
        self._file.seek(0)
        self._file.truncate()
        count = 0
        for batch in self._table.batches(rows=self._rows_in_batch):
            if isinstance(batch.content, list):
                content: Any = batch.content
                self._seen |= dict.fromkeys(name for row in batch.content for name in row)
            else:
                content = _as_bytes(batch.content)
            row = pickle.dumps((batch.first_row, content, batch.lines))
            try:
                pickle.dump(zlib.compress(row, 1), self._file)
            except OSError as error:
                problem = f"a temporary copy of its rows cannot be written ({error.strerror or error})."
                remedy = f"Free some space in {tempfile.gettempdir()}."
                raise ClaimwiseError(problem, remedy, path=self.path) from error
            count += 1
            yield batch
        self._count = count


def _as_bytes(rows: pyarrow.Table) -> bytes:
    """Return Arrow rows as bytes; a pickle would contain the whole table of which they are a slice."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _from_bytes(content: bytes) -> pyarrow.Table:
    import pyarrow

    return pyarrow.ipc.open_stream(content).read_all()
