"""What the page of a metric adds to the frame that all pages share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from huggingface_hub import metadata_load

from claimwise.apps.spaces.models import load_metric
from claimwise.apps.spaces.snippet import python_call
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Metric

SUMMARY_CHARACTERS = 5_000
SOURCE_CHARACTERS = 20_000


@dataclass(frozen=True)
class Field:
    """A text box.

    Attributes:
        label: above the box, and its name in messages.
        hint: what to write, in the empty box.
        column: of ``compute`` that it fills.
        names: that its column may have in a file; the first that exists is read, the second is advertised.
        characters: the longest text it takes.
        required: False = it may stay empty.
    """

    label: str
    hint: str
    column: str
    names: tuple[str, ...]
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
DECOMPOSER = Choice(
    "decomposer",
    "Claims",
    (("rules: split clauses and lists", "rules"), ("sentences: each is one claim", "sentences")),
)

Options = dict[str, Any]
Columns = dict[str, Any]
Answer = dict[str, Any]


class Page(ABC):
    """The page of one metric: its boxes, examples and choices, and how it draws what was found.

    An answer is what was computed for one visitor: ``columns``, ``options`` (those that are not the
    default) and ``result``, and whatever a page adds. Drawing it needs no model.
    """

    name: ClassVar[str]
    fields: ClassVar[tuple[Field, ...]]
    examples: ClassVar[tuple[Example, ...]]
    choices: ClassVar[tuple[Choice, ...]] = ()
    threshold: ClassVar[float | None] = None
    threshold_label: ClassVar[str] = ""
    takes_weights: ClassVar[bool] = False
    rows_at_once: ClassVar[int | None] = 4
    uses_claims: ClassVar[bool] = False

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
        """Return the metric with these options, on the shared model."""
        return load_metric(self.name, options)

    def read(self, *texts: str | None) -> Columns:
        """Return what the visitor wrote as columns of one row.

        Raises:
            ClaimwiseError: for a text that is missing or too long, naming its box.
        """
        for field, text in zip(self.fields, texts, strict=True):
            if field.required and not (text or "").strip():
                raise ClaimwiseError(f"{field.label} is empty. Write or paste a text, or choose an example.")
            check_length(text or "", field, field.label)
        return self.columns(*(text or "" for text in texts))

    def columns(self, *texts: str) -> Columns:
        """Return the texts of the boxes as columns of ``compute``."""
        return {field.column: [text] for field, text in zip(self.fields, texts, strict=True)}

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Compute everything that the page shows."""
        result = self.metric(options).compute(**columns, details=True)
        return {"columns": columns, "options": options, "result": result}

    def in_words(self, message: str) -> str:
        """Return an error's message with the names of the boxes instead of those of columns and rows."""
        first, second = self.fields
        message = re.sub(
            r"\breferences, review (\d+), row 0\b", lambda m: f"{second.label}, line {int(m[1]) + 1}", message
        )
        message = message.replace("predictions, row 0", first.label)
        message = message.replace("references, row 0", second.label)
        message = re.sub(r"\bpredictions, row (\d+)\b", rf"{second.label}, line \1", message)
        return message.replace("Drop the row or fix the text.", "Change the text.")

    @abstractmethod
    def draw(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the answer as HTML."""

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the Python program that computes the answer again."""
        return python_call(self.name, answer["options"], answer["columns"], answer["result"])

    def weight(self, evidence: dict[str, Any]) -> float:
        """Return how much a row counts in the mean of a file."""
        return 1.0


def check_length(text: str, field: Field, where: str) -> None:
    """Refuse a text that is longer than the page takes.

    Raises:
        ClaimwiseError: naming ``where`` it stands.
    """
    if len(text) > field.characters:
        raise ClaimwiseError(
            f"{where} has {len(text):,} characters; this page takes up to {field.characters:,}. Shorten it, "
            f"or score it in Python, where there is no limit."
        )


def reviews(source: str) -> list[str]:
    """Return the lines of a source that hold anything: its reviews or paragraphs."""
    return [line.strip() for line in source.splitlines() if line.strip()]
