"""``benchmarks.papers.aggrefact`` on small files of the same form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import Run, check_refused
from judges import WordJudge
from tables import write_table
from tei_server import TEIServer

from benchmarks.papers.aggrefact import ELEVEN, PUBLISHED, read_aggrefact, reproduce_aggrefact
from claimwise.errors import ClaimwiseError
from claimwise.judges import Judgements, load_judge
from claimwise.judges.protocol import Pair

DOC = "The pool is warm. The bar is closed."
CLAIMS = ["The pool is warm.", "The bar is closed.", "The pool is not warm.", "The lift is slow today."]
LABELS = [1, 1, 0, 0]


def write(path: Path, names: tuple[str, ...], labels: Any = LABELS) -> None:
    path.parent.mkdir(exist_ok=True)
    rows = [(name, claim, label) for name in names for claim, label in zip(CLAIMS, labels, strict=True)]
    write_table(
        path,
        dataset=[row[0] for row in rows],
        doc=[DOC] * len(rows),
        claim=[row[1] for row in rows],
        label=[row[2] for row in rows],
    )


def test_all_eleven_sets_stand_beside_the_published_means(
    run_paper: Run, tmp_path: Path, tei: TEIServer
) -> None:
    write(tmp_path / "data" / "test.parquet", ELEVEN)
    write(tmp_path / "data" / "dev.csv", ELEVEN[:1])

    done = run_paper("aggrefact", "--data", "data", "--output", "out", "--judge", f"tei:{tei.url}")

    assert done.code == 0, done.err
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["mean"] == 100
    assert results["published"] == PUBLISHED
    assert {name for name, one in results["sets"].items() if "threshold" in one} == set(ELEVEN[:1])
    assert "mean_tuned" not in results
    assert "|judge:tei:words/words|" in results["signature"]
    assert "Bespoke-MiniCheck-7B" in done.out
    assert "this judge" in done.out
    judged = len(tei.judged)
    again = run_paper("aggrefact", "--data", "data", "--output", "out", "--judge", f"tei:{tei.url}")
    assert again.code == 0
    assert len(tei.judged) == judged


def test_some_of_the_sets_have_a_mean_of_their_own(tmp_path: Path, tei: TEIServer) -> None:
    write(tmp_path / "data" / "mine.jsonl", ("mine", "yours"), ["1", "true", "0", "False"])

    results = reproduce_aggrefact(tmp_path / "data", tmp_path / "out", judge=load_judge(f"tei:{tei.url}"))

    assert results["sets"]["mine"] == {"balanced_accuracy": 100, "rows": 4}
    assert "published" not in results


class Given(WordJudge):
    """Entails a claim as much as the number in it says."""

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        found = super().predict_pairs(pairs)
        given = np.array([float(claim.split()[-2]) for _, claim in pairs], dtype=np.float32)
        found.probabilities[:] = np.stack([given, 1 - given, 0 * given], axis=1)
        return found


def write_given(path: Path, rows: list[tuple[str, float, int]]) -> None:
    path.parent.mkdir(exist_ok=True)
    write_table(
        path,
        dataset=[name for name, _, _ in rows],
        doc=[DOC] * len(rows),
        claim=[f"It is {given} sure" for _, given, _ in rows],
        label=[label for _, _, label in rows],
    )


def test_every_set_goes_by_one_threshold_and_beside_it_by_its_own(tmp_path: Path) -> None:
    """By hand: above 0.5 mine has 1 of 2 and 1 of 1 right, yours 1 of 1 and 0 of 2; tuned, all."""
    mine = [("mine", 0.5, 1), ("mine", 0.75, 1), ("mine", 0.125, 0)]
    yours = [("yours", 0.875, 1), ("yours", 0.75, 0), ("yours", 0.625, 0)]
    write_given(tmp_path / "data" / "test.jsonl", mine + yours)
    dev = [("mine", 0.25, 1), ("mine", 0.125, 0), ("yours", 0.875, 1), ("yours", 0.75, 0)]
    write_given(tmp_path / "data" / "dev.jsonl", dev)

    results = reproduce_aggrefact(tmp_path / "data", tmp_path / "out", judge=Given())

    assert results["sets"]["mine"] == {
        "balanced_accuracy": 75,
        "rows": 3,
        "threshold": 0.25,
        "balanced_accuracy_tuned": 100,
    }
    assert results["sets"]["yours"]["balanced_accuracy"] == 50
    assert results["sets"]["yours"]["threshold"] == 0.875
    assert (results["mean"], results["mean_tuned"]) == (62.5, 100)
    table = (tmp_path / "out" / "results.md").read_text()
    assert "| mine | 3 | 75.0 | 100.0 (from 0.250) |" in table
    assert "| mean | | 62.5 | 100.0 |" in table


def test_what_cannot_be_measured_is_refused(run_paper: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with pytest.raises(ClaimwiseError, match=r"contains no \.csv.* columns dataset, doc, claim and label"):
        read_aggrefact(data)
    write(data / "val.csv", ("mine",))
    with pytest.raises(ClaimwiseError, match="only tuning rows"):
        read_aggrefact(data)
    write(data / "test.csv", ("mine",), [1, 1, 1, 1])
    with pytest.raises(ClaimwiseError, match="'mine' has only one label"):
        read_aggrefact(data)
    write(data / "test.csv", ("mine",), [1, 2, 1, 1])
    check_refused(run_paper("aggrefact", "--data", "data", "--output", "out"), "must be 0 or 1; got", "row 2")
