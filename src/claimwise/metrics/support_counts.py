"""Support counts: the review sentences that support each claim of a summary (Bhaskar et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from claimwise.evidence.support import SourcePremise, counted, support_sizes
from claimwise.judges.protocol import Matrix
from claimwise.metrics.citations import bibtex
from claimwise.metrics.claims import Claims
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions
from claimwise.metrics.premises import texts_of
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import CLAIMS, JUDGE, JUDGED, SOURCES, SUMMARIES, VACUOUS, Further, MetricSpec
from claimwise.options import option
from claimwise.scores.support import (
    THRESHOLD,
    claim_scores,
    share_supported,
    support_percent,
    support_percent_of_table_6,
    top_score,
)


@dataclass(frozen=True, kw_only=True)
class SupportCountsOptions(VacuousOptions, NLIOptions):
    """Options of the support counts."""

    threshold: float = option(
        THRESHOLD,
        "minimum score (entailment − contradiction) of a sentence that supports a claim, 0 to 1",
        between=(0, 1),
    )
    count_distinct_reviews: bool = option(
        False, "bool; True = count the reviews that support a claim instead of their sentences"
    )
    drop_repeated_sentences: bool = option(
        False, "bool; True = count repeated sentences of the reviews only once"
    )


class SupportCounts(NLIMetric):
    """Support set sizes and top score (Bhaskar et al. 2022, Sections 5.3 and 5.4).

    The score is the share of claims that three or more sentences of the reviews support, in [0, 1].
    """

    Options = SupportCountsOptions
    spec = MetricSpec(
        name="support_counts",
        title="Support counts",
        family="factuality",
        question="how many review sentences support each claim?",
        description=(
            "Support counts measure how well the reviews support an opinion summary. Each summary is "
            "split into claims, an NLI model compares every claim with every sentence of the reviews, and "
            "a sentence supports a claim when the probability of entailment exceeds that of contradiction "
            "by at least 0.75. The score is the share of claims with three or more supporting sentences; "
            "the top score is how strongly the best sentence supports a claim."
        ),
        bounds=(0, 1),
        quality="fully supported",
        ends=("no claim is supported three times", "every claim has three supporting sentences"),
        better="higher",
        columns=(SUMMARIES.or_claims, SOURCES),
        mean_over="claims",
        further={"support_counts_top_score": Further(title="top score", bounds=(-1, 1), weighted=True)},
        counts=JUDGED | VACUOUS,
        configurations={"default": {}, "paper": {"judge": "vitc", "decomposer": "openai:gpt-3.5-turbo"}},
        choices=(JUDGE, CLAIMS),
        attributions="strip",
        source="Bhaskar et al. 2022, Sections 5.3 and 5.4",
        citation=bibtex("bhaskar2022zeroshot"),
        urls=("https://github.com/testzer0/ZS-Summ-GPT3",),
    )

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        claims = self.claims([row.prediction for row in rows])
        premises = self.premises([row.reference or () for row in rows])
        judged = self.cross(
            [(texts_of(p), of_text.claims) for p, of_text in zip(premises, claims, strict=True)]
        )
        return [
            self.counted(self._score(of_text, p, j.probabilities, details), row, [of_text], j.marks)
            for row, of_text, p, j in zip(rows, claims, premises, judged, strict=True)
        ]

    def _score(
        self, claims: Claims, premises: Sequence[SourcePremise], matrix: Matrix, details: bool
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also the supporting and weakening sentences."""
        options, scores = self.options, claim_scores(matrix)
        counting = {
            "count_distinct_reviews": options.count_distinct_reviews,
            "drop_repeated_sentences": options.drop_repeated_sentences,
        }
        sizes = support_sizes(scores, premises, options.threshold, **counting)
        top_scores = [top_score(of_claim) for of_claim in scores]
        evidence = None
        if details:
            evidence = counted(
                claims.claims,
                claims.sentences,
                premises,
                scores,
                sizes,
                top_scores,
                threshold=options.threshold,
                vacuous=claims.vacuous or (),
                **counting,
            )
        return RowScore(
            score=share_supported(sizes),
            weight=float(len(sizes)),
            further={"support_counts_top_score": float(np.mean(top_scores))},
            sums={"sizes": sizes},
            evidence=evidence,
        )

    def _of_all(
        self, row_scores: Sequence[RowScore], confidence_level: float | None
    ) -> dict[str, dict[str, float]]:
        sizes = [size for row in row_scores for size in row.sums["sizes"]]
        return {
            "support_counts_percent": support_percent(sizes),
            "support_counts_percent_table_6": support_percent_of_table_6(sizes),
        }

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        return {
            **super()._signature_parts(),
            "score": "entailment-contradiction",
            "threshold": options.threshold,
            "count": "reviews" if options.count_distinct_reviews else "sentences",
            "repeated_sentences": "drop" if options.drop_repeated_sentences else "keep",
            "vacuous_claims": options.vacuous_claims,
        }
