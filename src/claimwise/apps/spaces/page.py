"""What the page of a metric adds to the frame that all pages share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from huggingface_hub import metadata_load
from markupsafe import Markup

from claimwise.apps.spaces import own_judge
from claimwise.apps.spaces.models import load_metric
from claimwise.apps.spaces.snippet import python_call
from claimwise.errors import ClaimwiseError, TextError
from claimwise.evidence import Evidence
from claimwise.metrics import METRICS, Metric
from claimwise.metrics.base import Result
from claimwise.metrics.spec import MetricSpec

SUMMARY_CHARACTERS = 5_000
SOURCE_CHARACTERS = 20_000


@dataclass(frozen=True)
class Field:
    """A text box.

    Attributes:
        label: above the box, and its name in messages.
        hint: what to write, in the empty box.
        column: of the metric that it fills.
        characters: the longest text it takes.
        required: False = it may stay empty.
    """

    label: str
    hint: str
    column: str
    characters: int = SUMMARY_CHARACTERS
    required: bool = True


@dataclass(frozen=True)
class Example:
    """What fills the two text boxes, and a title for it."""

    title: str
    first: str
    second: str


@dataclass(frozen=True)
class Choice:
    """An option of the metric at load time.

    Attributes:
        option: its name.
        label: above the choice.
        values: (what the visitor reads, value); the first is preselected.
    """

    option: str
    label: str
    values: tuple[tuple[str, str | bool], ...]

    @property
    def default(self) -> str | bool:
        """The value that is preselected."""
        return self.values[0][1]


NLI_MODEL = Choice(
    "nli_model",
    "NLI model",
    (
        ("embedded: fast, offline", "default"),
        ("mnli: downloads 1.4 GB, slow", "mnli"),
        ("vitc: downloads 240 MB, slow", "vitc"),
        ("anli: downloads 1.4 GB, slow", "anli"),
    ),
)
OWN_JUDGE = ("this Space’s own judge: your texts are sent to it", own_judge.OWN)
DECOMPOSER = Choice(
    "decomposer",
    "Claims",
    (
        ("clauses: a parser splits them", "clauses"),
        ("learned: a network writes them", "learned"),
        ("sentences: each is one claim", "sentences"),
    ),
)

Options = dict[str, Any]
Columns = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was computed for one visitor; drawing it needs no model.

    Attributes:
        columns: what was scored.
        options: of the metric, those that are not the default.
        result: of all rows.
        evidence: of each row.
        beside: what else the page shows.
    """

    columns: Columns
    options: Options
    result: Result
    evidence: tuple[Evidence, ...]
    beside: Any = None


