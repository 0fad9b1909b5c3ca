"""The published numbers come out again on the real data, where it is at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from scipy.stats import spearmanr

from claimwise.data import cocotrip
from claimwise.metrics import DistinctivenessScore
from claimwise.reproduce.cocotrip import (
    PAPER_MEANS,
    PAPER_METRICS,
    PAPER_RANK_CORRELATION,
    SETS,
    cocotrip_table,
    reproduce_cocotrip,
)

DATA = os.environ.get("CLAIMWISE_DATA")


@pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with the CoCoTrip files")
@pytest.mark.parametrize(
    ("config", "published"),
    [("reference_contrastive", 73.6), ("synthetic_high_contrast", 44.5), ("synthetic_contrast", 74.1)],
)
def test_distinctiveness_of_cocotrip_is_that_of_the_paper(
    distinctiveness: DistinctivenessScore, config: str, published: float
) -> None:
    rows = cocotrip.pairs(Path(str(DATA)), config)
    result = distinctiveness.compute(
        predictions=[row["summary_a"] for row in rows], references=[row["summary_b"] for row in rows]
    )

    assert len(rows) == 48
    assert result["distinctiveness_score"] == pytest.approx(published, abs=0.3)
    assert PAPER_MEANS["distinctiveness_score"][config][0] == published


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with the CoCoTrip files")
def test_the_experiment_is_written_with_the_rank_correlation_of_the_paper(
    checkpoints: Path, tmp_path: Path
) -> None:
    """With a judge of random weights, on which two of the three metrics do not depend."""
    results = reproduce_cocotrip(
        Path(str(DATA)), tmp_path, nli_model=str(checkpoints / "bert"), device="cpu", dtype="float32"
    )

    words = "distinctiveness_score"
    assert results["rank_correlation"][words] == pytest.approx(PAPER_RANK_CORRELATION[words], abs=0.03)
    for name, (mean, width) in PAPER_MEANS[words].items():
        low, high = results[name][words]["ci"]
        assert results[name][words]["mean"] == pytest.approx(mean, abs=0.3)
        assert (high - low) / 2 == pytest.approx(width, abs=0.1)
    scores = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    for metric in PAPER_METRICS:
        assert {name: len(of_set) for name, of_set in scores[metric].items()} == dict.fromkeys(SETS, 48)
        sets = [scores[metric][name] for name in ("reference_contrastive", "synthetic_contrast")]
        assert results["rank_correlation"][metric] == pytest.approx(spearmanr(*sets).statistic)
    assert json.loads((tmp_path / "results.json").read_text("utf-8")) == results
    assert (tmp_path / "results.md").read_text("utf-8") == cocotrip_table(results)
    assert (tmp_path / "figure2.png").stat().st_size > 1000


def test_the_table_says_that_its_intervals_are_the_papers() -> None:
    results = {
        name: {metric: {"mean": 50.0, "ci": [40.0, 60.0]} for metric in PAPER_METRICS} for name in SETS
    }
    of_metrics = {"rank_correlation": dict.fromkeys(PAPER_METRICS, 0.5), "signature": {"caspr": "caspr|v:1"}}

    table = cocotrip_table(results | of_metrics)

    assert "mean [95 % interval, the paper's: normal, so it may leave the scale]" in table
    assert "50.0 [40.0, 60.0] | 84.3 ± 3.8" in table
