"""What all pages and all visitors of a process share: the metrics and their models, loaded once."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from claimwise.metrics import METRICS, Metric, load
from claimwise.nli.local import NLIModel
from claimwise.nli.options import JudgeOptions

computing = Lock()
"""Held while a model runs: visitors take turns, and a long file lets others in between its rows."""

_loading: defaultdict[str, Lock] = defaultdict(Lock)


def load_metric(name: str, options: dict[str, Any]) -> Metric:
    """Return the metric called ``name``, on a model that is loaded only once.

    Raises:
        ClaimwiseError: for options it does not take, or a model that cannot be loaded.
    """
    if issubclass(METRICS[name].Options, JudgeOptions):
        model = shared_nli_model(options.get("nli_model", "default"))
        return load(name, **{**options, "nli_model": model, "show_progress": False})
    with _loading[name]:
        return _metric(name, tuple(sorted(options.items())))


def shared_nli_model(name: str) -> NLIModel:
    """Return the NLI model called ``name``; another one that takes minutes to load keeps nobody waiting.

    Raises:
        ClaimwiseError: if it cannot be loaded.
    """
    with _loading[name]:
        return _embedded_model() if name == "default" else _other_model(name)


def temporary_folder() -> Path:
    """Return a folder for files that the process makes itself; it goes when the process ends."""
    return Path(_temporary_directory().name)


@cache
def _temporary_directory() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="claimwise-space-")


@cache
def _embedded_model() -> NLIModel:
    return NLIModel.from_pretrained(show_progress=False)


@lru_cache(maxsize=1)  # such a model takes more than a gigabyte
def _other_model(name: str) -> NLIModel:
    return NLIModel.from_pretrained(name, show_progress=False)


@lru_cache(maxsize=16)
def _metric(name: str, options: tuple[tuple[str, Any], ...]) -> Metric:
    metric = load(name, **dict(options))
    metric.load()
    return metric
