"""The options of splitters and decomposers; apart from them, so that the command line stays light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

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
        flag="Sentence splitter: sentencex, nltk, nltk:untrained or spacy:MODEL.",
    )


@dataclass(frozen=True, kw_only=True)
class DecomposerOptions(OptionGroup):
    """How a sentence is split into claims."""

    decomposer: str | Decomposer = option(
        "clauses",
        '`"clauses"` (a parser and rules over its trees), `"learned"` (a small network writes the claims), '
        '`"rules"` (word lists), `"sentences"` (each sentence is one claim), all four offline; '
        '`"openai:MODEL"` or `"openai:MODEL@http://host:port/v1"` (a chat model), the name of a registered '
        "one, an `LLMDecomposer`, any `Decomposer`, or a function",
        flag="clauses, learned, rules, sentences, openai:MODEL, openai:MODEL@URL, or the name of a "
        "registered one.",
    )
    pronouns: Pronouns | None = option(
        None,
        'what the decomposers `clauses` and `learned` do with "it", "they", "its", "their" at the beginning '
        'of a claim: `"text"` puts what they stand for in their place where that is safe, `"sentence"` only '
        'where the sentence itself names it, `"keep"` (`clauses` alone) never; None = `"text"`',
        flag="Pronouns in claims of the decomposers clauses and learned: text, sentence or keep.",
    )
