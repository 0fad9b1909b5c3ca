"""Support counts: the reviews, or review sentences, that support each claim (Bhaskar et al. 2022)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import SourcePremise, counted, support_sizes
from claimwise.judges.protocol import Matrix
from claimwise.labels import CONTRADICTION
from claimwise.metrics.claims import Claims
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions
from claimwise.metrics.premises import reviews_of, texts_of
from claimwise.metrics.reading import check_reviews
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import (
    JUDGE,
    JUDGED,
    SOURCES,
    SUMMARIES,
    VACUOUS,
    Further,
    MetricSpec,
    bibtex,
    claims_by,
)
from claimwise.options import choice, option
from claimwise.scores.support import (
    ENOUGH,
    REVIEW_THRESHOLD,
    THRESHOLD,
    THRESHOLDS,
    Support,
    claim_scores,
    share_supported,
    support_percent,
    support_percent_of_table_6,
    top_score,
)


@dataclass(frozen=True, kw_only=True)
class SupportCountsOptions(VacuousOptions, NLIOptions):
    """Options of the support counts."""

    support: Support = choice(
        Support,
        'what supports a claim: `"reviews"` = a review as a whole, which counts with its probability of '
        'entailment; `"sentences"` = every sentence of a review, as in Bhaskar et al. 2022',
    )
    threshold: float | None = option(
        None,
        "minimum score of a review (entailment) or of a sentence (entailment − contradiction) that supports "
        f"a claim, 0 to 1; None = {REVIEW_THRESHOLD} for reviews, {THRESHOLD} for sentences",
        between=(0, 1),
    )
    count_distinct_reviews: bool = option(
        False, 'bool; True = count the reviews with a supporting sentence; only with `support="sentences"`'
    )
    drop_repeated_sentences: bool = option(
        False,
        'bool; True = count repeated sentences of the reviews only once; only with `support="sentences"`',
    )

    def __post_init__(self) -> None:
        """Reject invalid values, and options for sentences if reviews are compared as a whole."""
        super().__post_init__()
        for name, value in self.counting.items():
            if value is True and self.support == "reviews":
                problem = f"The option `{name}` needs support='sentences'."
                raise ClaimwiseError(problem, f"Set it, or leave out `{name}`.", option=name)

    @property
    def minimum(self) -> float:
        """The threshold, or the default of what supports a claim."""
        return THRESHOLDS[self.support] if self.threshold is None else self.threshold

    @property
    def counting(self) -> dict[str, Any]:
        """How support is counted, as the evidence says it."""
        names = ("count_distinct_reviews", "drop_repeated_sentences")
        support = None if self.support == "sentences" else self.support
        return {**{name: getattr(self, name) for name in names}, "support": support}


class SupportCounts(NLIMetric):
    """Support sizes and top score, of whole reviews or as in Bhaskar et al. 2022, Sections 5.3 and 5.4.

    The score is the share of claims that three or more reviews (or sentences of them) support, in [0, 1].
    """

    Options = SupportCountsOptions
    spec = MetricSpec(
        name="support_counts",
        title="Support counts",
        family="factuality",
        question="how many reviews support each sentence?",
        description=(
            "Support counts measure how well the reviews support an opinion summary. A judge compares every "
            "sentence of the summary with every review, which counts with its probability of entailment. The "
            "score is the share of sentences that three or more reviews support; the top score is how "
            "strongly the best review supports one. The paper's rule counts review sentences."
        ),
        bounds=(0, 1),
        quality="fully supported",
        ends=("nothing is supported three times", "three reviews support every sentence"),
        better="higher",
        columns=(SUMMARIES.or_claims, SOURCES),
        mean_over="claims",
        further={"support_counts_top_score": Further(title="top score", bounds=(-1, 1), weighted=True)},
        counts=JUDGED | VACUOUS,
        configurations={
            "default": {"decomposer": "sentences"},
            "paper": {"judge": "vitc", "decomposer": "openai:gpt-3.5-turbo", "support": "sentences"},
        },
        choices=(JUDGE, claims_by(decomposer="default")),
        attributions="strip",
        source="Bhaskar et al. 2022, Sections 5.3 and 5.4",
        citation=bibtex("bhaskar2022zeroshot"),
        urls=("https://github.com/testzer0/ZS-Summ-GPT3",),
    )

    def check(
        self, columns: Mapping[str, Any], first_row: int = 0, claims: Collection[str] | None = None
    ) -> dict[str, list[Any]]:
        """Return the checked columns; a source without three reviews cannot support anything three times."""
        checked = super().check(columns, first_row, claims)
        if self.options.support == "reviews":
            check_reviews(checked["references"], ENOUGH, first_row)
        return checked

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        claims = self.claims([row.prediction for row in rows])
        sources = [row.reference or () for row in rows]
        is_whole = self.options.support == "reviews"
        premises = reviews_of(sources, self.sentences) if is_whole else self.premises(sources)
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
        """Return the score of a summary; with ``details`` also what supports and weakens its claims."""
        options = self.options
        scores = claim_scores(matrix, options.support)
        sizes = support_sizes(scores, premises, options.minimum, **options.counting)
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
                threshold=options.minimum,
                contradiction=None if options.support == "sentences" else matrix[:, :, CONTRADICTION].T,
                vacuous=claims.vacuous or (),
                **options.counting,
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
        options, is_whole = self.options, self.options.support == "reviews"
        return {
            **super()._signature_parts(),
            "support": options.support,
            "score": "entailment" if is_whole else "entailment-contradiction",
            "threshold": options.minimum,
            "count": "reviews" if is_whole or options.count_distinct_reviews else "sentences",
            "repeated_sentences": "drop" if options.drop_repeated_sentences else "keep",
            "vacuous_claims": options.vacuous_claims,
        }
