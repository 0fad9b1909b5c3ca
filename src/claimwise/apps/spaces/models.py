"""Metrics and judges, loaded once and shared by all pages and visitors of a process."""

from __future__ import annotations

from collections import defaultdict
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from claimwise.apps.spaces.own_judge import OWN, own_judge
from claimwise.judges.loading import load_judge
from claimwise.judges.options import JudgeOptions
from claimwise.judges.protocol import Judge
from claimwise.metrics import METRICS, Metric, load
from claimwise.metrics.nli import NLIMetric

computing = Lock()
"""Held while a model runs: visitors take turns, even between the rows of a long file."""

USUAL: tuple[tuple[str, Any], ...] = (("show_progress", False),)
"""The options of the embedded judge, the default for all visitors."""

_loading: defaultdict[str, Lock] = defaultdict(Lock)


def load_metric(name: str, options: dict[str, Any]) -> Metric:
    """Return the loaded metric called ``name``; a slow judge delays only its own visitors.

    Raises:
        ClaimwiseError: for unknown options, or a model that cannot be loaded.
    """
    if not issubclass(METRICS[name].Options, JudgeOptions):
        with _loading[name]:
            return _without_judge(name, tuple(sorted(options.items())))
    given = {**options, "show_progress": False}
    if is_own := options.get("judge") == OWN:
        with _loading[OWN]:
            given["judge"] = own_judge()
    metric = load(name, **given)
    if isinstance(metric, NLIMetric):
        metric.judge = given["judge"] if is_own else _judge(metric.options)
    metric.load()
    return metric


def turn(options: dict[str, Any]) -> AbstractContextManager[object]:
    """Return the lock to hold while a metric with these options runs.

    The Space's own judge may be a slow server, so it needs no lock and delays nobody else.
    """
    return nullcontext() if options.get("judge") == OWN else computing


@cache
def temporary_folder() -> TemporaryDirectory[str]:
    """Return a folder for files of this process, which is deleted when the process ends."""
    return TemporaryDirectory(prefix="claimwise-space-", ignore_cleanup_errors=True)


def _judge(options: JudgeOptions) -> Judge:
    chosen = tuple(sorted(options.changed(JudgeOptions).items()))
    with _loading[repr(chosen)]:
        return _usual_judge(chosen) if chosen == USUAL else _other_judge(chosen)


def _load(options: tuple[tuple[str, Any], ...]) -> Judge:
    return load_judge(**dict(options))


_usual_judge = cache(_load)  # kept, so that its users never wait for another judge to load
_other_judge = lru_cache(maxsize=1)(_load)  # each takes more than a gigabyte


@lru_cache(maxsize=16)
def _without_judge(name: str, options: tuple[tuple[str, Any], ...]) -> Metric:
    metric = load(name, **dict(options))
    metric.load()
    return metric
