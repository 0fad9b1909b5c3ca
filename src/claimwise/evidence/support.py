"""Support and entailment evidence: claims of a summary and the parts of its source.

The evidence is computed from the arrays of a metric, and can be recomputed for another threshold without a
model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import Evidence, Probabilities, evidence_of
from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.options import check
from claimwise.scores.support import Support, expected_support, is_enough, share_supported, support_size

CONTRADICTED = 0.5
"""A review weakens a claim if the probability of contradiction exceeds this."""

SupportVerdict = Literal["supported", "thinly supported", "contradicted", "unsupported"]


@dataclass(frozen=True, kw_only=True)
class SourcePremise:
    """A part of a source.

    Attributes:
        review: index of its review.
        position: index of its first sentence in the review.
        score: e − c for a claim, or e if reviews support it.
        probabilities: probabilities for a claim.
    """

    premise: str
    review: int
    position: int
    score: float | None = None
    probabilities: Probabilities | None = None


@dataclass(frozen=True, kw_only=True)
class CountedClaim:
    """A claim with the sentences or reviews that support or weaken it.

    Attributes:
        sentence: its source sentence.
        top_score: score of its best premise.
        scores: score of every premise: e − c, or e if reviews support it.
        support: its support size, expected if reviews support it.
        best_premise: the premise of the top score.
        supporting: premises at or above the threshold, the best first.
        weakening: premises at or below minus the threshold, the lowest first. If reviews support it: those
            that more probably contradict it than not, each with the score −c.
    """

    claim: str
    sentence: str
    top_score: float
    support: float
    best_premise: SourcePremise
    supporting: tuple[SourcePremise, ...]
    weakening: tuple[SourcePremise, ...]
    scores: tuple[float, ...] | None = None

    @property
    def size(self) -> str:
        """Its support size in figures; an expected one with one decimal."""
        return f"{self.support:.1f}" if isinstance(self.support, float) else f"{self.support}"

    @property
    def verdict(self) -> SupportVerdict:
        """Supported: by three or more premises (Bhaskar et al. 2022, Section 5.6); thinly: by fewer.

        A claim is contradicted if some premises weaken it and none supports it.
        """
        if self.support:
            return "supported" if is_enough(self.support) else "thinly supported"
        return "contradicted" if self.weakening else "unsupported"


@dataclass(frozen=True, kw_only=True)
class SupportEvidence(Evidence):
    """The reviews, or the sentences of a source, that support each claim of a summary.

    Attributes:
        premises: reviews (windows of long ones), or sentences of the source.
        top_score: mean of the top scores of the claims.
        threshold: minimum score of a premise that supports a claim.
        support: ``"reviews"`` if these were compared as a whole; None = their sentences.
        count_distinct_reviews: reviews were counted instead of sentences.
        drop_repeated_sentences: repeated sentences were counted once.
        vacuous: vacuous claims.
    """

    kind, title = "support", "Support map"
    claims: tuple[CountedClaim, ...]
    top_score: float
    threshold: float | None = None
    premises: tuple[SourcePremise, ...] | None = None
    count_distinct_reviews: bool = False
    drop_repeated_sentences: bool = False
    vacuous: tuple[str, ...] = ()
    support: Support | None = None

    @property
    def unit(self) -> str:
        """What is counted: ``"review"`` or ``"sentence"``."""
        return "review" if self.support == "reviews" or self.count_distinct_reviews else "sentence"

    @property
    def enough(self) -> int:
        """Number of claims with enough supports to be faithful."""
        return sum(is_enough(claim.support) for claim in self.claims)

    @property
    def sizes(self) -> dict[str, int]:
        """Number of claims with 0, 1, 2, 3, 4 and 5 or more supports."""
        counts = Counter(min(int(claim.support + 0.5), 5) for claim in self.claims)
        return {("5+" if size == 5 else str(size)): counts[size] for size in range(6)}


@dataclass(frozen=True, kw_only=True)
class EntailedHypothesis:
    """A hypothesis with its best premises.

    Attributes:
        sentence: its source sentence.
        premises: its best premises, each with probabilities.
        probabilities: the probabilities from which the score was computed.
        histogram: number of premises in each bin of entailment.
    """

    hypothesis: str
    sentence: str
    score: float
    premises: tuple[SourcePremise, ...]
    probabilities: Probabilities | None = None
    histogram: tuple[int, ...] | None = None

    def verdict(self, threshold: float | None = None) -> SupportVerdict:
        """Return the verdict by the most probable label, or by the ``threshold``."""
        best = self.premises[0].probabilities if self.premises else None
        probabilities = self.probabilities or best or (0.0, 1.0, 0.0)
        label = max(range(3), key=lambda index: probabilities[index])
        if label == ENTAILMENT if threshold is None else self.score >= threshold:
            return "supported"
        return "contradicted" if label == CONTRADICTION else "unsupported"


@dataclass(frozen=True, kw_only=True)
class EntailmentEvidence(Evidence):
    """The support of each hypothesis of a summary by a source.

    Attributes:
        premises: parts of the source.
        truncated: number of truncated comparisons.
        vacuous: vacuous hypotheses.
    """

    kind, title = "entailment", "Support map"
    hypotheses: tuple[EntailedHypothesis, ...]
    premises: tuple[SourcePremise, ...] | None = None
    truncated: int | None = None
    vacuous: tuple[str, ...] | None = None


def support_sizes(
    scores: npt.NDArray[np.floating],
    premises: Sequence[SourcePremise],
    threshold: float,
    *,
    count_distinct_reviews: bool = False,
    drop_repeated_sentences: bool = False,
    support: Support | None = None,
) -> list[float]:
    """Return the support size of each claim; see ``counted`` for the arguments."""
    numbers = [p.review for p in premises]
    if support == "reviews":
        return [expected_support(row, numbers, threshold) for row in scores]
    reviews = numbers if count_distinct_reviews else None
    sentences = [p.premise for p in premises] if drop_repeated_sentences else None
    return [support_size(row, threshold, reviews=reviews, sentences=sentences) for row in scores]


def counted(
    claims: Sequence[str],
    sentences: Sequence[str],
    premises: Sequence[SourcePremise],
    scores: npt.NDArray[np.floating],
    sizes: Sequence[float],
    top_scores: Sequence[float],
    *,
    threshold: float,
    contradiction: npt.NDArray[np.floating] | None = None,
    vacuous: Sequence[str] = (),
    **counting: Any,
) -> SupportEvidence:
    """Return the support evidence of one summary.

    Args:
        claims: claims of the summary.
        sentences: source sentence of each claim.
        premises: sentences of the source, or reviews, without scores.
        scores: ``[claims, premises]``, e − c or e; converted to float32, the precision of judges.
        sizes: support size of each claim.
        top_scores: top score of each claim.
        threshold: minimum score of a premise that supports a claim, from which the sizes were counted.
        contradiction: ``[claims, premises]``, probabilities, if reviews support claims.
        vacuous: vacuous claims.
        **counting: ``count_distinct_reviews``, ``drop_repeated_sentences`` and ``support``, with which the
            sizes were counted; see ``SupportEvidence``.

    Raises:
        ClaimwiseError: if there is no claim.
    """
    rows = zip(claims, sentences, np.asarray(scores, np.float32), sizes, top_scores, strict=True)
    counted_claims = [_counted_claim(*row, premises, threshold) for row in rows]
    if contradiction is not None:
        counted_claims = [
            replace(claim, weakening=_contradicting(premises, probabilities))
            for claim, probabilities in zip(counted_claims, contradiction, strict=True)
        ]
    return SupportEvidence(
        score=share_supported(sizes),
        claims=tuple(counted_claims),
        top_score=float(np.mean(top_scores)),
        threshold=threshold,
        premises=tuple(premises),
        vacuous=tuple(vacuous),
        **counting,
    )


def _counted_claim(
    claim: str,
    sentence: str,
    scores: npt.NDArray[np.float32],
    size: float,
    top_score: float,
    premises: Sequence[SourcePremise],
    threshold: float,
) -> CountedClaim:
    def scored(indices: npt.NDArray[np.integer]) -> tuple[SourcePremise, ...]:
        return tuple(replace(premises[i], score=round(float(scores[i]), 4)) for i in indices.tolist())

    best, worst = np.argsort(-scores, kind="stable"), np.argsort(scores, kind="stable")
    return CountedClaim(
        claim=claim,
        sentence=sentence,
        top_score=top_score,
        scores=tuple(scores.tolist()),
        support=size,
        best_premise=scored(best[:1])[0],
        supporting=scored(best[scores[best] >= threshold]),
        weakening=scored(worst[scores[worst] <= -threshold]),
    )


def _contradicting(
    premises: Sequence[SourcePremise], contradiction: npt.NDArray[np.floating]
) -> tuple[SourcePremise, ...]:
    """Return the premises that more probably contradict a claim than not, the most probable first."""
    order = np.argsort(-contradiction, kind="stable").tolist()
    return tuple(
        replace(premises[i], score=-round(float(contradiction[i]), 4))
        for i in order
        if contradiction[i] > CONTRADICTED
    )


def at_threshold(evidence: SupportEvidence | Mapping[str, Any], threshold: float) -> SupportEvidence:
    """Return the evidence of one summary for another minimum score of a premise; no model is needed.

    Raises:
        ClaimwiseError: for a threshold outside 0 to 1, or evidence without the scores of its premises.
    """
    check("threshold", threshold, between=(0, 1))
    typed = evidence_of(evidence, SupportEvidence)
    if threshold == typed.threshold:
        return typed
    premises, rows = typed.premises or (), [claim.scores for claim in typed.claims]
    if not premises or any(row is None or len(row) != len(premises) for row in rows):
        raise ClaimwiseError(
            "This evidence contains no scores of its premises, so it cannot be recomputed for another "
            "threshold.",
            "Compute it again with details=True.",
        )
    scores = np.array(rows, np.float32)
    names = ("count_distinct_reviews", "drop_repeated_sentences", "support")
    sizes = support_sizes(scores, premises, threshold, **{name: getattr(typed, name) for name in names})
    claims = tuple(
        _counted_claim(claim.claim, claim.sentence, row, size, claim.top_score, premises, threshold)
        for claim, row, size in zip(typed.claims, scores, sizes, strict=True)
    )
    if typed.support == "reviews":  # which reviews weaken a claim depends on no threshold
        claims = tuple(
            replace(claim, weakening=before.weakening)
            for claim, before in zip(claims, typed.claims, strict=True)
        )
    return replace(typed, score=share_supported(sizes), threshold=threshold, claims=claims)


def rounded(probabilities: npt.NDArray[np.floating]) -> Probabilities:
    """Return three probabilities as plain numbers, rounded to four digits."""
    entailment, neutral, contradiction = (round(float(p), 4) for p in probabilities)
    return entailment, neutral, contradiction


def with_probabilities(
    premises: Sequence[SourcePremise],
    matrix: npt.NDArray[np.floating],
    hypothesis: int,
    chosen: Sequence[int],
) -> tuple[SourcePremise, ...]:
    """Return the chosen premises with their probabilities for one hypothesis of ``[premises, …, 3]``."""
    return tuple(replace(premises[row], probabilities=rounded(matrix[row, hypothesis])) for row in chosen)


def entailed(
    hypotheses: Sequence[str],
    sentences: Sequence[str],
    scores: Sequence[float],
    premises: Sequence[SourcePremise],
    matrix: npt.NDArray[np.floating],
    best: Sequence[Sequence[int]],
    *,
    probabilities: npt.NDArray[np.floating] | None = None,
    histograms: npt.NDArray[np.integer] | None = None,
) -> tuple[EntailedHypothesis, ...]:
    """Return hypotheses with their scores and their best premises.

    Sentences, scores and ``best`` (the indices of the best premises) are given for each hypothesis;
    ``matrix`` is ``[premises, hypotheses, 3]``, ``probabilities`` (from which the scores were computed)
    ``[hypotheses, 3]``, and ``histograms`` ``[hypotheses, bins]``; the last two may be left out.
    """
    return tuple(
        EntailedHypothesis(
            hypothesis=hypothesis,
            sentence=sentence,
            score=score,
            premises=with_probabilities(premises, matrix, number, best[number]),
            probabilities=None if probabilities is None else rounded(probabilities[number]),
            histogram=None if histograms is None else tuple(histograms[number].tolist()),
        )
        for number, (hypothesis, sentence, score) in enumerate(
            zip(hypotheses, sentences, scores, strict=True)
        )
    )


def surroundings(premises: Sequence[SourcePremise]) -> dict[tuple[int, int], tuple[str, str]]:
    """Return the text before and after each premise in its review, by review and position of the premise.

    A neighbour that overlaps with the premise is left out.
    """
    around = {}
    for before, premise, after in zip([None, *premises], premises, [*premises[1:], None], strict=False):
        previous = before.premise if before and before.review == premise.review else ""
        following = after.premise if after and after.review == premise.review else ""
        around[premise.review, premise.position] = (
            "" if _overlap(previous, premise.premise) else previous,
            "" if _overlap(premise.premise, following) else following,
        )
    return around


def _overlap(first: str, second: str) -> bool:
    """Return whether the end of ``first`` is the beginning of ``second``, as in windows of two sentences."""
    end, beginning = first.split(), second.split()
    return any(end[-n:] == beginning[:n] for n in range(1, min(len(end), len(beginning)) + 1))
