"""Tables of texts: one reader for CSV, JSON, JSONL and Parquet, one writer, all-or-nothing files."""

from __future__ import annotations

from claimwise.tables.cells import as_list, is_broken_list, is_missing, is_written_list, lists_in
from claimwise.tables.long import (
    AS_IT_IS,
    JOIN,
    REVIEWS,
    TEXT_FIELDS,
    Layout,
    Repeated,
    joined,
    selected,
    values_of,
)
from claimwise.tables.names import chosen_name, find_name, listed, plain_name
from claimwise.tables.places import (
    cannot_be_written,
    check_outputs,
    is_special,
    placing,
    writing,
)
from claimwise.tables.reader import Batch, Table, read_columns
from claimwise.tables.writer import (
    SUFFIXES,
    Holds,
    Writer,
    as_json,
    metadata_path,
    read_scored,
    with_columns,
    write_json,
)

__all__ = [
    "AS_IT_IS",
    "JOIN",
    "REVIEWS",
    "SUFFIXES",
    "TEXT_FIELDS",
    "Batch",
    "Holds",
    "Layout",
    "Repeated",
    "Table",
    "Writer",
    "as_json",
    "as_list",
    "cannot_be_written",
    "check_outputs",
    "chosen_name",
    "find_name",
    "is_broken_list",
    "is_missing",
    "is_special",
    "is_written_list",
    "joined",
    "listed",
    "lists_in",
    "metadata_path",
    "placing",
    "plain_name",
    "read_columns",
    "read_scored",
    "selected",
    "values_of",
    "with_columns",
    "write_json",
    "writing",
]
