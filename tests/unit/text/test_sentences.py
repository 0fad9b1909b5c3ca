"""Splitting into sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.text.inputs import has_content
from claimwise.text.sentences import Splitter

split = Splitter()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("We liked it. So did they!", ["We liked it.", "So did they!"]),
        ("It faces the Old Bridge.Market Day is loud.", ["It faces the Old Bridge.", "Market Day is loud."]),
        ("Great pool!The bar is fine.", ["Great pool!", "The bar is fine."]),
        ("Dr. Hale was kind.", ["Dr. Hale was kind."]),
        ("We met J.Smith there.", ["We met J.Smith there."]),
        ("It costs 3.50 dollars at Node.js cafe.", ["It costs 3.50 dollars at Node.js cafe."]),
        ("Lovely. !!! 5/5", ["Lovely."]),
        ("No full stop", ["No full stop"]),
    ],
)
def test_sentences_a_reader_would_see(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_punkt_without_its_data_knows_the_titles_before_names_and_little_else() -> None:
    untrained = Splitter("nltk:untrained", mend=False)
    assert untrained("Dr. Hale met us at St. Paul. It rained.") == [
        "Dr. Hale met us at St. Paul.",
        "It rained.",
    ]
    assert untrained("Soap, towels etc. were free.") == ["Soap, towels etc.", "were free."]


def test_missing_spaces_can_be_left_alone() -> None:
    text = "It faces the Old Bridge.Market Day is loud."
    assert Splitter("nltk:untrained", mend=False)(text) == [text]
    assert len(Splitter("nltk:untrained")(text)) == 2


@given(st.text(st.characters(codec="utf-8")))
def test_nothing_with_letters_is_lost(text: str) -> None:
    sentences = split(text)
    assert bool(sentences) == has_content(text)
    letters = [character for character in text if has_content(character)]
    assert [character for character in "".join(sentences) if has_content(character)] == letters


def test_the_signature_names_the_library_and_its_version() -> None:
    assert split.signature["splitter"].startswith("sentencex-")


@pytest.mark.parametrize("name", ["", "punkt", "spacy", "spacy:", "sentencex:en"])
def test_unknown_splitters_list_the_known_ones(name: str) -> None:
    with pytest.raises(ClaimwiseError, match="sentencex"):
        Splitter(name)


@pytest.mark.parametrize(("name", "package"), [("nltk", "nltk"), ("spacy:no_such_model", "spacy")])
def test_a_splitter_whose_data_are_not_installed_says_how_to_get_them(
    name: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(ClaimwiseError, match=f"pip install {package}"):
        Splitter(name)


@pytest.mark.parametrize(
    "text",
    [
        "The cabin sleeps max. 4 pers. per night.",
        "The deck is open Mon. to Fri. in May.",
        "A berth is 90 euros excl. VAT.",
        "Ask in Rm. 7 of the hotel.",
        "It takes approx. 2 hrs. by boat.",
    ],
)
def test_abbreviations_of_reviews_end_no_sentence(text: str) -> None:
    assert split(text) == [text]
    assert split(f"{text} We left.") == [text, "We left."]


def test_an_emoji_is_content_and_a_sign_of_money_is_none() -> None:
    assert Splitter()("The pool is warm. 👍") == ["The pool is warm.", "👍"]
    assert Splitter()("The pool is warm. $") == ["The pool is warm."]
