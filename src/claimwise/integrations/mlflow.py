"""Any claimwise metric as a scorer of ``mlflow.genai.evaluate``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer, scorer

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import cells_of_sample, first_of, load_metric, renamed, score_sample
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
    """Return a scorer whose feedback, called ``name``, contains the score, and the evidence as its rationale.

    An output that cannot be scored gives feedback with an error and no value, so that no mean includes it.
    ``references`` is the name of the references in the expectations or else the inputs; the default is one of
    ``USUAL``. Further columns are found there by their own names.
    """
    loaded = load_metric(metric, config_name, options, part_by_part="MLflow scores row by row")
    name = name or loaded.name
    names = (references,) if references else USUAL.get(loaded.references_are, ())

    @scorer(name=name, description=loaded.spec.question)  # type: ignore[untyped-decorator, unused-ignore]
    def claimwise_scorer(*, inputs: Any = None, outputs: Any = None, expectations: Any = None) -> Feedback:
        loaded.load()
        places = [place for place in (expectations, inputs) if isinstance(place, Mapping)]
        cells = cells_of_sample(loaded.spec, outputs, first_of(names, *places), *places)
        try:
            scored = score_sample(loaded, cells)
        except ClaimwiseError as error:
            called = {"predictions": "outputs", "references": " or ".join(names)}
            return Feedback(name=name, error=renamed(error, called))
        metadata = {key: str(value) for key, value in scored.facts.items()}
        return Feedback(name=name, value=scored.score, rationale=scored.reason, metadata=metadata)

    return claimwise_scorer
