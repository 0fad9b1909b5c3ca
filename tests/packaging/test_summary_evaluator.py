"""The example of evaluators of `evaluate`: a callable as pipeline, a data set, a suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import evaluate
import pytest
import transformers
from evaluate.evaluation_suite import SubTask
from evaluate.evaluator import SummarizationEvaluator
from summary_evaluator import SummaryEvaluator, SummarySuite

from claimwise.errors import ClaimwiseError

METRICS_FOLDER = Path(__file__).parents[2] / "metrics"
SOURCES = ["The pool is warm. The bar is open late.", "The staff were kind. It rained."]
LEADS = ["The pool is warm.", "The staff were kind."]
DATA = datasets.Dataset.from_dict({"text": SOURCES, "label": ["The pool is cold.", "The staff were kind."]})


def first_sentences(sources: list[str]) -> list[str]:
    return [f"{source.split('.')[0]}." for source in sources]


@pytest.fixture(scope="module")
def loaded() -> dict[str, Any]:
    names = ("distinctiveness_score", "abstractiveness", "complexity")
    return {name: evaluate.load(str(METRICS_FOLDER / name)) for name in names}


@pytest.mark.parametrize(
    "written",
    [
        lambda text: text,
        lambda text: {"summary_text": text},
        lambda text: {"generated_text": text},
        lambda text: [{"generated_text": text}],
    ],
    ids=["text", "summary_text", "generated_text", "list"],
)
def test_an_evaluator_scores_what_a_callable_writes(loaded: dict[str, Any], written: Any) -> None:
    metric = loaded["distinctiveness_score"]

    result = SummaryEvaluator().compute(
        lambda sources: (written(text) for text in first_sentences(sources)),
        DATA,
        metric=metric,
        confidence_level=0.9,
    )

    seconds = {"total_time_in_seconds", "samples_per_second", "latency_in_seconds"}
    expected = metric.compute(predictions=LEADS, references=DATA["label"], confidence_level=0.9)
    assert {key: result[key] for key in result if key not in seconds} == expected
    assert seconds < set(result)


def test_sources_are_what_a_metric_of_support_is_scored_against(loaded: dict[str, Any]) -> None:
    reviews = datasets.Dataset.from_dict({"reviews": [source.split(". ") for source in SOURCES]})
    columns = {"input_column": "reviews", "label_column": "reviews"}

    result = SummaryEvaluator().compute(
        lambda sources: [reviews[0] for reviews in sources],
        reviews,
        metric=loaded["abstractiveness"],
        **columns,
    )

    assert result["abstractiveness_scores"] == [0.0, 0.0]


def test_a_metric_that_needs_nothing_but_the_summary_is_given_nothing_else(loaded: dict[str, Any]) -> None:
    result = SummaryEvaluator().compute(first_sentences, DATA, metric=loaded["complexity"], label_column=None)

    assert result["complexity"] == 0


def test_combined_metrics_are_a_metric(loaded: dict[str, Any]) -> None:
    result = SummaryEvaluator().compute(
        first_sentences, DATA, metric=evaluate.combine(list(loaded.values())), details=True
    )

    assert {name for name in loaded if f"{name}_details" in result} == set(loaded)


@pytest.mark.parametrize(
    ("summarizer", "options", "said"),
    [
        ("gpt2", {}, "A str cannot be called"),
        (first_sentences, {"input_column": "article"}, "no column 'article'.*text, label"),
        (first_sentences, {"label_column": "summary"}, "no column 'summary'"),
        (lambda sources: sources[:1], {"label_column": None}, "1 summaries of 2 sources"),
        (lambda sources: [{"translation_text": ""}] * 2, {}, "row 0: .*translation_text"),
        (lambda sources: ["The pool is warm.", ""], {}, "predictions, row 1"),
        (first_sentences, {"strategy": "bootstrap"}, "has no column or option `strategy`.*confidence_level"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    loaded: dict[str, Any], summarizer: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ClaimwiseError, match=said):
        SummaryEvaluator().compute(summarizer, DATA, **{"metric": loaded["distinctiveness_score"], **options})


SUITE = """
from datasets import Dataset
from evaluate.evaluation_suite import SubTask

from summary_evaluator import SummarySuite


class Suite(SummarySuite):
    def __init__(self, name):
        super().__init__(name)
        data = Dataset.from_dict({{"text": {sources!r}, "label": {sources!r}}})
        self.suite = [
            SubTask(task_type="summarization", data=data, args_for_task={{"metric": {first!r}}}),
            SubTask(
                task_type="summarization",
                data={folder!r},
                split="train",
                data_preprocessor=lambda row: {{"text": row["text"].upper()}},
                args_for_task={{"metric": {second!r}, "label_column": None}},
            ),
        ]
"""


def test_a_suite_runs_all_its_tasks_with_a_callable(tmp_path: Path, loaded: dict[str, Any]) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    DATA.to_parquet(folder / "train.parquet")
    metrics = {
        "first": str(METRICS_FOLDER / "abstractiveness"),
        "second": str(METRICS_FOLDER / "complexity"),
    }
    script = tmp_path / "leads" / "leads.py"
    script.parent.mkdir()
    script.write_text(SUITE.format(sources=SOURCES, folder=str(folder), **metrics), encoding="utf-8")
    suite = evaluate.EvaluationSuite.load(str(script.parent))
    seen: list[str] = []

    def summarize(sources: list[str]) -> list[str]:
        seen.extend(sources)
        return first_sentences(sources)

    for _ in range(2):  # a run changes no task
        first, second = suite.run(summarize)

        assert first["abstractiveness_scores"] == [0.0, 0.0]
        assert (first["task_name"], first["data_preprocessor"]) == ("task 0", None)
        assert second["complexity"] == 0
        assert second["task_name"] == str(folder)
        assert "lambda" in second["data_preprocessor"]
        assert seen == SOURCES + [source.upper() for source in SOURCES]
        seen.clear()


def test_an_empty_suite_is_refused() -> None:
    suite = SummarySuite("empty")
    suite.suite = []

    with pytest.raises(ValueError, match="No evaluation tasks"):
        suite.run(first_sentences)


def test_tasks_of_other_types_are_left_to_evaluate() -> None:
    suite = SummarySuite("other")
    suite.suite = [SubTask(task_type="no-such-task", data=DATA)]

    with pytest.raises(KeyError, match="no-such-task"):
        suite.run(first_sentences)


@pytest.mark.skipif(transformers.__version__ < "5", reason="transformers 4 has the pipelines that they need")
def test_the_evaluators_of_evaluate_still_do_not_run_with_transformers_5(
    loaded: dict[str, Any],
) -> None:
    """Once this fails, docs/evaluate.md and the module docstring of the example say too much."""

    class Pipeline:
        task = "summarization"

    with pytest.raises(KeyError, match="removed from transformers"):
        evaluate.evaluator("summarization")
    with pytest.raises(AttributeError, match="TFPreTrainedModel"):
        SummarizationEvaluator().compute(Pipeline(), DATA, metric=loaded["distinctiveness_score"])
