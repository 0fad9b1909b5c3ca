"""Any claimwise metric as a ``torchmetrics.Metric``: it scores in ``update`` and stores only sums.

Texts cannot be synchronised between processes; sums can. The value over several processes equals the value
over all rows, however they are distributed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torchmetrics

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import load_metric
from claimwise.metrics import base
from claimwise.metrics.rows import RowScore


class ClaimwiseMetric(torchmetrics.Metric):
    """A claimwise metric over batches of summaries.

    ``compute`` returns the same weighted mean as ``claimwise.load(metric).compute`` for all rows, as a
    scalar; with ``further=True`` a dict that also contains the further scores and counts of the metric.

    Args:
        metric: name of a metric, or a loaded one.
        config_name: one of its configurations.
        further: return a dict of all values.
        of_torchmetrics: arguments of ``torchmetrics.Metric``, such as ``{"sync_on_compute": False}``.
        **options: options of the metric, such as ``judge``.

    Raises:
        ClaimwiseError: for an unknown metric or option, or a metric that compares all rows with each other.
    """

    is_differentiable = False
    full_state_update = False
    totals: torch.Tensor

    def __init__(
        self,
        metric: str | base.Metric,
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

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher is better; None if it depends on the task."""
        better = self.metric.spec.better
        return None if better is None else better == "higher"

    @property
    def plot_lower_bound(self) -> float | None:
        """The lowest possible score, if bounded."""
        return _finite(self.metric.spec.bounds[0])

    @property
    def plot_upper_bound(self) -> float | None:
        """The highest possible score, if bounded."""
        return _finite(self.metric.spec.bounds[1])

    def update(
        self,
        preds: Sequence[str],
        target: Sequence[str | Sequence[str]] | None = None,
        **columns: Sequence[Any] | None,
    ) -> None:
        """Score a batch and add it to the sums.

        Args:
            preds: summaries.
            target: the other summaries, or the sources, one per summary; None if the metric needs none.
            **columns: further columns that the metric reads.

        Raises:
            ClaimwiseError: for an invalid text; nothing of the batch is added then.
        """
        given = {name: cells for name, cells in columns.items() if cells is not None}
        self.metric._check_known(given)
        rows = self.metric.rows({"predictions": preds, "references": target, **given})
        for row in self.metric.score_rows(rows):
            self.totals = self.totals + self.totals.new_tensor(self._terms(row))

    def compute(self) -> Any:
        """Return the weighted mean of all rows, or a dict of all values.

        Raises:
            ClaimwiseError: if no row was added.
        """
        count = len(self._scores)
        sums, weights = self.totals[:count], self.totals[count : 2 * count]
        if not float(weights[0]):
            raise ClaimwiseError(
                f"{self.metric.name}: no row has a score.", "Call update with at least one row."
            )
        means = dict(zip(self._scores, sums / weights, strict=True))
        if not self.further:
            return means[self.metric.name]
        names = (f"{self.metric.name}_{name}" for name in self.metric.spec.counts)
        return means | dict(zip(names, self.totals[2 * count :], strict=True))

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot a value of ``compute`` or ``forward`` (default: the current value); needs matplotlib."""
        return self._plot(val, ax)

    def _terms(self, row: RowScore) -> list[float]:
        """Return what a row adds to the totals; a missing score adds nothing, nor does its weight."""
        scores, weights = [row.score], [row.weight]
        for name, further in self.metric.spec.further.items():
            scores.append(row.further.get(name))
            weights.append(row.weight if further.weighted else 1.0)
        sums = [0.0 if score is None else score * w for score, w in zip(scores, weights, strict=True)]
        weights = [0.0 if score is None else w for score, w in zip(scores, weights, strict=True)]
        return [*sums, *weights, *(float(row.counts.get(name, 0)) for name in self.metric.spec.counts)]


def _finite(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None
