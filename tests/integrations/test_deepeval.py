"""The metric of DeepEval in a real ``deepeval.evaluate``."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_DISABLE_DOTENV": "1", "CI": "true"}
deepeval = pytest.importorskip("deepeval", reason="deepeval is not installed (the extra deepeval)")

from deepeval.errors import MissingTestCaseParamsError  # noqa: E402
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig, ErrorConfig  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

from claimwise.errors import ClaimwiseError  # noqa: E402
from claimwise.integrations.deepeval import ClaimwiseMetric  # noqa: E402
from claimwise.metrics import METRICS, load  # noqa: E402

pytestmark = pytest.mark.slow
GOOD = LLMTestCase(
    input="Summarize.",
    actual_output="The pool is warm.",
    expected_output="The pool is not warm.",
    context=["The pool is warm.", "Parking is free."],
)
BLANK = LLMTestCase(
    input="Summarize.", actual_output=" ", expected_output="A dog barked.", context=["A dog."]
)
MISSING = LLMTestCase(input="Summarize.", actual_output="A dog barked.")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # deepeval writes .deepeval


@pytest.mark.parametrize("run_async", [False, True])
def test_an_evaluation_scores_passes_and_fails(run_async: bool) -> None:
    result = deepeval.evaluate(
        [GOOD, BLANK],
        [ClaimwiseMetric("caspr", threshold=50), ClaimwiseMetric("summac_zs", threshold=0.5)],
        async_config=AsyncConfig(run_async=run_async),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )

    by_output = {test.actual_output: {m.name: m for m in test.metrics_data} for test in result.test_results}
    caspr = load("caspr").compute(predictions=[GOOD.actual_output], references=[GOOD.expected_output])[
        "caspr"
    ]
    of_good = by_output["The pool is warm."]
    assert of_good["CASPR"].score == pytest.approx(caspr)
    assert of_good["CASPR"].success
    assert of_good["SummaC-ZS"].success
    assert "A1 The pool is warm." in of_good["CASPR"].reason
    of_blank = by_output[" "]["CASPR"]
    assert of_blank.score is None
    assert not of_blank.success
    assert "actual_output: the text is empty or blank." in of_blank.error


def test_a_missing_field_can_be_skipped_and_is_never_scored() -> None:
    metric = ClaimwiseMetric("caspr", threshold=50)
    with pytest.raises(MissingTestCaseParamsError, match=r"expected_output: the text is missing \(None\)"):
        metric.measure(MISSING)
    assert metric.score is None
    assert not metric.is_successful()

    result = deepeval.evaluate(
        [MISSING, GOOD],
        [metric],
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(skip_on_missing_params=True),
    )
    assert [len(test.metrics_data or []) for test in result.test_results] == [0, 1]


def test_a_threshold_goes_by_the_direction_of_the_metric_and_none_asks_for_nothing() -> None:
    metric = ClaimwiseMetric("caspr")

    score = asyncio.run(metric.a_measure(GOOD))

    assert metric.score == score
    assert metric.is_successful() is None
    with pytest.raises(ClaimwiseError, match="test case by test case"):
        ClaimwiseMetric("genericity")


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"genericity"}))
def test_every_metric_has_its_title(name: str) -> None:
    assert ClaimwiseMetric(name).__name__ == METRICS[name].spec.title
