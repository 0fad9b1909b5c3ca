"""SummaC-ZS: how well each sentence or claim of a summary is supported by its source (Laban et al. 2022)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, get_args

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import EntailmentEvidence, SourcePremise
from claimwise.judges.filter import BestBy
from claimwise.judges.protocol import Example
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Judged
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions
from claimwise.metrics.retrieval import JudgedText, PremiseOptions, cross_short, entailed_claims, judge_texts
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import JUDGE, JUDGED, SOURCES, SUMMARIES, VACUOUS, MetricSpec, bibtex, claims_by
from claimwise.options import choice, option
from claimwise.scores import summac
from claimwise.signature import function_name
from claimwise.text.claims import Decomposer, SentencesDecomposer
from claimwise.text.inputs import Summary, text_of
from claimwise.text.options import DecomposerOptions

HypothesisGranularity = Literal["sentence", "claim", "document"]


@dataclass(frozen=True, kw_only=True)
class SummacZsOptions(PremiseOptions, VacuousOptions, NLIOptions):
    """Options of SummaC-ZS."""

    hypothesis_granularity: HypothesisGranularity = choice(
        HypothesisGranularity, '`"sentence"`, `"claim"` (by the decomposer) or `"document"`'
    )
    scoring: str | summac.Scoring = option(
        "entailment",
        '`"entailment"` (p_e), `"entailment_minus_contradiction"` (p_e − p_c), or a function of the arrays '
        "p_e, p_n and p_c",
        choices=tuple(summac.SCORINGS),
        or_function=True,
    )
    maxima: summac.Maxima = choice(
        summac.Maxima,
        '`"joint"`: the premise with the best score; `"separate"`: the largest p_e and the largest p_c, '
        "which may come from different premises",
    )
    aggregation: summac.Aggregation = choice(
        summac.Aggregation, 'aggregation over the hypotheses: `"mean"` (soft) or `"min"` (hard)'
    )
    claims_by_sentence: bool = option(
        True, "bool; True = average the claims of a sentence, then the sentences; False = average all claims"
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
            "SummaC-ZS measures how well a summary is supported by its source. A judge compares every "
            "sentence (or claim) of the summary with parts of the source, such as pairs of consecutive "
            "sentences. Each sentence scores like its best part, and the score of the summary is their mean."
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
            "topk_scu": {"premise_granularity": "topk", "hypothesis_granularity": "claim", "judge": "vitc"},
            "sentli": {"premise_granularity": "sentence", "judge": "anli"},
            "sentli_rr": {
                "premise_granularity": "topk",
                "retrieve_by": "entailment_and_contradiction",
                "judge": "anli",
            },
        },
        choices=(JUDGE, claims_by(hypothesis_granularity="claim")),
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
        self._check_used(given, "hypothesis_granularity", "claim")
        of_topk = options.keys() & {"k", "retrieve_by", "topk_order"}
        self._check_used(sorted(of_topk), "premise_granularity", "topk")
        # Unknown for a function.
        self.counts_contradictions = self.options.scoring == "entailment_minus_contradiction"

    def _check_used(self, names: Sequence[str], option: str, needed: str) -> None:
        """Refuse options that have an effect only with one value of another option."""
        if names and (value := getattr(self.options, option)) != needed:
            problem = f"{', '.join(names)}: no effect with {option}={value!r}."
            remedy = f"Add {option}={needed!r}, or remove {', '.join(names)}."
            raise ClaimwiseError(problem, remedy, option=names[0])

    @cached_property
    def decomposer(self) -> Decomposer:
        """The decomposer of sentences into hypotheses; the option is used only if hypotheses are claims."""
        return super().decomposer if self.options.hypothesis_granularity == "claim" else SentencesDecomposer()

    def english_only(self, columns: Collection[str] = ()) -> tuple[str, ...]:
        """Return the options whose parts read only English; sentences are no claims of a decomposer."""
        named = super().english_only(columns)
        splits = self.options.hypothesis_granularity == "claim"
        return tuple(option for option in named if splits or not option.startswith("decomposer="))

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        hypotheses = self._hypotheses([row.prediction for row in rows])
        premises = self.premises([row.reference or () for row in rows], self.options.premise_granularity)
        texts = [of_text.claims for of_text in hypotheses]
        judged = judge_texts(self._cross, premises, texts, self.options.retrieve)
        return [
            self.counted(self._score(of_text, of_source, of_row, details), row, [of_text], of_row.marks)
            for row, of_text, of_source, of_row in zip(rows, hypotheses, premises, judged, strict=True)
        ]

    def _hypotheses(self, summaries: Sequence[Summary]) -> list[Claims]:
        if self.options.hypothesis_granularity != "document":
            return self.claims(summaries)
        return self.checked_for_vacuous([Claims([text], [text], [0]) for text in map(text_of, summaries)])

    def _cross(self, examples: list[Example]) -> list[Judged]:
        """Judge examples; see ``cross``. Premises are truncated first if the options say so."""
        options = self.options
        one_decides = options.maxima == "joint" and options.premise_granularity != "topk"
        best_by = options.scoring if one_decides and options.scoring in get_args(BestBy) else None
        cross = partial(self.cross, best_by=best_by)
        return cross_short(cross, self.judge, options.premise_tokens, examples)

    def _score(
        self, hypotheses: Claims, premises: Sequence[SourcePremise], judged: JudgedText, details: bool
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also the best premises of its hypotheses."""
        options, deciding, best = self.options, judged.deciding.probabilities, judged.joined
        scoring = options.scoring if callable(options.scoring) else summac.SCORINGS[options.scoring]
        values = summac.hypothesis_scores(deciding, scoring, options.maxima)
        sentences = hypotheses.numbers if options.claims_by_sentence else None
        score = summac.summary_score(values, options.aggregation, sentences)
        if not details:
            return RowScore(score=score)
        probabilities = deciding[0]  # of the joined premises
        if best is None:
            best = summac.best_premises(deciding, scoring, options.maxima)
            probabilities = deciding[[deciders[0] for deciders in best], range(len(best))]
        evidence = EntailmentEvidence(
            score=score,
            hypotheses=entailed_claims(
                hypotheses, values, premises, judged.matrix, best, probabilities=probabilities
            ),
            premises=tuple(premises),
            truncated=judged.marks.truncated,
            vacuous=hypotheses.vacuous or (),
        )
        return RowScore(score=score, evidence=evidence)

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        by_sentence = {"claims_by_sentence": options.claims_by_sentence}
        return {
            **super()._signature_parts(),
            "premises": options.premise_granularity,
            "hypotheses": options.hypothesis_granularity,
            "scoring": function_name(options.scoring) if callable(options.scoring) else options.scoring,
            "maxima": options.maxima,
            "aggregation": options.aggregation,
            "vacuous_claims": options.vacuous_claims,
            **(by_sentence if options.hypothesis_granularity == "claim" else {}),
            **options.retrieval_signature,
        }
