"""Conversion of sentences to words, and of the words of a claim to a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from claimwise.text.stopwords import load_stopwords

_WORD = re.compile(
    r"""
    (?:https?://|www\.)[^\s,;)]+ | [\w.+-]+@[\w-]+(?:\.\w+)+            # addresses
    | (?:[a-z]\.){2,}                                                   # U.S., a.m.
    | (?:do|does|did|is|was|were|are|have|has|had|would|could|should|wo|ca|ai)(?=n['’]?t\b)
    | \w+?(?=n['’]t\b) | n['’]?t\b                                      # did|n't, did|nt
    | ['’](?:s|re|ve|m|ll|d)\b
    | w/o? (?=\s)
    | [$£€#]?\d+(?:[.,:]\d+)*(?:%|\w+)?(?:-\w+)*                        # $5.50, 7:30pm, 20%, 3rd, 2-star
    | \w+(?:(?:-|&|['’](?!(?:s|re|ve|m|ll|d|t)\b))\w+)*                 # half-truths, B&B, o'clock
    | \.{2,} | -{2,} | [!?]+ | \S
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LOOSE = " ,;:.!?…-–—([{"
_MARKS = frozenset({",", ";", ":", "-", "--", "–", "—", "/", "(", ")", "…", "..."})
_SHOUTED = 0.7
"""A sentence with at least this share of capitals among its letters is read in lower case."""
_FEWEST_SHOUTED = 12

_CLITIC = re.compile(r"n['’]?t|['’](?:s|re|ve|m|ll|d)?", re.IGNORECASE)
_CLOSING = frozenset(",.;:!?%)]…")
_OPENING = frozenset("([$£€")

_SOUNDED = re.compile(r"(?:hour|honest|honou?r|heir)", re.IGNORECASE)
_VOWEL = re.compile(r"[aeiou8]|11\b|18\b|mp3|lcd|led\b", re.IGNORECASE)
_NOT_VOWEL = re.compile(r"(?:uni(?!n|m)|use|usu|eu|one\b|once\b|ut[ei]|u\b)", re.IGNORECASE)


class Source(NamedTuple):
    """The words of a sentence, preceded by the words of the previous sentence if both are read together.

    Attributes:
        sentence: the sentence itself.
        words: words of both sentences.
        spaces: whether a space follows each word.
        context: number of words of the previous sentence.
    """

    sentence: str
    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    context: int = 0

    def behind(self, before: Source) -> Source:
        """Return this sentence with the words of the previous sentence in front."""
        spaces = (*before.spaces[:-1], True, *self.spaces)
        return Source(self.sentence, (*before.words, *self.words), spaces, len(before.words))


class Written(NamedTuple):
    """A word of a claim and its place in the source; None if the source does not have it."""

    word: str
    place: int | None = None


def is_content(word: str) -> bool:
    """Return whether a word in lower case says something by itself."""
    is_word = any(map(str.isalpha, word)) and not word.startswith(("'", "’"))
    return is_word and word not in load_stopwords("english")


def words_of(sentence: str) -> Source:
    """Split a sentence into words: "didn't" is "did" and "n't", and punctuation marks are words."""
    letters = [character for character in sentence if character.isalpha()]
    is_shouted = len(letters) >= _FEWEST_SHOUTED and sum(map(str.isupper, letters)) >= _SHOUTED * len(letters)
    matches = list(_WORD.finditer(sentence.lower() if is_shouted else sentence))
    words = tuple("I" if is_shouted and match.group() == "i" else match.group() for match in matches)
    spaces = tuple(sentence[match.end() : match.end() + 1].isspace() for match in matches)
    return Source(sentence, words, spaces)


def sentence_of(claim: Sequence[Written], source: Source) -> str:
    """Join the words of a claim into a sentence: spaces, "a" or "an", a capital letter and a full stop.

    A claim without letters gives an empty sentence.
    """
    kept = [written for number, written in enumerate(claim) if not _is_torn(claim, number, source)]
    text, before = "", None
    for number, written in enumerate(kept):
        word = default_case(written, source, is_first=number == 0)
        if word.lower() in ("a", "an") and number + 1 < len(kept):
            following = kept[number + 1]
            if written.place is None or following.place != written.place + 1:
                article = article_before(following.word)
                word = article.capitalize() if word[0].isupper() else article
        if before is not None and is_apart(before, written, source):
            text += " "
        text += "n't" if word.lower() == "nt" else word
        before = written
    end = "?" if text.endswith("?") else "."
    text = text.strip(_LOOSE)
    if text.count("(") > text.count(")"):
        text += ")"
    if not any(map(str.isalpha, text)):
        return ""
    first = text.split(" ", 1)[0]
    if not any(letter.isupper() for letter in first[1:]) and len(text[0].upper()) == 1:
        text = text[0].upper() + text[1:]
    return f"{text}{end}"


def default_case(written: Written, source: Source, *, is_first: bool) -> str:
    """Return a word in its default case in a claim, which the network may change.

    A function word from the beginning of a sentence loses its capital letter within a claim.
    """
    word, place = written
    opened = place in (0, source.context) and not is_first
    return word.lower() if opened and word != "I" and word.lower() in load_stopwords("english") else word


def _is_torn(claim: Sequence[Written], number: int, source: Source) -> bool:
    """Return whether a copied punctuation mark has lost the words around it."""
    word, place = claim[number]
    if place is None or word not in _MARKS:
        return False
    before = claim[number - 1].place if number else None
    after = claim[number + 1].place if number + 1 < len(claim) else None
    if word in ("(", ")"):
        return (after != place + 1) if word == "(" else (before != place - 1)
    return before != place - 1 or after != place + 1


def is_apart(before: Written, written: Written, source: Source) -> bool:
    """Return whether there is a space between two words of a claim."""
    if before.place is not None and written.place == before.place + 1:
        return source.spaces[before.place]
    if _CLITIC.fullmatch(written.word) or written.word[0] in _CLOSING:
        return False
    return before.word[-1] not in _OPENING


def article_before(word: str) -> str:
    """Return the article before a word, "a" or "an"."""
    if _SOUNDED.match(word):
        return "an"
    return "an" if _VOWEL.match(word) and not _NOT_VOWEL.match(word) else "a"
