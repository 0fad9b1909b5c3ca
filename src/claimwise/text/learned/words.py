"""Words of a sentence, as the treebank cuts them, and words put together to a sentence again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from claimwise.text.articles import article_before
from claimwise.text.parser import WEIGHTS
from claimwise.text.stopwords import load_stopwords

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer

_CLITIC = re.compile(r"n['’]?t|['’](?:s|re|ve|m|ll|d)?", re.IGNORECASE)
_CLOSING = frozenset(",.;:!?%)]…")
_OPENING = frozenset("([$£€")
_LOOSE = " ,;:.!?…-–—([{"
_MARKS = frozenset({",", ";", ":", "-", "–", "—", "/", "(", ")", "…", "..."})


class Source(NamedTuple):
    """The words of a sentence, behind those of the sentence before where they are read with it.

    Attributes:
        sentence: itself.
        words: of both.
        spaces: whether a space follows each.
        context: how many of them are of the sentence before.
    """

    sentence: str
    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    context: int = 0

    def behind(self, before: Source) -> Source:
        """Return this sentence with the sentence before in front."""
        spaces = (*before.spaces[:-1], True, *self.spaces)
        return Source(self.sentence, (*before.words, *self.words), spaces, len(before.words))


class Written(NamedTuple):
    """A word of a claim, and its place in the sentence; None if the sentence does not have it."""

    word: str
    place: int | None = None


@cache
def _tokenizer() -> Tokenizer:
    import spacy

    tokenizer: Tokenizer = spacy.blank("en").tokenizer
    return tokenizer.from_disk(WEIGHTS / "tokenizer")


def words_of(sentence: str) -> Source:
    """Return a sentence as words: "didn't" is "did" and "n't", and marks stand apart."""
    tokens = [token for token in _tokenizer()(sentence) if not token.is_space]
    spaces = tuple(bool(token.whitespace_) for token in tokens)
    return Source(sentence, tuple(token.text for token in tokens), spaces)


def sentence_of(claim: Sequence[Written], source: Source) -> str:
    """Return the sentence that the words of a claim make: spaces, a or an, capital letter and full stop.

    Args:
        claim: its words.
        source: the sentence that they come from.

    Returns:
        The sentence; empty if there is no letter in it.
    """
    kept = [written for number, written in enumerate(claim) if not _is_torn(claim, number, source)]
    text, before = "", None
    for number, written in enumerate(kept):
        word, place = written
        if (
            place in (0, source.context)
            and number
            and word.lower() in load_stopwords("english")
            and word != "I"
        ):
            word = word.lower()
        if word.lower() in ("a", "an") and number + 1 < len(kept):
            following = kept[number + 1]
            if place is None or following.place != place + 1:
                article = article_before(following.word)
                word = article.capitalize() if word[0].isupper() else article
        if before is not None and is_apart(before, written, source):
            text += " "
        text += word
        before = written
    text = text.strip(_LOOSE)
    if not any(character.isalpha() for character in text):
        return ""
    first = text.split(" ", 1)[0]
    if not any(letter.isupper() for letter in first[1:]) and len(text[0].upper()) == 1:
        text = text[0].upper() + text[1:]
    return f"{text}."


def _is_torn(claim: Sequence[Written], number: int, source: Source) -> bool:
    """Whether a mark of the sentence stands in the claim without the words around it."""
    word, place = claim[number]
    if place is None or word not in _MARKS:
        return False
    before = claim[number - 1].place if number else None
    after = claim[number + 1].place if number + 1 < len(claim) else None
    return before != place - 1 or after != place + 1


def is_apart(before: Written, written: Written, source: Source) -> bool:
    """Whether a space stands between two words."""
    if before.place is not None and written.place == before.place + 1:
        return source.spaces[before.place]
    if _CLITIC.fullmatch(written.word) or written.word[0] in _CLOSING:
        return False
    return before.word[-1] not in _OPENING
