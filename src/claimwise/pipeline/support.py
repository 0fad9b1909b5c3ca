"""Support counts: how many sentences of the reviews support each claim of a summary (Bhaskar et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.pipeline.metric import Metric, Scored
from claimwise.pipeline.spine import Claims, Premise, Spine, VacuousOptions
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
class SupportCountsOptions(VacuousOptions):
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
        check_threshold(self.options.threshold)
        self.spine = Spine(self.options)

    def load(self) -> None:
        """Load the splitter, the decomposer and the NLI model."""
        self.spine.load()

    def _score(self, predictions: list[str], references: list[list[str]]) -> Scored:
        fallbacks = self.spine.decomposer.fallbacks
        claims = self.spine.claims(predictions)
        vacuous = self.spine.vacuous([of_summary.claims for of_summary in claims])
        if self.options.vacuous_claims == "drop":
            claims = [of_summary.without(of_it) for of_summary, of_it in zip(claims, vacuous, strict=True)]
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
                {**self._evidence(summary), "vacuous": of_summary}
                for summary, of_summary in zip(summaries, vacuous, strict=True)
            ],
            counts={
                "truncated": sum(truncated),
                "fallbacks": self.spine.decomposer.fallbacks - fallbacks,
                "vacuous": sum(map(len, vacuous)),
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

    def _evidence(self, summary: SupportedClaims) -> dict[str, Any]:
        """Return the evidence of one summary: every claim with the sentences that support or weaken it."""
        options = self.options
        evidence = {
            "count_distinct_reviews": options.count_distinct_reviews,
            "drop_repeated_sentences": options.drop_repeated_sentences,
            "top_score": float(np.mean(summary.top_scores)),
            "premises": [premise._asdict() for premise in summary.premises],
            "claims": [
                {"claim": claim, "sentence": sentence, "top_score": top, "scores": scores.tolist()}
                for claim, sentence, top, scores in zip(
                    *summary.claims, summary.top_scores, summary.scores, strict=True
                )
            ],
        }
        return evidence_at(evidence, options.threshold)

    def _signature_parts(self) -> dict[str, object]:
        options = self.options
        return {
            **self.spine.signature_parts(),
            "score": "entailment-contradiction",
            "threshold": options.threshold,
            "count": "reviews" if options.count_distinct_reviews else "sentences",
            "repeated_sentences": "drop" if options.drop_repeated_sentences else "keep",
            "vacuous_claims": options.vacuous_claims,
        }


def evidence_at(evidence: Mapping[str, Any], threshold: float) -> dict[str, Any]:
    """Return the evidence of one summary as it would be with another threshold; no model is needed.

    Args:
        evidence: one element of ``support_counts_details``.
        threshold: the score from which on a sentence supports a claim.

    Raises:
        ClaimwiseError: for a threshold outside 0 to 1, or evidence without the scores of its premises.
    """
    check_threshold(threshold)
    if "premises" not in evidence or any("scores" not in claim for claim in evidence["claims"]):
        raise ClaimwiseError(
            "This evidence holds no scores of its premises, so that it cannot be recomputed for another "
            "threshold. Compute it again with details=True."
        )
    premises = evidence["premises"]
    reviews = [p["review"] for p in premises] if evidence["count_distinct_reviews"] else None
    sentences = [p["premise"] for p in premises] if evidence["drop_repeated_sentences"] else None

    def chosen(scores: npt.NDArray[np.floating], indices: npt.NDArray[np.intp]) -> list[dict[str, Any]]:
        return [{**premises[i], "score": round(float(scores[i]), 4)} for i in indices.tolist()]

    claims = []
    for claim in evidence["claims"]:
        scores = np.asarray(claim["scores"], dtype=np.float32)  # as the matrix was
        order = np.argsort(-scores, kind="stable")
        backwards = np.argsort(scores, kind="stable")
        claims.append(
            {
                **claim,
                "support": support_size(scores, threshold, reviews=reviews, sentences=sentences),
                "best_premise": chosen(scores, order[:1])[0],
                "supporting": chosen(scores, order[scores[order] >= threshold]),
                "weakening": chosen(scores, backwards[scores[backwards] <= -threshold]),
            }
        )
    return {
        **evidence,
        "score": share_supported([claim["support"] for claim in claims]),
        "threshold": threshold,
        "claims": claims,
    }


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that no score e - c can be compared with.

    Raises:
        ClaimwiseError: if it does not lie between 0 and 1.
    """
    if not 0 <= threshold <= 1:
        raise ClaimwiseError(f"threshold must lie between 0 and 1; got {threshold}.")
