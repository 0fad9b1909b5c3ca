"""The decomposer itself: what it refuses to parse, how it parses, and its signature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.clauses.realize import finished
from claimwise.text.clauses.sentences import TOO_MANY, decompose_parsed, parsed
from claimwise.text.clauses.tree import Parse
from claimwise.text.parser import load_parser, parser_fingerprint

CLAUSES_VERSION = "1"
MAX_WORDS = 150
"""Longer sentences are left whole."""
_MAX_CHARACTERS = 20 * MAX_WORDS
_AT_ONCE = 1000  # sentences whose parses are held at the same time


class ClausesDecomposer(BaseDecomposer):
    """Splits sentences into claims offline, by their dependency trees."""

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The version of the rules over the trees, and the parser's fingerprint."""
        return {"decomposer": "clauses", "clauses": CLAUSES_VERSION, "parser": parser_fingerprint()}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, and why a sentence was left whole.

        Questions, sentences of more than ``MAX_WORDS`` words and those of whose parse a claim makes no sense
        stay whole.
        """
        decomposed: list[Decomposed] = []
        for start in range(0, len(sentences), _AT_ONCE):
            decomposed += _decompose(sentences[start : start + _AT_ONCE])
        return decomposed


def _decompose(sentences: Sequence[str]) -> list[Decomposed]:
    reasons = [_refusal(sentence) for sentence in sentences]
    wanted = [sentence for sentence, reason in zip(sentences, reasons, strict=True) if reason is None]
    found = iter(zip(wanted, parsed(wanted, _parse), strict=True))
    made: list[Decomposed] = []
    for sentence, reason in zip(sentences, reasons, strict=True):
        if reason is None:
            text, parses = next(found)
            made.append(decompose_parsed(parses, text))
        elif not sentence.strip():
            made.append(Decomposed([]))
        else:
            made.append(Decomposed([finished(sentence) or sentence], reason))
    return made


def _refusal(sentence: str) -> str | None:
    """Return why a sentence is not even parsed, or None."""
    if not any(character.isalpha() for character in sentence):
        return "no words"
    if len(sentence) > _MAX_CHARACTERS or len(sentence.split(None, MAX_WORDS)) > MAX_WORDS:
        return f"more than {MAX_WORDS} words"
    try:
        sentence.encode()
    except UnicodeEncodeError:
        return "characters that are no text"
    return TOO_MANY if sentence.count(",") > MAX_WORDS // 3 else None


def _parse(texts: Sequence[str]) -> list[Parse]:
    return [_as_parse(document) for document in load_parser().pipe(texts, batch_size=256)]


def _as_parse(document: Iterable[object]) -> Parse:
    tokens: list = list(document)  # type: ignore[type-arg]
    return Parse(
        [token.text for token in tokens],
        [bool(token.whitespace_) for token in tokens],
        [token.tag_ for token in tokens],
        [token.pos_ for token in tokens],
        [token.head.i for token in tokens],
        [token.dep_ for token in tokens],
    )
