"""Columns as rows: texts are checked and brought into plain form here, once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from claimwise.errors import ClaimwiseError, RowsError
from claimwise.metrics.rows import Row
from claimwise.metrics.spec import MetricSpec
from claimwise.text.inputs import (
    check_column,
    check_lengths,
    count_changed,
    texts_in,
    unreadable,
)
from claimwise.text.marks import unread_emoji
from claimwise.text.normalise import plain, repair

PlainForm = Literal["as given", "repaired", "plain"]
"""What happens to texts: nothing; broken characters are repaired; or their layout is normalised as well."""


def check_columns(
    spec: MetricSpec, columns: Mapping[str, Any], first_row: int = 0, claims: Collection[str] | None = None
) -> dict[str, list[Any]]:
    """Return the checked columns: texts, claims as tuples, sources as lists of texts, names.

    Rows are numbered from ``first_row`` in messages. ``claims`` are the columns with lists of claims; None =
    the first cell of each column decides.

    Raises:
        ClaimwiseError: for an invalid cell, naming its row, or columns of unequal lengths. ``RowsError`` for
            several rows of claims.
    """
    for column in spec.columns:
        if column.one_per is not None and columns.get(column.name) is not None:
            _check_present(column.name, column.one_per, columns)
    checked = {
        column.name: check_column(columns.get(column.name), column.name, column.holds, first_row, claims)
        for column in spec.columns
        if column.required or columns.get(column.name) is not None
    }
    check_lengths(checked, first_row)
    for column in spec.columns:
        if column.one_per is not None and column.name in checked:
            _check_one_per(column.name, column.one_per, checked, first_row)
    return checked


def _check_present(name: str, other: str, columns: Mapping[str, object]) -> None:
    """Reject a column without the other one that it belongs to."""
    if columns.get(other) is None:
        what = name.replace("_", " ")
        raise ClaimwiseError(
            f"there are {what}, but no {other}.", f"Provide the {other} as well.", column=name
        )


def _check_one_per(name: str, other: str, checked: Mapping[str, list[Any]], first_row: int) -> None:
    """Reject cells with more or fewer values than those of another column."""
    what = name.replace("_", " ")
    for row, (values, others) in enumerate(zip(checked[name], checked[other], strict=True), first_row):
        if len(values) != len(others):
            raise ClaimwiseError(
                f"{len(values)} {what} for {len(others)} {other}.",
                f"Provide one value for each of the {other}.",
                column=name,
                row=row,
            )


def check_reviews(sources: Sequence[Any], at_least: int, first_row: int = 0) -> None:
    """Reject checked sources with fewer reviews, which cannot support anything ``at_least`` times.

    Raises:
        ClaimwiseError: naming the row. ``RowsError`` for several rows.
    """
    errors = []
    for row, source in enumerate(sources, first_row):
        number = None if isinstance(source, str) else sum(map(bool, source))
        if number is not None and number >= at_least:
            continue
        has = "is one text"
        if number is not None:
            has = f"has {number} review{'s' if number != 1 else ''} with content"
        errors.append(
            ClaimwiseError(
                f"the source {has}, which cannot give {at_least} supporting reviews.",
                f"Provide a list of at least {at_least} reviews, or count the sentences of the source: "
                "support='sentences'.",
                column="references",
                row=row,
            )
        )
    if errors:
        raise errors[0] if len(errors) == 1 else RowsError(errors, len(errors))


def rows_of(
    spec: MetricSpec,
    checked: Mapping[str, Sequence[Any]],
    form: PlainForm,
    *,
    first_row: int = 0,
    english_only: bool = False,
) -> list[Row]:
    """Return checked columns as rows, with the numbers of repaired texts, and of unreadable ones if asked.

    Unreadable texts, where a part reads ``english_only``, do not look English or have markup.
    """
    unchanged = {
        column.name: checked[column.name]
        for column in spec.columns
        if column.holds not in ("names", "weights") and column.name in checked
    }
    texts = {name: [_in_form(cell, form) for cell in cells] for name, cells in unchanged.items()}
    cells = {**checked, **texts}
    further = [name for name in cells if name not in ("predictions", "references")]
    references = cells.get("references", [None] * len(cells["predictions"]))

    def counts(index: int) -> dict[str, int]:
        before, after = ([column[index] for column in columns.values()] for columns in (unchanged, texts))
        blank = references[index].count("") if isinstance(references[index], list) else 0
        return {
            **({"blank_reviews": blank} if blank else {}),
            "repaired": count_changed(before, after),
            **(unreadable(after) if english_only else {}),
            **({"emoji": sum(map(unread_emoji, texts_in(after)))} if "emoji" in spec.counts else {}),
        }

    return [
        Row(
            number=first_row + index,
            prediction=prediction,
            reference=tuple(reference) if isinstance(reference, list) else reference,
            further={name: cells[name][index] for name in further},
            counts=counts(index),
        )
        for index, (prediction, reference) in enumerate(zip(cells["predictions"], references, strict=True))
    ]


def _in_form(cell: Any, form: PlainForm) -> Any:
    """Return a checked cell of texts in plain form; given claims keep their layout."""
    if form == "as given":
        return cell
    if isinstance(cell, str):
        return plain(cell) if form == "plain" else repair(cell)
    if isinstance(cell, tuple):
        return tuple(map(repair, cell))
    return [_in_form(text, form) for text in cell]
