"""Any claimwise metric as a ``torchmetrics.Metric``: it scores in ``update`` and stores only sums.

Texts cannot be synchronised between processes; sums can. The value over several processes equals the value
over all rows, however they are distributed.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torchmetrics

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import load_metric
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import RowScore


class ClaimwiseMetric(torchmetrics.Metric):
    """A claimwise metric over batches of summaries.

    ``compute`` returns the same weighted mean as ``claimwise.load(metric).compute`` for all rows, as a
    scalar; with ``further=True`` a dict that also contains the further scores and counts of the metric.
    ``of_torchmetrics`` has arguments of ``torchmetrics.Metric``, such as ``{"sync_on_compute": False}``.
    """

    is_differentiable = False
    full_state_update = False
    totals: torch.Tensor

    def __init__(
        self,
        metric: str | Metric,
        config_name: str = "default",
        *,
        further: bool = False,
        of_torchmetrics: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**(of_torchmetrics or {}))
        by_batch = "torchmetrics passes them batch by batch"
        self.metric = load_metric(metric, config_name, options, part_by_part=by_batch)
        self.further = further
        # For each score the weighted sum, then for each score the sum of its weights, then the counts.
        self._scores = [self.metric.name, *self.metric.spec.further]
        length = 2 * len(self._scores) + len(self.metric.spec.counts)
        self.add_state("totals", torch.zeros(length, dtype=torch.float64), dist_reduce_fx="sum")

    # torchmetrics refuses to set these on an instance.
    higher_is_better = property(lambda self: {"higher": True, "lower": False}.get(self.metric.spec.better))
    plot_lower_bound = property(lambda self: _finite(self.metric.spec.bounds[0]))
    plot_upper_bound = property(lambda self: _finite(self.metric.spec.bounds[1]))

    def update(self, preds: Any, target: Any = None, **columns: Any) -> None:
        """Score a batch of summaries against other summaries or sources, and add it to the sums.

        Raises:
            ClaimwiseError: for an invalid text; nothing of the batch is added then.
        """
        given = {name: cells for name, cells in columns.items() if cells is not None}
        self.metric._check_known(given)
        rows = self.metric.rows({"predictions": preds, "references": target, **given})
        for row in self.metric.score_rows(rows):
            self.totals = self.totals + self.totals.new_tensor(self._terms(row))

    def compute(self) -> Any:
        """Return the weighted mean of all rows, or with ``further`` a dict of all values.

        Raises:
            ClaimwiseError: if no row has a score.
        """
        count = len(self._scores)
        sums, weights, counts = self.totals[:count], self.totals[count : 2 * count], self.totals[2 * count :]
        if not float(weights[0]):
            raise ClaimwiseError(
                f"No row of {self.metric.name} has a score.", "Call update with a row first."
            )
        means = dict(zip(self._scores, sums / weights, strict=True))
        names = (f"{self.metric.name}_{name}" for name in self.metric.spec.counts)
        return means | dict(zip(names, counts, strict=True)) if self.further else means[self.metric.name]

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot a value of ``compute`` or ``forward`` (default: the current value); needs matplotlib."""
        return self._plot(val, ax)

    def _terms(self, row: RowScore) -> list[float]:
        """Return what a row adds to the totals; a missing score adds no weight either."""
        scores = [(row.score, row.weight)]
        for name, further in self.metric.spec.further.items():
            scores.append((row.further.get(name), row.weight if further.weighted else 1.0))
        known = [(0.0, 0.0) if score is None else (score * weight, weight) for score, weight in scores]
        sums, weights = zip(*known, strict=True)
        return [*sums, *weights, *(float(row.counts.get(name, 0)) for name in self.metric.spec.counts)]


def _finite(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None
