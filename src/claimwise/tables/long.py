"""Tables in long format, with one review per row: their reviews joined into lists, one row per summary."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.tables import arrow
from claimwise.tables.cells import is_missing, lists_in
from claimwise.tables.names import chosen_name, find_name
from claimwise.tables.reader import CHARACTERS_IN_BATCH, ROWS_IN_BATCH, Batch, Row, Table

if TYPE_CHECKING:
    import pyarrow

TEXT_FIELDS = ("text", "review_text", "review_body", "review", "comment", "content", "body")
"""Fields of a review, and columns of a table of reviews, that may contain its text."""
REVIEWS = "reviews"
"""The column of the joined reviews."""
JOIN = (
    "If the table has one review per row, join them with by=COLUMN, the column that says what is reviewed "
    "(with reviews= if they are in a table of their own; with system=COLUMN for several systems)."
)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a file is read.

    Attributes:
        delimiter: the delimiter of CSV files; None = it is found.
        reviews: a file with one review per row; None = the file itself has one review per row.
        by: the column, of both files, that says what is reviewed; None = reviews are not joined.
        where: a column → its value in the rows that are read; other rows are left out.
    """

    delimiter: str | None = None
    reviews: str | Path | None = None
    by: str | None = None
    where: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.reviews is not None and self.by is None:
            raise ClaimwiseError(
                "a file of reviews needs the column that says what is reviewed.",
                "Specify it with by=COLUMN.",
                option="by",
            )

    def table(
        self,
        path: Path,
        wanted: Collection[str] = (),
        *,
        text: str | None = None,
        same: Sequence[str] = (),
        further: Sequence[str] = (),
    ) -> Table:
        """Return a file as a table; see ``joined`` for the arguments."""
        if self.by is None and self.where is None:
            return Table(path, wanted, self.delimiter)
        return LongTable(path, wanted, self, text=text, same=same, further=further)


AS_IT_IS = Layout()


class LongTable(Table):
    """A table in memory: rows of a file with their reviews, or some of its rows."""

    def __init__(self, path: Path, wanted: Collection[str], layout: Layout, **how: Any) -> None:
        super().__init__(path, [*wanted, *filter(None, [layout.by, *(layout.where or ())])], layout.delimiter)
        self._layout = layout
        self.names = list(super().names)
        lines, rows = _all_rows(super().batches())
        if layout.where:
            indices = selected(rows, self.names, layout.where, path)
            lines, rows = [lines[index] for index in indices], [rows[index] for index in indices]
        other = layout.reviews if layout.reviews is None or not _same(layout.reviews, path) else None
        self._reviews = None if other is None else Table(Path(other), [str(layout.by)], layout.delimiter)
        if layout.by is not None:
            reviews = None if self._reviews is None else _all_rows(self._reviews.batches())[1]
            try:
                numbered = joined(rows, reviews, by=layout.by, place=path, of_reviews=other, **how)
            except ClaimwiseError as error:
                line = None if error.row is None or error.path != str(path) else lines[error.row]
                raise error.at(line=line) from None
            lines, rows = [lines[number] for number, _ in numbered], [row for _, row in numbered]
            self.names = _names(rows)
        self._has_lines = None not in lines
        self._numbered = list(zip(lines, rows, strict=True))

    def batches(
        self,
        rows: int = ROWS_IN_BATCH,
        characters: int = CHARACTERS_IN_BATCH,
        names: Sequence[str] | None = None,
    ) -> Iterator[Batch]:
        """Yield the rows in batches; see ``Table.batches``."""
        yield from self._cut(self._numbered, rows, characters)

    def schema(self) -> pyarrow.Schema:
        """Return the column types; see ``Table.schema``."""
        return arrow.unified(self.path, self.names, (batch.dicts() for batch in self.batches()))

    def digest(self) -> str:
        """Return the SHA-256 of the files and of how they are joined."""
        reviews = "" if self._reviews is None else self._reviews.digest()
        content = f"{super().digest()} {reviews} {self._layout.by!r} {self._layout.where!r}"
        return hashlib.sha256(content.encode(errors="replace")).hexdigest()


def selected(rows: Sequence[Row], names: Sequence[str], where: Mapping[str, Any], table: Any) -> list[int]:
    """Return the indices of the rows with the values of ``where``.

    Raises:
        ClaimwiseError: for a missing column.
    """
    wanted = {chosen_name(table, names, [column]): _key(value) for column, value in where.items()}
    return [
        index
        for index, row in enumerate(rows)
        if all(_key(row.get(name)) == value for name, value in wanted.items())
    ]


def values_of(rows: Iterable[Row], column: str, table: Any) -> list[str]:
    """Return the distinct values of a column, in their order; an empty cell is a ClaimwiseError."""
    return list(dict.fromkeys(_known(row, column, number, table) for number, row in enumerate(rows)))


