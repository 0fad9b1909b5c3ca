"""The published numbers come out again on the real data, where it is at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.papers.cocotrip import (
    PRINTED,
    SCORES,
    SETS,
    _summary,
    cocotrip_table,
    reproduce_cocotrip,
)
from benchmarks.papers.recorded import METRICS, read_recorded
from claimwise.data import cocotrip
from claimwise.metrics import DistinctivenessScore
from claimwise.scores.caspr import caspr_score

DATA = Path(os.environ.get("CLAIMWISE_DATA", "nowhere"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="CLAIMWISE_DATA names no folder with CoCoTrip")


@needs_data
def test_the_recorded_files_give_every_printed_digit() -> None:
    recorded = read_recorded(DATA, 48)
    assert recorded is not None
    scores, verdicts = recorded
    assert set(verdicts) == set(SETS[2:])
    for name, of_set in verdicts.items():
        recomputed = np.array([caspr_score(one.forward, one.backward).score for one in of_set])
        assert recomputed == pytest.approx(scores["caspr"][name], abs=1e-6)
        scores["caspr"][name] = recomputed

    for metric in METRICS:
        found = _summary(scores[metric])
        means = ["{mean:.1f} ± {half_width:.1f}".format(**found[name]) for name in SETS[2:]]
        assert (*means, f"{found['correlation']['pearson']:.2f}") == PRINTED[metric]
    # what Figure 2 draws without numbers
    assert [round(scores["caspr"][name].mean(), 1) for name in SETS[:2]] == [26.0, 56.6]


@needs_data
@pytest.mark.parametrize(("name", "printed"), [*zip(SETS[2:], (73.6, 44.5, 74.1), strict=True)])
def test_distinctiveness_is_near_the_paper(
    distinctiveness: DistinctivenessScore, name: str, printed: float
) -> None:
    rows = cocotrip.pairs(DATA, name)
    result = distinctiveness.compute(
        predictions=[row["summary_a"] for row in rows], references=[row["summary_b"] for row in rows]
    )

    assert len(rows) == 48
    assert result["distinctiveness_score"] == pytest.approx(printed, abs=0.3)


@pytest.mark.slow
@needs_data
def test_the_experiment_is_written_with_what_the_paper_prints(checkpoints: Path, tmp_path: Path) -> None:
    """With a judge of random weights, on which two of the three metrics do not depend."""
    results = reproduce_cocotrip(
        DATA, tmp_path, judge=str(checkpoints / "bert"), device="cpu", dtype="float32"
    )

    own = results["claimwise"]["distinctiveness_score"]
    assert own["correlation"]["pearson"] == pytest.approx(0.51, abs=0.03)
    assert min(own[name]["pearson_with_recorded"] for name in SETS) > 0.95
    scores = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    for source in ("claimwise", "recorded"):
        for metric in METRICS:
            assert {name: len(scores[source][metric][name]) for name in SETS} == dict.fromkeys(SETS, 48)
    for score in ("caspr", "caspr_strongest"):
        assert set(results["recorded_claims"][score]) == {*SETS[2:], "correlation"}
    assert json.loads((tmp_path / "results.json").read_text("utf-8")) == results
    table = (tmp_path / "results.md").read_text("utf-8")
    assert table == cocotrip_table(results)
    for row in (
        "| `synthetic_low_contrast` | a bar of Figure 2 | 26.0 ± 5.7 (from pair scores) |",
        "| `reference_contrastive` | 84.3 ± 3.8 | 84.3 ± 3.8 (from verdicts) |",
        "| Pearson | 0.66 | 0.656 |",
        "| Spearman | – | 0.519 |",
    ):
        assert row in table
    assert (tmp_path / "figure2.png").stat().st_size > 1000


def test_the_table_says_what_is_missing() -> None:
    of_metric = {name: {"mean": 50.0, "half_width": 10.0} for name in SETS}
    results = {"claimwise": dict.fromkeys(SCORES, of_metric), "signature": {"caspr": "caspr|v:1"}}

    table = cocotrip_table(results)

    assert "The recorded files are missing" in table
    assert "| `reference_contrastive` | 84.3 ± 3.8 | 50.0 ± 10.0 |" in table
