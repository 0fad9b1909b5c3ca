"""What a file contains: its format, found from its name and its first bytes, and its delimiter."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from claimwise.errors import ClaimwiseError
from claimwise.tables.names import plain_name

SUFFIXES = (".csv", ".json", ".jsonl", ".ndjson", ".tsv", ".parquet")
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
AS_LIST = "Save the rows as a JSON list, in pandas with df.to_json(path, orient='records')."
AS_LINES = "Write one JSON object per line (JSON Lines), or all rows as one JSON list."

_WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
_ARCHIVES = (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz")
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_PYTHON = re.compile(r"[\[\s]*\{\s*'")


def named_format(path: Path) -> str:
    """Return the format that the name of a file says, one of ``SUFFIXES``; ``.gz`` is left out.

    Raises:
        ClaimwiseError: for any other name.
    """
    name = path.name.lower().removesuffix(".gz")
    suffix = Path(name).suffix
    if suffix in SUFFIXES:
        return suffix
    if suffix in _WORKBOOKS:
        raise _workbook().at(path=str(path))
    if suffix in _ARCHIVES:
        raise _archive().at(path=str(path))
    raise ClaimwiseError(
        "unknown file type.",
        f"Use a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file, which may be compressed (.gz).",
        path=path,
    )


def is_gzip(head: bytes) -> bool:
    """Return whether a file that begins with ``head`` is compressed by gzip."""
    return head.startswith(_GZIP)


def found_format(named: str, file: BinaryIO) -> str:
    """Return the format of a file: ``.csv``, ``.tsv``, ``.json`` (one value), ``.jsonl`` or ``.parquet``.

    The content decides between JSON and JSON Lines.

    Raises:
        ClaimwiseError: for a workbook, an archive or UTF-16.
    """
    head = file.read(2**12)
    file.seek(0)
    if head.startswith(_PARQUET):
        return ".parquet"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise _archive() if head.startswith(b"PK") and b"[Content_Types].xml" not in head else _workbook()
    if head.startswith((b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf")):
        raise _archive()
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ClaimwiseError("is UTF-16.", "Save it as UTF-8.")
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if named == ".parquet" or start not in (b"{", b"["):
        return {".ndjson": ".jsonl"}.get(named, named)
    first, has_more = _first_line(file)
    if named in (".csv", ".tsv"):  # a header may begin with a bracket
        return named if first is None else ".jsonl" if isinstance(first, dict) else ".json"
    if start == b"[":
        return ".json"
    if named == ".json":
        return ".jsonl" if has_more and isinstance(first, dict) else ".json"
    return ".json" if not has_more and is_by_column(first) else ".jsonl"


def _first_line(file: BinaryIO) -> tuple[Any, bool]:
    """Return the JSON value on the first line (None if there is none), and whether more follows."""
    line = b""
    while not line.strip(codecs.BOM_UTF8 + b" \t\r\n") and (line := file.readline(2**26)):
        pass
    more = next((one for one in iter(lambda: file.read(2**16), b"") if one.strip()), b"")
    file.seek(0)
    with suppress(ValueError, RecursionError):
        return json.loads(line.decode("utf-8-sig", "replace")), bool(more)
    return None, bool(more)


def is_by_column(found: Any) -> bool:
    """Return whether a JSON value maps columns to cells by index (pandas' default), or rows to cells."""
    cells = list(found.values()) if isinstance(found, dict) else []
    return bool(cells) and all(isinstance(one, dict) and one.keys() == cells[0].keys() for one in cells)


def rows_of(found: Any) -> list[Any]:
    """Return the rows of a JSON value.

    Raises:
        ClaimwiseError: for a value that is neither a list nor, without a doubt, a table.
    """
    if isinstance(found, list):
        return found
    if is_by_column(found):
        inner = next(iter(found.values()))
        if all(map(str.isdecimal, inner)):  # pandas' default: column → index → cell
            return [{column: cells[index] for column, cells in found.items()} for index in inner]
        if all(map(str.isdecimal, found)):  # index → column → cell
            return list(found.values())
    elif isinstance(found, dict) and any(isinstance(cell, str) for cell in found.values()):
        return [found]  # a single row
    kind = type(found).__name__
    raise ClaimwiseError(f"expected a list with an object for each row, got {kind}.", AS_LIST)


def not_json(text: str, error: Exception, line: int | None = None) -> ClaimwiseError:
    """Return the error for a text that is not JSON, with what to do."""
    place = error.pos if isinstance(error, json.JSONDecodeError) else 0
    if _PYTHON.match(text) or re.match(r"(None|True|False)\b", text[place : place + 6]):
        return ClaimwiseError("is a Python dict, not JSON.", "Write each row with json.dumps.", line=line)
    reason = str(error)
    if isinstance(error, json.JSONDecodeError):
        reason = f"{error.msg}, column {error.colno}"
    ends_early = reason.startswith("Unterminated") or place >= len(text.rstrip())
    remedy = f"Check that it is complete. {AS_LINES}" if ends_early else AS_LINES
    own_line = getattr(error, "lineno", 1)
    return ClaimwiseError(f"is not valid JSON ({reason}).", remedy, line=own_line if line is None else line)


def header_of(head: bytes) -> str:
    """Return the first line of a CSV file that begins with ``head``, without a byte order mark."""
    lines = head.removeprefix(codecs.BOM_UTF8).splitlines()
    return lines[0].decode(errors="replace") if lines else ""


def delimiter_of(header: str, wanted: Collection[str], own: str) -> str:
    """Return the delimiter of a header: the one that gives the most wanted names, else the most cells.

    Args:
        header: the first line.
        wanted: names of columns; a header that is one of them as a whole is one column.
        own: the delimiter that the file's name says, which wins if it separates any cells.
    """
    if header.strip().strip('"') in wanted:
        return own
    known = set(map(plain_name, wanted))

    def fit(sign: str) -> tuple[int, bool, int, bool]:
        with suppress(csv.Error):
            names = next(csv.reader([header], delimiter=sign), [])
            found = sum(plain_name(name) in known for name in names)
            return found, sign == own and len(names) > 1, len(names), sign == own
        return 0, False, 0, sign == own

    return max((own, *DELIMITERS), key=fit)


def check_delimiter(given: str | None) -> str | None:
    """Return a given delimiter as one character; ``tab`` is a tab, as is a backslash with t.

    Raises:
        ClaimwiseError: for anything else than one character.
    """
    if given is None:
        return None
    sign = {"tab": "\t", "\\t": "\t"}.get(given, given)
    if len(sign) != 1 or sign in '"\r\n':
        raise ClaimwiseError(
            f"the delimiter must be one character, or tab; got {given!r}.",
            "Such as ',', ';', '|' or tab.",
            option="delimiter",
        )
    return sign


def is_cp1252(lines: Iterator[bytes] | io.BufferedReader) -> bool:
    """Return whether lines that are not UTF-8 are Windows-1252: all can be decoded, and none is UTF-8."""
    for line in lines:
        if line.isascii():
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            try:
                line.decode("cp1252")
            except UnicodeDecodeError:
                return False
        else:
            return False
    return True


def _workbook() -> ClaimwiseError:
    return ClaimwiseError(
        "is a workbook of a spreadsheet program.",
        "Save the sheet as .csv (CSV UTF-8), or in pandas: pandas.read_excel(path).to_csv('rows.csv').",
    )


def _archive() -> ClaimwiseError:
    return ClaimwiseError("is compressed.", "Unpack it first; only .gz files are read as they are.")
