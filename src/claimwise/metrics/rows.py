"""What a metric reads and returns: rows, row scores, and the result of all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from claimwise.evidence.base import Evidence
from claimwise.evidence.html import Details
from claimwise.evidence.result import ResultDict
from claimwise.text.inputs import Summary, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A checked row of input.

    Attributes:
        number: index of the row among all rows that are scored together; messages name it.
        prediction: a summary: a text or given claims.
        reference: the other summary, or the reviews of the source (empty for a review without content, so
            that the others keep their numbers); None if the metric needs neither.
        further: cells of further columns.
        counts: numbers of repaired texts and, if any, of blank reviews; for a metric with a part that reads
            only English, numbers of unreadable texts.
    """

    number: int
    prediction: Summary
    reference: Summary | None = None
    further: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The summary as one text."""
        return text_of(self.prediction)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowScore:
    """The result of one row: all that means, intervals, tests and reports need, without texts.

    Attributes:
        score: None = the row was not scored (a sample left it out).
        weight: weight of the score in the mean.
        further: further scores by name.
        sums: terms of further results over all rows, in JSON types; files of rows keep them.
        counts: fallback counts, such as ``{"truncated": 2}``.
        evidence: the evidence of the score, if requested.
    """

    score: float | None
    weight: float = 1.0
    further: Mapping[str, float | None] = field(default_factory=dict)
    sums: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    evidence: Evidence | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of all rows.

    Attributes:
        mean: weighted mean of the scores.
        scores: per-row scores; None = not scored.
        weights: per-row weights; None = every row counts once.
        input_hashes: per-row hashes of the input that all systems share (see ``Metric.input_hashes``); None =
            nothing shared.
        further: other entries of the flat dict, by full name.
        interval: bootstrap interval of the mean.
        details: evidence of each row.
        counts: fallback counts.
        signature: everything the scores depend on.
    """

    name: str
    mean: float
    scores: list[float | None]
    weights: list[float] | None
    input_hashes: list[str] | None = None
    ids: list[str] | None = None
    further: Mapping[str, Any]
    interval: tuple[float, float] | None
    details: Details | None
    counts: Mapping[str, int]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Return a flat dict of plain Python values, with keys that begin with the metric's name."""

        def named(**entries: Any) -> dict[str, Any]:
            return {f"{self.name}_{key}": value for key, value in entries.items() if value is not None}

        return ResultDict(
            {
                self.name: self.mean,
                **named(
                    scores=self.scores, weights=self.weights, input_hashes=self.input_hashes, ids=self.ids
                ),
                **self.further,
                **named(ci=None if self.interval is None else list(self.interval)),
                **named(details=None if self.details is None else Details(self.name, self.details, self.ids)),
                **named(**self.counts, signature=self.signature),
            }
        )
