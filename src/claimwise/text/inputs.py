"""Checking texts before anything is computed from them."""

from __future__ import annotations

import html
import json
import re
import reprlib
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from typing import Any

from claimwise.errors import ClaimwiseError, RowsError, TextError
from claimwise.nli.hub import EMBEDDED_WEIGHTS
from claimwise.tables import is_missing, is_written_list
from claimwise.text.stopwords import load_stopwords

FEWEST_UNKNOWN = 4
"""A text of which fewer words are unknown counts as English: it may be a name, or a slip of the pen."""

Summary = str | tuple[str, ...]
"""A summary: a text, or the claims that somebody made of one."""

_WORD = re.compile(r"[^\W\d_]+")
_LETTER_OF_ANOTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&#?\w+;")


def has_content(text: str) -> bool:
    """Tell whether ``text`` holds at least one letter or pictographic symbol (an emoji)."""
    return any(
        unicodedata.category(character)[0] == "L" or unicodedata.category(character) == "So"
        for character in text
    )


def unreadable(cells: Iterable[str | Sequence[str]]) -> dict[str, int]:
    """Return how many texts a part that reads English only cannot read, and how many hold markup.

    Args:
        cells: of a row, checked: a text or several each.

    Returns:
        ``not_english``: texts that ``is_english`` denies; ``markup``: texts with HTML tags or entities.
    """
    distinct = {text for cell in cells for text in ([cell] if isinstance(cell, str) else cell)}
    return {
        "not_english": sum(not is_english(text) for text in distinct),
        "markup": sum(has_markup(text) for text in distinct),
    }


def is_english(text: str) -> bool:
    """Tell whether most of a text may be English: its letters by their script, its words by what is known.

    Words are known that the tokenizer of the embedded judge keeps whole, unless they are stopwords of other
    languages alone. A text counts as English unless at least ``FEWEST_UNKNOWN`` words, and more than half of
    them, are unknown: names, typos and accents do no harm.
    """
    if not text.isascii():
        if 2 * len(_LETTER_OF_ANOTHER_SCRIPT.findall(text)) > sum(map(str.isalpha, text)):
            return False
        text = _without_accents(text)
    words, known = _WORD.findall(text.lower()), _english_words()
    unknown = sum(word not in known for word in words)
    return unknown < FEWEST_UNKNOWN or 2 * unknown <= len(words)


def has_markup(text: str) -> bool:
    """Tell whether a text holds HTML tags or entities, which are scored as words."""
    return any(found[0] == "<" or html.unescape(found) != found for found in _MARKUP.findall(text))


@cache
def _english_words() -> frozenset[str]:
    tokenizer = json.loads((EMBEDDED_WEIGHTS / "tokenizer.json").read_bytes())
    english = load_stopwords("english") | load_stopwords("hinglish")  # that is half English
    foreign = map(_without_accents, load_stopwords("all") - english)
    parts = {part for word in english for part in word.split("'")}
    return frozenset(tokenizer["model"]["vocab"].keys() - foreign | parts)


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def check_text(text: Any, column: str, row: int, review: int | None = None) -> str:
    """Return ``text`` if it can be scored.

    Args:
        text: what the user gave.
        column: the column it stands in.
        row: its row, counted from 0.
        review: its place among the reviews of that row, counted from 0.

    Raises:
        TextError: for anything but a string with at least one letter.
    """

    def refusal(problem: str, remedy: str) -> TextError:
        return TextError(problem, remedy, column=column, row=row, review=review)

    if text is None or (isinstance(text, float) and text != text):
        raise refusal(f"the text is missing ({text}).", "Drop the row or fill the text in.")
    if isinstance(text, bytes):
        raise refusal("expected a string, got bytes.", "Decode it first, for example with .decode('utf-8').")
    if not isinstance(text, str):
        raise refusal(f"expected a string, got {type(text).__name__}.", "Give one summary per row, as text.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refusal(
            "the text holds lone surrogates, which are no valid Unicode.",
            "Read the file with the right encoding.",
        ) from None
    if not text.strip():
        raise refusal("the text is empty or blank.", "Drop the row or fill the text in.")
    if is_missing(text):
        raise refusal(f"the text is missing ({text.strip()}).", "Drop the row or fill the text in.")
    if is_written_list(text):
        problem = f"the text is a list of texts ({reprlib.repr(text)})."
        raise refusal(problem, "Give a text, or where a cell may be a list the list itself, written as JSON.")
    if not any(map(str.isalpha, text)):
        raise refusal(
            f"the text has no letters ({text[:40]!r}), so it claims nothing.", "Drop the row or fix the text."
        )
    return text


def text_of(summary: Summary) -> str:
    """Return the text of a summary; given claims are joined."""
    return summary if isinstance(summary, str) else " ".join(summary)


def are_claims(cells: Iterable[Any]) -> bool:
    """Tell whether a column of summaries holds lists of claims: the first text or list in it decides."""
    return is_list(next((cell for cell in cells if isinstance(cell, str) or is_list(cell)), ""))


def is_list(cell: Any) -> bool:
    """Tell whether a cell holds several values and is no text."""
    return isinstance(cell, Iterable) and not isinstance(cell, (str, bytes, dict))


