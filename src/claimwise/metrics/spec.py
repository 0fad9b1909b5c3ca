"""What a metric says of itself, once: the command line, cards, reports, pages and tests read it here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
        name: of the keyword of ``compute``.
        holds: ``"texts"`` (a string a row); ``"summaries"`` (a string a row, or a list of its claims a row);
            ``"sources"``, ``"references"`` (reference summaries) or ``"units"`` (content units), each a
            string or a list of strings a row; ``"weights"`` (of units); or ``"names"`` (anything that tells
            entities apart).
        meaning: what it holds, as a phrase.
        required: False = it may be left out.
        usual: names that it may have in a file, besides its own.
    """

    name: str
    holds: Holds = "texts"
    meaning: str = ""
    required: bool = True
    usual: tuple[str, ...] = ()

    @property
    def may_hold_lists(self) -> bool:
        """Whether a cell may be a list of texts or numbers."""
        return self.holds not in ("texts", "names")

    @property
    def or_claims(self) -> Column:
        """The same column, whose cells may be lists of claims as well."""
        return replace(self, holds="summaries")


@dataclass(frozen=True, kw_only=True)
class Further:
    """A further score of a metric, one a row and their mean.

    Attributes:
        title: for people.
        bounds: the lowest and the highest value; infinite where there is none.
        weighted: its mean goes over what the metric's own mean goes over; else over rows.
    """

    title: str
    bounds: tuple[float, float]
    weighted: bool = False


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Options worth choosing among, in words: a page offers them.

    Attributes:
        title: above the choice.
        values: what each value is called, with the options that it sets; the first sets none.
    """

    title: str
    values: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file that people may bring for an option: a page takes it.

    Attributes:
        option: its name.
        title: above the box.
        suffixes: of the file, such as ``".json"``.
        meaning: what it is and where to get it, in Markdown.
    """

    option: str
    title: str
    suffixes: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, kw_only=True)
class MetricSpec:
    """What a metric is.

    Attributes:
        name: as in ``claimwise.load(name)``.
        title: for people.
        family: what kind of question it answers.
        question: that question.
        description: what the metric measures and how, in a few sentences.
        bounds: the lowest and the highest score, with any options.
        quality: what a summary with a higher score is more of, as an adjective: "generic".
        ends: what the lowest and the highest score of the default configuration mean.
        better: which direction is better; None = that depends on the task.
        unit: ``"%"`` for scores from 0 to 100, else empty.
        columns: what it reads.
        rows: what a row is: ``"pair"`` or ``"summary"``.
        mean_over: what the mean goes over: ``"pairs"``, ``"summaries"``, ``"claims"`` or ``"sentences"``.
        further: further scores, by name.
        counts: what is counted along the way, each with its meaning.
        configurations: the options that each configuration sets.
        choices: options that its page offers.
        attributions: what the claim writer does with the words that say who said it, unless told otherwise.
        upload: a file that its page takes.
        beside: other metrics of the same columns that its page shows, with their options.
        source: paper and section.
        citation: BibTeX.
        urls: of code and papers.
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
        """What the column ``references`` holds: other summaries, reference summaries, or sources."""
        holds = {column.name: column.holds for column in self.columns}.get("references")
        if holds is None:
            return "ignored"
        if holds == "references":
            return "references"
        return "summaries" if holds in ("texts", "summaries") else "sources"

    @property
    def takes(self) -> str:
        """What a row is made of, in words."""
        return {
            "summaries": "two summaries",
            "references": "a summary and its references",
            "sources": "a summary and its source",
            "ignored": "summaries",
        }[self.references_are]

    @property
    def shared(self) -> tuple[str, ...]:
        """The columns that hold no summary of a system: what the rows of several systems have in common."""
        summaries = {"predictions"} | ({"references"} if self.references_are == "summaries" else set())
        return tuple(column.name for column in self.columns if column.name not in summaries)

    @property
    def decomposed(self) -> list[str]:
        """The columns of summaries that may be given as claims."""
        return [column.name for column in self.columns if column.holds == "summaries"]

    def claims_in(self, columns: Mapping[str, Sequence[Any] | None]) -> frozenset[str]:
        """Return those columns that hold lists of claims."""
        return frozenset(name for name in self.decomposed if are_claims(columns.get(name) or ()))

    def named(self, given: Mapping[str, Any], claims: Collection[str] | None = None) -> list[str]:
        """Return the columns that signatures name: of those ``given`` the optional ones, and claims."""
        optional = [column.name for column in self.columns if not column.required and column.name in given]
        return [*optional, *sorted(self.claims_in(given) if claims is None else claims)]

    def rows_are_called(self, count: int) -> str:
        """Return so many rows in words, such as ``"3 summaries"``."""
        several = {"pair": "pairs", "summary": "summaries"}[self.rows]
        return f"{count} {self.rows if count == 1 else several}"


SUMMARIES = Column(name="predictions", meaning="summaries", usual=("summary_a", "summary"))
OTHER_SUMMARIES = Column(name="references", meaning="the other summaries", usual=("summary_b",))
SOURCES = Column(
    name="references",
    holds="sources",
    meaning="the sources, each a text or a list of texts (reviews)",
    usual=("reviews",),
)
REFERENCES = Column(
    name="references",
    holds="references",
    meaning="the reference summaries, each a text or a list of several",
    usual=("reference_summary", "reference"),
)

UNREADABLE = {
    "not_english": "texts that are hardly English, where a part of the metric reads English only",
    "markup": "texts with HTML tags or entities, which such a part reads as words",
}
NLI_MODEL = Choice(
    title="NLI model",
    values={
        "embedded: fast, offline": {},
        "mnli: downloads 1.4 GB, slow": {"nli_model": "mnli"},
        "vitc: downloads 240 MB, slow": {"nli_model": "vitc"},
        "anli: downloads 1.4 GB, slow": {"nli_model": "anli"},
    },
)
CLAIMS = Choice(
    title="Claims",
    values={
        "default: a network writes them": {},
        "default, without who said it": {"attributions": "strip"},
        "sentences: each is one claim": {"decomposer": "sentences"},
    },
)

JUDGED = {
    "truncated": "comparisons (premise, hypothesis) that were cut to the length that the judge allows",
    "fallbacks": "sentences left whole because the decomposer's answer could not be used, or would have lost "
    "a denial",
    **UNREADABLE,
}
"""What every metric with a judge counts."""

VACUOUS = {"vacuous": 'vacuous claims dropped or flagged; 0 for `vacuous_claims="keep"`'}
