"""What adapters share: a metric by its name, the cells of a sample by column, a score or an error per row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.registry import load
from claimwise.metrics.rows import RowScore
from claimwise.metrics.spec import MetricSpec
from claimwise.runners import local


def load_metric(
    metric: str | Metric,
    config_name: str = "default",
    options: Mapping[str, Any] | None = None,
    *,
    part_by_part: str = "",
) -> Metric:
    """Return the metric that an adapter uses; one that is already loaded is returned as it is.

    A tool that passes rows in parts says so, such as ``"inspect-ai scores sample by sample"``; a metric that
    compares all rows with each other is rejected there.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option, or a metric that cannot be used.
    """
    if not isinstance(metric, Metric):
        metric = load(metric, config_name, **(options or {}))
    elif options or config_name != "default":
        raise ClaimwiseError(
            f"{metric.name} is already loaded, so a configuration and options have no effect.",
            "Pass them to claimwise.load, or pass the name of the metric here.",
        )
    if part_by_part and isinstance(metric, CorpusMetric):
        raise ClaimwiseError(
            f"{metric.name} compares all summaries with each other, but {part_by_part}.",
            f'Score them together: claimwise.load("{metric.name}").compute(predictions=…).',
        )
    return metric


def cells_of_sample(
    spec: MetricSpec, prediction: Any, references: Any, *places: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a sample by column; ``places`` are searched for further columns, by their usual names."""
    further = {column.name: first_of((column.name, *column.usual), *places) for column in spec.columns}
    return further | {"predictions": prediction, "references": references}


def first_of(names: Iterable[str], *places: Mapping[str, Any]) -> Any:
    """Return the value of the first name that a place has; None if there is none."""
    return next((place[name] for name in names for place in places if place.get(name) is not None), None)


@dataclass(frozen=True)
class ScoredSample:
    """A sample with its score; ``columns`` are those that its signature names."""

    metric: Metric
    row: RowScore
    score: float
    columns: Sequence[str]

    @property
    def reason(self) -> str:
        """The score and its evidence as plain text."""
        from claimwise.evidence.terminal import as_text

        title = f"{self.metric.spec.title} {shown(self.metric.spec, self.score)}"
        return title if self.row.evidence is None else as_text(self.row.evidence, title)

    @property
    def facts(self) -> dict[str, Any]:
        """The weight, further scores, counts other than 0, and the signature."""
        further = {name: score for name, score in self.row.further.items() if score is not None}
        counts = {name: count for name, count in self.row.counts.items() if count}
        signature = self.metric.signature(*self.columns)
        return {"weight": self.row.weight, **further, **counts, "signature": signature}


def score_sample(metric: Metric, cells: Mapping[str, Any]) -> ScoredSample:
    """Score a sample, given by column; columns that the metric does not read are ignored.

    Raises:
        ClaimwiseError: for an invalid sample, or one with nothing to score; its ``column`` is the metric's.
    """
    (scored,) = score_samples(metric, [cells], details=True)
    if isinstance(scored, ClaimwiseError):
        raise scored.at(row=None)
    return scored


def score_samples(
    metric: Metric, samples: Sequence[Mapping[str, Any]], *, details: bool = False
) -> list[ScoredSample | ClaimwiseError]:
    """Return each sample scored, or its error; valid samples are scored together."""
    if not samples:
        return []
    read = [c.name for c in metric.spec.columns if c.required or first_of([c.name], *samples) is not None]
    columns = {name: [cells.get(name) for cells in samples] for name in read}
    named, scored = metric.spec.named(columns), list[ScoredSample | ClaimwiseError]()
    for number, row in enumerate(local(on_error="row").score_rows(metric, columns, details=details)):
        if isinstance(row, ClaimwiseError):
            scored.append(row)
        elif row.score is None:
            scored.append(ClaimwiseError("there is nothing to score.", row=number))
        else:
            scored.append(ScoredSample(metric, row, float(row.score), named))
    return scored


def weighted_mean(scores: Iterable[tuple[float, float]]) -> float:
    """Return the mean of (score, weight) pairs, without scores that are NaN; NaN if there are none."""
    known = [(score, weight) for score, weight in scores if not math.isnan(score)]
    weights = sum(weight for _, weight in known)
    return sum(score * weight for score, weight in known) / weights if known else math.nan


def weighted_stderr(scores: Iterable[tuple[float, float]]) -> float:
    """Return the standard error of ``weighted_mean``; NaN for fewer than two scores."""
    known = [(score, weight) for score, weight in scores if not math.isnan(score)]
    if len(known) < 2:
        return math.nan
    center = weighted_mean(known)
    squares = sum((weight * (score - center)) ** 2 for score, weight in known)
    return math.sqrt(squares * len(known) / (len(known) - 1)) / sum(weight for _, weight in known)


def renamed(error: ClaimwiseError, names: Mapping[str, str]) -> ClaimwiseError:
    """Return an error whose column has the name that users of a tool know."""
    return error.at(column=names.get(error.column or "", error.column))


def shown(spec: MetricSpec, score: float) -> str:
    """Return a formatted score: one decimal for scores up to 100, else three."""
    high = spec.bounds[1]
    return f"{score:z.1f}" if math.isfinite(high) and high > 10 else f"{score:z.3f}"
