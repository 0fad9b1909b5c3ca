"""The published numbers come out again on the real data, where it is at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from claimwise.data import cocotrip
from claimwise.metrics import DistinctivenessScore
from claimwise.reproduce.cocotrip import PAPER_MEANS, PAPER_METRICS, SETS, cocotrip_table

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


def test_the_table_says_that_its_intervals_are_the_papers() -> None:
    results = {
        name: {metric: {"mean": 50.0, "ci": [40.0, 60.0]} for metric in PAPER_METRICS} for name in SETS
    }
    of_metrics = {"rank_correlation": dict.fromkeys(PAPER_METRICS, 0.5), "signature": {"caspr": "caspr|v:1"}}

    table = cocotrip_table(results | of_metrics)

    assert "mean [95 % interval, the paper's: normal, so it may leave the scale]" in table
    assert "50.0 [40.0, 60.0] | 84.3 ± 3.8" in table
