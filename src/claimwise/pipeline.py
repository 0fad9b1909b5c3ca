"""The spine: texts → sentences → claims → entailment matrices → scores, for many examples at once.

Each metric is one class: ``Caspr("paper", nli_model="default").compute(predictions=…, references=…)``.
Its first argument names a configuration, keywords override it, and nothing is loaded before it is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from claimwise import __version__
from claimwise.errors import ClaimwiseError
from claimwise.nli.hub import check_in_reach, checkpoint_fingerprint, checkpoint_folder, loading
from claimwise.nli.labels import LABELS, NEUTRAL
from claimwise.nli.matrix import Matrix, entailment_matrices
from claimwise.nli.model import (
    EMBEDDED_WEIGHTS,
    NLIModel,
    choose_device,
    quiet_transformers,
)
from claimwise.scores.caspr import CasprScore, caspr_score
from claimwise.scores.distinctiveness import distinctiveness_score
from claimwise.signature import signature
from claimwise.stats import IntervalMethod, bootstrap_interval, check_interval
from claimwise.text.claims import Decomposer, load_decomposer
from claimwise.text.inputs import check_columns
from claimwise.text.sentences import Splitter
from claimwise.text.tokens import load_stemmer, load_tokenizer

# Chosen once on pairs of the OpinionNLI training clusters (training/choose_layer.py).
EMBEDDED_LAYER = 3


class Scored(NamedTuple):
    """What a metric finds: scores, evidence (made only when asked for), counts of what was worked around."""

    scores: list[float]
    details: Callable[[], list[dict[str, Any]]]
    counts: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The keywords a metric takes when it is made."""


class Metric(ABC):
    """A metric over pairs of texts.

    Args:
        config_name: one of ``configurations``.
        **options: override the configuration; the fields of ``Options`` of the metric.

    Raises:
        ClaimwiseError: for an unknown configuration or option.
    """

    name: ClassVar[str]
    Options: ClassVar[type[Options]]
    configurations: ClassVar[dict[str, dict[str, Any]]] = {"default": {}}

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        if config_name not in self.configurations:
            raise ClaimwiseError(
                f"{self.name} has no configuration {config_name!r}. "
                f"Choose one of {', '.join(self.configurations)}."
            )
        known = {field.name for field in fields(self.Options)}
        if unknown := sorted(set(options) - known):
            raise ClaimwiseError(
                f"{self.name} takes no option {', '.join(unknown)}. It takes {', '.join(sorted(known))}."
            )
        self.config_name = config_name
        self.options: Any = self.Options(**(self.configurations[config_name] | options))

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str],
        details: bool = False,
        confidence_level: float | None = None,
        confidence_method: IntervalMethod = "normal",
        resamples: int = 10_000,
        seed: int | None = 0,
        **columns: Sequence[str],
    ) -> dict[str, Any]:
        """Score prediction i against reference i.

        Args:
            predictions: summaries A∖B.
            references: summaries B∖A, as many.
            details: add the evidence of every pair.
            confidence_level: add a bootstrap confidence interval of the mean, for example 0.95.
            confidence_method: ``"normal"`` (as in the CASPR paper), ``"percentile"`` or ``"bca"``.
            resamples: of the bootstrap.
            seed: of the bootstrap.
            **columns: further columns that a metric can use, such as ``common`` (distinctiveness_score).

        Returns:
            A flat dict of plain Python values, each key beginning with the metric's name: the mean,
            ``_scores`` (one per pair), ``_signature``, counts of what was worked around, and on request
            ``_ci`` and ``_details``.

        Raises:
            ClaimwiseError: for input that cannot be scored; the message names the row.
        """
        self._check_columns(columns)
        texts = check_columns({"predictions": predictions, "references": references, **columns})
        if confidence_level is not None:  # before the work, not after it
            check_interval(len(texts["predictions"]), confidence_level, confidence_method, resamples)
        scored = self._score(**texts)
        result: dict[str, Any] = {
            self.name: float(np.mean(scored.scores)),
            f"{self.name}_scores": scored.scores,
        }
        if confidence_level is not None:
            interval = bootstrap_interval(
                scored.scores,
                confidence_level,
                method=confidence_method,
                resamples=resamples,
                seed=seed,
            )
            result[f"{self.name}_ci"] = list(interval)
        if details:
            result[f"{self.name}_details"] = scored.details()
        for count, value in scored.counts.items():
            result[f"{self.name}_{count}"] = value
        result[f"{self.name}_signature"] = self.signature(*columns)
        return result

    def signature(self, *columns: str) -> str:
        """Return the line that holds everything the scores depend on, further ``columns`` included."""
        return signature(
            self.name,
            {
                "version": __version__,
                "config": self.config_name,
                **self._signature_parts(),
                **dict.fromkeys(columns, "yes"),
            },
        )

    @abstractmethod
    def load(self) -> None:
        """Load whatever the metric needs (models, word lists), so that a failure shows early."""

    @abstractmethod
    def _score(self, predictions: list[str], references: list[str]) -> Scored: ...

    @abstractmethod
    def _signature_parts(self) -> dict[str, object]: ...

    def _check_columns(self, columns: dict[str, Any]) -> None:
        if columns:
            raise ClaimwiseError(
                f"{self.name} does not know {', '.join(sorted(columns))}: it scores predictions against "
                f"references."
            )


