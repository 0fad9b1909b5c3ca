"""Tokenizers and stemmers for the metrics that count tokens."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache

from claimwise.errors import ClaimwiseError
from claimwise.signature import function_name
from claimwise.tables import listed

STEMS_KEPT = 2**16
"""Number of words whose stems a stemmer caches."""
TOKENIZERS = {
    "words_and_punctuation": re.compile(r"\w+|[^\w\s]"),
    "words": re.compile(r"\w+"),
}


def load_tokenizer(name: str | Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return a function from text to tokens.

    ``"words_and_punctuation"`` and ``"words"`` are lower-cased; ``"treebank"`` is NLTK's, cased, for single
    sentences.

    Raises:
        ClaimwiseError: for an unknown name.
    """
    if callable(name):
        return name
    if name == "treebank":
        from nltk.tokenize import NLTKWordTokenizer

        tokenize: Callable[[str], list[str]] = NLTKWordTokenizer().tokenize
        return tokenize
    if name not in TOKENIZERS:
        raise ClaimwiseError(
            f"Unknown tokenizer `{name}`.", f"Choose {listed([*TOKENIZERS, 'treebank'])} or a function."
        )
    return lambda text: TOKENIZERS[name].findall(text.lower())


def load_stemmer(name: str | None) -> Callable[[list[str]], list[str]]:
    """Return a function from tokens to their stems.

    A name is ``"none"`` (or None), a Snowball language such as ``"english"``, or ``"nltk_porter"`` (NLTK's
    version of the Porter stemmer, which lower-cases).

    Raises:
        ClaimwiseError: for an unknown language.
    """
    import snowballstemmer

    if name is None or name == "none":
        return list
    if name == "nltk_porter":
        from nltk.stem.porter import PorterStemmer

        return _each(PorterStemmer().stem)
    if name not in snowballstemmer.algorithms():
        choices = f"Choose `none`, `nltk_porter` or one of {', '.join(snowballstemmer.algorithms())}."
        raise ClaimwiseError(f"Unknown stemmer `{name}`.", choices)
    local = threading.local()  # a stemmer stores the current word, so threads cannot share it

    def stem(word: str) -> str:
        if not hasattr(local, "stemmer"):
            local.stemmer = snowballstemmer.stemmer(name)
        return str(local.stemmer.stemWord(word))

    return _each(stem)


def _each(stem: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    remembered = lru_cache(STEMS_KEPT)(stem)
    return lambda tokens: [remembered(token) for token in tokens]


def tokenizer_name(tokenizer: str | Callable[[str], list[str]]) -> str:
    """Return the name of a tokenizer in signatures."""
    return tokenizer if isinstance(tokenizer, str) else function_name(tokenizer)
