"""SummaC-ZS: how well each sentence or claim of a summary is supported by its source (Laban et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import EntailedHypothesis, EntailmentEvidence, SourcePremise
from claimwise.metrics.base import Row, RowScore
from claimwise.metrics.citations import GLOVER_2022, LABAN_2022
from claimwise.metrics.judging import Notes, rounded
from claimwise.metrics.spec import (
    FALLBACKS,
    NLI_MODEL,
    SOURCES,
    SUMMARIES,
    TRUNCATED,
    VACUOUS,
    Choice,
    MetricSpec,
)
from claimwise.metrics.steps import (
    Claims,
    NLIMetric,
    NLIOptions,
    PremiseGranularity,
    VacuousOptions,
    check_choice,
    check_vacuous,
    texts_of,
)
from claimwise.nli.filter import BestBy
from claimwise.nli.protocol import Matrix
from claimwise.options import option
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
from claimwise.text.claims import Decomposer, SentencesDecomposer
from claimwise.text.options import DecomposerOptions

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
class SummacZsOptions(VacuousOptions, NLIOptions):
    """Options of SummaC-ZS."""

    premise_granularity: PremiseGranularity = option(
        "two_sentences",
        '`"sentence"`, `"two_sentences"` (each and the next), `"paragraph"`, `"document"`, or `"topk"`: the '
        "best sentences for a hypothesis, joined and scored again",
    )
    hypothesis_granularity: HypothesisGranularity = option(
        "sentence", '`"sentence"`, `"claim"` (by the decomposer) or `"document"`'
    )
    scoring: str | Scoring = option(
        "entailment",
        '`"entailment"` (p_e), `"entailment_minus_contradiction"` (p_e − p_c), or a function of the arrays '
        "p_e, p_n and p_c",
    )
    maxima: Maxima = option(
        "joint",
        '`"joint"`, the premise of the best score; or `"separate"`, the largest p_e and the largest p_c of '
        "any premises",
    )
    aggregation: Aggregation = option("mean", 'of the hypotheses: `"mean"` (soft) or `"min"` (hard)')
    claims_by_sentence: bool = option(
        True, "bool; mean of a sentence's claims first, then of the sentences; False = of all claims"
    )
    k: int = option(5, 'how many sentences `"topk"` retrieves')
    retrieve_by: RetrieveBy = option(
        "entailment", '`"entailment"`, or `"entailment_and_contradiction"` for k of each'
    )
    topk_order: TopkOrder = option(
        "score", 'in which they are joined: `"score"`, the best first, or `"document"`'
    )
    premise_tokens: int | None = option(
        None, "the longest premise, in tokens; what is longer is cut at its end"
    )


class SummacZs(NLIMetric):
    """SummaC-ZS (Laban et al. 2022), its variants (Glover et al. 2022) and SENTLI (Schuster et al. 2022).

    In [0, 1] with p_e, in [−1, 1] with p_e − p_c; higher = better supported.
    """

    Options = SummacZsOptions
    spec = MetricSpec(
        name="summac_zs",
        title="SummaC-ZS",
        family="factuality",
        question="does the source support each sentence (or claim)?",
        description=(
            "SummaC-ZS measures how well a summary is supported by its source. An NLI model compares "
            "every sentence (or claim) of the summary with every two sentences of the source in a row, or "
            "with single sentences, paragraphs, the whole document, or the best sentences joined; each "
            "sentence of the summary scores what its best premise gives, and the summary scores the mean or "
            "the minimum of its sentences."
        ),
        bounds=(-1, 1),
        ends=("not supported", "fully supported"),
        better="higher",
        columns=(SUMMARIES, SOURCES),
        rows="summary",
        mean_over="summaries",
        counts={"truncated": TRUNCATED, "fallbacks": FALLBACKS, "vacuous": VACUOUS},
        configurations={
            "default": {},
            "summac": {
                "premise_granularity": "sentence",
                "scoring": "entailment_minus_contradiction",
                "maxima": "separate",
                "nli_model": "vitc",
            },
            "glover": {"premise_granularity": "document", "premise_tokens": 500, "nli_model": "vitc"},
            "topk": {"premise_granularity": "topk", "nli_model": "vitc"},
            "sent_scu": {
                "premise_granularity": "sentence",
                "hypothesis_granularity": "claim",
                "nli_model": "vitc",
            },
            "topk_scu": {
                "premise_granularity": "topk",
                "hypothesis_granularity": "claim",
                "nli_model": "vitc",
            },
            "sentli": {"premise_granularity": "sentence", "nli_model": "anli"},
            "sentli_rr": {
                "premise_granularity": "topk",
                "retrieve_by": "entailment_and_contradiction",
                "nli_model": "anli",
            },
        },
        choices=(
            NLI_MODEL,
            Choice(
                title="Claims",
                values={
                    "sentences: each is one claim": {},
                    "clauses: a parser splits them": {
                        "hypothesis_granularity": "claim",
                        "decomposer": "clauses",
                    },
                },
            ),
        ),
        beside={"support_counts": {"decomposer": "sentences"}},
        source="Laban et al. 2022; Glover et al. 2022; SENTLI: Schuster et al. 2022",
        citation=LABAN_2022 + GLOVER_2022,
        urls=("https://github.com/tingofurro/summac",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        _check(self.options)

    @cached_property
    def decomposer(self) -> Decomposer:
        """The decomposer of sentences into hypotheses; that of the options for claims alone."""
        return super().decomposer if self.options.hypothesis_granularity == "claim" else SentencesDecomposer()

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also the best premises of its hypotheses."""
        options, scoring = self.options, self._scoring
        hypotheses, vacuous = self.claims_and_vacuous(self._hypotheses([row.prediction for row in rows]))
        granularity = options.premise_granularity
        premises = self.premises([row.reference or () for row in rows], granularity)
        examples = [(texts_of(ps), hs.claims) for ps, hs in zip(premises, hypotheses, strict=True)]
        predictions = self.judgements(examples, options.premise_tokens, self._best_by)
        notes = [Notes.of([one], [found]) for one, found in zip(examples, predictions, strict=True)]
        matrices = [of_summary.probabilities for of_summary in predictions]
        truncated = [int(of_summary.truncated.sum()) for of_summary in predictions]
        if granularity == "topk":
            scored, best, truncated_again = self._joined(premises, hypotheses, matrices, notes)
            truncated = [sum(counts) for counts in zip(truncated, truncated_again, strict=True)]
        else:
            scored = matrices
            best = [best_premises(matrix, scoring, options.maxima) for matrix in matrices]

        row_scores = []
        for of_summary, of_source, matrix, of_scored, of_best, cut, says_nothing, noted in zip(
            hypotheses, premises, matrices, scored, best, truncated, vacuous, notes, strict=True
        ):
            values = hypothesis_scores(of_scored, scoring, options.maxima)
            score = summary_score(
                values, options.aggregation, of_summary.numbers if options.claims_by_sentence else None
            )
            evidence = None
            if details:
                evidence = EntailmentEvidence(
                    score=score,
                    hypotheses=_evidence(of_summary, values.tolist(), of_source, matrix, of_scored, of_best),
                    premises=tuple(of_source),
                    truncated=cut,
                    vacuous=tuple(says_nothing),
                )
            row_scores.append(
                noted.of_claims([of_summary]).on(
                    RowScore(
                        score=score,
                        counts={
                            "truncated": cut,
                            "fallbacks": of_summary.fallbacks,
                            "vacuous": len(says_nothing),
                        },
                        evidence=evidence,
                    )
                )
            )
        return row_scores

    @property
    def _scoring(self) -> Scoring:
        scoring = self.options.scoring
        return SCORINGS[scoring] if isinstance(scoring, str) else scoring

    @property
    def _best_by(self) -> BestBy | None:
        """The score whose highest value decides alone; None where more than one premise may decide."""
        options = self.options
        decides = options.maxima == "joint" and options.premise_granularity != "topk"
        return cast(BestBy, options.scoring) if decides and options.scoring in get_args(BestBy) else None

    def _hypotheses(self, summaries: list[str]) -> list[Claims]:
        if self.options.hypothesis_granularity == "document":
            return [Claims([summary], [summary], [0]) for summary in summaries]
        return self.claims(summaries)

    def _joined(
        self,
        premises: list[list[SourcePremise]],
        hypotheses: list[Claims],
        matrices: list[Matrix],
        notes: list[Notes],
    ) -> tuple[list[Matrix], list[list[list[int]]], list[int]]:
        """Join the best sentences for each hypothesis, and score it with them.

        Returns:
            Per summary the matrix ``[1, hypotheses, 3]`` of the joined premises, the numbers of the sentences
            that were joined for each hypothesis, and how many of the comparisons were truncated.
        """
        options = self.options
        retrieved = [retrieve(m, options.k, options.retrieve_by, options.topk_order) for m in matrices]
        judged = self.judgements_of_joined(
            premises, [of_summary.claims for of_summary in hypotheses], retrieved, options.premise_tokens
        )
        for noted, (examples, predictions) in zip(notes, judged, strict=True):
            noted.extend(Notes.of(examples, predictions))
        of_summaries = [predictions for _, predictions in judged]
        return (
            [np.concatenate([of.probabilities for of in joined], axis=1) for joined in of_summaries],
            retrieved,
            [sum(int(of.truncated.sum()) for of in joined) for joined in of_summaries],
        )

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        parts: dict[str, object] = {
            **super()._signature_parts(),
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
    check_vacuous(options)
    for name, choices in CHOICES.items():
        check_choice(name, getattr(options, name), choices)
    if not callable(options.scoring) and options.scoring not in list(SCORINGS):
        raise ClaimwiseError(
            f"scoring must be one of {', '.join(map(repr, SCORINGS))} or a function of p_e, p_n and p_c; got "
            f"{options.scoring!r}.",
            option="scoring",
        )
    for name in ("k", "premise_tokens"):
        number = getattr(options, name)
        if number is not None and (not isinstance(number, int) or number < 1):
            raise ClaimwiseError(f"{name} must be a whole number of at least 1; got {number!r}.", option=name)
    given = options.changed(DecomposerOptions)
    if given.get("decomposer") == "sentences":  # which is what happens anyhow
        del given["decomposer"]
    if given and options.hypothesis_granularity != "claim":
        raise ClaimwiseError(
            f"{', '.join(given)}: nothing is decomposed with "
            f"hypothesis_granularity={options.hypothesis_granularity!r}.",
            "Add hypothesis_granularity='claim', or leave it out.",
            option=next(iter(given)),
        )


def _evidence(
    hypotheses: Claims,
    scores: Sequence[float],
    premises: Sequence[SourcePremise],
    matrix: Matrix,
    scored: Matrix,
    best: Sequence[Sequence[int]],
) -> tuple[EntailedHypothesis, ...]:
    """Return per hypothesis its score and its best premises, each with its place and its probabilities.

    Where premises were joined, the probabilities of the hypothesis are those of the joined premise; else they
    are the best premise's.
    """
    return tuple(
        EntailedHypothesis(
            hypothesis=hypothesis,
            sentence=sentence,
            score=scores[column],
            probabilities=rounded(scored[0, column] if len(scored) == 1 else matrix[best[column][0], column]),
            premises=with_probabilities(premises, matrix, column, best[column]),
        )
        for column, (hypothesis, sentence) in enumerate(
            zip(hypotheses.claims, hypotheses.sentences, strict=True)
        )
    )


def with_probabilities(
    premises: Sequence[SourcePremise], matrix: Matrix, hypothesis: int, chosen: Sequence[int]
) -> tuple[SourcePremise, ...]:
    """Return the chosen premises with their probabilities for one hypothesis."""
    return tuple(
        SourcePremise(
            premise=premises[row].premise,
            review=premises[row].review,
            position=premises[row].position,
            probabilities=rounded(matrix[row, hypothesis]),
        )
        for row in chosen
    )
