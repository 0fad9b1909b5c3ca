"""Summarize a file: rows are processed in batches, and the output is written completely or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from claimwise.errors import ClaimwiseError
from claimwise.evidence import example, page
from claimwise.evidence.support import SupportEvidence
from claimwise.llm.costs import Cost, Costs
from claimwise.tables import (
    AS_IT_IS,
    JOIN,
    SUFFIXES,
    TEXT_FIELDS,
    Batch,
    Layout,
    Repeated,
    Table,
    Writer,
    as_json,
    cannot_be_written,
    check_outputs,
    chosen_name,
    find_name,
    lists_in,
    placing,
)
from claimwise_summarize.base import BaseSummarizer
from claimwise_summarize.rows import OF_REVIEW, REVIEWS

ROWS_AT_ONCE = 256
CHARACTERS_AT_ONCE = 2**22
"""Limits of a batch, whose rows go through the stages together."""


@dataclass
class Summarized:
    """The outcome of summarizing a file.

    Attributes:
        rows: number of rows written.
        without: rows without a summary, each with its reason.
        counts: totals of truncated inputs and answers, unusable answers and blank reviews.
    """

    rows: int = 0
    without: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a written row."""
        self.rows += 1
        if any(row[column] is None for column in ("summary", "summary_a") if column in row):
            names = [row.get(column) for column in ("entity", "aspect", "entity_a", "entity_b")]
            name = " ".join(str(name) for name in names if name is not None)
            self.without[f"{name} (row {self.rows})"] = str(row.get("reason"))
        for name in ("truncated", "fallbacks", "blank_reviews"):
            self.counts[name] = self.counts.get(name, 0) + row.get(name, 0)


def summarize_file(
    summarizer: BaseSummarizer,
    file: Path,
    output: Path,
    maps: Path | None = None,
    layout: Layout = AS_IT_IS,
) -> Summarized:
    """Summarize every row of a file.

    Args:
        summarizer: such as ``claimwise_summarize.load("q")``.
        file: a .jsonl, .json, .csv or .parquet file; see ``BaseSummarizer.summarize`` for its columns.
        output: a .jsonl, .csv or .parquet file, which ``claimwise score`` reads. Lists and objects are JSON
            in a .csv file.
        maps: an HTML page for the citations of every summary.
        layout: how the file is read; with ``by``, the reviews of one value of that column are summarized.

    Raises:
        ClaimwiseError: if a file cannot be read or written, or the model stops the run.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise ClaimwiseError("unknown file type.", "Use a .jsonl, .csv or .parquet file.", path=output)
    if maps is not None and not summarizer.options.citations:
        raise ClaimwiseError(
            "The map shows citations, but citations are off.",
            "Turn citations on, or leave the map out.",
            option="citations",
        )
    check_outputs([output, maps], [file, layout.reviews])
    summarized = Summarized()
    drawn: list[str] = []
    with ExitStack() as opened:
        table = opened.enter_context(placing(output))
        rows = table
        if suffix in (".csv", ".parquet"):  # whose columns and types are those of all rows
            rows = Path(opened.enter_context(tempfile.TemporaryDirectory()), "rows.jsonl")
        map_page = None if maps is None else opened.enter_context(placing(maps))
        try:
            with rows.open("w", encoding="utf-8") as lines:
                for row, evidence in _summaries(summarizer, file, layout):
                    summarized.add(row)
                    lines.write(as_json(row) + "\n")
                    if map_page is not None:
                        drawn += map(summary_map, summarizer.parts(row), evidence)
            if rows is not table:
                _copy_rows(rows, table, suffix)
            if map_page is not None:
                text = page("Summaries", "".join(drawn), [summarizer.signature])
                map_page.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise cannot_be_written(output, error) from error
    return summarized


def _summaries(
    summarizer: BaseSummarizer, file: Path, layout: Layout
) -> Iterator[tuple[dict[str, Any], list[SupportEvidence]]]:
    """Yield the rows with their citations, and the evidence of each summary of a row."""
    for batch in batches(file, layout, summarizer.columns):
        for row in summarizer.draft(batch.dicts(), batch.first_row):
            (evidence,) = summarizer.cite([row])
            yield row, evidence


def _copy_rows(rows: Path, table: Path, suffix: str) -> None:
    read = Table(rows)
    with Writer(table, suffix, read, {}, {}) as writer:
        for batch in read.batches():
            writer.write(batch, [{}] * len(batch))


def estimate_file(summarizer: BaseSummarizer, file: Path, layout: Layout = AS_IT_IS) -> list[Cost]:
    """Return the cost of a run over a file; nothing is sent."""
    costs = Costs()
    for batch in batches(file, layout, summarizer.columns):
        costs.add(summarizer.estimate(batch.dicts()))
    return list(costs.values())


def batches(file: Path, layout: Layout, columns: Sequence[str]) -> Iterator[Batch]:
    """Yield the rows of a file in batches.

    Raises:
        ClaimwiseError: for a file without the ``columns`` of reviews, or one with one review per row.
    """
    table = layout.table(file, [*columns, "entity", *TEXT_FIELDS], further=OF_REVIEW)
    try:
        for column in columns:
            chosen_name(file, table.names, [column])
    except ClaimwiseError as error:
        raise error.at(remedy=JOIN if columns == (REVIEWS,) else error.remedy) from None
    entity = find_name(table.names, ["entity"])
    repeated = Repeated("entity")
    by = None if layout.by is None else find_name(table.names, [layout.by])
    for batch in table.batches(rows=ROWS_AT_ONCE, characters=CHARACTERS_AT_ONCE):
        if entity is None and by is not None:
            content = [{"entity": row[by], **row} for row in batch.dicts()]
            batch = Batch(batch.first_row, content, batch.lines)
        elif columns == (REVIEWS,):
            names = batch.cells(entity) if entity is not None else [None] * len(batch)
            try:
                repeated.add(names, lists_in(batch.cells(find_name(table.names, columns)))[0], batch.lines)
            except ClaimwiseError as error:
                if entity is None:
                    raise ClaimwiseError(
                        "has one review per row.",
                        "Join the reviews with by=COLUMN, the column that says what is reviewed.",
                        path=file,
                    ) from None
                raise error.at(path=str(file)) from None
        yield batch


def summary_map(row: Mapping[str, Any], evidence: SupportEvidence) -> Markup:
    """Draw a summary as HTML: each sentence with the reviews that support its claims, and the evidence."""
    items = Markup("").join(
        Markup('<li class="claim {}">{} <span class="soft">{}</span></li>').format(
            "blue" if sentence["reviews"] else "grey",
            sentence["sentence"],
            _supporting_reviews(sentence, len(row["reviews"])),
        )
        for sentence in row["sentences"]
    )
    name = " · ".join(str(row[key]) for key in ("entity", "aspect") if row.get(key) is not None)
    return Markup("<h2>{}</h2><ul>{}</ul>{}").format(
        name, items, Markup(example("support_counts", "Evidence", evidence))
    )


def _supporting_reviews(sentence: Mapping[str, Any], total: int) -> str:
    """Return the number of supporting reviews; of each claim, if the sentence has several."""

    def number(reviews: int) -> str:
        return f"{reviews} of {total} reviews" if reviews else "no review supports it"

    claims = sentence["claims"]
    if len(claims) < 2:
        return number(sentence["reviews"])
    return " · ".join(f"{claim['claim'].rstrip('.')}: {number(claim['reviews'])}" for claim in claims)
