"""Columns of a table in memory, found by alternative names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.tables.names import chosen_name, plain_name
from claimwise.tables.reader import MOST_BYTES, MOST_TEXTS, Table, text_size, too_large


def read_columns(
    path: Path, alternatives: Sequence[Sequence[str]], delimiter: str | None = None
) -> list[list[Any]]:
    """Read columns of a table into memory.

    Args:
        path: a .csv, .tsv, .json, .jsonl (.ndjson) or .parquet file, of at most 256 MiB and 5 million texts.
        alternatives: alternative names of each wanted column; the first that exists is read.
        delimiter: see ``Table``.

    Returns:
        One list of cells per wanted column; a missing JSON key or CSV cell gives None.

    Raises:
        ClaimwiseError: for a file that is unreadable, empty or too large, or lacks a column.
    """
    try:
        is_large = path.stat().st_size > MOST_BYTES
    except (OSError, ValueError):  # reported when the table is read
        is_large = False
    if is_large:
        raise too_large().at(path=str(path))
    wanted = [name for names in alternatives for name in names]
    known = set(map(plain_name, wanted))
    table = Table(path, wanted, delimiter)
    names = dict.fromkeys([] if table.suffix in (".json", ".jsonl") else table.names)

    def chosen() -> list[str]:
        return [chosen_name(path, list(names), of_column) for of_column in alternatives]

    if names:
        chosen()
    columns: dict[str, list[Any]] = {}
    texts = size = rows = 0
    for batch in table.batches(names=[name for name in names if plain_name(name) in known]):
        for name in batch.names():
            if plain_name(name) in known and name not in columns:
                columns[name] = [None] * rows
            names[name] = None
        rows += len(batch)
        for name, cells in columns.items():
            of_batch = batch.cells(name)
            cells += of_batch
            texts += sum(len(cell) if isinstance(cell, list) else cell is not None for cell in of_batch)
            size += sum(map(text_size, of_batch))
        if max(texts, rows) > MOST_TEXTS or size > MOST_BYTES:
            raise too_large().at(path=str(path))
    if not rows:
        raise ClaimwiseError("has no rows to score.", path=path)
    return [columns[name] for name in chosen()]
