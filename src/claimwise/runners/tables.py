"""Files of any size: read in parts, and written again with what was found for each row."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from claimwise.errors import ClaimwiseError
from claimwise.files import MOST_BYTES_IN_ROW, cannot_be_written, csv_rows, jsonl_rows, opened
from claimwise.runners.parts import CHARACTERS_IN_PART, Part, text_size
from claimwise.tables import METADATA

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow

T = TypeVar("T")

MOST_NAMES = 10_000
FEW_BYTES = 8 * 2**20
ROW_SUFFIXES = (".parquet", ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows with all their columns: dicts, or an Arrow table.

    Attributes:
        number: of the part, from 0.
        first_row: the number of its first row.
        content: the rows.
    """

    number: int
    first_row: int
    content: Any

    def __len__(self) -> int:
        return len(self.content)

    def part(self, names: Mapping[str, str]) -> Part:
        """Return the cells that a metric reads: its column → the column of the file."""
        if isinstance(self.content, list):
            columns = {own: [row.get(name) for row in self.content] for own, name in names.items()}
        else:
            columns = {own: self.content.column(name).to_pylist() for own, name in names.items()}
        return Part(number=self.number, first_row=self.first_row, columns=columns)

    def dicts(self) -> list[dict[str, Any]]:
        """Return each row as a dict."""
        rows: list[dict[str, Any]]
        rows = self.content if isinstance(self.content, list) else self.content.to_pylist()
        return rows

    def arrow(self, schema: pyarrow.Schema) -> pyarrow.Table:
        """Return the rows as an Arrow table."""
        import pyarrow

        if not isinstance(self.content, list):
            return self.content.cast(schema)
        columns = [
            pyarrow.array([row.get(one.name) for row in self.content], type=one.type) for one in schema
        ]
        return pyarrow.table(columns, schema=schema)


