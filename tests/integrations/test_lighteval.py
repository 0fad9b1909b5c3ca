"""The metrics of lighteval over a data set in a folder and the answers of its dummy model."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import pytest

pytest.importorskip("lighteval", reason="lighteval is not installed (the extra lighteval)")

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.dummy.dummy_model import DummyModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.integrations.lighteval import lighteval_metric, mean_of_samples
from claimwise.metrics import METRICS, load

pytestmark = pytest.mark.slow
TASKS = Path(__file__).parents[2] / "examples" / "lighteval_tasks.py"
ROWS = [
    {
        "prompt": "Summarize: The pool is warm.",
        "summary": "The pool is warm.",
        "source": ["The pool is warm."],
    },
    {"prompt": "Summarize: A dog barked.", "summary": "It is random.", "source": ["The baseline is random."]},
]
ANSWER = "random baseline"  # of the dummy model


def test_a_pipeline_runs_the_tasks_of_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of lighteval, but for lighteval's own tasks: one of them downloads a file when it is imported."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "test.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    monkeypatch.setenv("CLAIMWISE_TASK_DATA", str(data))
    for load_own in ("_load_from_files", "_load_from_subdirs"):
        monkeypatch.setattr(Registry, load_own, staticmethod(lambda *_: {}))
    pipeline = Pipeline(
        "claimwise_summaries",
        PipelineParameters(ParallelismManager.NONE, custom_tasks_directory=str(TASKS), bootstrap_iters=10),
        EvaluationTracker(output_dir=str(tmp_path / "out")),
        DummyModelConfig(model_name="dummy", cache_dir=str(tmp_path / "cache")),
    )

    pipeline.evaluate()
    pipeline.save_and_push_results()

    (saved,) = (tmp_path / "out" / "results").rglob("*.json")
    found = json.loads(saved.read_text())["results"]["claimwise_summaries|0"]
    answers, summaries = [ANSWER] * 2, [row["summary"] for row in ROWS]
    sources = [row["source"] for row in ROWS]
    expected = load("caspr").compute(predictions=answers, references=summaries)["caspr"]
    assert found["caspr"] == pytest.approx(expected)
    for name, options in (("summac_zs", {}), ("support_counts", {"support": "sentences"})):
        expected = load(name, **options).compute(predictions=answers, references=sources)[name]
        assert found[name] == pytest.approx(expected)


def doc(summary: str | None, source: object = "The pool is warm.") -> Doc:
    choices = [] if summary is None else [summary]
    return Doc(query="?", choices=choices, gold_index=0 if choices else [], specific={"source": source})


def test_an_answer_that_cannot_be_scored_is_nan_with_a_warning_and_left_out_of_the_mean() -> None:
    metric = lighteval_metric("caspr")
    responses = [ModelResponse(text=[text]) for text in ("The pool is warm.", "", "A dog barked.")]
    docs = [doc("The pool is not warm."), doc("The pool is warm."), doc(None)]

    with pytest.warns(ClaimwiseWarning, match="not scored") as warned:
        scores = metric.compute_sample(responses=responses, docs=docs)["caspr"]

    assert scores[0] == 100
    assert [math.isnan(score) for score in scores] == [False, True, True]
    assert "predictions: the text is empty or blank." in str(warned[0].message)
    assert "references: the text is missing (None)." in str(warned[1].message)
    assert mean_of_samples(scores) == 100
    assert math.isnan(mean_of_samples(scores[1:]))


def test_the_mean_goes_by_the_weights_of_the_metric_also_when_pickled() -> None:
    answers = ["The pool is warm.", "The bar is closed. A dog barked. It rained."]
    metric = lighteval_metric("support_counts", support="sentences")
    scores = metric.compute_sample(
        responses=[ModelResponse(text=[text]) for text in answers],
        docs=[doc("-", ["The pool is warm."] * 3), doc("-", ["A dog barked."])],
    )["support_counts"]

    expected = load("support_counts", support="sentences").compute(
        predictions=answers, references=[["The pool is warm."] * 3, ["A dog barked."]]
    )
    assert set(expected["support_counts_weights"]) != {1.0}
    assert mean_of_samples(scores) == pytest.approx(expected["support_counts"])
    assert mean_of_samples(pickle.loads(pickle.dumps(scores))) == pytest.approx(expected["support_counts"])


def test_several_answers_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match="samples 2 answers, but caspr scores only one"):
        lighteval_metric("caspr").compute_sample(
            responses=[ModelResponse(text=["One.", "Two."])], docs=[doc("Three.")]
        )


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_can_be_asked_for(name: str) -> None:
    metric = lighteval_metric(name)

    assert metric.metric_name == name
    assert metric.batched_compute
