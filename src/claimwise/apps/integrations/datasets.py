"""A metric as a function for ``datasets.Dataset.map``: ``data.map(Scores("caspr"), batched=True)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claimwise import __version__
from claimwise.apps.integrations.rows import load_metric, score_table
from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import Metric
from claimwise.runners import local
from claimwise.runners.parts import OnError


class Scores:
    """Adds the scores of a metric to a batch of rows.

    The columns that it adds are ``<metric>``, ``<metric>_weight`` and further scores of the metric; with
    ``on_error="row"`` also ``<metric>_error``, the reason of a row that has no score (None, never 0).
    It can be pickled, so ``num_proc`` works, and ``datasets`` finds what it has scored before.

    Args:
        metric: name of the metric, or one that is made already.
        config_name: one of its configurations.
        columns: what the metric reads → the name of the column of the data set; by default the usual names.
        on_error: ``"stop"`` refuses a text that cannot be scored, ``"row"`` leaves the row without a score.
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
        on_error: OnError = "stop",
        **options: Any,
    ) -> None:
        self.metric = load_metric(
            metric, config_name, options, part_by_part="Dataset.map gives them batch by batch"
        )
        self.columns = dict(columns or {})
        self.on_error: OnError = on_error
        local(on_error=on_error)  # which refuses another value
        self.version = __version__  # other scores may come of another one: datasets hashes this object

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return the columns that are added.

        Raises:
            ClaimwiseError: for a missing column, rows that are not batched, or a text that cannot be scored.
        """
        if any(isinstance(cells, str) for cells in batch.values()):
            raise ClaimwiseError("Rows must come in batches.", "Write data.map(…, batched=True).")
        added, _, _ = score_table(self.metric, batch, list(batch), self.columns, self.on_error)
        return added
