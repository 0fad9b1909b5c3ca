"""Reading columns of texts from CSV, JSONL and Parquet files, and writing results all or nothing."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from claimwise.errors import ClaimwiseError

# What a table may hold, so that no file, however it is made, takes more than 2 GiB of memory.
MOST_BYTES = 256 * 2**20
MOST_BYTES_IN_ROW = 16 * 2**20
MOST_TEXTS = 5_000_000


class Table(NamedTuple):
    """The names of all columns of a file, and the cells of those that are wanted."""

    names: list[str]
    columns: dict[str, list[Any]]


def read_columns(
    path: Path, alternatives: Sequence[Sequence[str]], options: Sequence[str] = ()
) -> list[list[Any]]:
    """Read columns of a table.

    Args:
        path: a .csv, .jsonl (or .ndjson) or .parquet file, of at most 256 MiB and 5 million texts.
        alternatives: per wanted column the names it may have; the first that exists is read.
        options: per wanted column the option of the command that names it, for the message.

    Returns:
        One list of cells per wanted column; a missing JSON key or CSV cell gives None.

    Raises:
        ClaimwiseError: for a file that cannot be read, is empty or too large, or lacks a column.
    """
    readers = {
        ".csv": _read_csv,
        ".jsonl": _read_jsonl,
        ".ndjson": _read_jsonl,
        ".parquet": _read_parquet,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ClaimwiseError("unknown file type.", "Give a .csv, .jsonl or .parquet file.", path=path)
    try:
        content = _read_bytes(path)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        if isinstance(error, ClaimwiseError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise ClaimwiseError(f"cannot be read ({reason}).", "Check the path.", path=path) from error
    try:
        table = reader(path, content, {name for names in alternatives for name in names})
    except ClaimwiseError:
        raise
    except MemoryError as error:
        raise ClaimwiseError(
            "does not fit into memory.", "Split it into several files.", path=path
        ) from error
    except Exception as error:
        reason = " ".join(str(error).split())
        raise ClaimwiseError(f"is not a valid {path.suffix} file ({reason[:300]}).", path=path) from error
    there = list(dict.fromkeys([*table.names, *table.columns]))
    names = chosen_names(path, there, alternatives, options) if there else []
    found = [table.columns[name] for name in names]
    if not any(found):
        raise ClaimwiseError("has no rows to score.", path=path)
    return found


def lists_in(path: Path, cells: list[Any]) -> list[Any]:
    """Return cells of a column of which each may be a list; in a .csv file a list is written as JSON."""
    if path.suffix.lower() != ".csv":
        return cells
    return [_as_list(cell) for cell in cells]


def _as_list(cell: Any) -> Any:
    if not isinstance(cell, str) or not (cell.strip().startswith("[") and cell.strip().endswith("]")):
        return cell
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return cell  # a text in brackets
    return found if isinstance(found, list) else cell


def chosen_names(
    path: Path, names: Sequence[str], alternatives: Sequence[Sequence[str]], options: Sequence[str] = ()
) -> list[str]:
    """Return per wanted column the first of its ``alternatives`` that is among the ``names`` of a file.

    Raises:
        ClaimwiseError: for a column that the file lacks.
    """
    chosen = []
    for place, wanted in enumerate(alternatives):
        name = next((name for name in wanted if name in names), None)
        if name is None:
            listed = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
            remedy = f"Name the column with {options[place]}." if place < len(options) else ""
            raise ClaimwiseError(
                f"has no column {' or '.join(map(repr, wanted))}; it has {listed[:1000]}.",
                remedy,
                path=path,
            )
        chosen.append(name)
    return chosen


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file to read bytes; a pipe that nobody writes to is not waited for."""
    # Opened without waiting: a pipe that nobody writes to would hold us up for ever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            os.set_blocking(descriptor, True)
        yield file


def _read_bytes(path: Path) -> bytes:
    with opened(path) as file:
        status = os.fstat(file.fileno())
        if status.st_size > MOST_BYTES:
            raise _too_large(path)
        content = file.read(MOST_BYTES + 1)
    if not content and stat.S_ISFIFO(status.st_mode):
        raise no_writer(path)
    if len(content) > MOST_BYTES:
        raise _too_large(path)
    return content


def _too_large(path: Path) -> ClaimwiseError:
    return ClaimwiseError(
        f"holds more than {MOST_BYTES >> 20} MiB or {MOST_TEXTS:,} texts.",
        "Split it into several files.",
        path=path,
    )


