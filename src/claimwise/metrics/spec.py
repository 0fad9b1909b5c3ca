"""The specification of a metric, from which the command line, cards, reports, pages and tests are made."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from claimwise.text.inputs import are_claims
from claimwise.text.options import Attributions

Family = Literal["contrast", "coverage", "factuality", "style"]
Holds = Literal["names", "references", "sources", "summaries", "texts", "units", "weights"]
ReferencesAre = Literal["summaries", "references", "sources", "ignored"]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column that a metric reads.

    Attributes:
        name: the keyword of ``compute``.
        holds: ``"texts"`` (strings); ``"summaries"`` (strings, or lists of claims); ``"sources"``,
            ``"references"`` (reference summaries) or ``"units"`` (content units), each strings or lists of
            strings; ``"weights"`` (of units); or ``"names"`` (anything that identifies entities).
        meaning: its content, as a phrase.
        usual: alternative names in files.
        one_per: another column, if each of its cells must hold as many values as this one's.
    """

    name: str
    holds: Holds = "texts"
    meaning: str = ""
    required: bool = True
    usual: tuple[str, ...] = ()
    one_per: str | None = None

    @property
    def may_hold_lists(self) -> bool:
        """Whether a cell may be a list of texts or numbers."""
        return self.holds not in ("texts", "names")

    @property
    def or_claims(self) -> Column:
        """The same column, whose cells may also be lists of claims."""
        return replace(self, holds="summaries")


@dataclass(frozen=True, kw_only=True)
class Further:
    """A further score of a metric, per row and as a mean, which is ``weighted`` like the metric's or not.

    The ``bounds`` are the lowest and the highest value; infinite = no bound.
    """

    title: str
    bounds: tuple[float, float]
    weighted: bool = False


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A choice that a page offers: label of each value → the options that it sets, none for the first."""

    title: str
    values: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file that a page accepts for an option; ``meaning`` describes it and its origin, in Markdown."""

    option: str
    title: str
    suffixes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, kw_only=True)
