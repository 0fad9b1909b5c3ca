"""Any claimwise metric as a metric of a lighteval task, for a file given with ``--custom-tasks``.

All answers of a task are scored together, so that the judge sees large batches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from claimwise.errors import ClaimwiseError, warn
from claimwise.integrations.base import (
    found,
    further_columns,
    load_metric,
    score_rows,
    value_of,
    weighted_mean,
)
from claimwise.metrics.base import Metric, RowScore


class WeightedScore(float):
    """The score of a sample, and its weight in the mean."""

    weight: float = 1.0

    def __new__(cls, score: float, weight: float = 1.0) -> WeightedScore:
        """Return ``score`` with a weight."""
        made = super().__new__(cls, score)
        made.weight = weight
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return float(self), self.weight


class ScoreSamples(SampleLevelComputation):
    """Scores the answers of a task.

    Args:
        metric: a metric of claimwise.
        references: the key of ``doc.specific`` with the references of an answer, or ``"golds"``.
    """

    def __init__(self, metric: Metric, references: str) -> None:
        self.metric = metric
        self.references = references

    def compute(
        self, responses: Sequence[ModelResponse], docs: Sequence[Doc], **_: Any
    ) -> list[WeightedScore]:
        """Return the score of each answer; NaN, never 0, with a warning for an answer without a score.

        Raises:
            ClaimwiseError: for a task that samples several answers.
        """
        rows = [self._cells(response, doc) for response, doc in zip(responses, docs, strict=True)]
        outcomes = score_rows(self.metric, rows)
        scores = []
        for doc, outcome in zip(docs, outcomes, strict=True):
            if isinstance(outcome, RowScore):
                scores.append(WeightedScore(value_of(outcome), outcome.weight))
            else:
                warn(f"{doc.task_name}, sample {doc.id}: not scored. {outcome.at(row=None)}")
                scores.append(WeightedScore(math.nan, 0.0))
        return scores

    def _cells(self, response: ModelResponse, doc: Doc) -> dict[str, Any]:
        spec, specific = self.metric.spec, doc.specific or {}
        texts = response.final_text
        if len(texts) > 1:
            raise ClaimwiseError(
                f"{doc.task_name} samples {len(texts)} answers, but {self.metric.name} scores only one.",
                "Remove num_samples from the task.",
            )
        cells = {"predictions": texts[0] if texts else None}
        cells |= {column: found(spec, column, specific) for column in further_columns(spec)}
        if self.references == "golds":
            golds = doc.get_golds()
            cells["references"] = (golds or [None])[0] if spec.references_are == "summaries" else golds
        else:
            cells["references"] = found(spec, "references", specific, key=self.references)
        return cells


def mean_of_samples(scores: Sequence[float]) -> float:
    """Return the weighted mean of the scores, without missing ones; NaN if there are none."""
    return weighted_mean((float(score), getattr(score, "weight", 1.0)) for score in scores)


def lighteval_metric(
    metric: str | Metric,
    config_name: str = "default",
    *,
    references: str | None = None,
    metric_name: str | None = None,
    **options: Any,
) -> SampleLevelMetric:
    """Return a metric for the ``metrics`` of a ``LightevalTaskConfig``.

    Args:
        metric: name of a metric, or a loaded one.
        config_name: one of its configurations.
        references: the key of ``doc.specific`` with the references of an answer, or ``"golds"``; by default
            the gold for a metric of two summaries, all golds for a metric with reference summaries, and
            ``"source"`` for a factuality metric. Further columns are keys of ``doc.specific``.
        metric_name: its name in lighteval; by default the metric's.
        **options: options of the metric.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option.
    """
    loaded = load_metric(metric, config_name, options)
    usual = "source" if loaded.spec.references_are == "sources" else "golds"
    return SampleLevelMetric(
        metric_name=metric_name or loaded.name,
        higher_is_better=loaded.spec.better != "lower",
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=ScoreSamples(loaded, references or usual),
        corpus_level_fn=mean_of_samples,
        batched_compute=True,
    )
