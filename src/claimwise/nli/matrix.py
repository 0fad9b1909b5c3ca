"""Entailment matrices: every premise against every hypothesis, for many examples in one model call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError

Matrix = npt.NDArray[np.float32]
Example = tuple[Sequence[str], Sequence[str]]


class Predictions(NamedTuple):
    """Probabilities ``[pairs, 3]`` and, per pair, whether a text had to be cut to fit the model."""

    probabilities: npt.NDArray[np.float32]
    truncated: npt.NDArray[np.bool_]


def entailment_matrices(
    predict_pairs: Callable[[list[tuple[str, str]]], Predictions], examples: Sequence[Example]
) -> tuple[list[Matrix], list[int]]:
    """Score all premises against all hypotheses of each example.

    Args:
        predict_pairs: the model, given all pairs of all examples at once so that it can share work.
        examples: (premises, hypotheses) each.

    Returns:
        One float32 array ``[premises, hypotheses, 3]`` per example, and how many of its pairs were truncated.
    """
    for row, example in enumerate(examples):
        if any(isinstance(texts, str) for texts in example):
            raise ClaimwiseError(f"Example {row}: expected two lists of strings, got a bare string.")
    pairs = [pair for premises, hypotheses in examples for pair in itertools.product(premises, hypotheses)]
    predictions = predict_pairs(pairs)
    matrices, truncated = [], []
    start = 0
    for premises, hypotheses in examples:
        end = start + len(premises) * len(hypotheses)
        block = predictions.probabilities[start:end]
        matrices.append(block.reshape(len(premises), len(hypotheses), 3))
        truncated.append(int(predictions.truncated[start:end].sum()))
        start = end
    return matrices, truncated
