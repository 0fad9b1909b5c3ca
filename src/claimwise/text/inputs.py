"""Checks of texts before anything is computed from them."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, MappingView, Sequence, Set
from functools import cache
from numbers import Integral, Real
from typing import Any

from claimwise.errors import ClaimwiseError, RowsError, TextError, at_place, shown, warn
from claimwise.judges.hub import EMBEDDED_WEIGHTS
from claimwise.tables import TEXT_FIELDS, find_name, is_broken_list, is_missing, is_written_list, listed
from claimwise.text.normalise import plain
from claimwise.text.stopwords import load_stopwords

FEWEST_UNKNOWN = 4
"""A text with fewer unknown words counts as English: they may be names or typos."""

Summary = str | tuple[str, ...]
"""A summary: a text, or given claims."""

_WORD = re.compile(r"[^\W\d_]+")
_LETTER_OF_ANOTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|&#?\w+;")


def has_content(text: str) -> bool:
    """Return whether ``text`` contains at least one letter or pictographic symbol (an emoji)."""
    categories = map(unicodedata.category, text)
    return any(category == "So" or category.startswith("L") for category in categories)


def unreadable(cells: Iterable[str | Sequence[str]]) -> dict[str, int]:
    """Count the distinct texts in checked cells that do not look English, and those with HTML markup."""
    distinct = set(texts_in(cells))
    return {
        "not_english": sum(not is_english(text) for text in distinct),
        "markup": sum(has_markup(text) for text in distinct),
    }


def count_changed(before: Iterable[str | Sequence[str]], after: Iterable[str | Sequence[str]]) -> int:
    """Return the number of distinct texts whose words or marks changed, and not only their white space."""
    pairs = set(zip(texts_in(before), texts_in(after), strict=True))
    return sum(text.split() != changed.split() for text, changed in pairs)


def texts_in(cells: Iterable[str | Sequence[str]]) -> Iterator[str]:
    """Yield the texts of cells, each a text or several."""
    for cell in cells:
        yield from [cell] if isinstance(cell, str) else cell


def is_english(text: str) -> bool:
    """Return whether most of a text may be English, by the script of its letters and by its words.

    A word is known if the tokenizer of the embedded judge does not split it, unless it is only a stopword of
    other languages. A text counts as English unless at least ``FEWEST_UNKNOWN`` words, and more than half of
    all words, are unknown, so names, typos and accents do no harm.
    """
    if not text.isascii():
        if 2 * len(_LETTER_OF_ANOTHER_SCRIPT.findall(text)) > sum(map(str.isalpha, text)):
            return False
        text = _without_accents(text)
    words, known = _WORD.findall(text.lower()), _english_words()
    unknown = sum(word not in known for word in words)
    return unknown < FEWEST_UNKNOWN or 2 * unknown <= len(words)


def has_markup(text: str) -> bool:
    """Return whether a text contains HTML tags or entities, which are scored as words."""
    return any(markup[0] == "<" or html.unescape(markup) != markup for markup in _MARKUP.findall(text))


@cache
def _english_words() -> frozenset[str]:
    tokenizer = json.loads((EMBEDDED_WEIGHTS / "tokenizer.json").read_bytes())
    english = load_stopwords("english") | load_stopwords("hinglish")  # which is half English
    foreign = map(_without_accents, load_stopwords("all") - english)
    parts = {part for word in english for part in word.split("'")}
    return frozenset(tokenizer["model"]["vocab"].keys() - foreign | parts)


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def check_unicode(text: str, column: str, row: int, review: int | None = None) -> None:
    """Raise a TextError if the text cannot be encoded as UTF-8; see ``check_text``."""
    try:
        text.encode()
    except UnicodeEncodeError:
        problem = "the text contains unpaired surrogates, which are not valid Unicode."
        remedy = "Read the file with its actual encoding."
        raise TextError(problem, remedy, column=column, row=row, review=review) from None


def check_text(text: Any, column: str, row: int, review: int | None = None) -> str:
    """Return ``text`` if it can be scored; row and review are counted from 0.

    Raises:
        TextError: for anything but a string with at least one letter.
    """
    if isinstance(text, str):
        check_unicode(text, column, row, review)
    if _is_absent(text) or (isinstance(text, str) and is_missing(text)):
        refused = f"the text is missing ({str(text).strip()}).", "Drop the row or fill in the text."
    elif isinstance(text, bytes):
        refused = "expected a string, got bytes.", "Decode it first, for example with .decode('utf-8')."
    elif not isinstance(text, str):
        refused = (
            f"expected a string, got {type(text).__name__}.",
            "Provide one text per row." if review is None else "Write every review as a text.",
        )
    elif not text.strip():
        refused = "the text is empty or blank.", "Drop the row or fill in the text."
    elif is_broken_list(text):
        problem = f"begins like a list, but is not a valid JSON list ({shown(text)})."
        refused = problem, "Correct its commas, quotation marks and brackets."
    elif is_written_list(text):
        remedy = "Provide a text; where lists are accepted, write them as JSON."
        refused = f"the text is a list of texts ({shown(text)}).", remedy
    elif not any(map(str.isalpha, plain(text))):
        refused = f"the text contains no letters ({shown(text)}).", "Drop the row or correct the text."
    else:
        return text
    raise TextError(*refused, column=column, row=row, review=review)


def is_blank(review: Any) -> bool:
    """Return whether a review has no content: it is absent, only says so ("N/A"), or has no words."""
    if not isinstance(review, str):
        return _is_absent(review)
    return is_missing(review) or not any(map(str.isalpha, plain(review)))


def _is_absent(value: Any) -> bool:
    """Return whether a value is None, NaN, or the missing value of pandas."""
    if isinstance(value, Real):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def review_texts(reviews: Sequence[Any], column: str, row: int) -> list[str]:
    """Return the texts of reviews in their order, empty for a review without content.

    Reviews are texts, or objects with a field ``text`` or another of ``TEXT_FIELDS``.

    Raises:
        ClaimwiseError: for objects without such a field, or a review that is neither text nor object.
    """
    fields = list(dict.fromkeys(name for review in reviews if isinstance(review, Mapping) for name in review))
    field = find_name(fields, TEXT_FIELDS) if fields else None
    if fields and field is None:
        problem = f"the reviews have no field `text`; they have {listed(fields)}."
        raise ClaimwiseError(problem, "Rename the field with their text to `text`.", column=column, row=row)
    if fields and field != "text":
        warn(f"The reviews have no field `text`, so `{field}` was read as their text.")
    texts = [review.get(field) if isinstance(review, Mapping) else review for review in reviews]
    return [
        "" if is_blank(text) else check_text(text, column, row, number) for number, text in enumerate(texts)
    ]


def kept_reviews(cell: Any) -> Any:
    """Return a source without the reviews that are left out; anything but a valid list stays as it is."""
    if not is_list(cell):
        return cell
    try:
        return [text for text in review_texts(list(cell), "", 0) if text]
    except ClaimwiseError:
        return cell


def text_of(summary: Summary) -> str:
    """Return the text of a summary; given claims are joined."""
    return summary if isinstance(summary, str) else " ".join(summary)


def are_claims(cells: Iterable[Any]) -> bool:
    """Return whether a column of summaries contains lists of claims; its first text or list decides."""
    return is_list(next((cell for cell in cells if isinstance(cell, str) or is_list(cell)), ""))


def is_list(cell: Any) -> bool:
    """Return whether a cell contains several values and is not a text."""
    return isinstance(cell, Iterable) and not isinstance(cell, (str, bytes, dict))


def cells_of(cells: Any, column: str, holds: str = "texts") -> list[Any]:
    """Return the cells of a column as a list; for ``holds`` see ``Column``.

    Cells are a list, tuple, Series, array, or any other sequence or iterator with a cell for each row.

    Raises:
        ClaimwiseError: for anything else, such as a text, a DataFrame, a set, the keys of a dict, or the
            characters of a text.
    """
    if cells is None:
        raise ClaimwiseError("the column is missing.", "Pass one cell for each row.", column=column)
    kind, remedy = type(cells).__name__, "To score a single text, pass it in a list: [text]."
    if not is_list(cells):
        kind = "a single text" if isinstance(cells, str | bytes) else kind
    elif (reason := _not_a_column(cells, holds)) is not None:
        kind, remedy = f"a {kind}", reason
    elif _are_characters(cells, column_cells := list(cells)):
        kind = "the characters of a text"
    else:
        return column_cells
    wanted = {"names": "names or numbers", "texts": "strings"}.get(holds, holds)
    problem = f"expected a list of {wanted}, one for each row; got {kind}."
    raise ClaimwiseError(problem, remedy, column=column)


def _not_a_column(cells: Any, holds: str) -> str | None:
    """Return what to do about a collection that is no column, or None."""
    if hasattr(cells, "columns") or hasattr(cells, "column_names"):
        return "Pass one of its columns, such as table['summary']."
    if isinstance(cells, Set | MappingView):
        return "It has no order of rows. Pass a list."
    shape = getattr(cells, "shape", None)
    one_wide = shape is not None and len(shape) == 2 and shape[1] == 1 and holds in ("texts", "summaries")
    if shape == () or one_wide:
        return f"Its shape is {shape}. Pass a list, or an array of one dimension, such as array.ravel()."
    return None


def _are_characters(cells: Any, elements: Sequence[Any]) -> bool:
    """Return whether the elements of cells are the characters of a text, iterated over by mistake."""
    if len(elements) < 3 or not all(isinstance(element, str) and len(element) == 1 for element in elements):
        return False
    return isinstance(cells, Iterator) or any(map(str.isspace, elements))


def check_column(
    cells: Any, column: str, holds: str, first_row: int = 0, claims: Collection[str] | None = None
) -> list[Any]:
    """Return the cells of a column ready to be scored.

    Args:
        cells: see ``cells_of``.
        column: its name.
        holds: see ``Column``. ``"texts"``, ``"names"`` and ``"summaries"`` stay unchanged, except lists of
            claims, which become tuples; cells that may contain several texts or numbers become lists, in
            which a review without content is empty.
        first_row: number of the first row.
        claims: the columns of summaries that contain lists of claims; None = determined by ``are_claims``.

    Raises:
        ClaimwiseError: for anything but a sequence, or for a cell that cannot be scored; the message names
            the row, and the text within it.
    """
    cells = cells_of(cells, column, holds)
    if holds == "summaries":
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
        ClaimwiseError: otherwise.
    """
    lengths = {name: len(rows) for name, rows in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{length} {name}" for name, length in lengths.items())
        incomplete = f"Row {first_row + min(lengths.values())} is the first incomplete row."
        remedy = f"Every row needs one text in each column. {incomplete} Rows are counted from 0."
        raise ClaimwiseError(f"Unequal lengths: {listed}.", remedy)
    if not next(iter(lengths.values()), 0):
        raise ClaimwiseError(f"{' and '.join(columns)}: no rows to score.", "Provide at least one row.")


def _check_summaries(cells: Sequence[Any], column: str, first_row: int, claims: bool) -> list[Summary]:
    """Return texts unchanged, or lists of claims as tuples; errors of claims name all invalid rows."""
    checked: list[Summary] = []
    errors: list[ClaimwiseError] = []
    for row, cell in enumerate(cells, first_row):
        try:
            if isinstance(cell, str) if claims else is_list(cell):
                wanted, got = ("a list of claims", "a text") if claims else ("a text", "a list")
                remedy = "Use only texts or only lists of claims within a column."
                raise TextError(f"expected {wanted}, got {got}.", remedy, column=column, row=row)
            row_claims = tuple(_check_several(cell, column, row, "claims")) if claims else ()
            checked.append(row_claims or check_text(cell, column, row))
        except ClaimwiseError as error:
            if not claims:
                raise
            errors.append(error)
    if errors:
        raise errors[0] if len(errors) == 1 else RowsError(errors, len(errors))
    return checked


def _check_several(cell: Any, column: str, row: int, holds: str) -> list[str]:
    """Return the texts of a cell; an empty cell is rejected."""
    if holds == "sources" and isinstance(cell, Mapping):  # a single review
        cell = [cell]
    if not is_list(cell):
        return [check_text(cell, column, row)]
    refused = _not_a_column(cell, holds="") is not None
    texts, noun = [] if refused else list(cell), holds.removesuffix("s")
    if refused or _are_characters(cell, texts):
        got = type(cell).__name__ + ("" if refused else " of the characters of a text")
        problem = f"expected a text or a list of {holds}; got a {got}."
        raise TextError(problem, "Pass a text or a list of texts.", column=column, row=row)
    if not texts:
        problem = f"the list of {'reviews' if holds == 'sources' else holds} is empty."
        remedy = f"Drop the row or provide its {'reviews' if holds == 'sources' else holds}."
        raise TextError(problem, remedy, column=column, row=row)
    if holds == "sources":
        reviews = review_texts(texts, column, row)
        if not any(reviews):
            remedy = "Drop the row or fill in the reviews."
            raise TextError("all reviews are blank.", remedy, column=column, row=row)
        return reviews
    for number, text in enumerate(texts):
        try:
            check_text(text, column, row)
        except TextError as error:
            remedy = f"Drop the {noun}, or write it as a text."
            raise error.at(problem=at_place(f"{noun} {number}", error.problem), remedy=remedy) from None
    return texts


def _check_weights(cell: Any, column: str, row: int) -> list[float]:
    """Return the weights of a row, at least one of which is positive."""
    weights = list(cell) if is_list(cell) else [cell]
    problem = None
    for number, weight in enumerate(weights):
        is_number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not (is_number and 0 <= weight < float("inf")):
            wanted = "a weight of 0 or more" if is_number else "a number"
            problem = f"unit {number}: {shown(weight)} is not {wanted}."
            break
    if problem is None and not any(weights):
        problem = "all weights are 0."
    if problem:
        remedy = (
            "Write a list with a weight for each unit, such as the number of references that contain it. "
            "In a file, write it as JSON."
        )
        raise ClaimwiseError(problem, remedy, column=column, row=row)
    return [float(weight) for weight in weights]


def _check_name(name: Any, column: str, row: int) -> Hashable:
    """Return the name that identifies an entity."""
    if not isinstance(name, Hashable) or name in (None, "") or name != name:
        problem = f"expected a name or a number; got {shown(name)}."
        raise ClaimwiseError(problem, "Specify the entity of the summary.", column=column, row=row)
    return name


def check_ids(ids: Any, count: int) -> list[str]:
    """Return the ids of ``count`` rows as texts.

    Raises:
        ClaimwiseError: for a different number of ids, an id that is neither a text nor a whole number, or a
            duplicate id.
    """
    if not is_list(ids):
        problem = f"expected a list with the id of each row; got {type(ids).__name__}."
        raise ClaimwiseError(problem, column="ids")
    checked: dict[str, None] = {}
    for row, row_id in enumerate(ids):
        text = str(row_id)
        problem = f"{shown(text)} is also the id of an earlier row." if text in checked else ""
        if not (isinstance(row_id, str | Integral) and not isinstance(row_id, bool) and text.strip()):
            problem = f"expected a text or a whole number; got {shown(row_id)}."
        if problem:
            raise ClaimwiseError(problem, "Use a unique id for every row.", column="ids", row=row)
        checked[text] = None
    if len(checked) != count:
        raise ClaimwiseError(f"Unequal lengths: {count} rows, {len(checked)} ids.", "Provide one id per row.")
    return list(checked)
