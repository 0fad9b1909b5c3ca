"""The triads of SourceNLI, and how a broken one is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest
from own_data import build, check
from source_nli import FOLDER, TEST_KINDS, Triad, content, faults_between, frame, read_triads

from claimwise.errors import ClaimwiseError
from claimwise.labels import LABELS

Row = dict[str, Any]


@pytest.fixture(scope="module")
def triads() -> dict[str, list[Triad]]:
    return {config: read_triads(config=config) for config in ("passages", "sentences")}


def first_news(config: str = "passages") -> Row:
    lines = (FOLDER / f"{config}.jsonl").read_text("utf-8").splitlines()
    return next(row for row in map(json.loads, lines) if row["kind"] == "news")


def write(folder: Path, *rows: Row, config: str = "passages") -> Path:
    (folder / f"{config}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


@pytest.mark.slow
def test_every_claim_has_every_label_once_so_that_it_gives_nothing_away(
    triads: dict[str, list[Triad]],
) -> None:
    labels: dict[str, Counter[str]] = {}
    every = [*triads["passages"], *triads["sentences"]]
    for triad in every:
        for row in triad.rows():
            labels.setdefault(row["hypothesis"], Counter())[row["label"]] += 1
    assert all(counts == dict.fromkeys(LABELS, 1) for counts in labels.values())
    assert len(labels) == sum(len(triad.claims) for triad in every)
    passages = triads["passages"]
    assert sum(len(triad.claims) for triad in passages) >= 8 * len(passages)


@pytest.mark.slow
def test_a_triad_is_in_one_split_and_two_kinds_are_for_testing_only(triads: dict[str, list[Triad]]) -> None:
    split_of: dict[str, set[str]] = {}
    for triad in [*triads["passages"], *triads["sentences"]]:
        assert triad.split == "test" or triad.kind not in TEST_KINDS
        for row in triad.rows():
            split_of.setdefault(row["hypothesis"], set()).add(triad.split)
            split_of.setdefault(row["premise"], set()).add(triad.split)
    assert all(len(splits) == 1 for splits in split_of.values())


def test_a_row_names_what_decides_it(tmp_path: Path) -> None:
    (triad,) = read_triads(write(tmp_path, first_news()))
    for row in triad.rows():
        assert all(sentence in row["premise"] for sentence in row["deciding"])
        assert row["deciding"] or row["how"] == "not mentioned"


def test_names_and_numbers_are_masked_in_a_frame() -> None:
    triad = Triad("news", "x", (("Where is Ada Lovelace?", "Late is Ada Lovelace's bus."),), ())
    assert triad.names == {"ada", "lovelace"}
    assert frame("Ada Lovelace paid 30 euros for seven hats.", triad.names) == "@ paid # euros for # hats"
    assert content("Ada was paying for the 30 hats", triad.names) == {"pay", "hat"}


def change(**keys: Any) -> Callable[[Row], None]:
    return lambda row: row.update(keys)


def change_claim(number: int, **keys: Any) -> Callable[[Row], None]:
    return lambda row: row["claims"][number].update(keys)


def set_sentence(text: str) -> Callable[[Row], None]:
    return lambda row: row["passages"][1].__setitem__(2, text)


def of_how(row: Row, name: str) -> tuple[Row, int]:
    """The first claim with such an error, and the passage."""
    return next((claim, claim["how"].index(name)) for claim in row["claims"] if name in claim["how"])


def without_paraphrase(row: Row) -> None:
    claim, passage = of_how(row, "paraphrase")
    claim["claim"] = row["passages"][passage][claim["evidence"][passage][0]].replace(" ", "  ", 1)
    claim["claim"] = " ".join(claim["claim"].split()[-7:])


def never_twice(row: Row) -> None:
    while True:
        try:
            claim, passage = of_how(row, "two sentences")
        except StopIteration:
            return
        claim["how"][passage] = "one sentence"
        claim["evidence"][passage] = claim["evidence"][passage][:1]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(kind="novels"), "kind 'novels' is unknown"),
        (change(kind="law"), "'law' follows 'news'"),
        (change(extra=1), "This is no triad: keys too many"),
        (change(claims=None), "This is no triad"),
        (lambda row: row["passages"].pop(), "There are 2 passages"),
        (lambda row: row["passages"][0].extend(["It rained."] * 15), "sentences. Write 4 to 15"),
        (lambda row: row.update(claims=row["claims"][:7]), "There are 7 claims"),
        (set_sentence("It  rained."), "White space"),
        (set_sentence("It rained"), "No full stop"),
        (set_sentence("It rained. We stayed."), "two sentences"),
        (change_claim(0, labels=["neutral", "neutral", "entailment"]), "each label once"),
        (change_claim(0, how=["paraphrase", "magic", "not mentioned"]), "'magic' is no how of"),
        (change_claim(0, evidence=[[2], [99], []]), r"evidence \[99\] is not of 9 sentences"),
        (change_claim(0, evidence=[[2], [], []]), "0 sentences decide"),
        (change_claim(0, evidence=[[2], ["1"], []]), "text or number of another type"),
        (without_paraphrase, "The paraphrase shares"),
        (never_twice, "claims are entailed by 'two sentences'"),
    ],
)
def test_a_bad_triad_is_refused_with_file_and_line(
    spoil: Callable[[Row], Any], message: str, tmp_path: Path
) -> None:
    good, bad = first_news(), first_news()
    spoil(bad)
    with pytest.raises(ClaimwiseError, match=message) as caught:
        read_triads(write(tmp_path, good, bad))
    assert caught.value.place == f"{tmp_path / 'passages.jsonl'}, line 2"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(kind="law"), "kind 'law' is unknown"),
        (lambda row: row["passages"].pop(), "not three tellings"),
        (lambda row: row["passages"][0].extend(["It rained."] * 2), "not three tellings"),
        (lambda row: row.update(claims=row["claims"][:3]), "There are 3 claims"),
        (lambda row: row["passages"].__setitem__(1, ["It rained"]), "No full stop"),
        (change_claim(0, labels=["neutral", "neutral", "entailment"]), "each once"),
        (change_claim(0, how=["paraphrase", "negation", "not mentioned"]), "each once"),
        (
            lambda row: [
                claim.update(labels=["entailment", "neutral", "contradiction"]) for claim in row["claims"]
            ],
            "Passage B entails no claim",
        ),
    ],
)
def test_a_bad_triad_of_sentences_is_refused_with_file_and_line(
    spoil: Callable[[Row], Any], message: str, tmp_path: Path
) -> None:
    good, bad = first_news("sentences"), first_news("sentences")
    spoil(bad)
    write(tmp_path, good, bad, config="sentences")
    with pytest.raises(ClaimwiseError, match=message) as caught:
        read_triads(tmp_path, "sentences")
    assert caught.value.place == f"{tmp_path / 'sentences.jsonl'}, line 2"


def test_two_triads_may_not_share_scenes_claims_or_eight_words_in_a_row(tmp_path: Path) -> None:
    row = first_news()
    path = write(tmp_path, row, row)
    with pytest.raises(ClaimwiseError, match="is a duplicate") as caught:
        read_triads(path)
    assert caught.value.line == 2
    (triad,) = read_triads(write(tmp_path, row))
    problems = " ".join(fault.problem for fault in faults_between([triad, triad]))
    assert "passage A of" in problems
    assert "was claimed before" in problems


def test_a_line_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "passages.jsonl").write_text("{\n", "utf-8")
    with pytest.raises(ClaimwiseError, match=r"passages\.jsonl, line 1: This is no triad"):
        read_triads(tmp_path)


@pytest.mark.slow
def test_the_builder_writes_what_load_dataset_reads(tmp_path: Path, triads: dict[str, list[Triad]]) -> None:
    build("source_nli", tmp_path / "out")
    for config, of_config in triads.items():
        loaded = datasets.load_dataset(str(tmp_path / "out"), config, cache_dir=str(tmp_path / "cache"))
        assert sum(map(len, loaded.values())) == 3 * sum(len(triad.claims) for triad in of_config)
        for split in loaded.values():
            assert set(Counter(split["label"]).values()) == {len(split) // 3}
            if config == "passages":
                assert isinstance(split[0]["deciding"], list)
            else:
                assert "deciding" not in split.column_names


def test_the_builder_refuses_a_folder_without_triads(tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match="contains no triads"):
        build("source_nli", tmp_path / "out", tmp_path)


@pytest.mark.slow
def test_the_check_reports_and_tells_by_its_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = [sys.executable, str(FOLDER.parent / "own_data.py"), "check", "source_nli", "--only", "news"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert "0 broken rules" in done.stdout
    bad, good = first_news(), json.loads((FOLDER / "passages.jsonl").read_text("utf-8").splitlines()[-1])
    bad["passages"][0][0] = "Nothing ends this"
    folder = write(tmp_path, bad, good)
    assert check("source_nli", folder) == 1
    assert f"{folder / 'passages.jsonl'}, line 1: No full stop" in capsys.readouterr().out
    assert check("source_nli", folder, only="travel") == 0
    assert check("source_nli", folder, only="nothing") == 1
