"""The options of summarizers, and the presets that set them; apart, so that the command line stays light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from claimwise.errors import ClaimwiseError
from claimwise.nli.options import JudgeOptions
from claimwise.options import OptionGroup, check, choice, option
from claimwise.text.options import DecomposerOptions, SplitterOptions

if TYPE_CHECKING:
    from claimwise.llm.client import ChatModel

Extractor = Literal["lexrank", "keywords", "judge", "lead", "random", "oracle"]
Topics = Literal["blocks", "words", "vectors"]
ChunkPlan = Literal["balanced", "remainder"]
InputUnit = Literal["characters", "words"]
Keywords = Literal["none", "five", "all"]


@dataclass(frozen=True, kw_only=True)
class SummarizerOptions(DecomposerOptions, SplitterOptions, JudgeOptions, OptionGroup):
    """Options of the summarizers; those of the judge and the decomposer are for citations."""

    aspects: Sequence[str] | Mapping[str, Sequence[str]] = option(
        (),
        "the aspects to summarize, each on its own: names, or a dict from each name to the words that "
        "tell of it; none = one summary of everything",
        flag="Aspects to summarize, each on its own, by commas.",
    )
    model: str | ChatModel[Any] | None = option(
        None,
        'the chat model that writes: `"openai:MODEL"` or `"openai:MODEL@URL"`, NAME:ADDRESS of another '
        "registered one, or a `ChatModel`; for `co-decoding` the folder or Hub id of an encoder-decoder",
        flag="The chat model that writes: openai:MODEL or openai:MODEL@URL.",
    )
    noun: str = option(
        "product", 'what the reviews are of, as prompts call it: `"hotel"`', flag="What the reviews are of."
    )
    sentences: int = option(
        3, "sentences that a last Q chooses", flag="Sentences that a last Q chooses.", at_least=1
    )
    long: int = option(35, "sentences that Q chooses where a stage follows", at_least=1)
    extractor: Extractor = option(
        "lexrank",
        'how Q chooses: `"lexrank"` (centrality over TF-IDF), `"keywords"` (the most words of the aspect), '
        '`"judge"` (what most other sentences entail), `"lead"`, `"random"`, or `"oracle"` (by ROUGE with '
        "the column `references`: an upper bound)",
        flag="How Q chooses: lexrank, keywords, judge, lead, random or oracle.",
        choices=("lexrank", "keywords", "judge", "lead", "random", "oracle"),
    )
    seed: int = option(0, "of `random`, and of the reviews that `keywords` are asked about", at_least=0)
    keywords: Keywords = option(
        "none",
        'whether the model is asked for keywords for Q where there is no aspect: `"none"`, `"five"` (of five '
        'random reviews, as the paper says) or `"all"` (of all reviews, as its code does)',
        choices=("none", "five", "all"),
    )
    topics: Topics | None = option(
        None,
        'how T assigns sentences: `"blocks"` (the model, numbered sentences in one request), `"words"` (the '
        "model names the topic of one sentence per request, and the nearest aspect by word vectors takes it: "
        'the paper\'s), or `"vectors"` (the nearest aspect, offline); None = `"blocks"` with a model, else '
        '`"vectors"`',
        flag="How T assigns sentences: blocks, words or vectors.",
        choices=("blocks", "words", "vectors"),
    )
    vectors: str | Path | None = option(
        None,
        "path of a text file of word vectors (GloVe's format) for T; None = those of the embedded judge",
        flag="Word vectors (GloVe's text format) for T.",
    )
    chunk: int = option(30, "sentences of a chunk, at most", at_least=2)
    chunk_plan: ChunkPlan = choice(
        ChunkPlan,
        '`"balanced"` (lengths differ by one at most) or `"remainder"` (equal chunks and a short last one)',
    )
    merge_at: int | Literal["shrinking"] = option(
        30,
        'C stops at so many sentences, or fewer; `"shrinking"` = at the length of the last round\'s chunks',
    )
    input_limit: int | None = option(
        None, "the longest input of a request, in `input_unit`; what is cut is counted. None = no limit"
    )
    input_unit: InputUnit = choice(
        InputUnit, 'of `input_limit`: `"characters"` (whole lines) or `"words"` (whole reviews)'
    )
    max_tokens: int = option(512, "the longest answer, in tokens", at_least=1)
    prompt: str | Path | None = option(
        None,
        "path of a UTF-8 text file that replaces the prompt of G and C; it holds `{lines}`, and may hold "
        "`{noun}`, `{topic}` and `{source}` (reviews, or summaries of them)",
        flag="Text file with the prompt of G and C; holds {lines}, may hold {noun}, {topic}, {source}.",
    )
    cache: str | Path | None = option(
        None,
        "path of an SQLite file that keeps every answer of the model, and (unless `score_cache` names "
        "another) the judge's; a killed run resumes from it",
        flag="SQLite file that keeps every answer; a killed run resumes from it.",
    )
    citations: bool = option(True, "bool; False = summaries without citations, without asking the judge")

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.aspects, str):
            raise ClaimwiseError(
                f"aspects must be a list of names; got {self.aspects!r}.", "Write [name].", option="aspects"
            )
        if self.merge_at != "shrinking":
            check("merge_at", self.merge_at, at_least=1)
        if self.input_limit is not None:
            check("input_limit", self.input_limit, at_least=1)

    @property
    def words_of(self) -> dict[str, list[str]]:
        """The words that tell of each aspect: at least its name."""
        if isinstance(self.aspects, Mapping):
            return {
                name: [name, *(word for word in words if word != name)]
                for name, words in self.aspects.items()
            }
        return {name: [name] for name in self.aspects}


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "space": {
        "noun": "hotel",
        "topics": "words",
        "chunk_plan": "remainder",
        "merge_at": "shrinking",
        "input_limit": 3400,
        "max_tokens": 256,
    },
    "fewsum": {
        "sentences": 5,
        "keywords": "all",
        "merge_at": 35,
        "input_limit": 3200,
        "input_unit": "words",
        "max_tokens": 256,
    },
}
"""What each preset sets: ``space`` and ``fewsum`` are Bhaskar et al. 2022's, as in their code."""

TEMPERATURES: Mapping[str, float] = {"default": 0.0, "space": 0.7, "fewsum": 0.7}
"""Of a model that is given by its name."""


def preset_options(preset: str, given: Mapping[str, Any]) -> SummarizerOptions:
    """Return the options of a preset with those that are given; a ClaimwiseError for what cannot be."""
    check("preset", preset, choices=tuple(PRESETS))
    known = SummarizerOptions.names()
    if unknown := [name for name in given if name not in known]:
        remedy = f"Options are {', '.join(known)}."
        raise ClaimwiseError(f"Summarizers have no option {unknown[0]!r}.", remedy, option=unknown[0])
    return SummarizerOptions(**{**PRESETS[preset], **given})
