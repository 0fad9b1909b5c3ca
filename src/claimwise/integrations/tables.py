"""Scoring a table in memory, for adapters of tools with tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import renamed
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import RowScore
from claimwise.runners import local
from claimwise.runners.file_rows import added_cells, added_columns, read_names
from claimwise.runners.parts import OnError, with_lists
from claimwise.tables import Repeated
from claimwise.text.inputs import cells_of


class ScoredTable(NamedTuple):
    """A scored table: added columns, scores of valid rows, columns that the signature names, usage."""

    added: dict[str, list[Any]]
    rows: list[RowScore]
    columns: list[str]
    used: dict[str, int]


def score_table(
    metric: Metric, table: Any, given: Mapping[str, str], on_error: OnError, *, details: bool = False
) -> ScoredTable:
    """Score a table in memory, which returns cells by column; the added columns are named as in files.

    ``given`` maps columns of the metric to columns of the table without a usual name. With ``on_error="row"``
    an invalid row has an error instead of a score.

    Raises:
        ClaimwiseError: for a missing column or an invalid row, naming the table's column.
    """
    spec, used = metric.spec, dict[str, int]()
    names = read_names(Path("the table"), list(table), spec, given, optional=True)
    cells, _ = with_lists(spec, {own: cells_of(table[name], str(name)) for own, name in names.items()})
    if spec.references_are == "sources":
        Repeated("summary").add(cells["predictions"], cells["references"])
    try:
        rows = local(on_error=on_error).score_rows(metric, cells, details=details, used=used)
    except ClaimwiseError as error:
        raise renamed(error, names) from error
    scores = [row for row in rows if isinstance(row, RowScore)]
    rows = [renamed(row, names).at(row=None) if isinstance(row, ClaimwiseError) else row for row in rows]
    written = [added_cells(spec, row, None) for row in rows]
    added = {name: [row.get(name) for row in written] for name in added_columns(metric, (), details)}
    if on_error == "stop":
        del added[f"{spec.name}_error"]
    return ScoredTable(added, scores, spec.named(cells), used)
