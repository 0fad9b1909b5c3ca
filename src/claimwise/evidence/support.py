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
from claimwise.scores.support import ENOUGH, share_supported, support_size

SupportVerdict = Literal["supported", "thinly supported", "contradicted", "unsupported"]


@dataclass(frozen=True, kw_only=True)
class SourcePremise:
    """A part of a source.

    Attributes:
        premise: its text.
        review: index of its review.
        position: index of its first sentence in the review.
        score: e − c for a claim.
        probabilities: probabilities for a claim.
    """

    premise: str
    review: int
    position: int
    score: float | None = None
    probabilities: Probabilities | None = None


@dataclass(frozen=True, kw_only=True)
class CountedClaim:
    """A claim with the sentences that support or weaken it.

    Attributes:
        claim: its text.
        sentence: its source sentence.
        top_score: e − c of its best premise.
        scores: e − c of every premise.
        support: its support size.
        best_premise: the premise of the top score.
        supporting: premises at or above the threshold, the best first.
        weakening: premises at or below minus the threshold, the lowest first.
    """

    claim: str
    sentence: str
    top_score: float
    support: int
    best_premise: SourcePremise
    supporting: tuple[SourcePremise, ...]
    weakening: tuple[SourcePremise, ...]
    scores: tuple[float, ...] | None = None

    @property
    def verdict(self) -> SupportVerdict:
        """Supported: by three or more sentences (Bhaskar et al. 2022, Section 5.6); thinly: by fewer.

        A claim is contradicted if some sentences weaken it and none supports it.
        """
        if self.support:
            return "supported" if self.support >= ENOUGH else "thinly supported"
        return "contradicted" if self.weakening else "unsupported"


@dataclass(frozen=True, kw_only=True)
class SupportEvidence(Evidence):
    """The sentences of a source that support each claim of a summary.

    Attributes:
        claims: claims with their support.
        premises: sentences of the source.
        top_score: mean of the top scores of the claims.
        threshold: minimum score of a sentence that supports a claim.
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

    @property
    def enough(self) -> int:
        """Number of claims with enough supports to be faithful."""
        return sum(claim.support >= ENOUGH for claim in self.claims)

    @property
    def sizes(self) -> dict[str, int]:
        """Number of claims with 0, 1, 2, 3, 4 and 5 or more supports."""
        counts = Counter(min(claim.support, 5) for claim in self.claims)
        return {("5+" if size == 5 else str(size)): counts[size] for size in range(6)}


@dataclass(frozen=True, kw_only=True)
class EntailedHypothesis:
    """A hypothesis with its best premises.

    Attributes:
        hypothesis: its text.
        sentence: its source sentence.
        score: score of the hypothesis.
        premises: its best premises, each with probabilities.
        probabilities: probabilities from which the score was computed.
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
        hypotheses: hypotheses with their best premises.
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
) -> list[int]:
    """Return the support size of each claim; see ``counted`` for the arguments."""
    reviews = [p.review for p in premises] if count_distinct_reviews else None
    sentences = [p.premise for p in premises] if drop_repeated_sentences else None
    return [support_size(row, threshold, reviews=reviews, sentences=sentences) for row in scores]


def counted(
    claims: Sequence[str],
    sentences: Sequence[str],
    premises: Sequence[SourcePremise],
    scores: npt.NDArray[np.floating],
    sizes: Sequence[int],
    top_scores: Sequence[float],
    *,
    threshold: float,
    count_distinct_reviews: bool = False,
    drop_repeated_sentences: bool = False,
    vacuous: Sequence[str] = (),
) -> SupportEvidence:
    """Return the support evidence of one summary.

    Args:
        claims: claims of the summary.
        sentences: source sentence of each claim.
        premises: sentences of the source, without scores.
        scores: ``[claims, premises]``, e − c; converted to float32, the precision of judges.
        sizes: support size of each claim.
        top_scores: top score of each claim.
        threshold: minimum score of a premise that supports a claim, from which the sizes were counted.
        count_distinct_reviews: reviews were counted instead of premises.
        drop_repeated_sentences: repeated premises were counted once.
        vacuous: vacuous claims.

    Raises:
        ClaimwiseError: if there is no claim.
    """
    rows = zip(claims, sentences, np.asarray(scores, np.float32), sizes, top_scores, strict=True)
    return SupportEvidence(
        score=share_supported(sizes),
        claims=tuple(_counted_claim(*row, premises, threshold) for row in rows),
        top_score=float(np.mean(top_scores)),
        threshold=threshold,
        premises=tuple(premises),
        count_distinct_reviews=count_distinct_reviews,
        drop_repeated_sentences=drop_repeated_sentences,
        vacuous=tuple(vacuous),
    )


def _counted_claim(
    claim: str,
    sentence: str,
    scores: npt.NDArray[np.float32],
    size: int,
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


def at_threshold(evidence: SupportEvidence | Mapping[str, Any], threshold: float) -> SupportEvidence:
    """Return the evidence of one summary for another threshold; no model is needed.

    Args:
        evidence: support evidence, or a dict of it.
        threshold: minimum score of a sentence that supports a claim.

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
    counting = {name: getattr(typed, name) for name in ("count_distinct_reviews", "drop_repeated_sentences")}
    sizes = support_sizes(scores, premises, threshold, **counting)
    claims = tuple(
        _counted_claim(claim.claim, claim.sentence, row, size, claim.top_score, premises, threshold)
        for claim, row, size in zip(typed.claims, scores, sizes, strict=True)
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

    Args:
        hypotheses: their texts.
        sentences: source sentence of each hypothesis.
        scores: score of each hypothesis.
        premises: parts of the source.
        matrix: ``[premises, hypotheses, 3]``.
        best: for each hypothesis, the indices of its best premises.
        probabilities: ``[hypotheses, 3]``, from which the scores were computed; None = not kept.
        histograms: ``[hypotheses, bins]``; None = not kept.
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
