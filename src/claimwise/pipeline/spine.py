"""The spine itself: texts → sentences → claims → entailment matrices, for many examples at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from claimwise.errors import ClaimwiseError
from claimwise.nli.matrix import Matrix
from claimwise.nli.model import NLIModel
from claimwise.nli.vacuous import VacuousClaims, check_choice, find_vacuous
from claimwise.pipeline.metric import Options
from claimwise.text.claims import Decomposer, load_decomposer
from claimwise.text.sentences import Splitter


class Claims(NamedTuple):
    """The claims of one text, and for each the sentence it comes from."""

    claims: list[str]
    sentences: list[str]

    def without(self, dropped: Sequence[str]) -> Claims:
        """Return the claims that are not ``dropped``; all of them if none would be left."""
        kept = [i for i, claim in enumerate(self.claims) if claim not in dropped]
        if not kept:
            return self
        return Claims([self.claims[i] for i in kept], [self.sentences[i] for i in kept])


class Premise(NamedTuple):
    """A part of a source: its text, the number of its review, and that of its first sentence therein."""

    premise: str
    review: int
    position: int


@dataclass(frozen=True, kw_only=True)
class SpineOptions(Options):
    """Options of every metric that goes text → claims → entailment matrix.

    Attributes:
        nli_model: ``"default"``, an alias, a hub id, a folder, or an ``NLIModel``.
        nli_revision: branch, tag or commit of a hub model.
        token: access token of a private hub model.
        local_files_only: never ask the hub.
        label_order: names of the outputs of a checkpoint that does not name its labels.
        device: ``"auto"``, ``"cpu"``, ``"cuda"`` …
        dtype: ``"auto"``, ``"float32"``, ``"bfloat16"`` or ``"float16"``.
        max_tokens_per_batch: padded tokens of one batch.
        score_cache: path of an SQLite file that keeps NLI probabilities for later runs.
        splitter: ``"sentencex"``, ``"nltk"``, ``"nltk:untrained"`` (needs no data) or ``"spacy:<model>"``.
        decomposer: ``"rules"``, ``"sentences"``, ``"openai"`` or a ``Decomposer``.
        decomposer_model: model of the ``openai`` decomposer.
        base_url: its endpoint.
        api_key: its key (default: the environment variable ``OPENAI_API_KEY``).
        temperature: its sampling temperature.
        max_tokens: the longest answer it may give.
        prompt: path of a file that replaces its prompt.
        decomposer_cache: path of an SQLite file that keeps its answers.
        concurrency: its requests under way at once.
        request_timeout: seconds it waits for an answer.
        show_progress: show bars for anything over about two seconds.
    """

    nli_model: str | NLIModel = "default"
    nli_revision: str | None = None
    token: str | None = field(default=None, repr=False)
    local_files_only: bool = False
    label_order: Sequence[str] | None = None
    device: str = "auto"
    dtype: str = "auto"
    max_tokens_per_batch: int = 4096
    score_cache: str | Path | None = None
    splitter: str = "sentencex"
    decomposer: str | Decomposer = "rules"
    decomposer_model: str | None = None
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    prompt: str | Path | None = None
    decomposer_cache: str | Path | None = None
    concurrency: int | None = None
    request_timeout: float | None = None
    show_progress: bool = True


@dataclass(frozen=True, kw_only=True)
class VacuousOptions(SpineOptions):
    """Options of a metric that can leave out claims that say nothing.

    Attributes:
        vacuous_claims: claims that say nothing ("This hotel has rooms"): ``"keep"`` them, ``"drop"`` them
            before scoring (unless a summary has no others), or keep and ``"flag"`` them in the evidence.
    """

    vacuous_claims: VacuousClaims = "keep"


NLI_OPTIONS = (
    "nli_revision",
    "token",
    "local_files_only",
    "label_order",
    "device",
    "dtype",
    "max_tokens_per_batch",
    "score_cache",
)


class Spine:
    """Text → claims → entailment matrices, as ``SpineOptions`` say."""

    def __init__(self, options: SpineOptions) -> None:
        self.options = options
        if isinstance(options, VacuousOptions):
            check_choice(options.vacuous_claims)

    @cached_property
    def splitter(self) -> Splitter:
        """The sentence splitter."""
        return Splitter(self.options.splitter)

    @cached_property
    def decomposer(self) -> Decomposer:
        """The decomposer of sentences into claims."""
        options = self.options
        given = {
            "model": options.decomposer_model,
            "base_url": options.base_url,
            "api_key": options.api_key,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "prompt": options.prompt,
            "cache": options.decomposer_cache,
            "concurrency": options.concurrency,
            "timeout": options.request_timeout,
        }
        if options.decomposer == "openai":
            given["show_progress"] = options.show_progress
        return load_decomposer(
            options.decomposer,
            **{name: value for name, value in given.items() if value is not None},
        )

    @cached_property
    def nli_model(self) -> NLIModel:
        """The NLI model."""
        options = self.options
        if isinstance(options.nli_model, NLIModel):
            defaults = SpineOptions()
            changed = [name for name in NLI_OPTIONS if getattr(options, name) != getattr(defaults, name)]
            if changed:
                raise ClaimwiseError(
                    f"{', '.join(changed)}: a ready-made NLIModel keeps its own. Give them to "
                    f"NLIModel.from_pretrained instead."
                )
            return options.nli_model
        return NLIModel.from_pretrained(
            options.nli_model,
            device=options.device,
            dtype=options.dtype,
            max_tokens_per_batch=options.max_tokens_per_batch,
            revision=options.nli_revision,
            token=options.token,
            local_files_only=options.local_files_only,
            label_order=options.label_order,
            score_cache=options.score_cache,
            show_progress=options.show_progress,
        )

    def load(self) -> None:
        """Load the splitter, the decomposer and the model."""
        _ = self.splitter, self.decomposer, self.nli_model

    def claims(self, texts: Sequence[str]) -> list[Claims]:
        """Return the claims of each text, decomposing each distinct sentence once."""
        sentences = {text: self.splitter(text) for text in dict.fromkeys(texts)}
        distinct = list(dict.fromkeys(s for of_text in sentences.values() for s in of_text))
        claims = dict(zip(distinct, self.decomposer(distinct), strict=True))
        return [
            Claims(
                claims=[claim for sentence in sentences[text] for claim in claims[sentence]],
                sentences=[sentence for sentence in sentences[text] for _ in claims[sentence]],
            )
            for text in texts
        ]

    def vacuous(self, claims: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the vacuous claims of each text; none where the options keep them without a look."""
        if not isinstance(self.options, VacuousOptions) or self.options.vacuous_claims == "keep":
            return [[] for _ in claims]
        found = find_vacuous(self.nli_model, [claim for of_text in claims for claim in of_text])
        return [[claim for claim in of_text if claim in found] for of_text in claims]

    def premises(self, sources: Sequence[Sequence[str]]) -> list[list[Premise]]:
        """Return the sentences of each source, splitting each distinct review once."""
        distinct = dict.fromkeys(review for source in sources for review in source)
        sentences = {review: self.splitter(review) for review in distinct}
        return [
            [
                Premise(sentence, number, position)
                for number, review in enumerate(source)
                for position, sentence in enumerate(sentences[review])
            ]
            for source in sources
        ]

    def matrices(
        self, examples: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> tuple[list[Matrix], list[int]]:
        """Return the entailment matrix of each example and how many of its pairs were truncated."""
        predictions = self.nli_model.predict_examples(examples)
        return [p.probabilities for p in predictions], [int(p.truncated.sum()) for p in predictions]

    def signature_parts(self) -> dict[str, object]:
        """Return what the metric's signature says of the spine."""
        return {
            **self.nli_model.signature,
            **self.splitter.signature,
            **self.decomposer.signature,
        }
