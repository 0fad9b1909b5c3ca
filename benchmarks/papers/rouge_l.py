"""ROUGE-L, with which the experiments compare: Lin 2004, Section 3; see ``claimwise.scores.rouge``."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from claimwise.scores.rouge import Overlap


def rouge_l(candidate: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Return the length of the longest common subsequence divided by the texts' lengths (Section 3.1)."""
    length = longest_common_subsequence(candidate, reference)
    recall, precision = (length / len(text) if text else 0.0 for text in (reference, candidate))
    return Overlap(recall, precision)


def longest_common_subsequence(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence, in tokens."""
    codes = {token: code for code, token in enumerate(dict.fromkeys(first))}
    of_first = np.array([codes[token] for token in first], dtype=np.int64)
    lengths = np.zeros(len(first) + 1, dtype=np.int64)
    for token in second:
        if token in codes:
            diagonal = lengths[:-1] + (of_first == codes[token])
            lengths[1:] = np.maximum.accumulate(np.maximum(diagonal, lengths[1:]))
    return int(lengths[-1])
