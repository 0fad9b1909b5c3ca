"""What can be scored, and what a refusal says."""

from __future__ import annotations

from contextlib import nullcontext, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.text.inputs import check_lengths, check_sources, check_texts, has_content


@pytest.mark.parametrize("text", ["Clean.", "😀", "מלון נקי", "很干净", "a" * 100_000, "Ünïcödé 5*"])
def test_any_text_with_a_letter_or_an_emoji_is_fine(text: str) -> None:
    assert check_texts([text], "predictions") == [text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "missing.*Drop the row"),
        (float("nan"), "missing"),
        ("", "empty or blank"),
        (" \n\t", "empty or blank"),
        ("12.5 % !", "no letters"),
        (b"clean", "got bytes. Decode"),
        (7, "got int"),
        (["clean"], "got list"),
        ("bad \ud800", "surrogates"),
    ],
)
def test_a_refusal_names_the_row_and_the_remedy(text: object, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=rf"references, row 1: .*{message}"):
        check_texts(["fine", text], "references")


def test_a_refusal_names_the_review_of_a_source_counted_from_0() -> None:
    with pytest.raises(ClaimwiseError) as caught:
        check_sources(["Fine.", ["Fine.", "", "Fine."]], "references", first_row=4)

    assert caught.value.place == "references, review 1, row 5"


@pytest.mark.parametrize("texts", ["one bare string", b"bytes", None, 3, {"a": "b"}])
def test_only_lists_are_columns(texts: object) -> None:
    with pytest.raises(ClaimwiseError, match="expected a list of strings"):
        check_texts(texts, "predictions")


def test_columns_must_be_of_one_length_and_not_empty() -> None:
    with pytest.raises(ClaimwiseError, match=r"2 predictions, 1 references.*row 1 is the first"):
        check_lengths({"predictions": ["a", "b"], "references": ["a"]})
    with pytest.raises(ClaimwiseError, match="no rows"):
        check_lengths({"predictions": [], "references": []})


@given(st.one_of(st.none(), st.text(), st.binary(), st.floats(), st.lists(st.text())))
def test_a_cell_is_accepted_as_it_is_or_refused_with_one_error(cell: object) -> None:
    accepted = isinstance(cell, str) and has_content(cell) and cell.isprintable()
    with nullcontext() if accepted else suppress(ClaimwiseError):
        assert check_texts([cell], "predictions") == [cell]
