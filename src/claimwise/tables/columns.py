"""Columns of a table in memory, found by alternative names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.tables.names import chosen_name
from claimwise.tables.reader import Table


def read_columns(
    path: Path,
    alternatives: Sequence[Sequence[str]],
    delimiter: str | None = None,
    option: str | None = None,
) -> list[list[Any]]:
    """Read columns of a table into memory.

    Args:
        path: a .csv, .tsv, .json, .jsonl (.ndjson) or .parquet file.
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
