"""Any claimwise metric as a metric of DeepEval."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from deepeval.errors import MissingTestCaseParamsError
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from claimwise.errors import ClaimwiseError
from claimwise.integrations.base import cells_of_sample, load_metric, renamed, score_sample
from claimwise.metrics.base import Metric

Field = Literal["expected_output", "context", "retrieval_context", "input"]


class ClaimwiseMetric(BaseMetric):
    """Scores the actual output of a test case; the reason contains the evidence.

    Score and threshold are on the metric's scale (0 to 100 for CASPR). A test case that cannot be scored has
    no score and fails with claimwise's message; a missing field raises DeepEval's own error, so that
    ``skip_on_missing_params`` works.

    Args:
        metric: a metric, by name or loaded.
        threshold: minimum score of a test case that passes (maximum if lower is better); None = no threshold.
        references: the field that the output is scored against; default: ``context`` for a factuality metric,
            else ``expected_output``. Further columns are keys of ``metadata``.
    """

    def __init__(
        self,
        metric: str | Metric,
        config_name: str = "default",
        *,
        threshold: float | None = None,
        references: Field | None = None,
        **options: Any,
    ) -> None:
        # DeepEval copies a metric by calling its class with the attributes named like arguments.
        by_case = "DeepEval scores test case by test case"
        self.metric = load_metric(metric, config_name, options, part_by_part=by_case)
        self.threshold = threshold
        usual: Field = "context" if self.metric.references_are == "sources" else "expected_output"
        self.references: Field = references or usual

    @property
    def __name__(self) -> str:
        return str(self.metric.spec.title)

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the score of a test case, and store it with its reason, as DeepEval expects."""
        self.score, self.reason, self.error, self.success = None, None, None, None
        self.metric.load()
        references: Any = getattr(test_case, self.references)
        if isinstance(references, list):  # retrieved contexts may be objects with a text
            references = [getattr(text, "context", text) for text in references]
        further = test_case.metadata or {}
        cells = cells_of_sample(self.metric.spec, test_case.actual_output, references, further)
        try:
            scored = score_sample(self.metric, cells)
        except ClaimwiseError as error:
            named = renamed(error, {"predictions": "actual_output", "references": self.references})
            self.error, self.success = str(named), False
            is_missing = error.column in cells and cells[error.column] is None
            raise (MissingTestCaseParamsError(str(named)) if is_missing else named) from error
        self.score, self.reason, self.score_breakdown = scored.score, scored.reason, scored.facts
        self.is_successful()
        return scored.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Run ``measure`` in a thread."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool | None:
        """Return whether the score reaches the threshold; None without a threshold."""
        if self.score is None or self.threshold is None:
            self.success = None if self.threshold is None and self.error is None else False
        elif self.metric.spec.better == "lower":
            self.success = self.score <= self.threshold
        else:
            self.success = self.score >= self.threshold
        return self.success
