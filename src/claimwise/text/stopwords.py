"""Stopwords, and the terms of a sentence: its stemmed tokens without stopwords.

``stopwords.txt`` contains NLTK's stopword lists for 29 languages, as redistributed by llama-index-core (MIT
licence): one language per line, without entries that contain white space, which match no token.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from claimwise.errors import ClaimwiseError
from claimwise.signature import text_fingerprint
from claimwise.text.tokens import load_stemmer, load_tokenizer, tokenizer_name


class Terms:
    """Returns the terms of a sentence: its tokens without stopwords, stemmed.

    For the names see ``load_tokenizer``, ``load_stopwords`` and ``load_stemmer``.

    Raises:
        ClaimwiseError: for an unknown name.
    """

    def __init__(
        self,
        tokenizer: str | Callable[[str], list[str]] = "words",
        stopwords: str | Collection[str] = "english",
        stemmer: str = "english",
    ) -> None:
        self._tokenize = load_tokenizer(tokenizer)
        self._stopwords = load_stopwords(stopwords)
        self._stem = load_stemmer(stemmer)
        if not isinstance(stopwords, str):
            stopwords = f"own-{text_fingerprint(chr(10).join(sorted(self._stopwords)))}"
        self.signature = {
            "tokenizer": tokenizer_name(tokenizer),
            "stopwords": stopwords,
            "stemmer": stemmer,
            "nltk": version("nltk"),
            "snowballstemmer": version("snowballstemmer"),
        }

    def __call__(self, sentence: str) -> list[str]:
        """Return the terms of ``sentence``, in order."""
        return self._stem([token for token in self._tokenize(sentence) if token not in self._stopwords])


@cache
def _lists() -> dict[str, frozenset[str]]:
    text = (files("claimwise.text") / "stopwords.txt").read_text(encoding="utf-8")
    lines = (line.split(": ", 1) for line in text.splitlines())
    return {language: frozenset(words.split(" ")) for language, words in lines}


def load_stopwords(name: str | Collection[str]) -> frozenset[str]:
    """Return the stopwords of a language, of ``"all"`` languages together or ``"none"``, or the words given.

    Raises:
        ClaimwiseError: for an unknown language.
    """
    if not isinstance(name, str):
        return frozenset(name)
    if name == "none":
        return frozenset()
    if name == "all":
        return frozenset().union(*_lists().values())
    if name not in _lists():
        choices = f"Choose `none`, `all`, a collection of words, or one of {', '.join(_lists())}."
        raise ClaimwiseError(f"Unknown stopwords `{name}`.", choices)
    return _lists()[name]
