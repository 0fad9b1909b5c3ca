"""Options and presets of summarizers, in a separate module so that the command line starts fast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from claimwise.errors import ClaimwiseError, did_you_mean
from claimwise.judges.options import JudgeOptions
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
    """Options of the summarizers; the judge and the decomposer are used for citations."""

    aspects: Sequence[str] | Mapping[str, Sequence[str]] = option(
        (),
        "aspects, each summarized separately: names, or a dict from each name to its keywords; "
        "empty = one summary of everything",
        flag="Comma-separated aspects, each summarized separately.",
        many="commas",
    )
    model: str | ChatModel[Any] | None = option(
        None,
        'chat model that writes the summaries: `"openai:MODEL"`, `"openai:MODEL@URL"`, `"NAME:ADDRESS"` of '
        "another registered model, or a `ChatModel`; for `co-decoding` the folder or Hub id of an "
        "encoder-decoder",
        flag="Chat model that writes the summaries: openai:MODEL or openai:MODEL@URL.",
    )
    noun: str = option(
        "product",
        'noun that prompts use for the reviewed items, such as `"hotel"`',
        flag="Noun for the reviewed items in prompts, such as hotel.",
    )
    sentences: int = option(
        3,
        "sentences to extract when Q is the last stage",
        flag="Number of sentences to extract when Q is the last stage.",
        kind=int,
        at_least=1,
    )
    long: int = option(35, "sentences to extract when another stage follows Q", at_least=1)
    extractor: Extractor = choice(
        Extractor,
        'how Q ranks sentences: `"lexrank"` (centrality over TF-IDF), `"keywords"` (number of keywords), '
        '`"judge"` (number of other sentences that entail the sentence), `"lead"`, `"random"`, or `"oracle"` '
        "(ROUGE against the column `references`: an upper bound)",
        flag="How Q ranks sentences: lexrank, keywords, judge, lead, random or oracle.",
    )
    seed: int = option(
        0,
        'random seed of the extractor `"random"`, and of the sample of reviews drawn with `keywords="five"`',
        at_least=0,
    )
    keywords: Keywords = choice(
        Keywords,
        'reviews that the model reads to choose keywords for Q if there are no aspects: `"none"` (no '
        'keywords), `"five"` (five random reviews, as in the paper) or `"all"` (as in the paper\'s code)',
    )
    topics: Topics | None = option(
        None,
        'how T assigns sentences to aspects: `"blocks"` (the model assigns several numbered sentences per '
        'request), `"words"` (the model names the topic of one sentence per request, which is mapped to the '
        'nearest aspect by word vectors, as in the paper), or `"vectors"` (nearest aspect by word vectors, '
        'offline); None = `"blocks"` with a model, else `"vectors"`',
        flag="How T assigns sentences to aspects: blocks, words or vectors.",
        choices=get_args(Topics),
    )
    vectors: str | Path | None = option(
        None,
        "path of a text file of word vectors (GloVe format) for T; None = word vectors of the embedded judge",
        flag="Text file of word vectors (GloVe format) for topic assignment (T).",
        kind=Path,
    )
    chunk: int = option(30, "maximum number of sentences per chunk", at_least=2)
    chunk_plan: ChunkPlan = choice(
        ChunkPlan,
        '`"balanced"` (lengths differ by at most one) or `"remainder"` (full chunks and a shorter last one)',
    )
    merge_at: int | Literal["shrinking"] = option(
        30,
        'C stops once at most this many sentences remain; `"shrinking"` = the length of the last '
        "round's chunks",
    )
    input_limit: int | None = option(
        None, "maximum input per request, in `input_unit`; truncated inputs are counted; None = no limit"
    )
    input_unit: InputUnit = choice(
        InputUnit,
        'unit of `input_limit`: `"characters"` (cut at whole lines) or `"words"` (cut at whole reviews)',
    )
    max_tokens: int = option(512, "maximum length of an answer, in tokens", at_least=1)
    prompt: str | Path | None = option(
        None,
        "path of a UTF-8 text file with a prompt for G and C in place of the built-in one; it must contain "
        "`{lines}`, and may contain `{noun}`, `{topic}` and `{source}` (reviews, or summaries of reviews)",
        flag="Text file with a prompt for G and C; it must contain {lines}, and may contain {noun}, {topic} "
        "and {source}.",
        kind=Path,
    )
    cache: str | Path | None = option(
        None,
        "path of an SQLite file that stores every answer of the model and, unless `score_cache` names "
        "another file, of the judge; a killed run resumes from it",
        flag="SQLite file that caches every answer; a killed run resumes from it.",
        kind=Path,
    )
    citations: bool = option(True, "bool; whether to cite reviews, which requires the judge")

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.aspects, str):
            problem = f"`aspects` must be a list of names; got the text “{self.aspects}”."
            raise ClaimwiseError(problem, "Use a list, even of a single name.", option="aspects")
        if self.merge_at != "shrinking":
            check("merge_at", self.merge_at, at_least=1)
        if self.input_limit is not None:
            check("input_limit", self.input_limit, at_least=1)

    @property
    def words_of(self) -> dict[str, list[str]]:
        """The keywords of each aspect, its name first."""
        aspects = self.aspects if isinstance(self.aspects, Mapping) else dict.fromkeys(self.aspects, ())
        return {name: [name, *(word for word in words if word != name)] for name, words in aspects.items()}


NAME_A_MODEL = "Name one, as openai:MODEL or openai:MODEL@URL"
"""The remedy for a missing chat model, without its full stop."""

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
"""Options that each preset sets; ``space`` and ``fewsum`` are taken from the code of Bhaskar et al. 2022."""

TEMPERATURES: Mapping[str, float] = {"default": 0.0, "space": 0.7, "fewsum": 0.7}
"""Temperature of each preset, for a model that is given by its name."""


def preset_options(preset: str, given: Mapping[str, Any]) -> SummarizerOptions:
    """Return a preset's options, overridden by the given ones; raise a ClaimwiseError for invalid ones."""
    check("preset", preset, choices=tuple(PRESETS))
    known = SummarizerOptions.names()
    if unknown := [name for name in given if name not in known]:
        remedy = f"{did_you_mean(unknown[0], known)}The available options are {', '.join(known)}."
        raise ClaimwiseError(f"Summarizers have no option `{unknown[0]}`.", remedy, option=unknown[0])
    return SummarizerOptions(**{**PRESETS[preset], **given})
