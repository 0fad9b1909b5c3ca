"""What tests of several metrics share: rows to score, and short ways to scores and signatures."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from claimwise.apps.demo import PAIRS
from claimwise.metrics import Metric

A = [pair.summary_a for pair in PAIRS[:4]]
B = [pair.summary_b for pair in PAIRS[:4]]
SENTENCES = [
    "The rooms are clean.",
    "The rooms are not clean.",
    "Breakfast costs extra, but the coffee is good.",
    "The staff were rude.",
    "😀 great!",
    "We loved the pool",
]
NEEDED: dict[str, dict[str, str]] = {"support_counts": {"support": "sentences"}}
"""The options, by metric, that let it score a source that is a single text."""
TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=2).map(" ".join)


def scores(metric: Metric, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    result = metric.compute(predictions=predictions, references=references)
    found: list[float] = result[f"{metric.name}_scores"]
    return found


def parts(metric: Metric) -> dict[str, str]:
    """Return the fields of a metric's signature."""
    name, *fields = metric.signature().split("|")
    assert name == metric.name
    return dict(field.split(":", 1) for field in fields)