class Claims(NamedTuple):
    """The claims of one text, and for each the sentence it comes from."""

    claims: list[str]
    sentences: list[str]


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
        splitter: ``"sentencex"``, ``"nltk"`` or ``"spacy:<model>"``.
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

    def matrices(
        self, examples: Sequence[tuple[Sequence[str], Sequence[str]]]
    ) -> tuple[list[Matrix], list[int]]:
        """Return the entailment matrix of each example and how many of its pairs were truncated."""
        return entailment_matrices(self.nli_model.predict_pairs, examples)

    def signature_parts(self) -> dict[str, object]:
        """Return what the metric's signature says of the spine."""
        return {
            **self.nli_model.signature,
            **self.splitter.signature,
            **self.decomposer.signature,
        }


class Caspr(Metric):
    """CASPR (Ananthamurugan et al.): contrast by NLI over single-claim sentences, in [0, 100].

    0 = both summaries claim the same, 100 = every claim contrasts with the other summary.
    """

    name = "caspr"
    Options = SpineOptions
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        # The openai decomposer's defaults are the paper's: gpt-3.5-turbo, temperature 0.5, max_tokens 256.
        "paper": {"nli_model": "mnli", "decomposer": "openai"},
    }

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self.spine = Spine(self.options)

    def load(self) -> None:
        """Load the splitter, the decomposer and the NLI model."""
        self.spine.load()

    def _score(self, predictions: list[str], references: list[str]) -> Scored:
        spine = self.spine
        fallbacks = spine.decomposer.fallbacks
        claims = spine.claims([*predictions, *references])
        pairs = list(zip(claims[: len(predictions)], claims[len(predictions) :], strict=True))
        examples = [example for a, b in pairs for example in ((a.claims, b.claims), (b.claims, a.claims))]
        matrices, truncated = spine.matrices(examples)
        scores = [
            caspr_score(forward, backward)
            for forward, backward in zip(matrices[::2], matrices[1::2], strict=True)
        ]
        return Scored(
            scores=[score.score for score in scores],
            details=lambda: [
                _caspr_evidence(a, b, score, forward, backward)
                for (a, b), score, forward, backward in zip(
                    pairs, scores, matrices[::2], matrices[1::2], strict=True
                )
            ],
            counts={
                "truncated": sum(truncated),
                "fallbacks": spine.decomposer.fallbacks - fallbacks,
            },
        )

    def _signature_parts(self) -> dict[str, object]:
        return self.spine.signature_parts()


def _caspr_evidence(
    a: Claims, b: Claims, score: CasprScore, forward: Matrix, backward: Matrix
) -> dict[str, Any]:
    """Return the evidence of one pair as plain lists and dicts.

    ``labels`` holds the label of every comparison (claims of A × claims of B). Each claim has its score,
    its verdict, and ``decided_by``: the claims of the other summary it is not neutral to, with the
    probabilities (entailment, neutral, contradiction) of the claim as premise and as hypothesis.
    """

    def side(
        own: Claims, other: Claims, scores: list[int], labels: Any, out: Matrix, back: Matrix
    ) -> list[dict[str, Any]]:
        claims = []
        for i, claim in enumerate(own.claims):
            decided_by = [
                {
                    "index": j,
                    "claim": other.claims[j],
                    "label": LABELS[labels[i, j]],
                    "as_premise": [round(float(p), 4) for p in out[i, j]],
                    "as_hypothesis": [round(float(p), 4) for p in back[j, i]],
                }
                for j in np.flatnonzero(labels[i] != NEUTRAL).tolist()
            ]
            verdict = "stands alone"
            if decided_by:
                verdict = "contradicts" if scores[i] == 1 else "agrees"
            claims.append(
                {
                    "claim": claim,
                    "sentence": own.sentences[i],
                    "score": scores[i],
                    "verdict": verdict,
                    "decided_by": decided_by,
                }
            )
        return claims

    labels = score.pair_labels
    return {
        "score": score.score,
        "claims_a": side(a, b, score.claim_scores_a, labels, forward, backward),
        "claims_b": side(b, a, score.claim_scores_b, labels.T, backward, forward),
        "labels": [[LABELS[label] for label in row] for row in labels],
    }


