"""Tables of texts: one reader for CSV, JSON, JSONL and Parquet, one writer, all-or-nothing files."""

from __future__ import annotations

from claimwise.tables.cells import as_list, is_missing, lists_in
from claimwise.tables.places import cannot_be_written, placing, writing
from claimwise.tables.reader import Batch, Table, chosen_names, read_columns, text_size
from claimwise.tables.writer import METADATA, SUFFIXES, Writer, read_scored

__all__ = [
    "METADATA",
    "SUFFIXES",
    "Batch",
    "Table",
    "Writer",
    "as_list",
    "cannot_be_written",
    "chosen_names",
    "is_missing",
    "lists_in",
    "placing",
    "read_columns",
    "read_scored",
    "text_size",
    "writing",
]
