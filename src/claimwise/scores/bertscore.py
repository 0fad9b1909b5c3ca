"""BERTScore (Zhang et al. 2020, equations for R, P and F1): greedy matching of contextual embeddings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class Matched(NamedTuple):
    """Precision, recall and F1 of a candidate against a reference, each at most 1."""

    precision: float
    recall: float
    f1: float


def greedy_matching(candidate: Floats, reference: Floats) -> Matched:
    """Return the BERTScore of a candidate against a reference, without weights of words.

    Each token is matched with the most similar token of the other text. The first and the last token, which
    the tokenizer adds, can be matched, but are not counted.

    Args:
        candidate: embeddings of its tokens ``[tokens, size]``.
        reference: embeddings of its tokens ``[tokens, size]``.

    Returns:
        Zeros if one of the texts has no tokens of its own.
    """
    if len(candidate) <= 2 or len(reference) <= 2:
        return Matched(0.0, 0.0, 0.0)
    candidate, reference = (
        states / np.linalg.norm(states, axis=1, keepdims=True) for states in (candidate, reference)
    )
    similarity = candidate @ reference.T
    precision = float(similarity.max(1)[1:-1].mean())
    recall = float(similarity.max(0)[1:-1].mean())
    total = precision + recall
    return Matched(precision, recall, 2 * precision * recall / total if total else 0.0)
