"""A metric as a function for ``datasets.Dataset.map``: ``data.map(Scores("caspr"), batched=True)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claimwise import __version__
from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import load_metric
from claimwise.integrations.tables import score_table
from claimwise.metrics.base import Metric
from claimwise.runners import local
from claimwise.runners.parts import OnError


class Scores:
    """Adds the scores of a metric to a batch of rows.

    It adds the columns ``<metric>``, ``<metric>_weight`` and further scores of the metric. With
    ``on_error="row"`` an invalid text is no error: its row has no score (None, never 0), and the column
    ``<metric>_error`` has the reason. ``columns`` maps columns of the metric to columns of the data set
    without a usual name. It can be pickled, so ``num_proc`` works, and ``datasets`` reuses cached results.
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
        by_batch = "Dataset.map passes them batch by batch"
        self.metric = load_metric(metric, config_name, options, part_by_part=by_batch)
        self.columns = dict(columns or {})
        self.on_error: OnError = on_error
        local(on_error=on_error)  # which rejects any other value
        self.version = __version__  # datasets hashes this object, and another version may score differently

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return the added columns.

        Raises:
            ClaimwiseError: for a missing column, rows that are not batched, or an invalid text.
        """
        if any(isinstance(cells, str) for cells in batch.values()):
            raise ClaimwiseError("Rows must come in batches.", "Write data.map(…, batched=True).")
        return score_table(self.metric, batch, self.columns, self.on_error).added
