"""What all pages and all visitors of a process share: the metrics and their judges, loaded once."""

from __future__ import annotations

from collections import defaultdict
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from claimwise.apps.spaces.own_judge import OWN, own_judge
from claimwise.metrics import METRICS, Metric, load
from claimwise.metrics.steps import NLIMetric
from claimwise.nli.loading import load as load_judge
from claimwise.nli.options import JudgeOptions
from claimwise.nli.protocol import Judge

computing = Lock()
"""Held while a model runs: visitors take turns, and a long file lets others in between its rows."""

USUAL: tuple[tuple[str, Any], ...] = (("show_progress", False),)
"""The options of the embedded judge, which all visitors get who choose no other."""

_loading: defaultdict[str, Lock] = defaultdict(Lock)


def load_metric(name: str, options: dict[str, Any]) -> Metric:
    """Return the metric called ``name``, loaded; a judge that takes minutes to load keeps no other waiting.

    Raises:
        ClaimwiseError: for options it does not take, or a model that cannot be loaded.
    """
    if not issubclass(METRICS[name].Options, JudgeOptions):
        with _loading[name]:
            return _without_judge(name, tuple(sorted(options.items())))
    given = {**options, "show_progress": False}
    if is_own := options.get("nli_model") == OWN:
        with _loading[OWN]:
            given["nli_model"] = own_judge()
    metric = load(name, **given)
    if isinstance(metric, NLIMetric):
        metric.judge = given["nli_model"] if is_own else _judge(metric.options)
    metric.load()
    return metric


def turn(options: dict[str, Any]) -> AbstractContextManager[object]:
    """Return what to hold while a metric with these options runs.

    The Space's own judge may be a server that takes minutes: nobody waits for those who have chosen it.
    """
    return nullcontext() if options.get("nli_model") == OWN else computing


@cache
def temporary_folder() -> TemporaryDirectory[str]:
    """Return a folder for files that the process makes itself; it goes when the process ends."""
    return TemporaryDirectory(prefix="claimwise-space-", ignore_cleanup_errors=True)


def _judge(options: JudgeOptions) -> Judge:
    chosen = tuple(sorted(options.changed(JudgeOptions).items()))
    with _loading[repr(chosen)]:
        return _usual_judge(chosen) if chosen == USUAL else _other_judge(chosen)


def _load(options: tuple[tuple[str, Any], ...]) -> Judge:
    return load_judge(JudgeOptions(**dict(options)))


_usual_judge = cache(_load)  # held, so that nobody who wants it waits for another one that is being loaded
_other_judge = lru_cache(maxsize=1)(_load)  # such a model takes more than a gigabyte


@lru_cache(maxsize=16)
def _without_judge(name: str, options: tuple[tuple[str, Any], ...]) -> Metric:
    metric = load(name, **dict(options))
    metric.load()
    return metric
