"""The rows of OpinionClaims, and how a broken one is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pytest
from opinion_claims import FOLDER, ONE_CLAIM, TAGS, Row, as_dict, missing, read_attributions, read_rows
from own_data import build, check

from claimwise.errors import ClaimwiseError

Read = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return read_rows()


def two_rows() -> tuple[Read, Read]:
    """Two good rows: the second makes two claims."""
    first, second = (
        json.loads(line) for line in (FOLDER / "train.jsonl").read_text("utf-8").splitlines()[:2]
    )
    second |= {
        "sentence": "The kettle leaked and the tap dripped.",
        "claims": [["The kettle leaked."], ["The tap dripped.", "The tap was dripping."]],
        "tags": ["coordinated clauses"],
        "kind": "plain",
    }
    return first, second


def write(folder: Path, *rows: Read, split: str = "train") -> Path:
    (folder / f"{split}.jsonl").parent.mkdir(exist_ok=True)
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


@pytest.mark.slow
def test_a_sentence_that_makes_one_claim_says_so(rows: list[Row]) -> None:
    assert all((ONE_CLAIM in row.tags) == (len(row.claims) == 1) for row in rows)


@pytest.mark.slow
def test_every_tag_occurs_and_every_writer_has_one_split(rows: list[Row]) -> None:
    assert {tag for row in rows for tag in row.tags} == set(TAGS)
    split_of = {row.writer: row.split for row in rows}
    assert all(row.split == split_of[row.writer] for row in rows)
    assert set(split_of.values()) == {"train", "validation", "test"}


def test_forms_and_spellings_of_a_word_are_not_new() -> None:
    assert missing("I definitely dislike the rooms.", ["definately", "room", "disliked"]) == []
    assert missing("The 2 pools are cold.", ["pool", "12"]) == ["2", "cold"]


def change(**keys: Any) -> Callable[[Read], None]:
    return lambda row: row.update(keys)


def claim(text: str) -> Callable[[Read], None]:
    return lambda row: row["claims"][0].__setitem__(0, text)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (change(extra="1"), "This is no row: .* 'extra'"),
        (change(claims=None), "This is no row"),
        (change(claims=[[1], ["The tap dripped."]]), "1 is no string"),
        (change(domain="pets"), "domain 'pets' is unknown"),
        (change(sentence="The kettle  leaked and the tap dripped."), "White space"),
        (change(sentence="Kettle."), "has 1 words"),
        (change(sentence="The kettle leaked and the tap dripped"), "no full stop"),
        (change(sentence="The kettle leaked. The tap dripped."), "two sentences"),
        (change(tags=[]), "are none"),
        (change(tags=["magic"]), "'magic' is no tag"),
        (change(tags=["between"]), "Nothing in .* shows 'between'"),
        (change(tags=[ONE_CLAIM]), "There are 2 claims"),
        (change(claims=[]), "There are 0 claims"),
        (change(claims=[[], ["The tap dripped."]]), "A claim has 0 wordings"),
        (claim("The tap dripped."), "stands twice"),
        (claim("the kettle leaked."), "No capital letter"),
        (claim("The kettle leaked!"), "no full stop"),
        (claim("The kettle leaked. The tap dripped."), "two claims"),
        (claim("Leaked."), "is no sentence"),
        (claim("The kettle exploded loudly."), "brings in exploded, loudly"),
        (change(stripped=[["The kettle leaked."]]), "as many as the claims"),
        (change(stripped=[["The kettle leaked."], ["The tap dripped.", "The tap was dripping."]]), "differ"),
        (change(reader="b"), "'reader'"),
    ],
)
def test_a_bad_row_is_refused_with_file_and_line(
    spoil: Callable[[Read], None], message: str, tmp_path: Path
) -> None:
    good, bad = two_rows()
    assert len(read_rows(write(tmp_path, good, bad))) == 2
    spoil(bad)
    with pytest.raises(ClaimwiseError, match=message) as caught:
        read_rows(write(tmp_path, good, bad))
    assert caught.value.place == f"{tmp_path / 'train.jsonl'}, line 2"


def test_a_writer_has_one_split_of_a_known_name_and_stands_in_order(tmp_path: Path) -> None:
    first, second = two_rows()
    write(tmp_path, first, split="test")
    with pytest.raises(ClaimwiseError, match="The writer 'a' is in test too"):
        read_rows(write(tmp_path, second))
    with pytest.raises(ClaimwiseError, match="not sorted by writer"):
        read_rows(write(tmp_path, first | {"writer": "z"}, second, split="test"))
    with pytest.raises(ClaimwiseError, match="split 'dev' is unknown"):
        read_rows(write(tmp_path, first, split="dev"))


def test_sentences_may_not_be_alike(tmp_path: Path) -> None:
    row = two_rows()[1]
    starts = [
        row | {"sentence": f"The kettle leaked {word} and the tap dripped."}
        for word in ("here", "there", "now", "then", "daily", "again")
    ]
    longer = [row | {"sentence": f"{end} the kettle leaked and the tap dripped."} for end in ("So", "Then")]
    for rows, message in (
        ([row, row], "written before"),
        (starts, "6 sentences of a begin with 'the kettle leaked'"),
        (longer, "shares 'the kettle leaked and the tap dripped' with line 1 of .*/train.jsonl"),
    ):
        with pytest.raises(ClaimwiseError, match=message):
            read_rows(write(tmp_path, *rows))


def test_attributions_keep_the_rules_and_share_no_words_with_the_rows(tmp_path: Path) -> None:
    write(tmp_path, two_rows()[1])
    good = {
        "sentence": "Few mentioned the view, and many complained about the tap.",
        "claims": [["Few mentioned the view."], ["Many complained about the tap."]],
        "stripped": [["Few mentioned the view."], ["There were big problems with the tap."]],
        **{"domain": "hotels", "writer": "at-a", "reader": "at-b"},
    }
    write(tmp_path, good, split="attributions/test")
    assert len(read_rows(tmp_path)) == len(read_attributions(tmp_path)) == 1
    for changed, message in (
        ({"reader": "at-a"}, "The reader is the writer"),
        ({"tags": ["attribution"]}, "'tags'"),
        ({"stripped": [*good["stripped"][:1], ["The tap had big old problems."]]}, "in big, old, problems"),
        ({"sentence": f"The kettle leaked and the tap dripped, but {good['sentence']}"}, "shares .*/train"),
    ):
        write(tmp_path, good | changed, split="attributions/test")
        with pytest.raises(ClaimwiseError, match=message) as caught:
            read_rows(tmp_path)
        assert caught.value.place == f"{tmp_path / 'attributions' / 'test.jsonl'}, line 1"


@pytest.mark.slow
def test_the_builder_writes_what_load_dataset_reads(tmp_path: Path, rows: list[Row]) -> None:
    build("opinion_claims", tmp_path / "out")
    for config, of_config in (("default", rows), ("attributions", read_attributions())):
        loaded = datasets.load_dataset(str(tmp_path / "out"), config, cache_dir=str(tmp_path / "cache"))
        assert {name: len(split) for name, split in loaded.items()} == Counter(row.split for row in of_config)
        for name, split in loaded.items():
            of_split = [as_dict(row) for row in of_config if row.split == name]
            assert [split[0], split[-1]] == [of_split[0], of_split[-1]]
            assert {bool(row["stripped"]) for row in split} == {True, False}


def test_the_builder_refuses_a_folder_without_rows(tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match="contains no rows"):
        build("opinion_claims", tmp_path / "out", tmp_path)


@pytest.mark.slow
def test_the_check_reports_and_tells_by_its_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check("opinion_claims", only="a", lost=True) == 0
    assert "0 broken rules" in capsys.readouterr().out
    folder = write(tmp_path, two_rows()[1] | {"sentence": "Nothing ends this"})
    assert check("opinion_claims", folder) == 1
    assert f"{folder / 'train.jsonl'}, line 1: No capital letter" in capsys.readouterr().out
    (folder / "train.jsonl").write_text("{\n", "utf-8")
    with pytest.raises(ClaimwiseError, match="This is no row"):
        check("opinion_claims", folder)
