"""What the adapters of tools that hand over one sample at a time share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from claimwise.apps.integrations.rows import (
    explained,
    found,
    further_columns,
    load_metric,
    numbers,
    score_row,
)
from claimwise.metrics.base import Metric, RowScore


class SampleScorer:
    """A metric that scores samples one by one.

    Args:
        metric: name of the metric, or one that is made already.
        config_name: one of its configurations.
        options: of the metric.
        handed_over: how the tool hands over samples, such as ``"MLflow scores row by row"``.

    Raises:
        ClaimwiseError: for an unknown metric or option, and for one that compares all rows with each other.
    """

    def __init__(
        self, metric: str | Metric, config_name: str, options: Mapping[str, Any], handed_over: str
    ) -> None:
        self.metric = load_metric(metric, config_name, options, part_by_part=handed_over)
        self.spec = self.metric.spec

    def cells(self, prediction: Any, references: Any, *places: Mapping[str, Any]) -> dict[str, Any]:
        """Return a sample by column, with further columns from the first of ``places`` that has them."""
        further = {column: found(self.spec, column, *places) for column in further_columns(self.spec)}
        return {"predictions": prediction, "references": references, **further}

    def score(self, cells: Mapping[str, Any]) -> tuple[RowScore, str, dict[str, Any]]:
        """Score a sample.

        Returns:
            Its score, the evidence as plain text, and what else is worth keeping: weight, further scores,
            counts and the signature.

        Raises:
            ClaimwiseError: for one that cannot be scored; its ``column`` is that of the metric.
        """
        row = score_row(self.metric, cells)
        named = self.spec.named({column: [cell] for column, cell in cells.items() if cell})
        return row, explained(self.spec, row), {**numbers(row), "signature": self.metric.signature(*named)}


def known_scores(scores: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the (score, weight) of the samples that have a score."""
    return [(score, weight) for score, weight in scores if not math.isnan(score)]


def weighted_mean(scores: Iterable[tuple[float, float]]) -> float:
    """Return the mean of the (score, weight) there are, by their weights; NaN if there are none."""
    known = known_scores(scores)
    if not known:
        return math.nan
    return sum(score * weight for score, weight in known) / sum(weight for _, weight in known)