class TableFile:
    """A .csv, .jsonl (or .ndjson) or .parquet file, read in parts as often as need be.

    Args:
        path: of the file.
        rows_in_part: a part has at most so many rows.
        wanted: names of columns that a metric may read.

    Raises:
        ClaimwiseError: for a file that cannot be read.
    """

    def __init__(self, path: Path, rows_in_part: int, wanted: Iterable[str] = ()) -> None:
        self.path, self.rows_in_part = path, rows_in_part
        self._wanted = set(wanted)
        readers: dict[str, Callable[[], Iterator[list[Any]]]] = {
            ".csv": self._csv,
            ".jsonl": self._jsonl,
            ".ndjson": self._jsonl,
            ".parquet": self._parquet,
        }
        reader = readers.get(path.suffix.lower())
        if reader is None:
            raise ClaimwiseError("unknown file type.", "Give a .csv, .jsonl or .parquet file.", path=path)
        self._read = reader
        if path.exists() and not path.is_file():
            raise ClaimwiseError(
                "is no file that can be read several times.",
                "Save it as a file first, or write the result as .json.",
                path=path,
            )
        self.names = self._all_names()
        if repeated := [name for name in dict.fromkeys(self.names) if self.names.count(name) > 1]:
            raise ClaimwiseError(f"has two columns {repeated[0]!r}.", "Rename one of them.", path=path)

    def parts(self, first: int = 0) -> Iterator[Rows]:
        """Yield the rows in parts, those before the part number ``first`` left out.

        Raises:
            ClaimwiseError: naming the file, and the line where the format has lines.
        """
        number = row = 0
        for content in self._reading(self._read):
            if number >= first:
                yield Rows(number, row, content)
            number, row = number + 1, row + len(content)

    def digest(self) -> str:
        """Return the SHA-256 of the file."""

        def blocks() -> Iterator[str]:
            with opened(self.path) as file:
                yield hashlib.file_digest(file, "sha256").hexdigest()

        return next(self._reading(blocks))

    def schema(self) -> pyarrow.Schema:
        """Return the types of the columns, as a Parquet file needs them.

        Raises:
            ClaimwiseError: for a column that holds values of several types.
        """
        import pyarrow
        from pyarrow.parquet import read_schema

        if self.path.suffix.lower() == ".parquet":
            return read_schema(self.path)
        if self.path.suffix.lower() == ".csv":
            return pyarrow.schema([(name, pyarrow.string()) for name in self.names])
        schema = pyarrow.schema([(name, pyarrow.null()) for name in self.names])
        for rows in self.parts():
            for place, name in enumerate(self.names):
                try:
                    found = pyarrow.array([row.get(name) for row in rows.dicts()]).type
                    one = pyarrow.schema([(name, found)])
                    both = [pyarrow.schema([schema.field(place)]), one]
                    unified = pyarrow.unify_schemas(both, promote_options="permissive")
                except (pyarrow.ArrowException, UnicodeError, OverflowError) as error:
                    reason = " ".join(str(error).split())[:200]
                    raise ClaimwiseError(
                        f"the column {name!r} holds what no Parquet column can hold together ({reason}).",
                        "Name an output that ends in .jsonl.",
                        path=self.path,
                    ) from error
                schema = schema.set(place, unified.field(0))
        return schema

    def _all_names(self) -> list[str]:
        if self.path.suffix.lower() == ".parquet":
            from pyarrow.parquet import read_schema

            return next(self._reading(lambda: iter([list(read_schema(self.path).names)])))
        if self.path.suffix.lower() == ".csv":

            def header() -> Iterator[list[str]]:
                with opened(self.path) as file:
                    yield next(csv_rows(self.path, file, self._wanted))

            return next(self._reading(header))
        names: dict[str, None] = {}
        for content in self._reading(self._read):
            for row in content:
                names |= dict.fromkeys(row)
            if len(names) > MOST_NAMES:
                raise ClaimwiseError(f"has more than {MOST_NAMES:,} different keys.", path=self.path)
        return list(names)

    def _reading(self, read: Callable[[], Iterator[T]]) -> Iterator[T]:
        """Yield what is read; whatever goes wrong is an error that names the file."""
        try:
            yield from read()
        except ClaimwiseError:
            raise
        except MemoryError as error:
            raise ClaimwiseError("a part does not fit into memory.", path=self.path) from error
        except OSError as error:
            reason = error.strerror or error
            raise ClaimwiseError(f"cannot be read ({reason}).", "Check the path.", path=self.path) from error
        except Exception as error:
            reason = " ".join(str(error).split())
            raise ClaimwiseError(
                f"is not a valid {self.path.suffix} file ({reason[:300]}).", path=self.path
            ) from error

    def _csv(self) -> Iterator[list[dict[str, Any]]]:
        with opened(self.path) as file:
            head = file.read(2**16)
            if b"\n" not in head and b"\r" in head:
                raise ClaimwiseError(
                    "its lines end in carriage returns alone.",
                    "Save it with usual line ends.",
                    path=self.path,
                )
            file.seek(0)
            rows = csv_rows(self.path, file, self._wanted)
            names = next(rows)
            empty = dict.fromkeys(names)
            yield from self._cut(empty | dict(zip(names, row, strict=False)) for row in rows)

    def _jsonl(self) -> Iterator[list[dict[str, Any]]]:
        with opened(self.path) as file:
            yield from self._cut(jsonl_rows(self.path, file, self._wanted))

    def _cut(self, rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
        part: list[dict[str, Any]] = []
        size = 0
        for row in rows:
            part.append(row)
            size += sum(map(text_size, row.values()))
            if len(part) == self.rows_in_part or size >= CHARACTERS_IN_PART:
                yield part
                part, size = [], 0
        if part:
            yield part

    def _parquet(self) -> Iterator[Any]:
        import numpy as np
        import pyarrow
        from pyarrow.parquet import ParquetFile, read_metadata

        metadata = read_metadata(self.path)
        texts = _repeated_texts(metadata)
        schema = metadata.schema.to_arrow_schema()
        with ParquetFile(self.path, read_dictionary=texts, pre_buffer=False, buffer_size=2**20) as file:
            for batch in file.iter_batches(batch_size=self.rows_in_part):
                sizes = np.sum([_bytes_of_each(column) for column in batch.columns], axis=0)
                for start, stop in _cuts(sizes, batch.num_rows):
                    if stop - start == 1 and sizes[start] > 4 * MOST_BYTES_IN_ROW:
                        raise ClaimwiseError(
                            f"a row has more than {MOST_BYTES_IN_ROW >> 20} million characters.",
                            path=self.path,
                        )
                    rows = pyarrow.Table.from_batches([batch.slice(start, stop - start)])
                    yield rows.cast(schema)


def _repeated_texts(metadata: Any) -> list[str]:
    """Return the columns of a Parquet file that may repeat a long text very often.

    They are read as numbers of distinct texts, all of which stay in memory: where they are few, or pressed
    together as no usual text can be.
    """
    columns = [
        group.column(place)
        for group in map(metadata.row_group, range(metadata.num_row_groups))
        for place in range(group.num_columns)
    ]
    texts = [column for column in columns if column.physical_type == "BYTE_ARRAY"]
    usual = {
        column.path_in_schema
        for column in texts
        if FEW_BYTES < column.total_uncompressed_size < 50 * column.total_compressed_size
    }
    return sorted({column.path_in_schema for column in texts} - usual)


def _cuts(sizes: npt.NDArray[np.int64], count: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each part and the one behind it; a row too large for others stands alone."""
    start = size = 0
    for row in range(count):
        own = int(sizes[row])
        if row > start and size + own > CHARACTERS_IN_PART:
            yield start, row
            start, size = row, 0
        size += own
    if start < count:
        yield start, count


def _bytes_of_each(array: Any) -> npt.NDArray[np.int64]:
    """Return for each value of an Arrow array how many bytes its texts take when they are written out."""
    import numpy as np
    from pyarrow import compute, types

    kind = array.type
    if types.is_dictionary(kind):
        of_distinct = _bytes_of_each(array.dictionary)
        places = array.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        return of_distinct[places] if len(of_distinct) else np.zeros(len(array), dtype=np.int64)
    if types.is_list(kind) or types.is_large_list(kind):
        ends = np.concatenate([[0], np.cumsum(_bytes_of_each(array.values))])
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        return np.asarray(ends[offsets[1:]] - ends[offsets[:-1]], dtype=np.int64)
    if types.is_struct(kind):
        return np.asarray(sum(map(_bytes_of_each, array.flatten())), dtype=np.int64)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
        lengths = compute.binary_length(array).fill_null(0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)
    return np.full(len(array), 8, dtype=np.int64)


class RowWriter:
    """Writes rows with further columns, part after part.

    Args:
        path: of the file to write.
        schema: of the input's columns, for a Parquet file; None = a JSONL file.
        further: the further columns with what they hold: ``"number"``, ``"text"`` or ``"json"``.
        metadata: what is said of all rows.
    """

    def __init__(
        self,
        path: Path,
        schema: pyarrow.Schema | None,
        further: Mapping[str, str],
        metadata: Mapping[str, Any],
    ) -> None:
        self._further = further
        self._schema = schema
        if schema is None:
            self._file = path.open("w", encoding="utf-8")
            return
        import pyarrow
        from pyarrow.parquet import ParquetWriter

        told = {**(schema.metadata or {}), METADATA.encode(): json.dumps(metadata).encode()}
        self._whole = pyarrow.schema([*schema, *_fields(further)], metadata=told)
        self._parquet = ParquetWriter(path, self._whole)

    def write(self, rows: Rows, found: Sequence[Mapping[str, Any]]) -> None:
        """Write a part with the further cells of each row."""
        if self._schema is None:
            for row, own in zip(rows.dicts(), found, strict=True):
                further: dict[str, Any] = {name: own.get(name) for name in self._further}
                for name, kind in self._further.items():
                    if kind == "json" and further[name] is not None:
                        further[name] = json.loads(further[name])
                self._file.write(_json_line(row | further))
            return
        table = with_columns(rows.arrow(self._schema.remove_metadata()), self._further, found)
        self._parquet.write_table(table.cast(self._whole))

    def close(self) -> None:
        """Write what is left."""
        (self._file if self._schema is None else self._parquet).close()


def with_columns(
    table: pyarrow.Table, further: Mapping[str, str], found: Sequence[Mapping[str, Any]]
) -> pyarrow.Table:
    """Return an Arrow table with further columns, of which each row of ``found`` has the cells."""
    import pyarrow

    for field in _fields(further):
        cells = [row.get(field.name) for row in found]
        table = table.append_column(field, pyarrow.array(cells, type=field.type))
    return table


def _fields(further: Mapping[str, str]) -> list[Any]:
    import pyarrow

    types = {"number": pyarrow.float64(), "text": pyarrow.string(), "json": pyarrow.string()}
    return [pyarrow.field(name, types[kind]) for name, kind in further.items()]


def _json_line(row: Mapping[str, Any]) -> str:
    line = json.dumps(_jsonable(row), ensure_ascii=False, default=str)
    try:
        line.encode()
    except UnicodeEncodeError:  # lone surrogates
        line = json.dumps(_jsonable(row), default=str)
    return line + "\n"


def _jsonable(value: Any) -> Any:
    """Return a value without numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [_jsonable(one) for one in value]
    if isinstance(value, dict):
        return {key: _jsonable(one) for key, one in value.items()}
    return value


def metadata_path(output: Path) -> Path:
    """Return where the metadata of a JSONL file stands."""
    return output.with_name(f"{output.name}.meta.json")


def write_metadata(rows: Path, metadata: Mapping[str, Any], place: Path, output: Path) -> None:
    """Write the metadata of a finished JSONL file, with its digest.

    Raises:
        ClaimwiseError: if it cannot be written.
    """
    try:
        with rows.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        told = {"sha256": digest, METADATA: metadata}
        place.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError as error:
        raise cannot_be_written(output, error) from error
