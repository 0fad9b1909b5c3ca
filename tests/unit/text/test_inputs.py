"""What can be scored, and what a refusal says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress

import datasets
import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
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
        ("\x1b[31m\x1b[0m", "no letters"),
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
        check_column(["Fine.", ["Fine.", 7, "Fine."]], "references", "sources", first_row=4)

    assert caught.value.place == "references, row 5, review 1"


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ClaimwiseError, match="references: the column is missing"):
        check_column(None, "references", "texts")


@pytest.mark.parametrize("texts", ["one bare string", b"bytes", 3, {"a": "b"}])
def test_only_lists_are_columns(texts: object) -> None:
    with pytest.raises(ClaimwiseError, match="expected a list of strings"):
        check_column(texts, "predictions", "texts")


@pytest.mark.parametrize(
    "blank", ["N/A", "nan", "NaN", "", " ", "null", "…", "12:30", None, float("nan"), pd.NA]
)
def test_a_review_without_content_is_left_out_and_the_others_keep_their_numbers(blank: object) -> None:
    row = ["Naan.", blank, "Nan was kind."]

    for reviews in (row, tuple(row), pd.Series(row), [{"text": one} for one in row]):
        assert check_column([reviews], "references", "sources") == [["Naan.", "", "Nan was kind."]]
    for only in ([blank], [{"text": blank}], [blank, blank]):
        with pytest.raises(ClaimwiseError, match=r"references, row 0: all reviews are blank\. Drop the row"):
            check_column([only], "references", "sources")
    with pytest.raises(ClaimwiseError, match="references, row 0: the text"):
        check_column([blank], "references", "sources")


@pytest.mark.parametrize(
    "field", ["text", "reviewText", "review_body", "Comment", "content", "body", "Review"]
)
def test_reviews_may_be_objects(field: str) -> None:
    rows = [[{"id": 1, field: "Warm."}, {"id": 2}, "Clean."], {field: "Loud."}]

    warned = nullcontext() if field == "text" else pytest.warns(ClaimwiseWarning, match=f"`{field}` was read")
    with warned:
        assert check_column(rows, "references", "sources") == [["Warm.", "", "Clean."], ["Loud."]]


def test_objects_without_a_text_are_refused_with_their_fields() -> None:
    with pytest.raises(
        ClaimwiseError, match=r"row 0: the reviews have no field `text`; they have `id`, `stars`"
    ):
        check_column([[{"id": 1}, {"stars": 5}]], "references", "sources")


FRAME = pd.DataFrame({"summary": ["The pool is warm.", "The pool is cold."]})
NO_COLUMNS = {
    "DataFrame": FRAME,
    "array of one column": FRAME.to_numpy(),
    "array of no dimension": np.array("The pool is warm."),
    "set": {"The pool is warm."},
    "frozenset": frozenset(["The pool is warm."]),
    "keys": {"The pool is warm.": 1}.keys(),
    "values": {1: "The pool is warm."}.values(),
    "characters": (character for character in "warm"),
    "list of characters": list("The pool"),
    "Dataset": datasets.Dataset.from_pandas(FRAME),
    "Arrow table": pyarrow.table({"summary": ["The pool is warm."]}),
}


@pytest.mark.parametrize("given", NO_COLUMNS)
@pytest.mark.parametrize("holds", ["texts", "summaries", "sources", "references", "names"])
def test_what_is_no_column_is_refused_with_what_to_do(given: str, holds: str) -> None:
    if given == "array of one column" and holds not in ("texts", "summaries"):
        return  # one review, unit or name per row
    cells = (character for character in "warm") if given == "characters" else NO_COLUMNS[given]
    with pytest.raises(ClaimwiseError, match=r"one for each row; got .*(Pass|pass)"):
        check_column(cells, "predictions", holds)
    if given not in ("array of one column", "Arrow table") and holds not in ("texts", "names"):
        cell = (character for character in "warm") if given == "characters" else NO_COLUMNS[given]
        with pytest.raises(
            ClaimwiseError, match=r"row 0: expected a text or .*got a .*Pass a text or a list"
        ):
            check_column([cell], "predictions", holds)


@pytest.mark.parametrize(
    "column",
    [
        list,
        tuple,
        pd.Series,
        np.array,
        lambda texts: pd.DataFrame({"a": texts}, index=[7, 8])["a"],
        lambda texts: pd.Series(texts, dtype="category"),
        lambda texts: datasets.Dataset.from_dict({"a": texts})["a"],
        lambda texts: map(str, texts),
    ],
)  # fmt: skip
def test_any_sequence_of_texts_is_a_column(column: Callable[[list[str]], object]) -> None:
    texts = ["The pool is warm.", "The pool is cold."]

    for holds in ("texts", "summaries"):
        assert check_column(column(texts), "predictions", holds) == texts
    assert check_column(column(texts), "references", "sources") == [[text] for text in texts]


def test_columns_must_be_of_one_length_and_not_empty() -> None:
    with pytest.raises(ClaimwiseError, match=r"2 predictions, 1 references.*Row 1 is the first"):
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
