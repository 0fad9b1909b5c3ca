"""LexRank: the centrality of sentences (Erkan and Radev 2004).

Continuous LexRank (Section 3.3), with the bias towards a query of Otterbacher et al. 2005.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DAMPING = 0.15
"""Probability of a jump to any sentence, or to any favoured sentence (LexRank's d)."""
TOLERANCE = 1e-9
MOST_STEPS = 200


def lexrank(documents: Sequence[Sequence[str]], favoured: Sequence[bool] | None = None) -> Floats:
    """Return the centrality of each sentence, ``[sentences]``, which sums to 1.

    It is the stationary distribution of a random walk between sentences, in proportion to the cosine of their
    TF-IDF vectors, with jumps of probability ``DAMPING``. No matrix of all pairs is built.

    Args:
        documents: the terms of each sentence.
        favoured: the sentences that jumps lead to; None = all.
    """
    vectors = tf_idf(documents)
    count = len(documents)
    start = np.ones(count) if favoured is None else np.array(favoured, dtype=np.float64)
    start /= start.sum() or 1.0
    degrees: Floats = vectors @ (vectors.T @ np.ones(count))
    degrees[degrees <= 0] = 1.0  # a sentence without terms has no neighbours
    scores = start
    for _ in range(MOST_STEPS):
        spread: Floats = vectors @ (vectors.T @ (scores / degrees))
        spread *= (1 - DAMPING) / (spread.sum() or 1.0)
        before, scores = scores, spread + DAMPING * start
        if np.abs(scores - before).sum() < TOLERANCE:
            break
    return scores


def tf_idf(documents: Sequence[Sequence[str]]) -> Any:
    """Return TF-IDF vectors of length 1 as a sparse array ``[documents, terms]``; IDF = ln(N / df) + 1."""
    from scipy.sparse import csr_array

    frequencies = Counter(term for document in documents for term in set(document))
    numbers = {term: number for number, term in enumerate(sorted(frequencies))}
    rows, columns, values = [], [], []
    for row, document in enumerate(documents):
        weights = {
            term: count * (np.log(len(documents) / frequencies[term]) + 1)
            for term, count in sorted(Counter(document).items())
        }
        length = float(np.sqrt(sum(weight**2 for weight in weights.values())))
        rows += [row] * len(weights)
        columns += [numbers[term] for term in weights]
        values += [weight / length for weight in weights.values()]
    shape = len(documents), max(len(numbers), 1)
    return csr_array((np.array(values, dtype=np.float64), (rows, columns)), shape=shape)
