"""The metrics, by name: texts → sentences → claims → entailment matrices → scores, for many examples at once.

Each metric is one class: ``Caspr("paper", nli_model="default").compute(predictions=…, references=…)``.
Its first argument names a configuration, keywords override it, and nothing is loaded before it is needed.
"""

from __future__ import annotations

from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.pipeline.contrast import Caspr, DistinctivenessScore, InvertedBertscore
from claimwise.pipeline.genericity import Genericity
from claimwise.pipeline.lexical import Abstractiveness, Complexity
from claimwise.pipeline.metric import Metric, Options, Scored
from claimwise.pipeline.spine import Claims, Spine, SpineOptions
from claimwise.pipeline.summac import SummacZs
from claimwise.pipeline.summac_conv import SummacConv
from claimwise.pipeline.support import SupportCounts

__all__ = [
    "CONTRAST_METRICS",
    "METRICS",
    "Abstractiveness",
    "Caspr",
    "Claims",
    "Complexity",
    "DistinctivenessScore",
    "Genericity",
    "InvertedBertscore",
    "Metric",
    "Options",
    "Scored",
    "Spine",
    "SpineOptions",
    "SummacConv",
    "SummacZs",
    "SupportCounts",
    "load",
]

METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for metric in (
        Abstractiveness,
        Caspr,
        Complexity,
        DistinctivenessScore,
        Genericity,
        InvertedBertscore,
        SummacConv,
        SummacZs,
        SupportCounts,
    )
}

CONTRAST_METRICS = (Caspr.name, DistinctivenessScore.name, InvertedBertscore.name)


def load(name: str, config_name: str = "default", **options: Any) -> Metric:
    """Return the metric called ``name``; see its class for the options.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option.
    """
    if name not in METRICS:
        raise ClaimwiseError(f"Unknown metric {name!r}. Choose one of {', '.join(METRICS)}.")
    return METRICS[name](config_name, **options)
