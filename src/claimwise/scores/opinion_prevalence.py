"""Opinion prevalence: the share of the reviews that imply each sentence of a summary (Malon 2023).

A text implies a sentence if its probability of entailment is at least the threshold. A sentence counts 0 if
it is trivial, that is, implied by a text that says nothing ("I bought this product."), or redundant, that is,
implied by an earlier sentence of the summary, whether or not that one counts. The score of a summary is the
mean over its sentences.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError

Floats = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]

THRESHOLD = 0.3
"""Threshold for the embedded judge, chosen on ReviewNLI (``benchmarks/papers/prevalence.py``)."""

PAPER_THRESHOLD = 0.04
"""The paper's threshold, chosen on the same data for roberta-large-mnli."""


def share_of_reviews(entailment: Floats, reviews: Sequence[Hashable], threshold: float = THRESHOLD) -> Floats:
    """Return the share of the reviews that imply each sentence.

    Args:
        entailment: ``[premises, sentences]``, in [0, 1].
        reviews: review of each premise; a review implies what one of its premises implies.
        threshold: minimum entailment.

    Returns:
        ``[sentences]``, in [0, 1].

    Raises:
        ClaimwiseError: if there is no premise, or not one review per premise.
    """
    if not len(reviews) or len(reviews) != len(entailment):
        raise ClaimwiseError(
            f"{len(entailment)} premises, but {len(reviews)} reviews.", "Pass one per premise."
        )
    numbers: dict[Hashable, int] = {}
    rows = np.array([numbers.setdefault(review, len(numbers)) for review in reviews])
    is_implied = np.zeros((len(numbers), entailment.shape[1]), dtype=np.bool_)
    np.logical_or.at(is_implied, rows, entailment >= threshold)
    share: Floats = np.mean(is_implied, axis=0)
    return share


def redundant(entailment: Floats, threshold: float = THRESHOLD) -> Bools:
    """Return whether an earlier sentence implies each sentence.

    Args:
        entailment: ``[sentences, sentences]``: of column j by row i, in the order of the summary.
        threshold: minimum entailment.
    """
    is_redundant: Bools = np.any(np.triu(entailment >= threshold, k=1), axis=0)
    return is_redundant


def prevalence(counts: Floats) -> float:
    """Return the mean of what the sentences of a summary count, in [0, 1]; see ``sentence_scores``.

    Raises:
        ClaimwiseError: if there is no sentence.
    """
    if not len(counts):
        raise ClaimwiseError("No sentences: prevalence is a mean over sentences.", "Provide at least one.")
    return float(np.mean(counts))


def sentence_scores(share: Floats, is_trivial: Bools, is_redundant: Bools) -> Floats:
    """Return what each sentence counts, in [0, 1]: the share of the reviews that imply it, or 0.

    All arrays are ``[sentences]``.
    """
    return np.where(is_trivial | is_redundant, 0.0, share)
