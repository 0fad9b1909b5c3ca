"""Complexity: the percentage of sentences that contrast opinions.

Bhaskar et al. 2022, "Zero-Shot Opinion Summarization with GPT-3", Appendix B, Equation 4 and Table 11.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from claimwise.errors import ClaimwiseError

CONTRASTING_WORDS = ("while", "but", "though", "although", "other", "others", "however")
"""The set K of Appendix B."""


def contrasting_words(
    tokens: Sequence[str], words: Collection[str] = CONTRASTING_WORDS, *, case_sensitive: bool = False
) -> list[str]:
    """Return N_1(s) ∩ K: the contrasting words among the tokens of a sentence, in order.

    Args:
        tokens: tokens of the sentence.
        words: K.
        case_sensitive: ignore "However" at the start of a sentence, as in the published numbers.
    """
    if case_sensitive:
        return [token for token in tokens if token in words]
    lowered = {word.lower() for word in words}
    return [token for token in tokens if token.lower() in lowered]


def complexity(
    sentences: Sequence[Sequence[str]],
    words: Collection[str] = CONTRASTING_WORDS,
    *,
    case_sensitive: bool = False,
) -> float:
    """Return the percentage of contrasting sentences (Equation 4), in [0, 100].

    Args:
        sentences: the tokens of each sentence, of one summary or of all summaries of a system.
        words: see ``contrasting_words``.
        case_sensitive: see ``contrasting_words``.

    Raises:
        ClaimwiseError: if there is no sentence.
    """
    if not sentences:
        raise ClaimwiseError(
            "No sentences: complexity is a share of sentences.", "Provide at least one sentence."
        )
    contrasting = [
        bool(contrasting_words(tokens, words, case_sensitive=case_sensitive)) for tokens in sentences
    ]
    return 100 * sum(contrasting) / len(contrasting)