def no_writer(path: Path) -> ClaimwiseError:
    """Return the error for a pipe that nobody writes to."""
    return ClaimwiseError("is a pipe that nobody writes to.", "Start the writer first.", path=path)


def _lines(path: Path, file: BinaryIO) -> Iterator[str]:
    number = 0
    while line := file.readline(4 * MOST_BYTES_IN_ROW + 1):  # a character has at most four bytes
        number += 1
        if len(line) > 4 * MOST_BYTES_IN_ROW:
            raise _too_long(path, number)
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise ClaimwiseError(
                f"is not UTF-8 ({error.reason}).", "Save it as UTF-8.", path=path, line=number
            ) from error


def _too_long(path: Path, line: int) -> ClaimwiseError:
    return ClaimwiseError(
        f"has more than {MOST_BYTES_IN_ROW >> 20} million characters.",
        "Check the quotes and the ends of lines around it.",
        path=path,
        line=line,
    )


def csv_rows(path: Path, file: BinaryIO, wanted: set[str]) -> Iterator[list[str]]:
    """Yield the header of a CSV file, then the cells of every row that is not blank.

    Args:
        path: for messages.
        file: at its beginning.
        wanted: names of columns: a header of one of these alone has no other separator than a comma.

    Raises:
        ClaimwiseError: naming the line.
    """
    head = file.read(10_000)
    file.seek(0)
    _check_separator(path, head, wanted)
    size = 0

    def lines_of_rows() -> Iterator[str]:
        nonlocal size
        for line in _lines(path, file):
            size += len(line)
            if size > MOST_BYTES_IN_ROW:
                raise ClaimwiseError(
                    f"a row has more than {MOST_BYTES_IN_ROW >> 20} million characters.",
                    "Check the quotes before it.",
                    path=path,
                    line=rows.line_num + 1,
                )
            yield line

    rows = csv.reader(lines_of_rows(), strict=True)
    usual_limit = csv.field_size_limit(MOST_BYTES_IN_ROW)
    try:
        names = next(rows, [])
        yield names
        for row in rows:
            size = 0
            if len(row) > len(names):
                raise ClaimwiseError(
                    f"has {len(row)} cells, more than the header has columns ({len(names)}).",
                    "Put texts with commas in quotes.",
                    path=path,
                    line=rows.line_num,
                )
            if row:  # not a blank line
                yield row
    except csv.Error as error:
        raise ClaimwiseError(
            f"is not valid CSV ({error}).",
            'Put texts with quotes or line breaks in quotes, and double the quotes within ("").',
            path=path,
            line=rows.line_num,
        ) from error
    finally:
        csv.field_size_limit(usual_limit)


def _read_csv(path: Path, content: bytes, wanted: set[str]) -> Table:
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    rows = csv_rows(path, io.BytesIO(content), wanted)
    names = next(rows)
    places = {name: names.index(name) for name in wanted if name in names}
    columns: dict[str, list[Any]] = {name: [] for name in places}
    texts = 0
    for row in rows:
        for name, place in places.items():
            columns[name].append(row[place] if place < len(row) else None)
        texts += len(places)
        if texts > MOST_TEXTS:
            raise _too_large(path)
    return Table(names, columns)


def _check_separator(path: Path, content: bytes, wanted: set[str]) -> None:
    """Refuse a header without commas that semicolons or tabs divide, unless it is the name of a column."""
    line = content[:10_000].removeprefix(codecs.BOM_UTF8).partition(b"\n")[0]
    header = line.decode(errors="replace").strip().strip('"')
    for sign, name in ((";", "semicolons"), ("\t", "tabs")):
        if sign in header and "," not in header and header not in wanted:
            raise ClaimwiseError(
                f"its columns are separated by {name}.",
                "Separate them by commas, and put texts with commas in quotes.",
                path=path,
            )


