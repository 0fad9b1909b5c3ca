"""The options of splitters and decomposers; apart from them, so that the command line stays light."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from claimwise.options import OptionGroup, option

if TYPE_CHECKING:
    from claimwise.text.claims import Decomposer


Pronouns = Literal["text", "sentence", "keep"]
"""Where the decomposers ``clauses`` and ``learned`` look for what a pronoun stands for: "keep" = nowhere."""


@dataclass(frozen=True, kw_only=True)
class SplitterOptions(OptionGroup):
    """How a text is split into sentences."""

    splitter: str = option(
        "sentencex",
        '`"sentencex"`, `"nltk"`, `"nltk:untrained"` (needs no data) or `"spacy:<model>"`',
        flag="sentencex, nltk, nltk:untrained or spacy:MODEL.",
    )


@dataclass(frozen=True, kw_only=True)
class DecomposerOptions(OptionGroup):
    """How a sentence is split into claims; all below ``pronouns`` is of ``openai``."""

    decomposer: str | Decomposer = option(
        "clauses",
        '`"clauses"` (a parser and rules over its trees), `"learned"` (a small network writes the claims), '
        '`"rules"` (word lists), `"sentences"` (each sentence is one claim), all four offline; `"openai"` '
        "(any OpenAI-compatible endpoint), the name of a registered one, a `Decomposer`, or a function",
        flag="clauses, learned, rules, sentences, openai, or the name of a registered one.",
    )
    pronouns: Pronouns | None = option(
        None,
        'what the decomposers `clauses` and `learned` do with "it", "they", "its", "their" at the beginning '
        'of a claim: `"text"` puts what they stand for in their place where that is safe, `"sentence"` only '
        'where the sentence itself names it, `"keep"` (`clauses` alone) never; None = `"text"`',
        flag="Pronouns in claims of the decomposers clauses and learned: text, sentence or keep.",
    )
    decomposer_model: str | None = option(
        None,
        "model of the `openai` decomposer; None = gpt-3.5-turbo",
        flag="Model of the openai decomposer.",
    )
    base_url: str | None = option(
        None,
        "its endpoint; None = the environment variable `OPENAI_BASE_URL`, else OpenAI",
        flag="Endpoint of the openai decomposer.",
    )
    api_key: str | None = option(
        None, "its key; None = the environment variable `OPENAI_API_KEY`", secret=True
    )
    temperature: float | None = option(None, "its sampling temperature, 0 to 2; None = 0.5")
    max_tokens: int | None = option(None, "the longest answer it may give, in tokens; None = 256")
    prompt: str | Path | None = option(
        None, "path of a text file that replaces its prompt", flag="File with another prompt for it."
    )
    decomposer_cache: str | Path | None = option(
        None,
        "path of an SQLite file that keeps its answers",
        flag="SQLite file that keeps its answers; a killed run resumes.",
    )
    concurrency: int | None = option(None, "its requests under way at once; None = 8")
    request_timeout: float | None = option(None, "seconds it waits for an answer; None = 30")


OWN_NAMES = {
    "decomposer_model": "model",
    "decomposer_cache": "cache",
    "request_timeout": "timeout",
}
"""Options of a metric → keywords of the decomposer that they reach, where the names differ."""
METRIC_NAMES = {own: name for name, own in OWN_NAMES.items()}


def of_decomposer(options: DecomposerOptions) -> dict[str, Any]:
    """Return the options that were given for the decomposer, by its own keywords."""
    given = options.changed(DecomposerOptions)
    given.pop("decomposer", None)
    return {OWN_NAMES.get(name, name): value for name, value in given.items()}
