"""A metric as a function for ``datasets.Dataset.map``: ``data.map(Scores("caspr"), batched=True)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from claimwise import __version__
from claimwise.apps.integrations.rows import load_metric, score_rows
from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import Metric, RowScore


class Scores:
    """Adds the scores of a metric to a batch of rows.

    The columns that it adds are ``<metric>``, ``<metric>_weight`` and further scores of the metric; with
    ``unscored="keep"`` also ``<metric>_unscored``, the reason of a row that has no score (None, never 0).
    It can be pickled, so ``num_proc`` works, and ``datasets`` finds what it has scored before.

    Args:
        metric: name of the metric, or one that is made already.
        config_name: one of its configurations.
        columns: what the metric reads → the name of the column of the data set; by default the usual names.
        unscored: ``"raise"`` refuses a text that cannot be scored, ``"keep"`` leaves the row without a score.
        **options: of the metric.

    Raises:
        ClaimwiseError: for an unknown metric or option, and for one that compares all rows with each other.
    """

    def __init__(
        self,
        metric: str | Metric,
        config_name: str = "default",
        *,
        columns: Mapping[str, str] | None = None,
        unscored: Literal["raise", "keep"] = "raise",
        **options: Any,
    ) -> None:
        if unscored not in ("raise", "keep"):
            raise ClaimwiseError(
                f"Unknown value {unscored!r}.", "Choose 'raise' or 'keep'.", option="unscored"
            )
        self.metric = load_metric(
            metric, config_name, options, part_by_part="Dataset.map gives them batch by batch"
        )
        self.columns = dict(columns or {})
        self.unscored = unscored
        self.version = __version__  # other scores may come of another one: datasets hashes this object

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return the columns that are added.

        Raises:
            ClaimwiseError: for a missing column, rows that are not batched, or a text that cannot be scored.
        """
        spec = self.metric.spec
        cells = {}
        for column in spec.columns:
            given = self.columns.get(column.name)
            names = [given] if given is not None else [column.name, *column.usual]
            there = [name for name in names if name in batch]
            if there:
                cells[column.name] = batch[there[0]]
            elif column.required or given is not None:
                raise ClaimwiseError(
                    f"The data set has no column {' or '.join(map(repr, names))} for {column.name} "
                    f"({column.meaning}).",
                    f"Name one of {', '.join(batch)}: columns={{{column.name!r}: …}}.",
                    option="columns",
                )
        if isinstance(cells["predictions"], str):
            raise ClaimwiseError("One row was given alone.", "Write data.map(…, batched=True).")
        rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
        outcomes = score_rows(self.metric, rows)
        for outcome in outcomes:
            if isinstance(outcome, ClaimwiseError) and self.unscored == "raise":
                raise outcome
        scored = [one if isinstance(one, RowScore) else None for one in outcomes]
        added: dict[str, list[Any]] = {
            spec.name: [one and one.score for one in scored],
            f"{spec.name}_weight": [one and one.weight for one in scored],
        }
        for further in spec.further:
            added[further] = [one and one.further.get(further) for one in scored]
        if self.unscored == "keep":
            added[f"{spec.name}_unscored"] = [
                str(one.at(row=None)) if isinstance(one, ClaimwiseError) else None for one in outcomes
            ]
        return added
