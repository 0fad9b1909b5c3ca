"""The metrics: texts → sentences → claims → entailment matrices → row scores → a result.

Each metric is one class: ``Caspr("paper", judge="default").compute(predictions=…, references=…)``. Its
first argument names a configuration, keywords override its options, and everything is loaded on first use.
"""

from __future__ import annotations

from typing import Any

_HOMES = {
    "Column": "spec",
    "CorpusMetric": "base",
    "Further": "spec",
    "METRICS": "registry",
    "Metric": "base",
    "MetricSpec": "spec",
    "Result": "rows",
    "Row": "rows",
    "RowScore": "rows",
    "load": "registry",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: one of ``_HOMES``, or the class of a metric."""
    from importlib import import_module

    from claimwise.plugins import load_registered, own_classes

    if name in _HOMES:
        return getattr(import_module(f"claimwise.metrics.{_HOMES[name]}"), name)
    metric = None if name.startswith("_") else own_classes("claimwise.metrics").get(name)
    if metric is None:
        raise AttributeError(f"module 'claimwise.metrics' has no attribute {name!r}")
    return load_registered("claimwise.metrics", metric)
