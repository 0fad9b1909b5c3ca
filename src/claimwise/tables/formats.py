"""What a file contains: its format, its encoding, and the delimiter of its cells."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError
from claimwise.tables.names import plain_name

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = (".csv", ".json", ".jsonl", ".ndjson", ".tsv", ".parquet")
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
AS_LIST = "Save the rows as a JSON list, in pandas with df.to_json(path, orient='records')."
AS_LINES = "Write one JSON object per line (JSON Lines), or all rows as one JSON list."

_WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
_ARCHIVES = (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz")
_AS_CSV = "Save the sheet as .csv (CSV UTF-8), or in pandas: pandas.read_excel(path).to_csv('rows.csv')."
_UNPACK = "Unpack it first; only .gz files are read as they are."
_NO_TEXT = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b")
"""First bytes of new and old workbooks (and archives), and of gzip."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PYTHON = re.compile(r"[\[\s]*\{\s*'")


def named_format(path: Path) -> str:
    """Return the format that the name of a file says, one of ``SUFFIXES``; ``.gz`` is left out.

    Raises:
        ClaimwiseError: for any other name.
    """
    name = path.name.lower().removesuffix(".gz")
    suffix = path.with_name(name).suffix if name else ""
    if suffix in SUFFIXES:
        return suffix
    if suffix in _WORKBOOKS:
        raise ClaimwiseError("is a workbook of a spreadsheet program.", _AS_CSV, path=path)
    if suffix in _ARCHIVES:
        raise ClaimwiseError("is compressed.", _UNPACK, path=path)
    raise ClaimwiseError(
        "unknown file type.",
        f"Use a {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]} file, which may be compressed (.gz).",
        path=path,
    )


def content_format(named: str, lines: Iterable[bytes]) -> str:
    """Return the format of a text file: ``.csv``, ``.tsv``, ``.json`` (one value) or ``.jsonl``.

    The content decides between JSON and JSON Lines, whichever of the four the name says.
    """
    lines = iter(lines)
    first = next((line for line in lines if line.strip(codecs.BOM_UTF8 + b" \t\r\n")), b"")
    start = first.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if start not in (b"{", b"["):
        return ".jsonl" if named == ".ndjson" else named
    value = None
    with suppress(ValueError, RecursionError):
        value = json.loads(first.decode("utf-8-sig", "replace"))
    if named in (".csv", ".tsv"):  # a header may begin with a bracket
        return named if value is None else ".jsonl" if isinstance(value, dict) else ".json"
    if start == b"[":
        return ".json"

    # An object without further lines is a table in a .json file, and a row in a .jsonl file, unless it maps
    # columns to cells.
    if named == ".json":
        return ".jsonl" if isinstance(value, dict) and any(map(bytes.strip, lines)) else ".json"
    return ".json" if is_by_column(value) and not any(map(bytes.strip, lines)) else ".jsonl"


def encoding_of(lines: Iterable[bytes]) -> str:
    """Return the encoding of a text file: ``utf-8-sig``, or ``cp1252`` if no line with an accent is UTF-8.

    Raises:
        ClaimwiseError: for a file in another encoding, or that is no text.
    """
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if number == 1 and line.startswith(_UTF_16):
            raise ClaimwiseError("is UTF-16.", "Save it as UTF-8.")
        if number == 1 and line.startswith(_NO_TEXT):
            raise ClaimwiseError("is a workbook, or compressed.", f"{_AS_CSV} {_UNPACK}")
        first_lines.setdefault(_encoding_of_line(line), number)
    other = first_lines.keys() - {"ascii", "utf-8"}
    if not other:
        return "utf-8-sig"
    if other == {"cp1252"} and "utf-8" not in first_lines:
        return "cp1252"
    line_of_error = min(first_lines[encoding] for encoding in other)
    raise ClaimwiseError("is neither UTF-8 nor Windows-1252.", "Save it as UTF-8.", line=line_of_error)


def _encoding_of_line(line: bytes) -> str:
    for encoding in ("ascii", "utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            line.decode(encoding)
            return encoding
    return "unknown"


def is_by_column(value: Any) -> bool:
    """Return whether a JSON value maps columns to cells by index (pandas' default), or rows to cells."""
    cells = list(value.values()) if isinstance(value, dict) else []
    return bool(cells) and all(isinstance(cell, dict) and cell.keys() == cells[0].keys() for cell in cells)


def rows_of(value: Any) -> list[Any]:
    """Return the rows of a JSON value.

    Raises:
        ClaimwiseError: for a value that is neither a list nor, without a doubt, a table.
    """
    if isinstance(value, list):
        return value
    if is_by_column(value):
        indices = next(iter(value.values()))
        if all(map(str.isdecimal, indices)):  # pandas' default: column → index → cell
            return [{column: cells[index] for column, cells in value.items()} for index in indices]
        if all(map(str.isdecimal, value)):  # index → column → cell
            return list(value.values())
    elif isinstance(value, dict) and any(isinstance(cell, str) for cell in value.values()):
        return [value]  # a single row
    kind = type(value).__name__
    raise ClaimwiseError(f"expected a list with an object for each row, got {kind}.", AS_LIST)


def not_json(text: str, error: Exception, line: int | None = None) -> ClaimwiseError:
    """Return the error for a text that is not JSON, with what to do."""
    position = error.pos if isinstance(error, json.JSONDecodeError) else 0
    if _PYTHON.match(text) or re.match(r"(None|True|False)\b", text[position : position + 6]):
        return ClaimwiseError("is a Python dict, not JSON.", "Write each row with json.dumps.", line=line)
    reason = str(error)
    if isinstance(error, json.JSONDecodeError):
        reason = f"{error.msg} at column {error.colno}"
    ends_early = reason.startswith("Unterminated") or position >= len(text.rstrip())
    remedy = f"Check that it is complete. {AS_LINES}" if ends_early else AS_LINES
    own_line = getattr(error, "lineno", 1)
    return ClaimwiseError(f"is not valid JSON ({reason}).", remedy, line=own_line if line is None else line)


def delimiter_of(header: str, wanted: Collection[str], usual: str) -> str:
    """Return the delimiter of a header: the one that gives the most wanted names, else the most cells.

    The ``usual`` one, which the file's name says, wins if it separates any cells. A header that is one of the
    ``wanted`` names as a whole is one column.
    """
    if header.strip().strip('"') in wanted:
        return usual
    known = set(map(plain_name, wanted))

    def fit(sign: str) -> tuple[int, bool, int, bool]:
        names: list[str] = []
        with suppress(csv.Error):
            names = next(csv.reader([header], delimiter=sign), [])
        count = sum(plain_name(name) in known for name in names)
        return count, sign == usual and len(names) > 1, len(names), sign == usual

    return max((usual, *DELIMITERS), key=fit)


def check_delimiter(delimiter: str | None) -> str | None:
    """Return a delimiter as one character; ``tab`` is a tab, as is a backslash with t.

    Raises:
        ClaimwiseError: for anything else than one character.
    """
    if delimiter is None:
        return None
    sign = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(sign) != 1 or sign in '"\r\n':
        raise ClaimwiseError(
            f"the delimiter must be one character, or tab; got “{delimiter}”.",
            "Use `,`, `;`, `|` or `tab`.",
            option="delimiter",
        )
    return sign
