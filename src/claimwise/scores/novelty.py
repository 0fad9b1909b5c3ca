"""Abstractiveness: the share of a summary's n-grams that do not occur in its source.

Bhaskar et al. 2022, "Zero-Shot Opinion Summarization with GPT-3", Appendix C and Figure 8, for n = 3, 4, 5.
n-grams do not cross sentences and count as often as they occur (the multiset N_n of Section 5.1).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

Ngram = tuple[str, ...]

SIZES = (3, 4, 5)
"""The values of n in the paper."""


def ngrams(sentences: Iterable[Sequence[str]], n: int) -> list[Ngram]:
    """Return the n-grams within sentences, as tuples of tokens, in order and with repetitions."""
    return [tuple(tokens[start : start + n]) for tokens in sentences for start in range(len(tokens) - n + 1)]


def abstractiveness(summary: Sequence[Ngram], source: Container[Ngram]) -> float:
    """Return the share of the n-grams of a summary that are novel.

    Args:
        summary: its n-grams; see ``ngrams``.
        source: n-grams of its source, preferably as a set.

    Returns:
        In [0, 1]: 0 = all are copied, 1 = all are novel; 0, as in the authors' code, for a summary whose
        sentences are all shorter than n tokens.
    """
    if not summary:
        return 0.0
    return sum(ngram not in source for ngram in summary) / len(summary)
