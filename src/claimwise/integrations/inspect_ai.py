"""Every claimwise metric as a scorer of inspect-ai, under names such as ``claimwise/caspr``.

inspect-ai finds this module by its entry point. A sample that cannot be scored stays unscored, with the
reason as its explanation; mean and standard error are over the others, weighted like the metric's own mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from claimwise.errors import ClaimwiseError
from claimwise.integrations import base
from claimwise.metrics.base import Metric
from claimwise.metrics.registry import METRICS, unknown_metric


@metric
def mean() -> InspectMetric:
    """Return the mean of the scored samples, weighted by the metric; NaN if there are none."""
    return _weighted(base.weighted_mean)


@metric
def stderr() -> InspectMetric:
    """Return the standard error of that mean; NaN for fewer than two samples."""
    return _weighted(base.weighted_stderr)


def _weighted(statistic: Callable[[Iterable[tuple[float, float]]], float]) -> InspectMetric:
    def weighted(scores: list[SampleScore]) -> float:  # inspect-ai reads the annotation
        scored = [sample.score for sample in scores]
        return statistic((one.as_float(), float((one.metadata or {}).get("weight", 1.0))) for one in scored)

    return weighted


def claimwise_scorer(metric: str, config_name: str = "default", **options: Any) -> Scorer:
    """Return the scorer of a metric for ``Task(scorer=…)``.

    Among the options may be ``references``: what the answer is scored against, ``"target"``, ``"input"`` or a
    key of the sample's metadata. The default is the target for a metric of two summaries and the input for a
    factuality metric. Further columns are keys of the metadata.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option.
    """
    if metric not in SCORERS:
        raise unknown_metric(metric, SCORERS)
    return SCORERS[metric](config_name, **options)


def _registered(name: str) -> Callable[..., Scorer]:
    @scorer(metrics=[mean(), stderr()], name=name)
    def registered(config_name: str = "default", references: str | None = None, **options: Any) -> Scorer:
        by_sample = "inspect-ai scores sample by sample"
        loaded = base.load_metric(name, config_name, options, part_by_part=by_sample)
        usual = "input" if loaded.references_are == "sources" else "target"

        async def score(state: TaskState, target: Target) -> Score:
            return await anyio.to_thread.run_sync(_score, loaded, state, target, references or usual)

        return score

    registered.__doc__ = f"Score the answer with the metric {name}; see ``claimwise_scorer``."
    made: Callable[..., Scorer] = registered
    return made


def _score(loaded: Metric, state: TaskState, target: Target, where: str) -> Score:
    loaded.load()  # a failure to load a model is an error of the task, not of a sample
    answer = state.output.completion
    try:
        references = _references(loaded, state, target, where)
        cells = base.cells_of_sample(loaded.spec, answer, references, state.metadata)
        scored = base.score_sample(loaded, cells)
    except ClaimwiseError as error:
        reason = "no_response" if error.column == "predictions" and not answer.strip() else "scoring_failed"
        return Score.unscored(reason=reason, answer=answer, explanation=str(error))
    evidence = scored.row.evidence.as_dict() if scored.row.evidence else None
    metadata = {**scored.facts, "evidence": evidence}
    return Score(value=scored.score, answer=answer, explanation=scored.reason, metadata=metadata)


def _references(loaded: Metric, state: TaskState, target: Target, where: str) -> Any:
    if where != "target":
        return state.input_text if where == "input" else state.metadata.get(where)
    texts = list(target)
    if loaded.references_are != "summaries":
        return texts
    if len(texts) > 1:
        problem = f"The sample has {len(texts)} targets, but {loaded.name} compares with one summary."
        remedy = "Use one target, or name a key of the metadata with references=…."
        raise ClaimwiseError(problem, remedy, column="references")
    return texts[0] if texts else None


SCORERS: dict[str, Callable[..., Scorer]] = {name: _registered(name) for name in METRICS}
"""Scorers registered with inspect-ai, by the name of the metric."""
