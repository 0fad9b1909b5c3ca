"""Tokenizers and stemmers for the metrics that count tokens."""

from __future__ import annotations

import re
from collections.abc import Callable

from claimwise.errors import ClaimwiseError

TOKENIZERS = {
    "words_and_punctuation": re.compile(r"\w+|[^\w\s]"),
    "words": re.compile(r"\w+"),
}


def load_tokenizer(name: str | Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return a function from text to tokens.

    Args:
        name: ``"words_and_punctuation"`` or ``"words"`` (punctuation dropped), both
            lower-cased; or a function.

    Raises:
        ClaimwiseError: for an unknown name.
    """
    if callable(name):
        return name
    if name not in TOKENIZERS:
        raise ClaimwiseError(
            f"Unknown tokenizer {name!r}. Choose {', '.join(map(repr, TOKENIZERS))} or a function."
        )
    return lambda text: TOKENIZERS[name].findall(text.lower())


def load_stemmer(name: str | None) -> Callable[[list[str]], list[str]]:
    """Return a function from tokens to their stems.

    Args:
        name: ``"none"`` (or None), or a Snowball language such as ``"english"``.

    Raises:
        ClaimwiseError: for an unknown language.
    """
    import snowballstemmer

    if name is None or name == "none":
        return list
    if name not in snowballstemmer.algorithms():
        raise ClaimwiseError(
            f"Unknown stemmer {name!r}. Choose 'none' or one of {', '.join(snowballstemmer.algorithms())}."
        )
    stemmer = snowballstemmer.stemmer(name)
    return lambda tokens: list(stemmer.stemWords(tokens))
