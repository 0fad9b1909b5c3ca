"""SummaC-ZS and related scores: how well a source supports a summary, from their entailment matrix.

Laban et al. 2022, "SummaC: Re-Visiting NLI-based Models for Inconsistency Detection in Summarization"; Glover
et al. 2022, "Revisiting text decomposition methods for NLI-based factuality scoring of summaries", whose
sections are named below; Schuster et al. 2022 (SENTLI), as Glover et al. describe it. A source has premises
D_1 … D_M, a summary hypotheses S_1 … S_N; f_Z is a function of the probabilities p_e, p_n, p_c of a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT

Array = npt.NDArray[np.floating]
Scoring = Callable[[Any, Any, Any], Any]
Maxima = Literal["joint", "separate"]
Aggregation = Literal["mean", "min"]
RetrieveBy = Literal["entailment", "entailment_and_contradiction"]
TopkOrder = Literal["document", "score"]


def entailment(p_e: Array, p_n: Array, p_c: Array) -> Array:
    """Return f_Z = p_e, in [0, 1], as described by Laban et al. 2022."""
    return p_e


def entailment_minus_contradiction(p_e: Array, p_n: Array, p_c: Array) -> Array:
    """Return f_Z = p_e − p_c, in [−1, 1], as in the released code of Laban et al. 2022."""
    return p_e - p_c


SCORINGS: dict[str, Scoring] = {
    "entailment": entailment,
    "entailment_minus_contradiction": entailment_minus_contradiction,
}


def hypothesis_scores(
    matrix: Array, scoring: Scoring = entailment, maxima: Maxima = "joint"
) -> npt.NDArray[np.float64]:
    """Score each hypothesis by its best premise: the maximum of each column (Glover et al., Section 2.1).

    Args:
        matrix: ``[premises, hypotheses, 3]``, probabilities.
        scoring: f_Z(p_e, p_n, p_c), which takes arrays of equal shape and returns an array of this shape.
        maxima: ``"joint"``, the largest f_Z of any premise; or ``"separate"``, f_Z of the largest p_e and the
            largest p_c, even of different premises (the released code of Laban et al.).

    Returns:
        float64 ``[hypotheses]``, in the range of ``scoring``.

    Raises:
        ClaimwiseError: for a matrix of another shape or without pairs, or a ``scoring`` that does not return
            one finite number per pair.
    """
    _check(matrix)
    if maxima == "separate":
        matrix = matrix.max(axis=0, keepdims=True)
    scores: npt.NDArray[np.float64] = _pair_scores(matrix, scoring).max(axis=0)
    return scores


def best_premises(matrix: Array, scoring: Scoring = entailment, maxima: Maxima = "joint") -> list[list[int]]:
    """Return for each hypothesis the (first) premise that determines ``hypothesis_scores``.

    With ``maxima="separate"`` there can be two: the premises of the largest p_e and of the largest p_c.
    """
    _check(matrix)
    if maxima == "joint":
        best = _pair_scores(matrix, scoring).argmax(axis=0)
        return [[int(premise)] for premise in best]
    pairs = matrix.argmax(axis=0)[:, [ENTAILMENT, CONTRADICTION]].tolist()
    return [list(dict.fromkeys(pair)) for pair in pairs]


def retrieve(
    matrix: Array, k: int, by: RetrieveBy = "entailment", order: TopkOrder = "score"
) -> list[list[int]]:
    """Choose for each hypothesis the premises to be joined and scored again.

    Args:
        matrix: ``[premises, hypotheses, 3]``, probabilities.
        k: number of premises; all premises if there are fewer.
        by: ``"entailment"``, the K premises of the largest p_e (TOPK: Glover et al., Section 3), or
            ``"entailment_and_contradiction"``, also the K premises of the largest p_c, at most 2 K (SENTLI's
            retrieve and rerank: Section 2.2).
        order: ``"score"``, the best first, premises for p_e before premises for p_c; or ``"document"``.

    Returns:
        The indices of the chosen premises per hypothesis. Ties are broken in favour of the first premise.

    Raises:
        ClaimwiseError: for a matrix of another shape or without pairs, or a ``k`` below 1.
    """
    _check(matrix)
    if k < 1:
        raise ClaimwiseError(f"`k` must be at least 1; got {k}.")
    labels = [ENTAILMENT] if by == "entailment" else [ENTAILMENT, CONTRADICTION]
    ranked = np.concatenate([np.argsort(-matrix[:, :, label], axis=0, kind="stable")[:k] for label in labels])
    chosen = [list(dict.fromkeys(of_hypothesis)) for of_hypothesis in ranked.T.tolist()]
    return [sorted(premises) for premises in chosen] if order == "document" else chosen


def summary_score(
    scores: Sequence[float] | Array,
    aggregation: Aggregation = "mean",
    sentences: Sequence[int] | None = None,
) -> float:
    """Aggregate the scores of the hypotheses into the score of the summary (Glover et al., Section 2.2).

    Args:
        scores: ``[hypotheses]``.
        aggregation: ``"mean"`` (soft) or ``"min"`` (hard).
        sentences: index of the sentence of each hypothesis. With it, hypotheses are averaged by sentence
            first, then sentences (Glover et al., Appendix D); the minimum is unchanged.

    Raises:
        ClaimwiseError: for no hypotheses, or unequal lengths.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not values.size:
        raise ClaimwiseError(
            "A summary without hypotheses cannot be scored.", "It needs at least one sentence."
        )
    if sentences is not None and len(sentences) != values.size:
        raise ClaimwiseError(f"Unequal lengths: {values.size} scores, {len(sentences)} sentences.")
    if aggregation == "min":
        return float(values.min())
    if sentences is None:
        return float(values.mean())
    _, of_sentence, claims = np.unique(sentences, return_inverse=True, return_counts=True)
    return float(np.average(values, weights=1 / claims[of_sentence]))


def _check(matrix: Array) -> None:
    if matrix.ndim != 3 or matrix.shape[2] != 3 or not matrix.size:
        raise ClaimwiseError(f"Expected a non-empty matrix [premises, hypotheses, 3]; got {matrix.shape}.")


def _pair_scores(matrix: Array, scoring: Scoring) -> npt.NDArray[np.float64]:
    """Return f_Z of every pair, ``[premises, hypotheses]``."""
    scores = np.asarray(scoring(*np.moveaxis(matrix, 2, 0)), dtype=np.float64)
    if scores.shape != matrix.shape[:2] or not np.isfinite(scores).all():
        raise ClaimwiseError(
            "The scoring function did not return one finite number per pair.",
            "It is given the arrays p_e, p_n and p_c and must return an array of their shape, such as "
            "lambda p_e, p_n, p_c: p_e - p_c.",
            option="scoring",
        )
    return scores
