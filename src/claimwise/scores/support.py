"""Support: the number of reviews, or of their sentences, that support each claim, and the best score.

Of sentences: Bhaskar et al. 2022, "Zero-Shot Opinion Summarization with GPT-3", Sections 5.3 (support set
sizes) and 5.4 (top score). The score of a premise for a claim is e - c, its probability of entailment minus
that of contradiction, in [-1, 1]. Of reviews: the score is e, in [0, 1], and the support size is the expected
number of supporting reviews. All functions also accept recorded scores: any sequence of numbers for one
claim; if a recording keeps only the five highest, a support size of 5 means "5 or more".
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT

Support = Literal["reviews", "sentences"]
"""What supports a claim: a review as a whole, or a sentence of a review as in Bhaskar et al. 2022."""

THRESHOLD = 0.75
"""τ of Section 5.3; the published numbers for FewSum use 0.5."""

REVIEW_THRESHOLD = 0.2
"""Minimum entailment of a review that supports a claim (``benchmarks/quality/support_rules.py``)."""

THRESHOLDS: dict[Support, float] = {"reviews": REVIEW_THRESHOLD, "sentences": THRESHOLD}

ENOUGH = 3
"""Number of supports that makes a claim faithful (Section 5.6)."""


def claim_scores(
    matrix: npt.NDArray[np.floating], support: Support = "sentences"
) -> npt.NDArray[np.floating]:
    """Return the score of every premise for every claim.

    Args:
        matrix: ``[premises, claims, 3]``, probabilities.
        support: ``"sentences"``: the score is e - c; ``"reviews"``: e, because a review that praises one
            thing and criticises another is often taken for a contradiction of what it supports.

    Returns:
        ``[claims, premises]``, in [-1, 1] or [0, 1]: one row per claim, as input of the other functions.

    Raises:
        ClaimwiseError: for another shape.
    """
    if matrix.ndim != 3 or matrix.shape[2] != 3:
        raise ClaimwiseError(f"Expected a matrix of shape [premises, claims, 3]; got {matrix.shape}.")
    if support == "reviews":
        return matrix[:, :, ENTAILMENT].T
    return (matrix[:, :, ENTAILMENT] - matrix[:, :, CONTRADICTION]).T


def support_size(
    scores: npt.ArrayLike,
    threshold: float = THRESHOLD,
    *,
    reviews: Sequence[Hashable] | None = None,
    sentences: Sequence[str] | None = None,
) -> int:
    """Count the premises with e - c ≥ τ, which support a claim (Section 5.3).

    Args:
        scores: ``[premises]``, scores of one claim.
        threshold: τ.
        reviews: review of each premise; if given, count the supporting reviews instead.
        sentences: text of each premise; if given, repeated texts count once. Together with ``reviews``, a
            repeated text counts for one of its reviews, chosen to maximize the number of reviews.

    Raises:
        ClaimwiseError: if the length of ``reviews`` or ``sentences`` differs from that of the scores.
    """
    values = np.asarray(scores)
    for name, labels in (("reviews", reviews), ("sentences", sentences)):
        if labels is not None and len(labels) != values.size:
            raise _unequal(values.size, len(labels), name)
    supporting = np.flatnonzero(values >= threshold).tolist()
    if reviews is not None and sentences is not None:
        return _most_pairs({(reviews[i], sentences[i]) for i in supporting})
    labels = reviews if reviews is not None else sentences
    return len(supporting) if labels is None else len({labels[i] for i in supporting})


def expected_support(
    scores: npt.ArrayLike, reviews: Sequence[Hashable], threshold: float = REVIEW_THRESHOLD
) -> float:
    """Return the expected number of reviews that support a claim, in [0, number of reviews].

    It is the sum of the entailment of all reviews with e ≥ τ, each with its best premise. Without τ, many
    reviews that say nothing of the claim would add up to support.

    Args:
        scores: ``[premises]``, entailment of one claim.
        reviews: review of each premise.
        threshold: τ.

    Raises:
        ClaimwiseError: if there are more or fewer reviews than scores.
    """
    values = np.asarray(scores, dtype=np.float64)
    if len(reviews) != values.size:
        raise _unequal(values.size, len(reviews), "reviews")
    best: dict[Hashable, float] = {}
    for review, score in zip(reviews, values.tolist(), strict=True):
        best[review] = max(score, best.get(review, 0.0))
    return sum((score for score in best.values() if score >= threshold), 0.0)


def _unequal(scores: int, others: int, name: str) -> ClaimwiseError:
    return ClaimwiseError(f"{scores} scores, but {others} {name}.", "Pass one per score.")


def is_enough(size: float) -> bool:
    """Return whether a support size, rounded to the nearest whole number, is three or more."""
    return size >= ENOUGH - 0.5


def top_score(scores: npt.ArrayLike) -> float:
    """Return the score of a claim's best premise, in [-1, 1] (Section 5.4), from scores ``[premises]``.

    Raises:
        ClaimwiseError: if there is no premise.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not values.size:
        raise ClaimwiseError("A claim without premises has no top score.", "Pass at least one premise.")
    return float(values.max())


def share_supported(sizes: Sequence[float]) -> float:
    """Return the share of claims with three or more supports, in [0, 1]: faithfulness (Section 5.6).

    Expected numbers are rounded. No claim is an error, here and in the percentages below.
    """
    return float(np.mean(_checked(sizes) >= ENOUGH))


def support_percent(sizes: Sequence[float]) -> dict[str, float]:
    """Return the percentage of claims with 0, 1, 2, 3, 4 and 5 or more supports (Section 5.3)."""
    counts = np.bincount(np.minimum(_checked(sizes), 5), minlength=6)
    return dict(zip(("0", "1", "2", "3", "4", "5+"), (100 * counts / counts.sum()).tolist(), strict=True))


def support_percent_of_table_6(sizes: Sequence[float]) -> dict[str, float]:
    """Return the percentage of claims with 0, 1, 2 to 4 and 5 or more supports, the bins of Table 6."""
    percent = support_percent(sizes)
    middle = percent["2"] + percent["3"] + percent["4"]
    return {"0": percent["0"], "1": percent["1"], "2-4": middle, "5+": percent["5+"]}


def _checked(sizes: Sequence[float]) -> npt.NDArray[np.int64]:
    if not len(sizes):
        raise ClaimwiseError("No claims: support is a share of claims.", "Provide at least one claim.")
    return np.floor(np.asarray(sizes, dtype=np.float64) + 0.5).astype(np.int64)


def _most_pairs(pairs: set[tuple[Hashable, str]]) -> int:
    """Return the size of the largest set of pairs without a repeated review or sentence."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not pairs:
        return 0
    rows = {review: row for row, review in enumerate({review for review, _ in pairs})}
    columns = {sentence: column for column, sentence in enumerate({sentence for _, sentence in pairs})}
    graph = csr_array(
        (
            np.ones(len(pairs)),
            ([rows[review] for review, _ in pairs], [columns[sentence] for _, sentence in pairs]),
        ),
        shape=(len(rows), len(columns)),
    )
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
