"""The scorer of MLflow in a real ``mlflow.genai.evaluate``, with its store in a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}  # read when it is imported
mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed (the extra mlflow)")

from claimwise.errors import ClaimwiseError  # noqa: E402
from claimwise.integrations.mlflow import mlflow_scorer  # noqa: E402
from claimwise.metrics import METRICS, load  # noqa: E402

pytestmark = pytest.mark.slow
DATA = [
    {
        "inputs": {"reviews": ["The pool is warm.", "Parking is free."]},
        "outputs": "The pool is warm. The bar is closed.",
        "expectations": {"expected_response": "The pool is cold."},
    },
    {
        "inputs": {"reviews": ["A dog barked."]},
        "outputs": "",
        "expectations": {"expected_response": "A dog barked."},
    },
]


def test_an_evaluation_logs_scores_with_their_evidence_and_errors_without_a_value(tmp_path: Path) -> None:
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'mlflow.db'}")

    result = mlflow.genai.evaluate(
        data=DATA, scorers=[mlflow_scorer("caspr"), mlflow_scorer("summac_zs", name="support")]
    )

    row = DATA[0]
    caspr = load("caspr").compute(
        predictions=[row["outputs"]], references=[row["expectations"]["expected_response"]]
    )
    support = load("summac_zs").compute(predictions=[row["outputs"]], references=[row["inputs"]["reviews"]])
    assert result.metrics["caspr/mean"] == pytest.approx(caspr["caspr"])
    assert result.metrics["support/mean"] == pytest.approx(support["summac_zs"])
    traces = result.result_df["assessments"]
    found = [one for row in traces for one in row if one["assessment_name"] == "caspr"]
    scored = [one for one in found if "value" in one.get("feedback", {})]
    failed = [one for one in found if "error" in one.get("feedback", {})]
    assert "The pool is warm." in scored[0]["rationale"]
    assert scored[0]["metadata"]["signature"] == caspr["caspr_signature"]
    assert "outputs: the text is empty or blank." in failed[0]["feedback"]["error"]["error_message"]


def test_what_is_missing_is_named_as_mlflow_users_know_it() -> None:
    feedback = mlflow_scorer("caspr").run(
        inputs={"question": "?"}, outputs="The pool is warm.", expectations={"other": "x"}
    )

    assert feedback.value is None
    assert feedback.error.error_message.startswith(
        "references or summary_b or expected_response: the text is missing (None)."
    )


def test_a_further_column_is_found_and_named_in_the_signature() -> None:
    texts = {"outputs": "The pool is warm.", "expectations": {"expected_response": "The pool is cold."}}

    feedback = mlflow_scorer("distinctiveness_score").run(inputs={"common": "Both have a pool."}, **texts)

    expected = load("distinctiveness_score").compute(
        predictions=["The pool is warm."], references=["The pool is cold."], common=["Both have a pool."]
    )
    assert feedback.value == pytest.approx(expected["distinctiveness_score"])
    assert feedback.metadata["signature"] == expected["distinctiveness_score_signature"]


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_is_a_scorer_or_refused_by_its_kind(name: str) -> None:
    if name == "genericity":
        with pytest.raises(ClaimwiseError, match="row by row"):
            mlflow_scorer(name)
    else:
        assert mlflow_scorer(name).name == name
