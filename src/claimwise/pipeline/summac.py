"""SummaC-ZS: how well each sentence or claim of a summary is supported by its source (Laban et al. 2022)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.nli.matrix import Example, Matrix, Predictions
from claimwise.pipeline.metric import Metric, Scored
from claimwise.pipeline.spine import Premise, Spine, VacuousOptions
from claimwise.scores.summac import (
    SCORINGS,
    Aggregation,
    Maxima,
    RetrieveBy,
    Scoring,
    TopkOrder,
    best_premises,
    hypothesis_scores,
    retrieve,
    summary_score,
)
from claimwise.text.inputs import has_content

PremiseGranularity = Literal["sentence", "two_sentences", "paragraph", "document", "topk"]
HypothesisGranularity = Literal["sentence", "claim", "document"]
CHOICES = {
    "premise_granularity": get_args(PremiseGranularity),
    "hypothesis_granularity": get_args(HypothesisGranularity),
    "maxima": get_args(Maxima),
    "aggregation": get_args(Aggregation),
    "retrieve_by": get_args(RetrieveBy),
    "topk_order": get_args(TopkOrder),
}


@dataclass(frozen=True, kw_only=True)
class SummacZsOptions(VacuousOptions):
    """Options of SummaC-ZS.

    Attributes:
        premise_granularity: ``"sentence"``, ``"two_sentences"``, ``"paragraph"``, ``"document"``, or
            ``"topk"``: the best sentences for a hypothesis, joined and scored again.
        hypothesis_granularity: ``"sentence"``, ``"claim"`` (by the decomposer) or ``"document"``.
        scoring: ``"entailment"`` (p_e), ``"entailment_minus_contradiction"`` (p_e − p_c), or a function of
            the arrays p_e, p_n and p_c.
        maxima: ``"joint"``, the premise of the best score; or ``"separate"``, the largest p_e and the largest
            p_c of any premises.
        aggregation: of the hypotheses: ``"mean"`` (soft) or ``"min"`` (hard).
        claims_by_sentence: mean of a sentence's claims first, then of the sentences; else of all claims.
        k: how many sentences ``"topk"`` retrieves.
        retrieve_by: ``"entailment"``, or ``"entailment_and_contradiction"`` for k of each.
        topk_order: in which they are joined: ``"score"``, the best first, or ``"document"``.
        premise_tokens: the longest premise, in tokens; what is longer is cut at its end.
    """

    premise_granularity: PremiseGranularity = "sentence"
    hypothesis_granularity: HypothesisGranularity = "sentence"
    scoring: str | Scoring = "entailment"
    maxima: Maxima = "joint"
    aggregation: Aggregation = "mean"
    claims_by_sentence: bool = True
    k: int = 5
    retrieve_by: RetrieveBy = "entailment"
    topk_order: TopkOrder = "score"
    premise_tokens: int | None = None


class Hypotheses(NamedTuple):
    """The hypotheses of one summary, for each the number of its sentence, and the sentences."""

    texts: list[str]
    numbers: list[int]
    sentences: list[str]

    def without(self, dropped: Sequence[str]) -> Hypotheses:
        """Return the hypotheses that are not ``dropped``; all of them if none would be left."""
        kept = [i for i, text in enumerate(self.texts) if text not in dropped]
        if not kept:
            return self
        return Hypotheses([self.texts[i] for i in kept], [self.numbers[i] for i in kept], self.sentences)


class Support(NamedTuple):
    """What supports the hypotheses of one summary.

    Attributes:
        matrix: ``[premises, hypotheses, 3]``.
        scored: what the scores are made of: ``matrix``, or ``[1, hypotheses, 3]`` of the joined premises.
        best: the numbers of the best premises of each hypothesis.
    """

    matrix: Matrix
    scored: Matrix
    best: list[list[int]]


class SummacZs(Metric):
    """SummaC-ZS (Laban et al. 2022), its variants (Glover et al. 2022) and SENTLI (Schuster et al. 2022).

    In [0, 1] with p_e, in [−1, 1] with p_e − p_c; higher = better supported.
    """

    name = "summac_zs"
    Options = SummacZsOptions
    references_are = "sources"
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "summac": {
            "scoring": "entailment_minus_contradiction",
            "maxima": "separate",
            "nli_model": "vitc",
        },
        "glover": {"premise_granularity": "document", "premise_tokens": 500, "nli_model": "vitc"},
        "topk": {"premise_granularity": "topk", "nli_model": "vitc"},
        "sentli": {"nli_model": "anli"},
        "sentli_rr": {
            "premise_granularity": "topk",
            "retrieve_by": "entailment_and_contradiction",
            "nli_model": "anli",
        },
    }

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        _check(self.options)
        scoring = self.options.scoring
        self._scoring: Scoring = SCORINGS[scoring] if isinstance(scoring, str) else scoring
        by_claims = self.options.hypothesis_granularity == "claim"
        self.spine = Spine(self.options if by_claims else replace(self.options, decomposer="sentences"))

    def load(self) -> None:
        """Load the splitter, the decomposer and the NLI model."""
        self.spine.load()

    def _score(self, predictions: list[str], references: list[list[str]]) -> Scored:
        options = self.options
        fallbacks = self.spine.decomposer.fallbacks
        hypotheses = self._hypotheses(predictions)
        vacuous = self.spine.vacuous([of_summary.texts for of_summary in hypotheses])
        if options.vacuous_claims == "drop":
            hypotheses = [
                of_summary.without(of_it) for of_summary, of_it in zip(hypotheses, vacuous, strict=True)
            ]
        premises = [self._premises(source) for source in references]
        supports, truncated = self._supports(premises, hypotheses)
        of_hypotheses = [hypothesis_scores(s.scored, self._scoring, options.maxima) for s in supports]
        scores = [
            summary_score(values, options.aggregation, of.numbers if options.claims_by_sentence else None)
            for values, of in zip(of_hypotheses, hypotheses, strict=True)
        ]
        return Scored(
            scores=scores,
            details=lambda: [
                {
                    "score": score,
                    "truncated": cut,
                    "hypotheses": _evidence(of_summary, values, source, support),
                    "premises": [premise._asdict() for premise in source],
                    "vacuous": of_it,
                }
                for score, cut, of_summary, values, source, support, of_it in zip(
                    scores, truncated, hypotheses, of_hypotheses, premises, supports, vacuous, strict=True
                )
            ],
            counts={
                "truncated": sum(truncated),
                "fallbacks": self.spine.decomposer.fallbacks - fallbacks,
                "vacuous": sum(map(len, vacuous)),
            },
        )

    def _hypotheses(self, summaries: list[str]) -> list[Hypotheses]:
        if self.options.hypothesis_granularity == "document":
            return [Hypotheses([summary], [0], [summary]) for summary in summaries]
        sentences = [self.spine.splitter(summary) for summary in summaries]
        distinct = list(dict.fromkeys(itertools.chain.from_iterable(sentences)))
        claims = dict(zip(distinct, self.spine.decomposer(distinct), strict=True))
        return [
            Hypotheses(
                texts=[claim for sentence in of_summary for claim in claims[sentence]],
                numbers=[n for n, sentence in enumerate(of_summary) for _ in claims[sentence]],
                sentences=of_summary,
            )
            for of_summary in sentences
        ]

    def _premises(self, source: list[str]) -> list[Premise]:
        granularity = self.options.premise_granularity
        if granularity == "document":
            return [Premise(" ".join(source), 0, 0)]
        premises = []
        for number, review in enumerate(source):
            if granularity == "paragraph":
                position = 0
                for paragraph in _paragraphs(review):
                    premises.append(Premise(paragraph, number, position))
                    position += len(self.spine.splitter(paragraph))
                continue
            sentences = self.spine.splitter(review)
            width = 2 if granularity == "two_sentences" else 1
            premises += [
                Premise(" ".join(sentences[i : i + width]), number, i) for i in range(len(sentences))
            ]
        return premises

    def _supports(
        self, premises: list[list[Premise]], hypotheses: list[Hypotheses]
    ) -> tuple[list[Support], list[int]]:
        """Return what supports each summary, and how many of its comparisons were truncated."""
        options = self.options
        predictions = self._predict(
            [([p.premise for p in ps], hs.texts) for ps, hs in zip(premises, hypotheses, strict=True)]
        )
        matrices = [of_summary.probabilities for of_summary in predictions]
        truncated = [int(of_summary.truncated.sum()) for of_summary in predictions]
        if options.premise_granularity != "topk":
            best = [best_premises(matrix, self._scoring, options.maxima) for matrix in matrices]
            return [Support(m, m, b) for m, b in zip(matrices, best, strict=True)], truncated
        retrieved = [retrieve(m, options.k, options.retrieve_by, options.topk_order) for m in matrices]
        again = self._predict(
            [
                ([" ".join(ps[i].premise for i in chosen)], [hypothesis])
                for ps, hs, of_summary in zip(premises, hypotheses, retrieved, strict=True)
                for hypothesis, chosen in zip(hs.texts, of_summary, strict=True)
            ]
        )
        supports = []
        for number, (matrix, chosen) in enumerate(zip(matrices, retrieved, strict=True)):
            joined, again = again[: len(chosen)], again[len(chosen) :]
            scored = np.concatenate([of_one.probabilities for of_one in joined], axis=1)
            supports.append(Support(matrix, scored, chosen))
            truncated[number] += sum(int(of_one.truncated.sum()) for of_one in joined)
        return supports, truncated

    def _predict(self, examples: list[Example]) -> list[Predictions]:
        """Score examples whose premises are cut to ``premise_tokens`` first; one that is cut is truncated."""
        model, limit = self.spine.nli_model, self.options.premise_tokens
        if limit is None:
            return model.predict_examples(examples)
        premises = list(dict.fromkeys(premise for premises, _ in examples for premise in premises))
        shortened = dict(zip(premises, model.shorten(premises, limit), strict=True))
        predictions = model.predict_examples(
            [([shortened[premise] for premise in premises], hypotheses) for premises, hypotheses in examples]
        )
        was_cut = [
            np.array([[shortened[premise] != premise] for premise in premises]) for premises, _ in examples
        ]
        return [
            Predictions(of_example.probabilities, of_example.truncated | cut)
            for of_example, cut in zip(predictions, was_cut, strict=True)
        ]

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        parts: dict[str, object] = {
            **self.spine.signature_parts(),
            "premises": options.premise_granularity,
            "hypotheses": options.hypothesis_granularity,
            "scoring": options.scoring,
            "maxima": options.maxima,
            "aggregation": options.aggregation,
            "vacuous_claims": options.vacuous_claims,
        }
        if callable(options.scoring):
            name = getattr(options.scoring, "__qualname__", type(options.scoring).__name__)
            parts["scoring"] = f"function {name}"
        if options.hypothesis_granularity == "claim":
            parts["claims_by_sentence"] = options.claims_by_sentence
        if options.premise_granularity == "topk":
            parts |= {name: getattr(options, name) for name in ("k", "retrieve_by", "topk_order")}
        if options.premise_tokens is not None:
            parts["premise_tokens"] = options.premise_tokens
        return parts


def _check(options: SummacZsOptions) -> None:
    for name, choices in CHOICES.items():
        if (choice := getattr(options, name)) not in choices:
            raise ClaimwiseError(f"{name} must be one of {', '.join(map(repr, choices))}; got {choice!r}.")
    if not callable(options.scoring) and options.scoring not in list(SCORINGS):
        raise ClaimwiseError(
            f"scoring must be one of {', '.join(map(repr, SCORINGS))} or a function of p_e, p_n and p_c; got "
            f"{options.scoring!r}."
        )
    for name in ("k", "premise_tokens"):
        number = getattr(options, name)
        if number is not None and (not isinstance(number, int) or number < 1):
            raise ClaimwiseError(f"{name} must be a whole number of at least 1; got {number!r}.")


def _paragraphs(text: str) -> list[str]:
    """Split at blank lines, or at line breaks where there are none, as the released code of SummaC does."""
    blank_line = r"\n[^\S\n]*\n"
    text = text.strip()
    pieces = re.split(blank_line if re.search(blank_line, text) else r"\n", text)
    return [piece.strip() for piece in pieces if has_content(piece)]


def _evidence(
    hypotheses: Hypotheses, scores: Sequence[float], premises: list[Premise], support: Support
) -> list[dict[str, Any]]:
    """Return per hypothesis its score and its best premises, each with its place and its probabilities.

    Where premises were joined, the probabilities of the hypothesis are those of the joined premise; else they
    are the best premise's.
    """

    def rounded(probabilities: Sequence[float]) -> list[float]:
        return [round(float(p), 4) for p in probabilities]

    evidence = []
    for column, (hypothesis, number) in enumerate(zip(hypotheses.texts, hypotheses.numbers, strict=True)):
        best = support.best[column]
        scored = support.scored if len(support.scored) == 1 else support.matrix[best[:1]]
        evidence.append(
            {
                "hypothesis": hypothesis,
                "sentence": hypotheses.sentences[number],
                "score": float(scores[column]),
                "probabilities": rounded(scored[0, column]),
                "premises": [
                    {**premises[i]._asdict(), "probabilities": rounded(support.matrix[i, column])}
                    for i in best
                ],
            }
        )
    return evidence
