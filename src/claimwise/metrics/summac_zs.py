"""SummaC-ZS: how well each sentence or claim of a summary is supported by its source (Laban et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import EntailmentEvidence, SourcePremise, entailed
from claimwise.judges.filter import BestBy
from claimwise.judges.protocol import Example, Matrix
from claimwise.metrics.citations import bibtex
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Judged, Marks, cross_joined
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions
from claimwise.metrics.premises import PremiseGranularity, texts_of
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import JUDGE, JUDGED, SOURCES, SUMMARIES, VACUOUS, Choice, MetricSpec
from claimwise.options import choice, option
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
from claimwise.signature import function_name
from claimwise.text.claims import Decomposer, SentencesDecomposer
from claimwise.text.inputs import Summary, text_of
from claimwise.text.options import DecomposerOptions

HypothesisGranularity = Literal["sentence", "claim", "document"]


@dataclass(frozen=True, kw_only=True)
class SummacZsOptions(VacuousOptions, NLIOptions):
    """Options of SummaC-ZS."""

    premise_granularity: PremiseGranularity = option(
        "two_sentences",
        '`"sentence"`, `"two_sentences"` (each sentence and the next), `"paragraph"`, `"document"`, or '
        '`"topk"`: the best sentences for a hypothesis, joined and scored again',
        choices=get_args(PremiseGranularity),
    )
    hypothesis_granularity: HypothesisGranularity = choice(
        HypothesisGranularity, '`"sentence"`, `"claim"` (by the decomposer) or `"document"`'
    )
    scoring: str | Scoring = option(
        "entailment",
        '`"entailment"` (p_e), `"entailment_minus_contradiction"` (p_e − p_c), or a function of the arrays '
        "p_e, p_n and p_c",
        choices=tuple(SCORINGS),
        or_function=True,
    )
    maxima: Maxima = choice(
        Maxima,
        '`"joint"`: the premise with the best score; `"separate"`: the largest p_e and the largest p_c, '
        "which may come from different premises",
    )
    aggregation: Aggregation = choice(
        Aggregation, 'aggregation over the hypotheses: `"mean"` (soft) or `"min"` (hard)'
    )
    claims_by_sentence: bool = option(
        True, "bool; True = average the claims of a sentence, then the sentences; False = average all claims"
    )
    k: int = option(5, 'number of sentences that `"topk"` retrieves', at_least=1)
    retrieve_by: RetrieveBy = choice(
        RetrieveBy, '`"entailment"`, or `"entailment_and_contradiction"` (k sentences for each)'
    )
    topk_order: TopkOrder = option(
        "score",
        'order of the joined sentences: `"score"`, the best first, or `"document"`',
        choices=get_args(TopkOrder),
    )
    premise_tokens: int | None = option(
        None, "maximum tokens of a premise; longer premises are truncated at the end", at_least=1
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
            "every sentence (or claim) of the summary with every pair of consecutive sentences of the "
            "source, or with single sentences, paragraphs, the whole document, or the best sentences joined; "
            "the score of a summary sentence is the score of its best premise, and the score of the summary "
            "is the mean or the minimum over its sentences."
        ),
        bounds=(-1, 1),
        quality="fully supported",
        ends=("not supported", "fully supported"),
        better="higher",
        columns=(SUMMARIES.or_claims, SOURCES),
        counts=JUDGED | VACUOUS,
        configurations={
            "default": {},
            "summac": {
                "premise_granularity": "sentence",
                "scoring": "entailment_minus_contradiction",
                "maxima": "separate",
                "judge": "vitc",
            },
            "glover": {"premise_granularity": "document", "premise_tokens": 500, "judge": "vitc"},
            "topk": {"premise_granularity": "topk", "judge": "vitc"},
            "sent_scu": {
                "premise_granularity": "sentence",
                "hypothesis_granularity": "claim",
                "judge": "vitc",
            },
            "topk_scu": {
                "premise_granularity": "topk",
                "hypothesis_granularity": "claim",
                "judge": "vitc",
            },
            "sentli": {"premise_granularity": "sentence", "judge": "anli"},
            "sentli_rr": {
                "premise_granularity": "topk",
                "retrieve_by": "entailment_and_contradiction",
                "judge": "anli",
            },
        },
        choices=(
            JUDGE,
            Choice(
                title="Claims",
                values={
                    "sentences: each is one claim": {},
                    "default: a network writes them": {"hypothesis_granularity": "claim"},
                },
            ),
        ),
        attributions="strip",
        beside={"support_counts": {"support": "sentences"}},
        source="Laban et al. 2022; Glover et al. 2022; SENTLI: Schuster et al. 2022",
        citation=bibtex("laban2022summac", "glover2022decomposition"),
        urls=("https://github.com/tingofurro/summac",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        chosen = {**self.configurations[config_name], **options}
        given = [name for name in DecomposerOptions.names() if chosen.get(name) is not None]
        if chosen.get("decomposer") == "sentences":  # which is the behaviour anyway
            given.remove("decomposer")
        if given and (granularity := self.options.hypothesis_granularity) != "claim":
            raise ClaimwiseError(
                f"{', '.join(given)}: no effect with hypothesis_granularity={granularity!r}, which uses no "
                "decomposer.",
                f"Add hypothesis_granularity='claim', or remove {', '.join(given)}.",
                option=given[0],
            )
        # Unknown for a function.
        self.counts_contradictions = self.options.scoring == "entailment_minus_contradiction"

    @cached_property
    def decomposer(self) -> Decomposer:
        """The decomposer of sentences into hypotheses; the option is used only if hypotheses are claims."""
        return super().decomposer if self.options.hypothesis_granularity == "claim" else SentencesDecomposer()

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        hypotheses = self._hypotheses([row.prediction for row in rows])
        premises = self.premises([row.reference or () for row in rows], self.options.premise_granularity)
        texts, claims = list(map(texts_of, premises)), [of_text.claims for of_text in hypotheses]
        judged = self._judge(list(zip(texts, claims, strict=True)), self._best_by)
        joined: Sequence[Judged | None] = [None] * len(rows)
        if self.options.premise_granularity == "topk":
            chosen = [self._retrieved(of_row.probabilities) for of_row in judged]
            joined = cross_joined(self._judge, texts, claims, chosen)
        scored = []
        for row, of_text, of_source, j, again in zip(rows, hypotheses, premises, judged, joined, strict=True):
            marks = j.marks + (Marks() if again is None else again.marks)
            score = self._score(of_text, of_source, j, again, marks.truncated, details)
            scored.append(self.counted(score, row, [of_text], marks))
        return scored

    def _hypotheses(self, summaries: Sequence[Summary]) -> list[Claims]:
        """Return the hypotheses of each summary."""
        if self.options.hypothesis_granularity != "document":
            return self.claims(summaries)
        return self.checked_for_vacuous([Claims([text], [text], [0]) for text in map(text_of, summaries)])

    def _judge(self, examples: Sequence[Example], best_by: BestBy | None = None) -> list[Judged]:
        """Judge examples; see ``cross``. Premises are truncated to ``premise_tokens`` first."""
        tokens = self.options.premise_tokens
        if tokens is None:
            return self.cross(examples, best_by)
        if (shorten := getattr(self.judge, "shorten", None)) is None:
            raise ClaimwiseError(
                f"premise_tokens={tokens} needs a judge that counts tokens; this judge does not.",
                "Leave it out, or use a local NLI model.",
                option="premise_tokens",
            )
        distinct = list(dict.fromkeys(premise for premises, _ in examples for premise in premises))
        short = dict(zip(distinct, shorten(distinct, tokens), strict=True))
        judged = self.cross([([short[p] for p in premises], h) for premises, h in examples], best_by)
        return [
            of_example.with_truncated(np.array([[short[premise] != premise] for premise in premises]))
            for of_example, (premises, _) in zip(judged, examples, strict=True)
        ]

    def _score(
        self,
        hypotheses: Claims,
        premises: Sequence[SourcePremise],
        judged: Judged,
        joined: Judged | None,
        truncated: int,
        details: bool,
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also the best premises of its hypotheses.

        Args:
            hypotheses: hypotheses of the summary.
            premises: premises of the source.
            judged: every premise with every hypothesis.
            joined: the retrieved premises of each hypothesis, joined; None = they are not joined.
            truncated: number of truncated comparisons.
            details: whether to return evidence.
        """
        options, scoring, matrix = self.options, self._scoring, judged.probabilities
        scored = matrix if joined is None else joined.probabilities
        values = hypothesis_scores(scored, scoring, options.maxima)
        score = summary_score(
            values, options.aggregation, hypotheses.numbers if options.claims_by_sentence else None
        )
        evidence = None
        if details:
            if joined is None:
                best = best_premises(matrix, scoring, options.maxima)
                probabilities = matrix[[of_one[0] for of_one in best], range(len(best))]
            else:
                best, probabilities = self._retrieved(matrix), scored[0]
            evidence = EntailmentEvidence(
                score=score,
                hypotheses=entailed(
                    hypotheses.claims,
                    hypotheses.sentences,
                    values.tolist(),
                    premises,
                    matrix,
                    best,
                    probabilities=probabilities,
                ),
                premises=tuple(premises),
                truncated=truncated,
                vacuous=hypotheses.vacuous or (),
            )
        return RowScore(score=score, evidence=evidence)

    def _retrieved(self, matrix: Matrix) -> list[list[int]]:
        """Return the indices of the premises that are joined for each hypothesis."""
        return retrieve(matrix, self.options.k, self.options.retrieve_by, self.options.topk_order)

    @property
    def _scoring(self) -> Scoring:
        scoring = self.options.scoring
        return SCORINGS[scoring] if isinstance(scoring, str) else scoring

    @property
    def _best_by(self) -> BestBy | None:
        """The score whose maximum decides; None if several premises may decide."""
        options = self.options
        decides = options.maxima == "joint" and options.premise_granularity != "topk"
        return cast(BestBy, options.scoring) if decides and options.scoring in get_args(BestBy) else None

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
            parts["scoring"] = function_name(options.scoring)
        if options.hypothesis_granularity == "claim":
            parts["claims_by_sentence"] = options.claims_by_sentence
        if options.premise_granularity == "topk":
            parts |= {name: getattr(options, name) for name in ("k", "retrieve_by", "topk_order")}
        if options.premise_tokens is not None:
            parts["premise_tokens"] = options.premise_tokens
        return parts