def joined(
    rows: Sequence[Mapping[str, Any]],
    reviews: Sequence[Mapping[str, Any]] | None,
    *,
    by: str,
    place: Any,
    of_reviews: Any = None,
    text: str | None = None,
    same: Sequence[str] = (),
    further: Sequence[str] = (),
) -> list[tuple[int, dict[str, Any]]]:
    """Return rows with the column ``reviews``: the list of the reviews of what they summarize.

    Args:
        rows: the rows of a table.
        reviews: rows with one review each; None = ``rows`` have one review each: those with the same ``by``
            become one row, with the columns that are the same in all of them.
        by: the column that says what is reviewed, in rows and reviews.
        place: the table, for errors.
        of_reviews: the table of reviews, for errors.
        text: the column with the text of a review; None = ``reviews``, or one of ``TEXT_FIELDS``.
        same: alternative names of a column that must be the same for all rows with the same ``by``.
        further: further columns of a review, such as its rating; reviews are then objects.

    Returns:
        Each row with the number of the (first) row that it comes from.

    Raises:
        ClaimwiseError: for a missing column, a row without ``by`` or without reviews, or several summaries
            of the same.
    """
    review_rows, review_table = (rows, place) if reviews is None else (reviews, of_reviews)
    names = _names(review_rows)
    key = chosen_name(review_table, names, [by], "by")
    column = chosen_name(review_table, names, [text] if text is not None else [REVIEWS, *TEXT_FIELDS])
    sources = {name: source for name in further if (source := find_name(names, [name]))}
    groups: dict[str, list[Any]] = {}
    for number, row in enumerate(review_rows):
        ((cell,), _) = lists_in([row.get(column)])
        if sources and not isinstance(cell, list):
            cell = {"text": row.get(column)} | {name: row.get(source) for name, source in sources.items()}
        cells = cell if isinstance(cell, list) else [cell]
        groups.setdefault(_known(row, key, number, review_table), []).extend(cells)
    if reviews is None:
        return _one_each(rows, groups, key, {column, *sources.values()} - {key}, same, place)
    return _with_reviews(rows, groups, by, place, of_reviews)


def _with_reviews(
    rows: Sequence[Mapping[str, Any]],
    groups: Mapping[str, list[Any]],
    by: str,
    table: Any,
    reviews_table: Any,
) -> list[tuple[int, dict[str, Any]]]:
    """Return each row, with its number and the reviews of its group."""
    key = chosen_name(table, _names(rows), [by], "by")
    values = [_known(row, key, number, table) for number, row in enumerate(rows)]
    for number, value in enumerate(values):
        if value not in groups:
            raise ClaimwiseError(
                f"“{value}” has no reviews in {reviews_table}.",
                "Add its reviews, or check how it is spelled there.",
                path=table,
                column=key,
                row=number,
            )
    if unused := len(groups.keys() - set(values)):
        without_row = f"{unused} of {len(groups)} values of `{by}`"
        warn(f"{reviews_table}: the reviews of {without_row} have no row in {table}.")
    return [
        (number, {**row, REVIEWS: groups[value]})
        for number, (row, value) in enumerate(zip(rows, values, strict=True))
    ]


def _one_each(
    rows: Sequence[Mapping[str, Any]],
    groups: Mapping[str, list[Any]],
    key: str,
    review_columns: Collection[str],
    same: Sequence[str],
    table: Any,
) -> list[tuple[int, dict[str, Any]]]:
    """Return the first row of each group, with the columns that are the same in all groups."""
    first: dict[str, int] = {}
    varying = set(review_columns)
    must_be_same = find_name([name for row in rows[:1] for name in row], same)
    for number, row in enumerate(rows):
        before = rows[first.setdefault(str(_key(row[key])), number)]
        for name in row:
            if name in varying or row[name] == before.get(name):
                continue
            if name == must_be_same:
                raise ClaimwiseError(
                    f"“{row[key]}” has several texts in `{name}`.",
                    "If they are of several systems, name the column that tells them apart: system=COLUMN.",
                    path=table,
                    row=number,
                )
            varying.add(name)
    return [
        (
            number,
            {name: cell for name, cell in rows[number].items() if name not in varying}
            | {REVIEWS: groups[value]},
        )
        for value, number in first.items()
    ]


class Repeated:
    """Finds the same summary (``what``, or entity) with different reviews, as in a table in long format."""

    def __init__(self, what: str) -> None:
        self._what, self._count = what, 0
        self._seen: dict[int, tuple[int, int]] = {}

    def add(
        self, summaries: Sequence[Any], sources: Sequence[Any], lines: Sequence[int] | None = None
    ) -> None:
        """Add rows with their sources, of which only single texts count, and their lines in the file, if any.

        Raises:
            ClaimwiseError: for a summary that repeats, with the options that join the reviews.
        """
        numbers = lines or range(self._count + 1, self._count + len(summaries) + 1)
        self._count += len(summaries)
        for summary, source, number in zip(summaries, sources, numbers, strict=True):
            if isinstance(summary, list) or not isinstance(source, str):
                continue
            first, before = self._seen.setdefault(hash(str(summary)), (number, hash(source)))
            if before != hash(source):
                raise ClaimwiseError(
                    f"{'lines' if lines else 'rows'} {first} and {number} have the same {self._what} but "
                    "different reviews, so each review would count as all of them.",
                    f"{JOIN} If these rows are different, give each an id, or write each review as a list.",
                )


def _all_rows(batches: Iterable[Batch]) -> tuple[list[Any], list[Row]]:
    """Return the lines (None without lines) and the rows of a table."""
    lines: list[Any] = []
    rows: list[Row] = []
    for batch in batches:
        lines += batch.lines or [None] * len(batch)
        rows += batch.dicts()
    return lines, rows


def _names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _same(first: str | Path, second: Path) -> bool:
    try:
        return Path(first).samefile(second)
    except OSError:  # reported when it is read
        return False


def _key(cell: Any) -> str | None:
    """Return a cell as a text, by which rows are compared; None for an empty one."""
    if isinstance(cell, float) and cell.is_integer():  # 3.0, where pandas has a NaN in another row
        return str(int(cell))
    text = "" if cell is None else str(cell).strip()
    return None if not text or is_missing(text) else text


def _known(row: Mapping[str, Any], name: str, number: int, table: Any) -> str:
    key = _key(row.get(name))
    if key is None:
        raise ClaimwiseError("the cell is empty.", "Fill it in.", path=table, column=name, row=number)
    return key