def check_column(
    cells: Any, column: str, holds: str, first_row: int = 0, claims: Collection[str] | None = None
) -> list[Any]:
    """Return the cells of a column ready to be scored.

    Args:
        cells: what the user gave.
        column: the name of the column.
        holds: see ``Column``: ``"texts"`` and ``"names"`` stay as they are, and so do ``"summaries"``, but
            for claims, which become tuples; where a cell may hold several texts or numbers, it is a list of
            them (one counts as a list of one).
        first_row: the row number of the first.
        claims: the columns of summaries that hold lists of claims; None = as ``are_claims`` tells.

    Raises:
        ClaimwiseError: for something that is not a sequence, or a cell that cannot be scored; the message
            names the row, and the text within it.
    """
    if not is_list(cells):
        bare = "one bare " if isinstance(cells, (str, bytes)) else ""
        wanted = {"names": "names or numbers", "texts": "strings"}.get(holds, holds)
        raise ClaimwiseError(
            f"expected a list of {wanted}, one for each row; got {bare}{type(cells).__name__}.",
            "Write [text] to score one text.",
            column=column,
        )
    if holds == "summaries":
        cells = list(cells)
        given = are_claims(cells) if claims is None else column in claims
        return _check_summaries(cells, column, first_row, given)
    check: Any = {"texts": check_text, "names": _check_name, "weights": _check_weights}.get(holds)
    rows = enumerate(cells, first_row)
    if check is None:
        return [_check_several(cell, column, row, holds) for row, cell in rows]
    return [check(cell, column, row) for row, cell in rows]


def check_lengths(columns: Mapping[str, Sequence[Any]], first_row: int = 0) -> None:
    """Check that all columns have the same number of rows, and at least one.

    Raises:
        ClaimwiseError: if they have not.
    """
    lengths = {name: len(rows) for name, rows in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise ClaimwiseError(
            f"Unequal lengths: {listed}.",
            f"Every row needs one text in each column; row {first_row + min(lengths.values())} is the first "
            f"without.",
        )
    if not next(iter(lengths.values()), 0):
        raise ClaimwiseError(f"{' and '.join(columns)}: no rows to score.", "Give at least one.")


def _check_summaries(cells: Sequence[Any], column: str, first_row: int, claims: bool) -> list[Summary]:
    """Return texts as they are, or lists of claims as tuples; of claims all bad rows are named."""
    checked: list[Summary] = []
    errors: list[ClaimwiseError] = []
    for row, cell in enumerate(cells, first_row):
        try:
            if isinstance(cell, str) if claims else is_list(cell):
                raise TextError(
                    "a text in a column of lists of claims." if claims else "a list in a column of texts.",
                    "Give one kind in all rows: texts, or lists of claims.",
                    column=column,
                    row=row,
                )
            of_row = tuple(_check_several(cell, column, row, "claims")) if claims else ()
            checked.append(of_row or check_text(cell, column, row))
        except ClaimwiseError as error:
            if not claims:
                raise
            errors.append(error)
    if errors:
        raise errors[0] if len(errors) == 1 else RowsError(errors, len(errors))
    return checked


def _check_several(cell: Any, column: str, row: int, holds: str) -> list[str]:
    """Return the texts of a cell, refusing it if there is none."""
    if not is_list(cell):
        return [check_text(cell, column, row)]
    texts, noun = list(cell), holds.removesuffix("s")
    if not texts:
        problem = {
            "claims": "the list of claims is empty.",
            "sources": "the source is an empty list, so nothing can support the summary.",
        }.get(holds, f"there is no {noun}, so there is nothing to find in the summary.")
        remedy = f"Drop the row or give its {'reviews' if holds == 'sources' else holds}."
        raise TextError(problem, remedy, column=column, row=row)
    if holds == "sources":
        return [check_text(review, column, row, number) for number, review in enumerate(texts)]
    for number, text in enumerate(texts):
        try:
            check_text(text, column, row)
        except TextError as error:
            remedy = f"Drop the {noun}, or write it as a text."
            raise error.at(problem=f"{noun} {number}: {error.problem}", remedy=remedy) from None
    return texts


def _check_weights(cell: Any, column: str, row: int) -> list[float]:
    """Return the weights of a row, at least one of them more than 0."""
    remedy = "Give each unit a number of 0 or more, such as how many references it stands in."
    weights = list(cell) if is_list(cell) else [cell]
    for number, weight in enumerate(weights):
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not is_number or not 0 <= weight < float("inf"):
            raise ClaimwiseError(
                f"unit {number}: {reprlib.repr(weight)} is no weight.", remedy, column=column, row=row
            )
    if not any(weights):
        raise ClaimwiseError("no unit has any weight.", remedy, column=column, row=row)
    return [float(weight) for weight in weights]


def _check_name(name: Any, column: str, row: int) -> Hashable:
    """Return what tells an entity from others."""
    if not isinstance(name, Hashable) or name in (None, "") or name != name:
        raise ClaimwiseError(
            f"expected a name or a number; got {name!r}.",
            "Give the entity that the summary is of.",
            column=column,
            row=row,
        )
    return name


def check_ids(ids: Any, count: int) -> list[str]:
    """Return the ids of ``count`` rows as texts.

    Raises:
        ClaimwiseError: for another number of them, one that is neither a text nor a whole number, or one that
            two rows have.
    """
    if not is_list(ids):
        raise ClaimwiseError(
            f"expected a list with the id of each row; got {type(ids).__name__}.", column="ids"
        )
    checked: dict[str, None] = {}
    for row, one in enumerate(ids):
        problem = f"{str(one)!r} is the id of a row above, too." if str(one) in checked else ""
        if not (isinstance(one, str | Integral) and not isinstance(one, bool) and str(one).strip()):
            problem = f"expected a text or a whole number; got {reprlib.repr(one)}."
        if problem:
            raise ClaimwiseError(problem, "Give every row an id of its own.", column="ids", row=row)
        checked[str(one)] = None
    if len(checked) != count:
        raise ClaimwiseError(f"Unequal lengths: {count} rows, {len(checked)} ids.", "Give one for each row.")
    return list(checked)
