"""The installed metrics of claimwise, and of other packages through entry points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from claimwise.errors import ClaimwiseError, did_you_mean
from claimwise.metrics.base import Metric
from claimwise.metrics.spec import Further, MetricSpec
from claimwise.plugins import load_registered, registered

GROUP = "claimwise.metrics"


class _Registry(Mapping[str, type[Metric]]):
    """Name → class of every registered metric; classes are imported on access."""

    def __getitem__(self, name: str) -> type[Metric]:
        if name not in registered(GROUP):
            raise KeyError(name)
        metric = load_registered(GROUP, name)
        if not (isinstance(metric, type) and issubclass(metric, Metric) and metric.name == name):
            raise ClaimwiseError(
                f"What is registered as the metric `{name}` is not a metric of that name.",
                "Register a subclass of claimwise.metrics.Metric whose spec has this name.",
            )
        return metric

    def __iter__(self) -> Iterator[str]:
        return iter(registered(GROUP))

    def __len__(self) -> int:
        return len(registered(GROUP))


METRICS: Mapping[str, type[Metric]] = _Registry()


def load(name: str, config_name: str = "default", **options: Any) -> Metric:
    """Return the metric called ``name``; see its class for the options.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option.
    """
    return metric_class(name)(config_name, **options)


def metric_class(name: str) -> type[Metric]:
    """Return the class of the metric called ``name``.

    Raises:
        ClaimwiseError: for an unknown metric.
    """
    metric = METRICS.get(name)  # looked up once: every look-up reads the entry points of all packages
    if metric is None:
        raise unknown_metric(name, METRICS)
    return metric


def unknown_metric(name: str, known: Iterable[str], **where: Any) -> ClaimwiseError:
    """Return the error for a metric that is not one of the known ones."""
    names = list(known)
    remedy = f"{did_you_mean(name, names)}Choose one of {', '.join(names)}."
    return ClaimwiseError(f"Unknown metric `{name}`.", remedy, **where)


def spec_of(score: str) -> tuple[MetricSpec | None, Further | None]:
    """Return the specification of the metric that computes a score, and of the score if it is a further one.

    Args:
        score: the name of a metric, or of a further score such as ``"caspr_strongest"``.

    Returns:
        (None, None) if no installed metric computes the score.
    """
    if (named := METRICS.get(score)) is not None:
        return named.spec, None
    for metric in METRICS.values():
        if score in metric.spec.further:
            return metric.spec, metric.spec.further[score]
    return None, None
