"""The decomposer itself: what it refuses to parse, how it parses, and its signature."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.clauses.realize import finished
from claimwise.text.clauses.sentences import TOO_MANY, Said, decompose_parsed, parsed
from claimwise.text.clauses.stand_ins import hidden, shown
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
        stay whole. Each sentence is taken by itself: its pronouns stay.
        """
        return [said.decomposed for said in _each(sentences)]

    def decompose_text(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of the sentences of one text, their pronouns resolved where that is safe.

        "It was too firm." after "The mattress was new." becomes "The mattress was too firm.": see
        ``pronouns.py`` for what is safe. What is not stays as it is.
        """
        return [said.decomposed for said in _each(sentences, in_context=True)]


def _each(sentences: Sequence[str], *, in_context: bool = False) -> Iterator[Said]:
    """Yield what each sentence says; ``in_context`` that of the sentence before is its topic."""
    topic = None
    for start in range(0, len(sentences), _AT_ONCE):
        some = sentences[start : start + _AT_ONCE]
        reasons = [_refusal(sentence) for sentence in some]
        wanted = [sentence for sentence, reason in zip(some, reasons, strict=True) if reason is None]
        parses = iter(parsed(wanted, parse))
        for sentence, reason in zip(some, reasons, strict=True):
            if reason is None:
                said = decompose_parsed(next(parses), sentence, topic, parse_again=parse)
            elif not sentence.strip():
                said = Said(Decomposed([]))
            else:
                said = Said(Decomposed([finished(sentence) or sentence], reason))
            if in_context:
                topic = said.topic
            yield said


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


def parse(texts: Sequence[str]) -> list[Parse]:
    """Return the parse of each text, as one sentence."""
    written = [hidden(text) for text in texts]
    documents = load_parser().pipe([text for text, _ in written], batch_size=256)
    return [shown(_as_parse(found), behind) for found, (_, behind) in zip(documents, written, strict=True)]


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
