"""SSAS: semantic similarity of a summary and a reference, from entailment, contradiction and shared words.

Vadapalli et al. 2017, "SSAS: Semantic Similarity for Abstractive Summarization". A reference R has claims
a_1 … a_n, a summary S has claims b_1 … b_m. The score is a sum of nine features (Equations 1 to 9) with
fitted weights (Equation 10), normalized by the best and the worst possible summary (Equation 11), so that the
bias of Equation 10 cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from claimwise.options import check

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Ranking = Literal["pairwise", "listwise", "regression"]

FEATURES = (
    "entailment_from_reference",  # F_e1
    "entailment_from_summary",  # F_e2
    "contradiction_from_reference",  # F_c1
    "contradiction_from_summary",  # F_c2
    "neutrality_from_reference",  # F_n1
    "neutrality_from_summary",  # F_n2
    "paraphrase_from_reference",  # F_p1
    "paraphrase_from_summary",  # F_p2
    "rouge_su4",  # F_R
)
"""In the order of the paper's feature vector. "From" names the side of the premises, over which the maxima
are averaged: for F_e1, the highest entailment of a summary's claim by each claim of the reference."""

GROUPS: Mapping[str, tuple[int, ...]] = {
    "entailment": (0, 1),
    "contradiction": (2, 3),
    "neutrality": (4, 5),
    "paraphrase": (6, 7),
    "rouge_su4": (8,),
}
"""Indices of the features that Table 3 leaves out together."""

BEST = np.array([1, 1, 0, 0, 0, 0, 1, 1, 1], dtype=np.float64)
"""f_max of Equation 11: 1 for entailment, paraphrase and ROUGE, 0 for all others."""

WORST = np.array([0, 0, 1, 1, 0, 0, 0, 0, 0], dtype=np.float64)
"""f_min of Equation 11: 1 for contradiction, 0 for all others."""

SIGNS = np.array([1, 1, -1, -1, -1, -1, 1, 1, 1], dtype=np.float64)
"""Sign of each weight. Only with these signs is f_max the best possible summary."""

NEUTRALITY = GROUPS["neutrality"]

ROUNDING = 1e-4
"""Tolerance for rounding in the bound on the weights of neutrality."""

PENALTY = 1e-3
"""Penalty on squared weights in fitting, which selects among weights that fit equally well."""

PARAPHRASES: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "minimum": np.minimum,
    "product": np.multiply,
    "geometric_mean": lambda there, back: np.sqrt(there * back),
}
"""P(a, b) from E(a, b) and E(b, a): paraphrases entail each other. ``"minimum"`` is the weaker of both
entailments; the product assumes that they are independent, which they are not."""


@dataclass(frozen=True)
class SsasFeatures:
    """The features of one summary against one reference.

    Attributes:
        values: ``[9]``, in the order of ``FEATURES``, each in [0, 1].
        best: for each of the first eight features and every claim of its side, the index of the (first) claim
            of the other side with the maximum.
        probabilities: these maxima.
    """

    values: Floats
    best: tuple[Ints, ...]
    probabilities: tuple[Floats, ...]


def ssas_features(
    forward: npt.NDArray[np.floating],
    backward: npt.NDArray[np.floating],
    paraphrase: npt.NDArray[np.floating],
    rouge_su4: float,
) -> SsasFeatures:
    """Compute the features of a summary against a reference (Equations 1 to 9).

    Args:
        forward: ``[n, m, 3]``, probabilities with the claims of the reference as premises.
        backward: ``[m, n, 3]``, probabilities with the claims of the summary as premises.
        paraphrase: ``[n, m]``, P(a, b), which is symmetric.
        rouge_su4: ROUGE-SU4 of the whole texts.

    Raises:
        ClaimwiseError: for mismatched shapes, or a text without claims.
    """
    shape = forward.shape[:2]
    fits = forward.ndim == 3 and forward.shape[2] == 3 and backward.shape == (*shape[::-1], 3)
    if not fits or paraphrase.shape != shape:
        raise ClaimwiseError(
            "Expected matrices of shapes [n, m, 3], [m, n, 3] and [n, m]; got "
            f"{forward.shape}, {backward.shape} and {paraphrase.shape}."
        )
    if not forward.size:
        raise ClaimwiseError("A text without claims cannot be scored.", "Each needs at least one claim.")
    of_claims = [
        matrix
        for label in (ENTAILMENT, CONTRADICTION, NEUTRAL)
        for matrix in (forward[:, :, label], backward[:, :, label])
    ]
    of_claims += [paraphrase, paraphrase.T]
    maxima = tuple(matrix.max(axis=1).astype(np.float64) for matrix in of_claims)
    return SsasFeatures(
        values=np.array([*(values.mean() for values in maxima), rouge_su4], dtype=np.float64),
        best=tuple(matrix.argmax(axis=1) for matrix in of_claims),
        probabilities=maxima,
    )


