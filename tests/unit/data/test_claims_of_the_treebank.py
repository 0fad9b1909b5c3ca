"""Claims of real sentences: their rules, and that each finds its sentence in the treebank."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from opinion_claims.treebank import FILES, FOLDER, joined, read_rows

from claimwise.errors import ClaimwiseError

ROW = {"id": "reviews-1-0002", "claims": [["It is clean."], ["I think it is quiet."]], "writer": "r1"}


def test_every_row_keeps_the_rules_and_no_sentence_is_kept() -> None:
    rows = read_rows()
    assert {row.split for row in rows} <= set(FILES)
    for path in FOLDER.glob("*.jsonl"):
        keys = {key for line in path.read_text("utf-8").splitlines() for key in json.loads(line)}
        assert keys <= {"id", "claims", "stripped", "writer", "reader"}


@pytest.mark.skipif("CLAIMWISE_DATA" not in os.environ, reason="CLAIMWISE_DATA is not set: no treebank")
def test_every_row_finds_its_sentence_in_the_treebank() -> None:
    found = list(joined(read_rows(), Path(os.environ["CLAIMWISE_DATA"]) / "ud_ewt"))
    assert len(found) == len(read_rows())
    assert all(sentence.text for _, sentence in found)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"id": "a"}, "not sorted by id"),
        ({"claims": [["it is clean."]]}, "No capital letter begins"),
        ({"stripped": [["It is quiet."]]}, "as many as the claims"),
        ({"reader": "r1"}, "The reader is the writer"),
        ({"sentence": "clean, quiet I think"}, "'sentence'"),
    ],
)
def test_a_broken_row_is_refused_with_its_line(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    (tmp_path / "train.jsonl").write_text(json.dumps(ROW) + "\n" + json.dumps(ROW | {"id": "z"} | changed))
    with pytest.raises(ClaimwiseError, match=said) as caught:
        read_rows(tmp_path)
    assert caught.value.line == 2


def test_a_row_without_its_sentence_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(json.dumps(ROW))
    for name in FILES.values():
        with gzip.open(tmp_path / name, "wt") as file:
            file.write("# sent_id = reviews-1-0001\n# text = Clean.\n")
    with pytest.raises(ClaimwiseError, match="no sentence 'reviews-1-0002'"):
        list(joined(read_rows(tmp_path), tmp_path))
