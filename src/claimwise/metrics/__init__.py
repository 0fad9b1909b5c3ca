"""The metrics: texts → sentences → claims → entailment matrices → row scores → a result.

Each metric is one class: ``Caspr("paper", nli_model="default").compute(predictions=…, references=…)``. Its
first argument names a configuration, keywords override it, and nothing is loaded before it is needed.
"""

from __future__ import annotations

from typing import Any

_HOMES = {
    "Abstractiveness": "abstractiveness",
    "Caspr": "caspr",
    "Column": "spec",
    "Complexity": "complexity",
    "CorpusMetric": "base",
    "DistinctivenessScore": "distinctiveness_score",
    "Further": "spec",
    "Genericity": "genericity",
    "InvertedBertscore": "inverted_bertscore",
    "METRICS": "registry",
    "Metric": "base",
    "MetricSpec": "spec",
    "Pyramid": "pyramid",
    "Result": "base",
    "Row": "base",
    "RowScore": "base",
    "Ssas": "ssas",
    "SummacConv": "summac_conv",
    "SummacZs": "summac_zs",
    "SupportCounts": "support_counts",
    "load": "registry",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'claimwise.metrics' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"claimwise.metrics.{_HOMES[name]}"), name)
