"""The phenomena of OpinionNLI: sentences beside their minimal change, and the pairs that they give."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import opinion_nli
import pytest
from opinion_nli import FOLDER
from opinion_nli.changes import DOMAINS, Change, checked, read_changes, tables

from claimwise.errors import ClaimwiseError
from claimwise.labels import LABELS

CHANGES = read_changes()
CARD = (FOLDER / "README.md").read_text("utf-8")

ROW: dict[str, Any] = {
    "domain": "hotels",
    "sentence": "The lift has only just been mended.",
    "changed": "The lift is only now being mended.",
    "claims": [
        {"claim": "The lift has been mended.", "sentence": "entailment", "changed": "contradiction"},
        {"claim": "The lift is not mended yet.", "sentence": "contradiction", "changed": "entailment"},
        {"claim": "The lift has a mirror.", "sentence": "neutral", "changed": "neutral"},
    ],
    "reversed": [{"claim": "The lift is new.", "sentence": "neutral", "changed": "neutral"}],
}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    """Write ``rows`` as the kind ``time`` and return the folder of the data set."""
    (folder / "phenomena").mkdir(exist_ok=True)
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "phenomena" / "time.jsonl").write_text(lines, "utf-8")
    return folder


def problems(folder: Path) -> list[str]:
    """Return what is wrong with the rows in ``folder``."""
    return [f"{fault.line}: {fault.problem}" for fault in checked(folder)[1]]


def test_every_row_keeps_every_rule_and_every_kind_is_large_enough() -> None:
    assert checked(FOLDER)[1] == []
    rows = Counter(change.kind for change in CHANGES)
    assert len(rows) == 14
    assert min(rows.values()) >= 60
    for kind in rows:
        domains = Counter(change.domain for change in CHANGES if change.kind == kind)
        assert set(domains) == DOMAINS, kind
        assert max(domains.values()) <= 0.2 * rows[kind], kind


def test_every_kind_has_pairs_in_every_split_and_no_premise_is_in_two() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    splits = defaultdict(set)
    for name, rows in tables(FOLDER).items():
        for row in rows:
            counts[row["kind"], name] += 1
            splits[row["premise"]].add(name)
    for kind in {change.kind for change in CHANGES}:
        assert counts[kind, "phenomena/train"] >= 300, kind
        assert counts[kind, "phenomena/validation"] >= 15, kind
        assert counts[kind, "phenomena/test"] >= 50, kind
    assert {len(names) for names in splits.values()} == {1}


def test_the_split_of_a_row_does_not_depend_on_the_others() -> None:
    sentences = {"It rained.": "test", "We won.": "validation", "We sang.": "train"}  # CRC-32: below 4, 6, 32
    for sentence, split in sentences.items():
        assert Change("time", "films", sentence, "It was fun.", (), ()).split == split


def test_a_row_gives_the_pairs_of_both_texts_in_both_directions(tmp_path: Path) -> None:
    (change,) = checked(written(tmp_path, ROW))[0]
    pairs = {(row["premise"], row["hypothesis"]): row["label"] for row in change.rows()}
    assert len(pairs) == len(list(change.rows())) == 8
    sentence, changed = ROW["sentence"], ROW["changed"]
    assert pairs[sentence, "The lift has been mended."] == "entailment"
    assert pairs[changed, "The lift has been mended."] == "contradiction"
    assert pairs["The lift is new.", sentence] == pairs["The lift is new.", changed] == "neutral"
    assert {(row["kind"], row["domain"]) for row in change.rows()} == {("time", "hotels")}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"domain": "moons"}, "The domain 'moons' is unknown."),
        ({"changed": ROW["sentence"]}, "The sentence is not changed."),
        ({"claims": ROW["claims"][:2]}, "Expected 3 or 4 claims, and 1 or 2 of them reversed."),
        ({"claims": [*ROW["claims"], ROW["claims"][0]]}, "A claim is there twice."),
        ({"claims": [*ROW["claims"][1:], ROW["reversed"][0]]}, "Most claims keep their label."),
        (
            {"reversed": [ROW["reversed"][0] | {"claim": "The lift is new"}]},
            "'The lift is new' has no full stop (or ? or !), or blanks that are not single.",
        ),
        (
            {"reversed": [ROW["reversed"][0] | {"sentence": "maybe"}]},
            "'The lift is new.' has an unknown label.",
        ),
        (
            {"reversed": [ROW["reversed"][0] | {"claim": ROW["sentence"]}]},
            "'The lift has only just been mended.' is claimed of itself.",
        ),
        (
            {"reversed": [ROW["reversed"][0] | {"claim": "The lift has been mended."}]},
            "'The lift has been mended.' contradicts in one direction only.",
        ),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    assert problems(written(tmp_path, ROW)) == []
    assert f"1: {problem}" in problems(written(tmp_path, ROW | change))
    with pytest.raises(ClaimwiseError, match=re.escape(f"time.jsonl, line 1: {problem}")):
        read_changes(tmp_path)


def test_a_premise_of_two_rows_and_a_rare_label_are_named(tmp_path: Path) -> None:
    assert "2: 'The lift is new.' is a premise of time.jsonl, line 1, too." in problems(
        written(tmp_path, ROW, ROW | {"sentence": "The lift works.", "changed": "The lift worked."})
    )
    agreed = [claim | {"changed": "neutral", "sentence": "entailment"} for claim in ROW["claims"]]
    assert "None: 0% of the labels are contradiction; each must be 25% or more." in problems(
        written(tmp_path, ROW | {"claims": agreed})
    )


def test_other_keys_no_json_and_no_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match="contains no phenomena"):
        read_changes(tmp_path)
    with pytest.raises(ClaimwiseError, match="Use exactly these keys") as refused:
        read_changes(written(tmp_path, ROW, ROW | {"note": "x"}))
    assert (refused.value.path, refused.value.line) == (str(tmp_path / "phenomena" / "time.jsonl"), 2)
    (tmp_path / "phenomena" / "time.jsonl").write_text('{"domain": \n', "utf-8")
    with pytest.raises(ClaimwiseError, match="is not valid JSON"):
        read_changes(tmp_path)


def test_the_check_prints_the_table_of_the_card() -> None:
    script = [sys.executable, str(FOLDER.parent / "own_data.py"), "check", "opinion_nli"]
    said = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    table, end = said.rsplit("\n", 2)[:2]
    assert end == "0 broken rules"
    assert table in CARD
    assert all(label in table for label in LABELS)
    assert [len(rows) for rows, _ in opinion_nli.checked(FOLDER)] == [len(CHANGES)]
