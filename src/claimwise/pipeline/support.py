"""Support counts: how many sentences of the reviews support each claim of a summary (Bhaskar et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.pipeline.metric import Metric, Scored
from claimwise.pipeline.spine import Claims, Premise, Spine, SpineOptions
from claimwise.scores.support import (
    THRESHOLD,
    claim_scores,
    share_supported,
    support_percent,
    support_percent_of_table_6,
    support_size,
    top_score,
)


@dataclass(frozen=True, kw_only=True)
class SupportCountsOptions(SpineOptions):
    """Options of the support counts.

    Attributes:
        threshold: the score (entailment - contradiction) from which on a sentence supports a claim.
        count_distinct_reviews: count the reviews that support a claim instead of their sentences.
        drop_repeated_sentences: count a sentence that stands in the reviews several times once.
    """

    threshold: float = THRESHOLD
    count_distinct_reviews: bool = False
    drop_repeated_sentences: bool = False


class SupportedClaims(NamedTuple):
    """The claims of one summary: their scores ``[claims, premises]``, support sizes and top scores."""

    claims: Claims
    premises: list[Premise]
    scores: npt.NDArray[np.floating]
    sizes: list[int]
    top_scores: list[float]


class SupportCounts(Metric):
    """Support set sizes and top score (Bhaskar et al. 2022, Sections 5.3 and 5.4).

    The score is the share of claims that three or more sentences of the reviews support, in [0, 1].
    """

    name = "support_counts"
    Options = SupportCountsOptions
    references_are = "sources"
    configurations: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {},
        "paper": {"nli_model": "vitc", "decomposer": "openai"},
    }

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        if not 0 <= self.options.threshold <= 1:
            raise ClaimwiseError(f"threshold must lie between 0 and 1; got {self.options.threshold}.")
        self.spine = Spine(self.options)

    def load(self) -> None:
        """Load the splitter, the decomposer and the NLI model."""
        self.spine.load()

    def _score(self, predictions: list[str], references: list[list[str]]) -> Scored:
        fallbacks = self.spine.decomposer.fallbacks
        claims = self.spine.claims(predictions)
        premises = self.spine.premises(references)
        matrices, truncated = self.spine.matrices(
            [
                ([p.premise for p in source], of_summary.claims)
                for source, of_summary in zip(premises, claims, strict=True)
            ]
        )
        summaries = [
            self._supported(*example)
            for example in zip(claims, premises, map(claim_scores, matrices), strict=True)
        ]
        sizes = [size for summary in summaries for size in summary.sizes]
        scores = [share_supported(summary.sizes) for summary in summaries]
        return Scored(
            scores=scores,
            details=lambda: [
                self._evidence(score, summary) for score, summary in zip(scores, summaries, strict=True)
            ],
            counts={
                "truncated": sum(truncated),
                "fallbacks": self.spine.decomposer.fallbacks - fallbacks,
            },
            weights=[len(summary.sizes) for summary in summaries],
            further={
                "top_score": float(np.mean([top for summary in summaries for top in summary.top_scores])),
                "top_score_scores": [float(np.mean(summary.top_scores)) for summary in summaries],
                "support_percent": support_percent(sizes),
                "support_percent_table_6": support_percent_of_table_6(sizes),
            },
        )

    def _supported(
        self, claims: Claims, premises: list[Premise], scores: npt.NDArray[np.floating]
    ) -> SupportedClaims:
        reviews = [p.review for p in premises] if self.options.count_distinct_reviews else None
        sentences = [p.premise for p in premises] if self.options.drop_repeated_sentences else None
        return SupportedClaims(
            claims,
            premises,
            scores,
            sizes=[
                support_size(row, self.options.threshold, reviews=reviews, sentences=sentences)
                for row in scores
            ],
            top_scores=[top_score(row) for row in scores],
        )

    def _evidence(self, score: float, summary: SupportedClaims) -> dict[str, Any]:
        """Return the evidence of one summary: every claim with the sentences that support or weaken it."""

        def chosen(scores: npt.NDArray[np.floating], indices: npt.NDArray[np.intp]) -> list[dict[str, Any]]:
            return [
                {**summary.premises[i]._asdict(), "score": round(float(scores[i]), 4)}
                for i in indices.tolist()
            ]

        claims = []
        for row, scores in enumerate(summary.scores):
            order = np.argsort(-scores, kind="stable")
            backwards = np.argsort(scores, kind="stable")
            claims.append(
                {
                    "claim": summary.claims.claims[row],
                    "sentence": summary.claims.sentences[row],
                    "support": summary.sizes[row],
                    "top_score": summary.top_scores[row],
                    "best_premise": chosen(scores, order[:1])[0],
                    "supporting": chosen(scores, order[scores[order] >= self.options.threshold]),
                    "weakening": chosen(scores, backwards[scores[backwards] <= -self.options.threshold]),
                }
            )
        return {"score": score, "top_score": float(np.mean(summary.top_scores)), "claims": claims}

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        return {
            **self.spine.signature_parts(),
            "score": "entailment-contradiction",
            "threshold": options.threshold,
            "count": "reviews" if options.count_distinct_reviews else "sentences",
            "repeated_sentences": "drop" if options.drop_repeated_sentences else "keep",
        }
