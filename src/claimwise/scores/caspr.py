"""CASPR: contrast between two summaries by natural language inference over their claims.

Ananthamurugan et al., "CASPR: Automated Evaluation Metric for Contrastive Summarization", Section 2.2 and
Appendix C. Summary A∖B has claims a_1 … a_m, summary B∖A has claims b_1 … b_n. Both scores are

    CASPR = 100 · (L̂ + 1) / 2,    L̂ = (Σ l(a_i) + Σ l(b_j)) / (m + n)

with l(s) = +1 if all comparisons of claim s are neutral, and otherwise

    the paper's:  l(s) = +1 if s has more contradictions than entailments, else −1
    strongest:    l(s) = +1 if max_c p(c) > max_e p(e), else −1

where c are the contradictions of s, e its entailments, and p is the probability of the label of a comparison,
the mean of both directions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT, NEUTRAL


@dataclass(frozen=True)
class CasprScore:
    """The CASPR score of one pair of summaries, with the labels behind it.

    Attributes:
        score: in [0, 100]; 0 = the same claims, 100 = full contrast.
        strongest: the score with each claim decided by its strongest comparison, not by the majority.
        pair_labels: int ``[m, n]``, the label of each comparison: 0 entailment, 1 neutral, 2 contradiction.
        claim_scores_a: m values, +1 (contrasts with the other summary) or −1 (agrees with it).
        claim_scores_b: n values, the same for the claims of B.
        strongest_a: m values, the index of the claim of B in each claim's strongest comparison; None if all
            its comparisons are neutral.
        strongest_b: n values, the same for the claims of B.
    """

    score: float
    strongest: float
    pair_labels: npt.NDArray[np.int64]
    claim_scores_a: list[int]
    claim_scores_b: list[int]
    strongest_a: list[int | None]
    strongest_b: list[int | None]


def pair_labels(
    forward: npt.NDArray[np.floating], backward: npt.NDArray[np.floating]
) -> npt.NDArray[np.int64]:
    """Label every comparison of a claim of A with a claim of B (Section 2.2, "Scoring and Aggregation").

    The arg-max labels of both directions are combined: both neutral → neutral; contradiction without
    entailment → contradiction; entailment without contradiction → entailment; one of each → neutral.

    Args:
        forward: ``[m, n, 3]``, probabilities with the claims of A as premises.
        backward: ``[n, m, 3]``, probabilities with the claims of B as premises.

    Returns:
        int ``[m, n]``.
    """
    if forward.ndim != 3 or forward.shape[2] != 3 or backward.shape != (*forward.shape[1::-1], 3):
        raise ClaimwiseError(
            f"Expected matrices of shapes [m, n, 3] and [n, m, 3]; got {forward.shape} and {backward.shape}."
        )
    a_to_b = forward.argmax(axis=2)
    b_to_a = backward.argmax(axis=2).T
    entailed = (a_to_b == ENTAILMENT) | (b_to_a == ENTAILMENT)
    contradicted = (a_to_b == CONTRADICTION) | (b_to_a == CONTRADICTION)
    labels = np.full(a_to_b.shape, NEUTRAL, dtype=np.int64)
    labels[entailed & ~contradicted] = ENTAILMENT
    labels[contradicted & ~entailed] = CONTRADICTION
    return labels


def claim_scores(labels: npt.NDArray[np.int64]) -> list[int]:
    """Return l(s) of each claim by the paper's rule; ``labels``: ``[claims, other claims]``."""
    contradictions = (labels == CONTRADICTION).sum(axis=1)
    entailments = (labels == ENTAILMENT).sum(axis=1)
    all_neutral = (labels == NEUTRAL).all(axis=1)
    contrasting = all_neutral | (contradictions > entailments)
    return [1 if contrasts else -1 for contrasts in contrasting]


def strongest_comparisons(
    labels: npt.NDArray[np.int64], forward: npt.NDArray[np.floating], backward: npt.NDArray[np.floating]
) -> list[int | None]:
    """Return for each claim the other summary's claim in its strongest comparison; None if all are neutral.

    Ties are broken in favour of entailment, as in the paper's rule, then of the first comparison.

    Args:
        labels: ``[claims, claims of the other summary]``.
        forward: ``[claims, claims of the other summary, 3]``, probabilities with the claims as premises.
        backward: ``[claims of the other summary, claims, 3]``, with the claims as hypotheses.
    """
    both = (forward + backward.transpose(1, 0, 2)) / 2
    strength = np.take_along_axis(both, labels[:, :, np.newaxis], axis=2)[:, :, 0]
    return [
        max(
            np.flatnonzero(of_claim != NEUTRAL).tolist(),
            key=lambda j: (strength[i, j], labels[i, j] == ENTAILMENT),
            default=None,
        )
        for i, of_claim in enumerate(labels)
    ]


def caspr_score(forward: npt.NDArray[np.floating], backward: npt.NDArray[np.floating]) -> CasprScore:
    """Compute CASPR by the paper's rule and by the strongest comparison; see the formulas above.

    Args:
        forward: ``[m, n, 3]``, probabilities with the claims of A as premises.
        backward: ``[n, m, 3]``, probabilities with the claims of B as premises.

    Raises:
        ClaimwiseError: for mismatched shapes, or a summary without claims.
    """
    labels = pair_labels(forward, backward)
    if not labels.size:
        raise ClaimwiseError("A summary without claims cannot be scored.", "Each needs at least one claim.")
    scores_a, scores_b = claim_scores(labels), claim_scores(labels.T)
    strongest_a = strongest_comparisons(labels, forward, backward)
    strongest_b = strongest_comparisons(labels.T, backward, forward)
    by_strength = [
        -1 if j is not None and of_claim[j] == ENTAILMENT else 1
        for of_claim, j in zip((*labels, *labels.T), (*strongest_a, *strongest_b), strict=True)
    ]
    return CasprScore(
        score=_percent(scores_a + scores_b),
        strongest=_percent(by_strength),
        pair_labels=labels,
        claim_scores_a=scores_a,
        claim_scores_b=scores_b,
        strongest_a=strongest_a,
        strongest_b=strongest_b,
    )


def _percent(scores: list[int]) -> float:
    return (sum(scores) / len(scores) + 1) / 2 * 100
