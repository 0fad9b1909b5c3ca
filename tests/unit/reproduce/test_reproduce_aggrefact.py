"""``claimwise reproduce aggrefact`` on small files of the same form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Run, check_refused
from tables import write_table
from tei_server import TEIServer

from claimwise.errors import ClaimwiseError
from claimwise.nli import load
from claimwise.reproduce import reproduce_aggrefact
from claimwise.reproduce.aggrefact import ELEVEN, PUBLISHED, read_aggrefact

DOC = "The pool is warm. The bar is closed."
CLAIMS = ["The pool is warm.", "The bar is closed.", "The pool is not warm.", "The lift is slow today."]
LABELS = [1, 1, 0, 0]


@pytest.fixture
def tei(monkeypatch: pytest.MonkeyPatch) -> Iterator[TEIServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = TEIServer()
    yield server
    server.close()


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


def test_all_eleven_sets_stand_beside_the_published_means(run: Run, tmp_path: Path, tei: TEIServer) -> None:
    write(tmp_path / "data" / "test.parquet", ELEVEN)
    write(tmp_path / "data" / "dev.csv", ELEVEN[:1])

    done = run("reproduce", "aggrefact", "--data", "data", "--out", "out", "--nli-model", f"tei:{tei.url}")

    assert done.code == 0, done.err
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["mean"] == 100
    assert results["published"] == PUBLISHED
    assert {name for name, one in results["sets"].items() if one["is_tuned"]} == set(ELEVEN[:1])
    assert "|nli_model:tei:words/words|" in results["signature"]
    assert "Bespoke-MiniCheck-7B" in done.out
    assert "this judge" in done.out
    judged = len(tei.judged)
    again = run("reproduce", "aggrefact", "--data", "data", "--out", "out", "--nli-model", f"tei:{tei.url}")
    assert again.code == 0
    assert len(tei.judged) == judged


def test_some_of_the_sets_have_a_mean_of_their_own(tmp_path: Path, tei: TEIServer) -> None:
    write(tmp_path / "data" / "mine.jsonl", ("mine", "yours"), ["1", "true", "0", "False"])

    results = reproduce_aggrefact(tmp_path / "data", tmp_path / "out", nli_model=load(f"tei:{tei.url}"))

    assert results["sets"]["mine"] == {
        "balanced_accuracy": 100,
        "threshold": 0.5,
        "is_tuned": False,
        "rows": 4,
    }
    assert "published" not in results


def test_what_cannot_be_measured_is_refused(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with pytest.raises(ClaimwiseError, match=r"holds no \.csv.* the columns dataset, doc, claim and label"):
        read_aggrefact(data)
    write(data / "val.csv", ("mine",))
    with pytest.raises(ClaimwiseError, match="for tuning alone"):
        read_aggrefact(data)
    write(data / "test.csv", ("mine",), [1, 1, 1, 1])
    with pytest.raises(ClaimwiseError, match="'mine' has one label alone"):
        read_aggrefact(data)
    write(data / "test.csv", ("mine",), [1, 2, 1, 1])
    check_refused(
        run("reproduce", "aggrefact", "--data", "data", "--out", "out"), "must be 0 or 1; got", "row 1"
    )
