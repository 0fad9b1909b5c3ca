"""Inputs of the pages: text boxes for the columns of a metric, and examples that fill them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files

from claimwise.apps.demo import PAIRS
from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import CorpusMetric, Metric

SUMMARY_CHARACTERS, SOURCE_CHARACTERS = 5_000, 20_000


@dataclass(frozen=True)
class Box:
    """A text box for a column of the metric; ``hint`` is shown while it is empty."""

    label: str
    hint: str
    column: str = "predictions"
    by_line: bool = False
    required: bool = True

    @property
    def characters(self) -> int:
        """Maximum length of its text."""
        return SOURCE_CHARACTERS if self.by_line else SUMMARY_CHARACTERS


@dataclass(frozen=True)
class Example:
    """Texts for the text boxes, with a title."""

    title: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Inputs:
    """The text boxes of a page and its examples; the first example is scored when the page opens."""

    boxes: tuple[Box, ...]
    examples: tuple[Example, ...]


def inputs_of(metric: type[Metric]) -> Inputs:
    """Return the inputs for the columns that a metric needs.

    Raises:
        ClaimwiseError: for a metric that needs more than summaries and one other column.
    """
    columns = [column for column in metric.spec.columns if column.required]
    needed = ["texts" if column.holds == "summaries" else column.holds for column in columns]
    if needed == ["texts"]:  # the second box holds further rows
        summary, others = OTHERS.boxes
        return replace(OTHERS, boxes=(summary, replace(others, required=issubclass(metric, CorpusMetric))))
    known = {"texts": PAIR, "sources": SOURCE, "references": REFERENCES}
    if len(needed) != 2 or needed[1] not in known:
        raise ClaimwiseError(
            f"{metric.name} has no page: it needs more than summaries and one other column.",
            f"Use claimwise score {metric.name}.",
        )
    return known[needed[1]]


def _examples(box: str) -> tuple[Example, ...]:
    """Return the examples of ``examples.toml`` whose second text fills this kind of box."""
    path = files("claimwise.apps.spaces") / "templates" / "examples.toml"
    return tuple(
        Example(title, (summary, entry["text"].strip()))
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))[box]
        for title, summary in entry["summaries"].items()
    )


_SUMMARY = Box("Summary", "For example “The rooms are quiet. The staff were kind.”")
PAIR = Inputs(
    (
        Box("Summary A", "A summary of A, for example “The rooms are quiet. The staff were kind.”"),
        Box("Summary B", "A summary of B, for example “The rooms are noisy.”", "references"),
    ),
    # The pair that is partly the same comes first: it shows every verdict.
    (
        *(Example(pair.title, (pair.summary_a, pair.summary_b)) for pair in (PAIRS[-1], *PAIRS[:-1])),
        *_examples("pair"),
    ),
)
SOURCE = Inputs(
    (
        _SUMMARY,
        Box("Source", "The summarized text: one review, or one paragraph, per line", "references", True),
    ),
    _examples("source"),
)
REFERENCES = Inputs(
    (
        _SUMMARY,
        Box("References", "One reference summary per line", "references", True),
    ),
    _examples("references"),
)
OTHERS = Inputs(
    (
        _SUMMARY,
        Box("Other summaries", "Summaries of other entities by the same system, one per line", by_line=True),
    ),
    _examples("others"),
)