class Page(ABC):
    """The page of one metric: its boxes, examples and choices, and how it draws what was found."""

    name: ClassVar[str]
    fields: ClassVar[tuple[Field, ...]]
    examples: ClassVar[tuple[Example, ...]]
    choices: ClassVar[tuple[Choice, ...]] = ()
    threshold: ClassVar[float | None] = None
    threshold_label: ClassVar[str] = ""
    takes_weights: ClassVar[bool] = False

    @property
    def offered(self) -> tuple[Choice, ...]:
        """The choices, with the judge that the owner of the Space may have added.

        Raises:
            ClaimwiseError: where the owner has added something else.
        """
        if not own_judge.is_set():
            return self.choices
        own_judge.check()
        return tuple(
            replace(choice, values=(*choice.values, OWN_JUDGE)) if choice.option == "nli_model" else choice
            for choice in self.choices
        )

    @cached_property
    def spec(self) -> MetricSpec:
        """What the metric says of itself."""
        spec: MetricSpec = METRICS[self.name].spec
        return spec

    @property
    def names_in_files(self) -> dict[str, tuple[str, ...]]:
        """The columns that the boxes fill, and the names that each may have in a file."""
        filled = {field.column for field in self.fields}
        return {
            column.name: (column.name, *column.usual) for column in self.spec.columns if column.name in filled
        }

    @property
    def usual_names(self) -> list[str]:
        """The name to advertise of each of these columns."""
        of_pairs = self.spec.rows == "pair"
        return [names[1 if of_pairs else -1] for names in self.names_in_files.values()]

    @cached_property
    def front_matter(self) -> dict[str, Any]:
        """The head of the metric's card: title, emoji, description and more."""
        return metadata_load(self._card_path) or {}

    @property
    def _card_path(self) -> Path:
        return Path(str(files("claimwise.apps.scripts"))) / self.name / "README.md"

    def section(self, heading: str) -> str:
        """Return a section of the card, with its heading."""
        card = self._card_path.read_text(encoding="utf-8")
        _, _, rest = card.partition(f"\n## {heading}\n")
        section, _, _ = rest.partition("\n## ")
        return f"## {heading}\n{section}"

    def metric(self, options: Options) -> Metric:
        """Return the metric with these options, loaded."""
        return load_metric(self.name, options)

    def read(self, *texts: str | None) -> Columns:
        """Return what the visitor wrote as columns of one row.

        Raises:
            ClaimwiseError: for a text that is missing or too long, naming its box.
        """
        for field, text in zip(self.fields, texts, strict=True):
            if field.required and not (text or "").strip():
                raise ClaimwiseError(
                    f"{field.label} is empty.", "Write or paste a text, or choose an example."
                )
            check_length(text or "", field, f"{field.label} ")
        return self.columns(*(text or "" for text in texts))

    def columns(self, *texts: str) -> Columns:
        """Return the texts of the boxes as columns of the metric."""
        return {field.column: [text] for field, text in zip(self.fields, texts, strict=True)}

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Compute everything that the page shows."""
        metric = self.metric(options)
        row_scores = metric.score_rows(metric.rows(columns), details=True)
        return Answer(
            columns=columns,
            options=options,
            result=metric.aggregate(row_scores),
            evidence=tuple(row.evidence for row in row_scores if row.evidence is not None),
        )

    def box_of(self, error: ClaimwiseError) -> tuple[int, int | None]:
        """Return the number of the box that an error is about, and of the filled line in it, if of one."""
        columns = [field.column for field in self.fields]
        return columns.index(error.column) if error.column in columns else 0, error.review

    def remedy(self, error: ClaimwiseError) -> str:
        """Return what a visitor can do about an error."""
        if isinstance(error, TextError):
            return "Change the text."
        labels = {choice.option: choice.label for choice in self.choices}
        if error.option in labels:
            return f"Choose another one under “{labels[error.option]}”."
        return error.remedy

    def in_words(self, error: ClaimwiseError, texts: Sequence[str | None]) -> str:
        """Word an error for who wrote ``texts`` into the boxes."""
        place = ""
        if error.column is not None:
            box, filled_line = self.box_of(error)
            place = self.fields[box].label
            if filled_line is not None:
                place += f", line {_filled_lines(texts[box] or '')[filled_line][0]}"
        return _sentences([place], error.problem, self.remedy(error))

    def in_words_of_files(self, error: ClaimwiseError) -> str:
        """Word an error for who uploaded a file: without its folder, and with rows counted from 1."""
        place = error.at(path=None if error.path is None else Path(error.path).name).place
        remedy = error.remedy if isinstance(error, TextError) else self.remedy(error)
        return _sentences([place], error.problem, remedy)

    @abstractmethod
    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Return the answer as HTML."""

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the Python program that computes the answer again."""
        result = answer.result
        return python_call(self.name, answer.options, answer.columns, result.mean, result.signature)


def check_length(text: str, field: Field, subject: str = "", **where: Any) -> None:
    """Refuse a text that is longer than the page takes.

    Args:
        text: what was given.
        field: the box that it would stand in.
        subject: what the sentence begins with, if its place does not.
        **where: its place, as in ``ClaimwiseError``.

    Raises:
        ClaimwiseError: if it is too long.
    """
    if len(text) > field.characters:
        raise ClaimwiseError(
            f"{subject}has {len(text):,} characters; this page takes up to {field.characters:,}.",
            "Shorten it, or score it in Python, where there is no limit.",
            **where,
        )


def reviews(source: str) -> list[str]:
    """Return the lines of a source that hold anything: its reviews or paragraphs."""
    return [line for _, line in _filled_lines(source)]


def _filled_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that hold anything, each with its number, counted from 1."""
    return [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _sentences(places: Sequence[str | None], problem: str, remedy: str) -> str:
    place = ", ".join(filter(None, places))
    return " ".join(filter(None, (f"{place}:" if place else "", problem, remedy)))