@dataclass(frozen=True, kw_only=True)
class DistinctivenessOptions(Options):
    """Options of the Distinctiveness Score.

    Attributes:
        tokenizer: ``"words_and_punctuation"``, ``"words"``, or a function from text to tokens.
        stemmer: a Snowball language such as ``"english"``, or ``"none"``.
    """

    tokenizer: str | Callable[[str], list[str]] = "words_and_punctuation"
    stemmer: str = "english"


class DistinctivenessScore(Metric):
    """Distinctiveness Score (Iso et al. 2022, modified by the CASPR paper).

    In [0, 100]: 0 = the same bag of tokens, 100 = no token in common.
    """

    name = "distinctiveness_score"
    Options = DistinctivenessOptions
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "words": {"tokenizer": "words", "stemmer": "none"},
        "paper": {},
    }

    def load(self) -> None:
        """Load the tokenizer and the stemmer."""
        _ = self._tokens

    @cached_property
    def _tokens(self) -> Callable[[str], list[str]]:
        tokenize, stem = load_tokenizer(self.options.tokenizer), load_stemmer(self.options.stemmer)
        return lambda text: stem(tokenize(text))

    def _check_columns(self, columns: dict[str, Any]) -> None:
        if columns.get("common", ()) is None:
            del columns["common"]
        super()._check_columns({name: texts for name, texts in columns.items() if name != "common"})

    def _score(
        self, predictions: list[str], references: list[str], common: list[str] | None = None
    ) -> Scored:
        bags = [(self._tokens(a), self._tokens(b)) for a, b in zip(predictions, references, strict=True)]
        scores = []
        for row, (a, b) in enumerate(bags):
            tokens_common = self._tokens(common[row]) if common is not None else None
            try:
                scores.append(distinctiveness_score(a, b, tokens_common))
            except ClaimwiseError as error:
                raise ClaimwiseError(f"row {row}: {error}") from None

        def details() -> list[dict[str, Any]]:
            return [
                {
                    "score": score,
                    "shared": sorted(set(a) & set(b)),
                    "only_a": sorted(set(a) - set(b)),
                    "only_b": sorted(set(b) - set(a)),
                }
                for score, (a, b) in zip(scores, bags, strict=True)
            ]

        return Scored(scores, details, {})

    def _signature_parts(self) -> dict[str, object]:
        tokenizer = self.options.tokenizer
        if not isinstance(tokenizer, str):
            tokenizer = f"function {getattr(tokenizer, '__qualname__', type(tokenizer).__name__)}"
        stemmer = self.options.stemmer
        if stemmer not in (None, "none"):
            stemmer = f"{stemmer}-snowball-{version('snowballstemmer')}"
        return {"tokenizer": tokenizer, "stemmer": stemmer, "bags": "multisets"}


@dataclass(frozen=True, kw_only=True)
class InvertedBertscoreOptions(Options):
    """Options of the inverted BERTScore.

    Attributes:
        encoder: ``"default"`` (the embedded NLI checkpoint's encoder), a hub id or a folder.
        layer: the hidden layer to compare; None = the encoder's usual one.
        rescale_with_baseline: as in the ``bert-score`` package; needs an encoder it has a baseline for.
        device: ``"auto"``, ``"cpu"``, ``"cuda"`` …
        batch_size: texts at once.
    """

    encoder: str = "default"
    layer: int | None = None
    rescale_with_baseline: bool = False
    device: str = "auto"
    batch_size: int = 64


class _EncoderName(str):
    """A name in which bert-score finds no "t5": it takes any folder with that in its path for a T5 model."""

    def __contains__(self, part: object) -> bool:
        return not Path(self).is_dir() and isinstance(part, str) and super().__contains__(part)


