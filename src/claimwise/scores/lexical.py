"""Lexical genericity: how common the words of a summary are, as their average inverse document frequency.

Bhaskar et al. 2022, "Zero-Shot Opinion Summarization with GPT-3", Section 5.5 and Table 8. A document is a
sentence of any system's summaries. The paper gives no formula; its numbers for SPACE are reproduced by
IDF = ln(N / (df + 1)), averaged within each sentence and then summed over the sentences of a summary.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from claimwise.errors import ClaimwiseError

Aggregation = Literal["mean", "sum"]


@dataclass(frozen=True)
class InverseDocumentFrequency:
    """IDF(term) = ln(N / (df + 1)) for N documents, df of which contain the term.

    In [ln(N / (N + 1)), ln N]: slightly below 0 for a term in every document, ln N for a term in none.
    """

    documents: int
    frequencies: Counter[str]

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]]) -> InverseDocumentFrequency:
        """Count the documents, each given by its terms.

        Raises:
            ClaimwiseError: if there is none.
        """
        bags = [set(terms) for terms in documents]
        if not bags:
            raise ClaimwiseError("The inverse document frequency needs at least one document.")
        return cls(len(bags), Counter(term for bag in bags for term in bag))

    def __call__(self, term: str) -> float:
        """Return the IDF of ``term``."""
        return math.log(self.documents / (self.frequencies[term] + 1))


def average_idf(
    sentences: Sequence[Sequence[str]], idf: Callable[[str], float], aggregation: Aggregation = "mean"
) -> float:
    """Return the average IDF of a summary: lower = more generic words.

    Args:
        sentences: the terms of each sentence of the summary; repeated terms count again.
        idf: the IDF of a term, such as ``InverseDocumentFrequency.of(documents)``.
        aggregation: aggregation of the sentences' means. ``"mean"`` does not depend on the length of the
            summary; ``"sum"`` (as in the paper) grows with every sentence. Sentences without terms are
            ignored.

    Raises:
        ClaimwiseError: for a summary without terms.
    """
    means = [float(np.mean([idf(term) for term in terms])) for terms in sentences if terms]
    if not means:
        raise ClaimwiseError(
            "the summary has only stopwords, so it has no average IDF.",
            "Drop the row, or choose other stopwords (stopwords='none').",
        )
    return sum(means) if aggregation == "sum" else sum(means) / len(means)
