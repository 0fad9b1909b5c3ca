"""Evaluators of ``evaluate`` for summaries, with any callable in place of a pipeline: copy this file.

The evaluators of ``evaluate`` 0.4.6 do not run with transformers 5: ``evaluator("summarization")`` needs a
pipeline that transformers no longer has, and every evaluator needs a TensorFlow class of transformers for
anything but the name of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import datasets
import evaluate
from evaluate.evaluation_suite import SubTask
from evaluate.evaluator import Evaluator

from claimwise.errors import ClaimwiseError

Summarizer = Callable[[list[Any]], Iterable[Any]]
"""A function from sources to one summary each: a string, or a dict (or a list of one dict) with
``"summary_text"`` or ``"generated_text"``, as in pipelines of transformers."""


class SummaryEvaluator(Evaluator):
    """Runs a summarizer on a data set and scores its summaries with a metric."""

    def __init__(self) -> None:
        super().__init__("summarization")

    def compute(
        self,
        model_or_pipeline: Summarizer,
        data: str | datasets.Dataset,
        *,
        metric: Any,
        subset: str | None = None,
        split: str | None = None,
        input_column: str = "text",
        label_column: str | None = "label",
        **options: Any,
    ) -> dict[str, Any]:
        """Return the metric's result for the summaries, and the time that the summarizer took.

        Args:
            model_or_pipeline: the summarizer.
            data: the data set, or its name.
            metric: a module of ``evaluate``, a result of ``evaluate.combine``, or a name.
            subset: subset of a data set given by name.
            split: split of a data set given by name.
            input_column: input column of the summarizer.
            label_column: column of the references, which are the sources for a factuality metric; None for
                metrics that need only the summary.
            **options: arguments of the metric's ``compute``, such as ``details`` or ``confidence_level``.

        Raises:
            ClaimwiseError: if a column is missing, or the summarizer is invalid or returns no summaries.
        """
        if not callable(model_or_pipeline):
            raise ClaimwiseError(
                f"A {type(model_or_pipeline).__name__} cannot be called with a list of sources.",
                "Pass a function, or a pipeline such as transformers.pipeline('text-generation', model=…, "
                "return_full_text=False).",
                option="model_or_pipeline",
            )
        rows = self.load_data(data, subset, split)
        for option, column in (("input_column", input_column), ("label_column", label_column)):
            if column is not None and column not in rows.column_names:
                choice = f"Choose one of {', '.join(rows.column_names)}."
                raise ClaimwiseError(f"The data set has no column {column!r}.", choice, option=option)
        written, performance = self.call_pipeline(
            lambda sources: list(model_or_pipeline(sources)), list(rows[input_column])
        )
        if len(written) != len(rows):
            problem = f"The summarizer returned {len(written)} summaries of {len(rows)} sources."
            raise ClaimwiseError(
                problem, "Return one summary per source, in the same order.", column="predictions"
            )
        given = self.predictions_processor(written)
        if label_column is not None:
            given["references"] = list(rows[label_column])
        return {**self.prepare_metric(metric).compute(**given, **options), **performance}

    def predictions_processor(self, predictions: Sequence[Any]) -> dict[str, list[Any]]:
        """Return the summaries in the output of the summarizer."""
        return {"predictions": [_summary(row, output) for row, output in enumerate(predictions)]}


class SummarySuite(evaluate.EvaluationSuite):
    """An ``EvaluationSuite`` that runs tasks of the type ``"summarization"`` with a ``SummaryEvaluator``.

    ``args_for_task`` contains the arguments of ``SummaryEvaluator.compute``.
    """

    suite: Sequence[SubTask]

    def run(self, model_or_pipeline: Summarizer) -> list[dict[str, Any]]:
        """Return the results of all tasks, each with the name of its data set."""
        self.assert_suite_nonempty()
        results = []
        for number, task in enumerate(self.suite):
            is_summarization = task.task_type == "summarization"
            evaluator = SummaryEvaluator() if is_summarization else evaluate.evaluator(task.task_type)
            data, where, preprocessor = task.data, {"subset": task.subset, "split": task.split}, None
            name = "/".join(filter(None, (data, task.subset))) if isinstance(data, str) else f"task {number}"
            if task.data_preprocessor is not None:
                data, where = evaluator.load_data(data, **where).map(task.data_preprocessor), {}
                preprocessor = str(task.data_preprocessor)
            options = {"data": data, **where, **(task.args_for_task or {})}
            result = evaluator.compute(model_or_pipeline=model_or_pipeline, **options)
            results.append({**result, "task_name": name, "data_preprocessor": preprocessor})
        return results


def _summary(row: int, output: Any) -> Any:
    """Return the summary in a summarizer's output for one source; the metric checks the text."""
    if isinstance(output, list) and len(output) == 1:
        (output,) = output
    if isinstance(output, Mapping):
        texts = [output[key] for key in ("summary_text", "generated_text") if key in output]
        if len(texts) != 1:
            raise ClaimwiseError(
                f"The summarizer returned a dict with {', '.join(map(str, output)) or 'nothing'}.",
                "Return a string, or a dict with summary_text or generated_text.",
                column="predictions",
                row=row,
            )
        (output,) = texts
    return output