def contributions(features: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Return each feature's contribution to Equation 11: λ_i (f_i − f_min,i) / λ · (f_max − f_min).

    Args:
        features: ``[…, 9]``.
        weights: ``[9]``, λ without the bias.

    Returns:
        ``[…, 9]``, whose sum over the last axis is ``ssas``.

    Raises:
        ClaimwiseError: for weights that ``checked_weights`` rejects.
    """
    values = checked_weights(weights)
    added: Floats = values * (np.asarray(features, dtype=np.float64) - WORST) / (values @ (BEST - WORST))
    return added


def ssas(features: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Return SSAS (Equation 11) of features ``[…, 9]``: 1 = the best summary, 0 = f_min.

    In [-1, 1]: because neutrality is 0 in f_min, a summary that is also neutral can score below 0.

    Raises:
        ClaimwiseError: for weights that ``checked_weights`` rejects.
    """
    total: Floats = contributions(features, weights).sum(axis=-1)
    return total


def checked_weights(weights: npt.ArrayLike) -> Floats:
    """Return weights as an array ``[9]``.

    Raises:
        ClaimwiseError: unless they are nine finite numbers with the signs ``SIGNS`` that rank the best
            summary above the worst and do not weight neutrality more than the difference of both.
    """
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (len(FEATURES),) or not np.isfinite(values).all():
        raise ClaimwiseError(f"Expected {len(FEATURES)} finite weights; got {values.tolist()}.")
    span = values @ (BEST - WORST)
    if (values * SIGNS < 0).any() or span <= 0:
        raise ClaimwiseError(
            "Weights of entailment, paraphrase and rouge_su4 must be 0 or more, weights of contradiction and "
            "neutrality 0 or less, and not all 0.",
            "With other weights, a perfect summary would not rank above all others.",
        )
    if -values[list(NEUTRALITY)].sum() > span * (1 + ROUNDING):
        raise ClaimwiseError(
            "These weights count neutrality more than all other features together.",
            "Reduce the weights of neutrality.",
        )
    return values


def fit_weights(
    features: npt.ArrayLike,
    human: npt.ArrayLike,
    documents: Sequence[Hashable],
    ranking: Ranking = "listwise",
    leave_out: Sequence[int] = (),
) -> Floats:
    """Fit the weights to human scores (Section 4.2).

    ``"regression"`` fits the human scores themselves (least squares, with the bias); ``"pairwise"`` the order
    of every two summaries of a document (Burges et al. 2005: logistic loss of the difference of their
    scores); ``"listwise"`` the order of all summaries of a document (Cao et al. 2007: cross-entropy of the
    top-one probabilities). Weights have the signs ``SIGNS`` and are regularized (``PENALTY``); weights of
    neutrality are reduced if they outweigh all others. All three problems are convex: the same data give the
    same weights.

    Args:
        features: ``[summaries, 9]``.
        human: ``[summaries]``, higher = better, on any scale.
        documents: document of each summary; only summaries of the same document are compared.
        ranking: the loss.
        leave_out: indices of features whose weights are fixed to 0, for an ablation.

    Returns:
        ``[9]``, scaled so that λ · (f_max − f_min) = 1. With the bias −λ · f_min, Equation 10 then gives the
        score of Equation 11.

    Raises:
        ClaimwiseError: for data of unequal lengths, documents whose human scores never differ, or features
            that do not predict them.
    """
    check("ranking", ranking, choices=get_args(Ranking))
    rows, scores = np.asarray(features, dtype=np.float64), np.asarray(human, dtype=np.float64)
    lists = _lists_of_documents(rows, scores, documents)
    kept = np.setdiff1d(np.arange(len(FEATURES)), leave_out)
    signed, standard = (rows * SIGNS)[:, kept], scores / scores.std()
    weights = np.zeros(len(FEATURES))
    if ranking == "regression":
        weights[kept] = _least_squares(signed, standard)
    else:
        make_loss = _pairwise_loss if ranking == "pairwise" else _listwise_loss
        weights[kept] = _minimized(make_loss(signed, standard, lists), kept.size)
    weights *= SIGNS
    span = weights @ (BEST - WORST)
    neutrality = -weights[list(NEUTRALITY)].sum()
    if neutrality > span:
        weights[list(NEUTRALITY)] *= span / neutrality
    if span <= 1e-9:
        raise ClaimwiseError(
            "The features do not predict the human scores: all weights are 0.",
            "Check that higher human scores are better, or provide more summaries.",
        )
    fitted: Floats = weights / span + 0.0  # no negative zeros
    return fitted


def _lists_of_documents(rows: Floats, scores: Floats, documents: Sequence[Hashable]) -> list[Ints]:
    """Return for each document with different human scores the indices of its summaries."""
    if rows.shape != (len(documents), len(FEATURES)) or scores.shape != (len(documents),):
        raise ClaimwiseError(
            f"Expected {len(FEATURES)} features, a human score and a document for every summary; got arrays "
            f"of shapes {rows.shape} and {scores.shape} for {len(documents)} documents."
        )
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        problem = f"The human score of summary {row} is not a finite number: {scores[row]}."
        raise ClaimwiseError(problem, "Leave out the summary, or correct its score.")
    indices: dict[Hashable, list[int]] = {}
    for index, document in enumerate(documents):
        indices.setdefault(document, []).append(index)
    lists = [np.array(of_document) for of_document in indices.values() if len(set(scores[of_document])) > 1]
    if not lists:
        raise ClaimwiseError(
            "No two summaries of one document differ in their human score, so there is nothing to fit.",
            "Provide several summaries of each document.",
        )
    return lists


Loss = Callable[[Floats], tuple[float, Floats]]


def _least_squares(signed: Floats, scores: Floats) -> Floats:
    from scipy.optimize import lsq_linear

    size = signed.shape[1]
    penalty = np.sqrt(PENALTY * len(signed)) * np.eye(size, size + 1)
    result = lsq_linear(
        np.vstack([np.column_stack([signed, np.ones(len(signed))]), penalty]),
        np.concatenate([scores, np.zeros(size)]),
        bounds=([0.0] * size + [-np.inf], np.inf),
        method="bvls",
    )
    magnitudes: Floats = result.x[:size]
    return magnitudes


def _minimized(loss: Loss, size: int) -> Floats:
    from scipy.optimize import minimize

    def penalized(magnitudes: Floats) -> tuple[float, Floats]:
        value, slope = loss(magnitudes)
        return value + PENALTY * float(magnitudes @ magnitudes), slope + 2 * PENALTY * magnitudes

    result = minimize(
        penalized,
        np.ones(size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * size,
        options={"ftol": 1e-12, "gtol": 1e-8, "maxiter": 2000},
    )
    magnitudes: Floats = result.x
    return magnitudes


def _pairwise_loss(signed: Floats, scores: Floats, lists: Sequence[Ints]) -> Loss:
    """Mean of log(1 + exp(−(s_i − s_j))) over all pairs of a document with a higher human score for i."""
    differences_of_documents = []
    for rows in lists:
        better, worse = np.nonzero(scores[rows][:, None] > scores[rows])
        differences_of_documents.append(signed[rows[better]] - signed[rows[worse]])
    differences = np.concatenate(differences_of_documents)

    def loss(magnitudes: Floats) -> tuple[float, Floats]:
        margins = differences @ magnitudes
        slopes = -1 / (1 + np.exp(margins))
        return float(np.logaddexp(0, -margins).mean()), differences.T @ slopes / len(margins)

    return loss


def _listwise_loss(signed: Floats, scores: Floats, lists: Sequence[Ints]) -> Loss:
    """Mean over documents of −Σ P_human(i) log P(i), P(i) = exp(s_i) / Σ exp(s_j), the top-one loss."""
    from scipy.special import softmax

    by_people = [softmax(scores[rows]) for rows in lists]

    def loss(magnitudes: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros(signed.shape[1])
        for rows, wanted in zip(lists, by_people, strict=True):
            logits = signed[rows] @ magnitudes
            value += float(np.logaddexp.reduce(logits) - wanted @ logits)
            slope += (softmax(logits) - wanted) @ signed[rows]
        return value / len(lists), slope / len(lists)

    return loss
