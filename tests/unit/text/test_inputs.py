"""What can be scored, and what a refusal says."""

from __future__ import annotations

from contextlib import nullcontext, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.text.inputs import (
    check_column,
    check_lengths,
    has_markup,
    is_english,
    unreadable,
)


@pytest.mark.parametrize("text", ["Clean.", "a 😀", "מלון נקי", "很干净", "a" * 100_000, "Ünïcödé 5*"])
def test_any_text_with_a_letter_is_fine(text: str) -> None:
    assert check_column([text], "predictions", "texts") == [text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "missing.*Drop the row"),
        (float("nan"), "missing"),
        ("", "empty or blank"),
        (" \n\t", "empty or blank"),
        ("12.5 % !", "no letters"),
        ("🦄 🦆", "no letters"),
        (b"clean", "got bytes. Decode"),
        (7, "got int"),
        (["clean"], "got list"),
        ("bad \ud800", "surrogates"),
    ],
)
def test_a_refusal_names_the_row_and_the_remedy(text: object, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=rf"references, row 1: .*{message}"):
        check_column(["fine", text], "references", "texts")


def test_a_refusal_names_the_review_of_a_source_counted_from_0() -> None:
    with pytest.raises(ClaimwiseError) as caught:
        check_column(["Fine.", ["Fine.", "", "Fine."]], "references", "sources", first_row=4)

    assert caught.value.place == "references, row 5, review 1"


@pytest.mark.parametrize("texts", ["one bare string", b"bytes", None, 3, {"a": "b"}])
def test_only_lists_are_columns(texts: object) -> None:
    with pytest.raises(ClaimwiseError, match="expected a list of strings"):
        check_column(texts, "predictions", "texts")


def test_columns_must_be_of_one_length_and_not_empty() -> None:
    with pytest.raises(ClaimwiseError, match=r"2 predictions, 1 references.*row 1 is the first"):
        check_lengths({"predictions": ["a", "b"], "references": ["a"]})
    with pytest.raises(ClaimwiseError, match="no rows"):
        check_lengths({"predictions": [], "references": []})


@given(st.one_of(st.none(), st.text(), st.binary(), st.floats(), st.lists(st.text())))
def test_a_cell_is_accepted_as_it_is_or_refused_with_one_error(cell: object) -> None:
    accepted = isinstance(cell, str) and any(map(str.isalpha, cell)) and cell.isprintable()
    with nullcontext() if accepted else suppress(ClaimwiseError):
        assert check_column([cell], "predictions", "texts") == [cell]


@pytest.mark.parametrize(
    "text",
    [
        "Die Zimmer sind sauber.",
        "La chambre était sale et la climatisation ne fonctionnait pas.",
        "El desayuno estaba delicioso y el personal era muy amable.",
        "Le camere sono pulite e il personale è gentile.",
        "De kamers zijn schoon en het ontbijt was heerlijk.",
        "Pokoje są czyste, a obsługa bardzo miła.",
        "Odalar temiz ve personel çok nazik.",
        "Phòng sạch sẽ và nhân viên thân thiện.",
        "Номера чистые, а персонал приветливый.",
        "房间很干净。",
        "部屋はとても清潔です",
        "غرف نظيفة",
    ],
)
def test_text_of_another_language_or_script_is_not_read_as_english(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Clean.",
        "VERY GOOD!!!",
        "Great location by the Sagrada Familia, Barcelona.",
        "I higly recommedn this hotel.",
        "Großartiges Café 😀 – naïve décor.",
        "Mehak at Le Méridien Piccadilly",
        "We wouldn't've stayed but for the a/c; isn't it 25°C?",
        "The owner said “こんにちは” to us, which was lovely.",
    ],
)
def test_names_typos_and_accents_do_no_harm(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", ["<b>Clean</b> rooms.", "Clean<br/>rooms", "B&amp;B", "It&#39;s clean"])
def test_tags_and_entities_are_markup(text: str) -> None:
    assert has_markup(text)
    assert not has_markup("AT&T; R&D, 1 < 2 & 3 > 2, a<3")


def test_texts_are_counted_once_wherever_they_stand_in_a_row() -> None:
    cells = ["房间很干净。", ["房间很干净。", "<i>Clean</i>"]]

    assert unreadable(cells) == {"not_english": 1, "markup": 1}


def test_decomposers_say_that_they_read_english_only():
    from claimwise.text.claims import SentencesDecomposer, reads_english_only
    from claimwise.text.writer import ClaimWriter

    assert all(map(reads_english_only, ["default", ClaimWriter()]))
    assert not any(
        map(reads_english_only, ["sentences", "openai:m@http://localhost/v1", SentencesDecomposer(), len])
    )
