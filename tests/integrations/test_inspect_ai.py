"""The scorers of inspect-ai in a real eval: a data set in a file, and inspect's own mock model."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (the extra inspect)")

from inspect_ai.dataset import json_dataset  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

from claimwise.integrations.inspect_ai import SCORERS, claimwise_scorer  # noqa: E402
from claimwise.metrics import METRICS, load  # noqa: E402

pytestmark = pytest.mark.slow
SAMPLES = [
    {
        "input": "The rooms are clean.",
        "target": "The rooms are clean.",
        "metadata": {"reviews": ["The rooms are clean."]},
    },
    {
        "input": "The staff were rude. The pool is warm.",
        "target": "The staff were kind.",
        "metadata": {"reviews": "None."},
    },
    {"input": "Parking is free.", "target": "Parking is free.", "metadata": {}},
]
ANSWERS = ["The rooms are clean.", "The staff were not kind. The pool is warm.", ""]


def run(folder: Path, scorer: Any, answers: list[str] = ANSWERS) -> Any:
    """Run an eval, and return its log as it was read from the file."""
    (folder / "samples.jsonl").write_text("\n".join(map(json.dumps, SAMPLES)), encoding="utf-8")
    task = inspect_ai.Task(dataset=json_dataset(str(folder / "samples.jsonl")), scorer=scorer)
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage()  # the mock counts tokens otherwise, with a vocabulary from the network
    (log,) = inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(folder / "logs"),
        display="none",
        max_connections=1,
    )
    read = read_eval_log(log.location)
    assert read.status == "success", read.error
    return read


def test_a_scorer_scores_with_evidence_and_leaves_an_empty_answer_unscored(tmp_path: Path) -> None:
    log = run(tmp_path, claimwise_scorer("caspr"))

    expected = load("caspr").compute(
        predictions=ANSWERS[:2], references=[sample["target"] for sample in SAMPLES[:2]], details=True
    )
    (results,) = log.results.scores
    assert results.name == "caspr"
    assert (results.scored_samples, results.unscored_samples) == (2, 1)
    assert results.metrics["mean"].value == pytest.approx(expected["caspr"])
    scores = [sample.scores["caspr"] for sample in sorted(log.samples, key=lambda sample: sample.id)]
    assert [score.value for score in scores[:2]] == pytest.approx(expected["caspr_scores"])
    assert math.isnan(scores[2].value)
    assert scores[2].reason == "no_response"
    assert scores[2].explanation.startswith("predictions: the text is empty or blank.")
    claims = scores[1].metadata["evidence"]["claims_a"]
    assert [claim["claim"] for claim in claims] == [
        claim["claim"] for claim in expected["caspr_details"][1]["claims_a"]
    ]
    assert scores[1].metadata["signature"] == expected["caspr_signature"]
    assert "A1 The staff were not kind." in scores[1].explanation


def test_the_command_finds_a_scorer_by_its_name(tmp_path: Path) -> None:
    log = run(tmp_path, None)
    command = [str(Path(sys.executable).with_name("inspect")), "score", "--scorer", "claimwise/caspr"]
    command += ["-S", "judge=default", "--overwrite", "--display", "none", log.location]

    subprocess.run(command, check=True, timeout=300, capture_output=True)

    scored = read_eval_log(log.location)
    (results,) = scored.results.scores
    assert results.scorer == "caspr"
    assert results.unscored_samples == 1
    assert results.metrics["mean"].value == pytest.approx(
        load("caspr").compute(predictions=ANSWERS[:2], references=[s["target"] for s in SAMPLES[:2]])["caspr"]
    )


def test_the_mean_goes_by_the_weights_of_the_metric(tmp_path: Path) -> None:
    log = run(
        tmp_path,
        claimwise_scorer("support_counts", support="sentences", decomposer="default"),
        [*ANSWERS[:2], "Parking is free."],
    )

    expected = load("support_counts", support="sentences", decomposer="default").compute(
        predictions=[*ANSWERS[:2], "Parking is free."], references=[sample["input"] for sample in SAMPLES]
    )
    assert set(expected["support_counts_weights"]) != {1.0}
    (results,) = log.results.scores
    assert results.metrics["mean"].value == pytest.approx(expected["support_counts"])
    assert results.metrics["stderr"].value >= 0


def test_a_source_in_the_metadata_and_a_sample_without_one(tmp_path: Path) -> None:
    log = run(
        tmp_path, claimwise_scorer("summac_zs", references="reviews"), [*ANSWERS[:2], "Parking is free."]
    )

    scores = [sample.scores["summac_zs"] for sample in sorted(log.samples, key=lambda sample: sample.id)]
    assert scores[0].value > 0.9
    assert math.isnan(scores[2].value)
    assert scores[2].reason == "scoring_failed"
    assert scores[2].explanation.startswith("references: the text is missing (None).")


def test_nothing_scored_has_no_mean(tmp_path: Path) -> None:
    log = run(tmp_path, claimwise_scorer("caspr"), ["", " ", "123"])

    (results,) = log.results.scores
    assert results.unscored_samples == 3
    assert math.isnan(results.metrics["mean"].value)


def test_a_scorer_for_every_metric() -> None:
    assert set(SCORERS) == set(METRICS)


def test_an_unknown_option_is_refused_when_the_task_is_made() -> None:
    with pytest.raises(ValueError, match="caspr has no option `nli`"):
        claimwise_scorer("caspr", nli="mnli")
    with pytest.raises(ValueError, match="inspect-ai scores sample by sample"):
        claimwise_scorer("genericity")
