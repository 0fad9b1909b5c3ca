"""The options of splitters and decomposers, in a separate module so that the command line starts fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from claimwise.options import OptionGroup, option

if TYPE_CHECKING:
    from claimwise.text.claims import Decomposer


Pronouns = Literal["text", "sentence"]
"""Where the claim writer looks for the referents of pronouns."""
Attributions = Literal["keep", "strip"]
"""Whether claims keep or strip attributions, such as "most guests found that"."""


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
        "default",
        '`"default"` (the claim writer, a small network), `"sentences"` (each sentence is one claim), both '
        'offline; `"openai:MODEL"` or `"openai:MODEL@http://host:port/v1"` (a chat model), the name of a '
        "registered decomposer, an `LLMDecomposer`, any `Decomposer`, or a function",
        flag="Decomposer, which splits sentences into claims: default, sentences, openai:MODEL, "
        "openai:MODEL@URL, or the name of a registered decomposer.",
    )
    pronouns: Pronouns | None = option(
        None,
        'where the claim writer looks for the referents of "it", "they", "its" and "their": in the `"text"` '
        '(the sentence and the previous one) or only in the `"sentence"`; None = `"text"`',
        flag="Context for the pronouns of a sentence: text (the previous sentence too) or sentence.",
    )
    attributions: Attributions | None = option(
        None,
        'whether claims keep attributions ("most guests found that"): `"keep"`, or `"strip"` them unless '
        'they carry content ("only two guests"); None = `"strip"` in `support_counts`, `genericity` and '
        '`summac_zs`, else `"keep"`',
        flag="Attributions in claims, such as “most guests found that”: keep or strip.",
    )