class MetricSpec:
    """The specification of a metric.

    Attributes:
        family: the kind of question that it answers.
        description: the quantity and the method of the metric, in a few sentences.
        bounds: the lowest and the highest score, with any options.
        quality: property of a summary with a higher score, as an adjective such as "generic".
        ends: meaning of the lowest and the highest score of the default configuration.
        better: which direction is better; None = it depends on the task.
        unit: ``"%"`` for scores from 0 to 100, else empty.
        rows: unit of a row.
        mean_over: unit of the mean.
        counts: fallback counts, each with its meaning.
        configurations: the options that each configuration sets.
        attributions: default of the option ``attributions``.
        beside: other metrics of the same columns that its page shows, with their options.
        source: paper and section.
        urls: addresses of code and papers.
    """

    name: str
    title: str
    family: Family
    question: str
    description: str = ""
    bounds: tuple[float, float]
    quality: str = ""
    ends: tuple[str, str]
    better: Literal["higher", "lower"] | None = None
    unit: Literal["%", ""] = ""
    columns: tuple[Column, ...]
    rows: Literal["pair", "summary"] = "summary"
    mean_over: Literal["pairs", "summaries", "claims", "sentences"] = "summaries"
    further: Mapping[str, Further] = field(default_factory=dict)
    counts: Mapping[str, str] = field(default_factory=dict)
    configurations: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    choices: tuple[Choice, ...] = ()
    attributions: Attributions = "keep"
    upload: Upload | None = None
    beside: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str
    citation: str
    urls: tuple[str, ...] = ()

    @property
    def references_are(self) -> ReferencesAre:
        """Content of the column ``references``: other summaries, reference summaries, or sources."""
        holds = {column.name: column.holds for column in self.columns}.get("references")
        if holds is None:
            return "ignored"
        if holds == "references":
            return "references"
        return "summaries" if holds in ("texts", "summaries") else "sources"

    @property
    def takes(self) -> str:
        """The contents of a row, in words."""
        return {
            "summaries": "two summaries",
            "references": "a summary and its references",
            "sources": "a summary and its source",
            "ignored": "summaries",
        }[self.references_are]

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns without summaries of a system, which are the same for all systems."""
        summaries = {"predictions"} | ({"references"} if self.references_are == "summaries" else set())
        return tuple(column.name for column in self.columns if column.name not in summaries)

    @property
    def decomposed(self) -> list[str]:
        """The columns of summaries that may be given as claims."""
        return [column.name for column in self.columns if column.holds == "summaries"]

    def claims_in(self, columns: Mapping[str, Sequence[Any] | None]) -> frozenset[str]:
        """Return the columns that hold lists of claims."""
        return frozenset(name for name in self.decomposed if are_claims(columns.get(name) or ()))

    def named(self, given: Mapping[str, Any], claims: Collection[str] | None = None) -> list[str]:
        """Return the columns that signatures name: the optional ones among ``given``, and claims."""
        optional = [column.name for column in self.columns if not column.required and column.name in given]
        return [*optional, *sorted(self.claims_in(given) if claims is None else claims)]

    def rows_are_called(self, count: int) -> str:
        """Return a number of rows with its unit, such as ``"3 summaries"``."""
        several = {"pair": "pairs", "summary": "summaries"}[self.rows]
        return f"{count} {self.rows if count == 1 else several}"


SUMMARIES = Column(name="predictions", meaning="summaries", usual=("summary_a", "summary"))
OTHER_SUMMARIES = Column(name="references", meaning="the other summaries", usual=("summary_b",))
SOURCES = Column(
    name="references",
    holds="sources",
    meaning="the sources, each a text or a list of reviews",
    usual=("reviews",),
)
REFERENCES = Column(
    name="references",
    holds="references",
    meaning="the reference summaries, each a text or a list of several",
    usual=("reference_summary", "reference"),
)

REPAIRED = {"repaired": "texts whose characters or layout were repaired before scoring"}
UNREADABLE = REPAIRED | {
    "not_english": "texts that do not look English; counted if a part of the metric reads only English",
    "markup": "texts with HTML tags or entities, which are scored as words; counted like `not_english`",
}
JUDGE = Choice(
    title="Judge",
    values={
        "embedded: fast, offline": {},
        "mnli: downloads 1.4 GB, slow": {"judge": "mnli"},
        "vitc: downloads 240 MB, slow": {"judge": "vitc"},
        "anli: downloads 1.4 GB, slow": {"judge": "anli"},
    },
)
CLAIMS = Choice(
    title="Claims",
    values={
        "default: a network writes them": {},
        "default, attributions kept": {"attributions": "keep"},
        "default, attributions stripped": {"attributions": "strip"},
        "sentences: each is one claim": {"decomposer": "sentences"},
    },
)


def claims_by(**claims: str) -> Choice:
    """Return the choice between the sentences of a summary and its claims, for which options are set."""
    return Choice(
        title="Sentences or claims",
        values={"sentences of the summary": {}, "claims, which a network writes": claims},
    )


JUDGED = {
    "truncated": "comparisons (premise, hypothesis) that were truncated to the judge's maximum length",
    "fallbacks": "sentences left whole because the decomposer's claims were unusable",
    **UNREADABLE,
    "emoji": "emoji without a known meaning, which a judge cannot tell apart",
}
"""Counts of every metric with a judge."""

VACUOUS = {"vacuous": 'vacuous claims dropped or flagged; 0 for `vacuous_claims="keep"`'}

CONDITIONAL = {
    "pronouns_resolved": 'claims in which a pronoun was replaced; only with `decomposer="default"`',
    "pronouns_open": 'claims that begin with an unresolved pronoun; only with `decomposer="default"`',
    "attributed": 'claims of the summaries that still have an attribution ("guests praised …"); only if '
    "attributions are stripped",
    "blank_reviews": "reviews without content, which were left out; omitted if there are none",
    "unjudged": "pairs without a readable verdict, which count as neutral; only with a chat model",
    "skipped_pairs": "pairs that count as neutral because the judge was not asked; only with "
    '`pairs="likely"`',
}
"""Counts of a metric with a judge that only some options or inputs bring."""


def bibtex(*keys: str) -> str:
    """Return the entries of ``citations.bib`` with these keys."""
    return "".join(_bibliography()[key] for key in keys)


@cache
def _bibliography() -> dict[str, str]:
    text = (files("claimwise.metrics") / "citations.bib").read_text(encoding="utf-8")
    entries = (f"{entry.strip()}\n" for entry in text.split("\n\n"))
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
