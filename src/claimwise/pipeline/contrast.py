"""The contrast metrics: CASPR, the Distinctiveness Score and inverted BERTScore."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.nli.hub import check_in_reach, checkpoint_fingerprint, checkpoint_folder, loading
from claimwise.labels import LABELS, NEUTRAL
from claimwise.nli.matrix import Matrix
from claimwise.nli.model import EMBEDDED_WEIGHTS, choose_device, quiet_transformers
from claimwise.pipeline.metric import Metric, Options, Scored
from claimwise.pipeline.spine import Claims, Spine, VacuousOptions
from claimwise.scores.caspr import CasprScore, caspr_score
from claimwise.scores.distinctiveness import distinctiveness_score
from claimwise.text.tokens import load_stemmer, load_tokenizer

# Chosen once on pairs of the OpinionNLI training clusters (training/choose_layer.py).
EMBEDDED_LAYER = 3


class Caspr(Metric):
    """CASPR (Ananthamurugan et al.): contrast by NLI over single-claim sentences, in [0, 100].

    0 = both summaries claim the same, 100 = every claim contrasts with the other summary.
    """

    name = "caspr"
    Options = VacuousOptions
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
        vacuous = spine.vacuous([of_text.claims for of_text in claims])
        if self.options.vacuous_claims == "drop":
            claims = [of_text.without(of_it) for of_text, of_it in zip(claims, vacuous, strict=True)]
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
                {
                    **_caspr_evidence(a, b, score, forward, backward),
                    "vacuous_a": vacuous_a,
                    "vacuous_b": vacuous_b,
                }
                for (a, b), score, forward, backward, vacuous_a, vacuous_b in zip(
                    pairs,
                    scores,
                    matrices[::2],
                    matrices[1::2],
                    vacuous[: len(predictions)],
                    vacuous[len(predictions) :],
                    strict=True,
                )
            ],
            counts={
                "truncated": sum(truncated),
                "fallbacks": spine.decomposer.fallbacks - fallbacks,
                "vacuous": sum(map(len, vacuous)),
            },
        )

    def _signature_parts(self) -> dict[str, object]:
        return {**self.spine.signature_parts(), "vacuous_claims": self.options.vacuous_claims}


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
