"""Readers' verdicts on claims that networks wrote: their rules, and that each finds its sentence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import opinion_claims
import pytest
from opinion_claims import treebank
from opinion_claims.verdicts import joined, read_rows

from claimwise.errors import ClaimwiseError

ROW = {
    "sentence": "Clean rooms, no lift.",
    "written": ["The rooms are clean.", "There is lift."],
    "faults": {"1": "nu"},
    "claims": [["The rooms are clean."], ["There is no lift."]],
    "reader": "v1",
}


def test_every_row_keeps_the_rules_and_its_sentence_is_nowhere_else() -> None:
    rows = read_rows()
    assert not {row.id for row in rows if row.id} & {row.id for row in treebank.read_rows()}
    assert not {row.sentence for row in rows} & {row.sentence for row in opinion_claims.read_files()}


@pytest.mark.skipif("CLAIMWISE_DATA" not in os.environ, reason="CLAIMWISE_DATA is not set: no treebank")
def test_every_row_finds_its_sentence() -> None:
    rows = read_rows()
    found = list(joined(rows, Path(os.environ["CLAIMWISE_DATA"]) / "ud_ewt"))
    assert len(found) == len(rows)
    assert all(sentence.text for _, sentence in found)


def test_the_claims_are_the_corrected_ones_or_else_those_that_were_written(tmp_path: Path) -> None:
    fine = {key: ROW[key] for key in ("sentence", "reader")} | {"written": ["The rooms are clean."]}
    lines = [json.dumps(ROW), json.dumps(fine | {"sentence": "Clean rooms."})]
    (tmp_path / "train.jsonl").write_text("\n".join(lines))
    first, second = read_rows(tmp_path)
    assert (first.faults, first.claims[1]) == (("", "nu"), ("There is no lift.",))
    assert (second.faults, second.claims) == (("",), (("The rooms are clean.",),))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"id": "reviews-1"}, "an id or a sentence"),
        ({"faults": {"1": "x"}}, "Choose of: u, n, j, d"),
        ({"faults": {"2": "u"}}, "further keys: 2"),
        ({"claims": None}, "no corrected claims"),
        ({"claims": []}, "no corrected claims"),
        ({"written": ["Two  blanks.", "x"]}, "White space"),
    ],
)
def test_a_broken_row_is_refused_with_its_line(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    row = ROW | {"sentence": "Another sentence."} | changed
    (tmp_path / "train.jsonl").write_text(json.dumps(ROW) + "\n" + json.dumps(row))
    with pytest.raises(ClaimwiseError, match=said) as caught:
        read_rows(tmp_path)
    assert caught.value.line == 2


def test_a_row_without_its_sentence_in_the_treebank_is_refused(tmp_path: Path) -> None:
    import gzip

    with gzip.open(tmp_path / "train.conllu.gz", "wt") as file:
        file.write("# sent_id = reviews-1-0001\n# text = Clean.\n")
    row = {key: value for key, value in ROW.items() if key != "sentence"} | {"id": "reviews-9"}
    (tmp_path / "train.jsonl").write_text(json.dumps(row))
    with pytest.raises(ClaimwiseError, match="no sentence 'reviews-9'"):
        list(joined(read_rows(tmp_path), tmp_path))