class InvertedBertscore(Metric):
    """BS⁻¹ = 100 · (1 − BERTScore F1) (CASPR paper, Section 2.1.2): higher = less similar.

    In [0, 100] without rescaling; rescaled scores can leave that range and are not clipped.
    """

    name = "inverted_bertscore"
    Options = InvertedBertscoreOptions
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "paper": {"encoder": "roberta-large", "rescale_with_baseline": True},
    }

    def load(self) -> None:
        """Load the encoder."""
        _ = self._scorer

    @cached_property
    def _scorer(self) -> Any:
        import bert_score
        from bert_score import BERTScorer
        from bert_score.utils import model2layers

        options = self.options
        if options.batch_size < 1:
            raise ClaimwiseError(f"batch_size must be at least 1; got {options.batch_size}.")
        embedded = options.encoder == "default"
        layer = options.layer
        if layer is None:
            layer = EMBEDDED_LAYER if embedded else model2layers.get(options.encoder)
        if layer is None:
            raise ClaimwiseError(
                f"bert-score knows no usual layer for the encoder {options.encoder!r}: pass layer=."
            )
        remedy = "Check its name and layer, or work offline with encoder='default' (embedded in the package)."
        baselines = Path(bert_score.__file__).parent / "rescale_baseline" / "en"
        description = f"The encoder {options.encoder!r}"
        source = str(EMBEDDED_WEIGHTS) if embedded else options.encoder
        if check_in_reach(source, description, remedy):  # the Hub is out of reach: go by the cached folder
            source = str(checkpoint_folder(source))
        with loading(description, remedy), quiet_transformers():
            scorer = BERTScorer(
                model_type=_EncoderName(source),
                num_layers=layer,
                rescale_with_baseline=options.rescale_with_baseline,
                baseline_path=str(baselines / f"{options.encoder}.tsv"),
                lang="en" if options.rescale_with_baseline else None,
                device=str(choose_device(options.device)),
                batch_size=options.batch_size,
            )
            if options.rescale_with_baseline:
                _ = scorer.baseline_vals  # read now, so that an encoder without one is refused
        scorer._model.float()  # the embedded checkpoint is stored in float16
        # bert-score 0.3.13 truncates at this length and overflows where a tokenizer does not set it.
        scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, 512)
        return scorer

    def _score(self, predictions: list[str], references: list[str]) -> Scored:
        scorer = self._scorer
        precision, recall, f1 = (
            values.tolist()
            for values in scorer.score(predictions, references, batch_size=self.options.batch_size)
        )
        scores = [100 * (1 - value) for value in f1]
        if not self.options.rescale_with_baseline:  # rounding can leave [0, 1] by 1e-7
            scores = [min(max(score, 0.0), 100.0) for score in scores]
        longest = scorer._tokenizer.model_max_length
        too_long = sum(
            len(ids) > longest
            for ids in scorer._tokenizer([*predictions, *references], verbose=False)["input_ids"]
        )
        return Scored(
            scores,
            lambda: [
                {"score": s, "precision": p, "recall": r, "f1": f}
                for s, p, r, f in zip(scores, precision, recall, f1, strict=True)
            ],
            {"truncated": too_long},
        )

    @cached_property
    def _encoder_fingerprint(self) -> str:
        return checkpoint_fingerprint(self._scorer.model_type)

    def _signature_parts(self) -> dict[str, object]:
        scorer = self._scorer
        return {
            "encoder": self.options.encoder,
            "encoder_fingerprint": self._encoder_fingerprint,
            "layer": scorer.num_layers,
            "idf": "no",
            "rescaled": "yes" if scorer.rescale_with_baseline else "no",
            "max_length": scorer._tokenizer.model_max_length,
            "bert_score": version("bert-score"),
            "transformers": version("transformers"),
        }


METRICS: dict[str, type[Metric]] = {
    metric.name: metric for metric in (Caspr, DistinctivenessScore, InvertedBertscore)
}


def load(name: str, config_name: str = "default", **options: Any) -> Metric:
    """Return the metric called ``name``; see its class for the options.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option.
    """
    if name not in METRICS:
        raise ClaimwiseError(f"Unknown metric {name!r}. Choose one of {', '.join(METRICS)}.")
    return METRICS[name](config_name, **options)