def jsonl_rows(path: Path, file: BinaryIO, wanted: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the object on every line of a JSONL file that is not blank.

    Args:
        path: for messages.
        file: at its beginning.
        wanted: names of keys whose values must be texts (or numbers, …) or lists of such.

    Raises:
        ClaimwiseError: naming the line.
    """
    for number, line in enumerate(_lines(path, file), 1):
        if not line.strip():
            continue
        if len(line) > MOST_BYTES_IN_ROW:
            raise _too_long(path, number)
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ClaimwiseError(f"is not valid JSON ({error}).", path=path, line=number) from error
        if not isinstance(row, dict):
            raise ClaimwiseError(f"expected a JSON object, got {type(row).__name__}.", path=path, line=number)
        for name in wanted & row.keys():
            cell = row[name]
            for item in cell if isinstance(cell, list) else [cell]:
                if isinstance(item, (list, dict)):
                    raise ClaimwiseError(
                        f"{name!r} must be a text or a list of texts; it holds a {type(item).__name__}.",
                        path=path,
                        line=number,
                    )
        yield row


def _read_jsonl(path: Path, content: bytes, wanted: set[str]) -> Table:
    names: dict[str, None] = {}
    columns: dict[str, list[Any]] = {}
    rows = texts = 0
    for rows, row in enumerate(jsonl_rows(path, io.BytesIO(content), wanted), 1):
        if len(names) < 1000:  # enough to tell the user which there are
            names |= dict.fromkeys(row)
        for name in wanted & row.keys():
            cell = row[name]
            if name not in columns:
                columns[name] = [None] * (rows - 1)
            columns[name].append(cell)
            texts += len(cell) if isinstance(cell, list) else 1
        for cells in columns.values():
            cells.extend([None] * (rows - len(cells)))
        if texts > MOST_TEXTS or rows > MOST_TEXTS:
            raise _too_large(path)
    return Table(list(names), columns)


def _read_parquet(path: Path, content: bytes, wanted: set[str]) -> Table:
    import pyarrow
    from pyarrow.parquet import ParquetFile, read_metadata

    metadata = read_metadata(pyarrow.BufferReader(content))
    leaves = [
        (group.column(place).path_in_schema, group.column(place))
        for group in map(metadata.row_group, range(metadata.num_row_groups))
        for place in range(group.num_columns)
    ]
    leaves = [(name, leaf) for name, leaf in leaves if name in wanted or name.split(".")[0] in wanted]
    if (
        sum(leaf.num_values for _, leaf in leaves) > MOST_TEXTS
        or sum(leaf.total_uncompressed_size for _, leaf in leaves) > MOST_BYTES
    ):
        raise _too_large(path)
    # Texts are read as numbers of distinct texts: a small file may repeat a long one very often.
    texts = [name for name, leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    with ParquetFile(pyarrow.BufferReader(content), read_dictionary=texts) as file:
        names = file.schema_arrow.names
        table = file.read(columns=[name for name in names if name in wanted])
    if sum(map(_text_bytes, table.columns)) > MOST_BYTES:
        raise _too_large(path)
    return Table(names, table.to_pydict())


def _text_bytes(column: Any) -> int:
    """Return how many bytes the texts of a Parquet column take when each is written out."""
    import pyarrow
    from pyarrow import compute, types

    total = 0
    for chunk in column.chunks:
        while types.is_list(chunk.type) or types.is_large_list(chunk.type):
            chunk = chunk.flatten()
        if isinstance(chunk, pyarrow.DictionaryArray):
            lengths = compute.binary_length(chunk.dictionary).cast(pyarrow.int64()).take(chunk.indices)
            total += compute.sum(lengths).as_py() or 0
    return total


@contextmanager
def placing(path: Path) -> Iterator[Path]:
    """Give the path of a file that takes the place of ``path`` when the block ends without an error.

    Enter it before long work: a place that cannot be written to is an error at once. A pipe or device is
    written to, never replaced: as root, --output /dev/null would end as a file.

    Raises:
        ClaimwiseError: if the file cannot be written.
    """
    try:
        is_special = path.exists() and not path.is_file()
        part = path if is_special else path.with_name(f".{path.name}.{os.getpid()}.part")
        check_place(path)
        if not is_special:
            part.touch()
    except OSError as error:
        raise cannot_be_written(path, error) from error
    try:
        yield part
        if not is_special:
            try:
                part.replace(path)
            except OSError as error:
                raise cannot_be_written(path, error) from error
    finally:
        if not is_special:
            part.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Make the folder of ``path``, and see that a file can stand there.

    Raises:
        OSError: if it cannot.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(21, "it is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(13, "it is read-only")


def cannot_be_written(path: Path, error: OSError) -> ClaimwiseError:
    """Return the error for a file that cannot be written."""
    return ClaimwiseError(
        f"cannot be written ({error.strerror or error}).", "Choose another place for the output.", path=path
    )


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a text file that appears at ``path`` only when the block ends without an error; see ``placing``.

    Raises:
        ClaimwiseError: if the file cannot be written.
    """
    content = io.StringIO()  # so that an OSError below is one of writing, not one of the caller's work
    with placing(path) as part:
        yield content
        try:
            part.write_text(content.getvalue(), encoding="utf-8")
        except OSError as error:
            raise cannot_be_written(path, error) from error
