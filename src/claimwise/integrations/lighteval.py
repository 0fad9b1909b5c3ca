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
from claimwise.integrations.base import cells_of_sample, load_metric, score_samples, weighted_mean
from claimwise.metrics.base import Metric


class WeightedScore(float):
    """The score of a sample, and its weight in the mean."""

    weight = 1.0


class ScoreSamples(SampleLevelComputation):
    """Scores the answers of a task with a metric, against ``references``; see ``lighteval_metric``."""

    def __init__(self, metric: Metric, references: str) -> None:
        self.metric, self.references = metric, references

    def compute(
        self, responses: Sequence[ModelResponse], docs: Sequence[Doc], **_: Any
    ) -> list[WeightedScore]:
        """Return the score of each answer; NaN, never 0, with a warning for an answer without a score.

        Raises:
            ClaimwiseError: for a task that samples several answers.
        """
        samples = [self._cells(response, doc) for response, doc in zip(responses, docs, strict=True)]
        scores = []
        for doc, scored in zip(docs, score_samples(self.metric, samples), strict=True):
            if isinstance(scored, ClaimwiseError):
                warn(f"{doc.task_name}, sample {doc.id}: not scored. {scored.at(row=None)}")
                scores.append(WeightedScore(math.nan))
            else:
                scores.append(WeightedScore(scored.score))
                scores[-1].weight = scored.row.weight
        return scores

    def _cells(self, response: ModelResponse, doc: Doc) -> dict[str, Any]:
        spec, specific, answers = self.metric.spec, doc.specific or {}, response.final_text
        if len(answers) > 1:
            raise ClaimwiseError(
                f"{doc.task_name} samples {len(answers)} answers, but {self.metric.name} scores only one.",
                "Remove num_samples from the task.",
            )
        references = specific.get(self.references)
        if self.references == "golds":
            golds = doc.get_golds()
            references = (golds or [None])[0] if spec.references_are == "summaries" else golds
        return cells_of_sample(spec, answers[0] if answers else None, references, specific)


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
    """Return a metric for the ``metrics`` of a ``LightevalTaskConfig``; it may be loaded, or named.

    ``references`` is ``"golds"``, or the key of ``doc.specific`` with the references of an answer. The
    default is the gold for a metric of two summaries, all golds for a metric with reference summaries, and
    ``"source"`` for a factuality metric. Further columns are keys of ``doc.specific``. ``metric_name`` is the
    name in lighteval.
    """
    loaded = load_metric(metric, config_name, options)
    usual = "source" if loaded.references_are == "sources" else "golds"
    return SampleLevelMetric(
        metric_name=metric_name or loaded.name,
        higher_is_better=loaded.spec.better != "lower",
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=ScoreSamples(loaded, references or usual),
        corpus_level_fn=mean_of_samples,
        batched_compute=True,
    )
