"""Any claimwise metric as a scorer of ``mlflow.genai.evaluate``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer, scorer

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import SampleScorer
from claimwise.metrics import base

USUAL = {
    "summaries": ("references", "summary_b", "expected_response"),
    "references": ("references", "reference", "expected_response"),
    "sources": ("references", "reviews", "source", "context"),
}
"""Names of the references of an output, in the expectations or the inputs."""


def mlflow_scorer(
    metric: str | base.Metric,
    config_name: str = "default",
    *,
    references: str | None = None,
    name: str | None = None,
    **options: Any,
) -> Scorer:
    """Return a scorer whose feedback contains the score, and the evidence as its rationale.

    An output that cannot be scored gives feedback with an error and no value, so that no mean includes it.

    Args:
        metric: name of a metric, or a loaded one.
        config_name: one of its configurations.
        references: name of the references in the expectations or else the inputs; by default one of
            ``USUAL``. Further columns are found there by their own names.
        name: name of the feedback; by default the metric's.
        **options: options of the metric.

    Raises:
        ClaimwiseError: for an unknown metric or option, or a metric that compares all rows with each other.
    """
    of = SampleScorer(metric, config_name, options, "MLflow scores row by row")
    shown_as = name or of.metric.name
    names = (references,) if references else USUAL.get(of.spec.references_are, ())

    @scorer(name=shown_as, description=of.spec.question)  # type: ignore[untyped-decorator, unused-ignore]
    def claimwise_scorer(*, inputs: Any = None, outputs: Any = None, expectations: Any = None) -> Feedback:
        of.metric.load()
        places = [place for place in (expectations, inputs) if isinstance(place, Mapping)]
        against = next((place[key] for key in names for place in places if place.get(key) is not None), None)
        try:
            row, reason, facts = of.score(of.cells(outputs, against, *places))
        except ClaimwiseError as error:
            called = {"predictions": "outputs", "references": " or ".join(names)}
            return Feedback(
                name=shown_as, error=error.at(column=called.get(error.column or "", error.column))
            )
        metadata = {key: str(value) for key, value in facts.items()}
        return Feedback(name=shown_as, value=row.score, rationale=reason, metadata=metadata)

    return claimwise_scorer
