"""The decomposer itself: what it refuses to parse, how it parses, and its signature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from claimwise.errors import ClaimwiseError
from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.clauses.pronouns import Topic
from claimwise.text.clauses.realize import finished
from claimwise.text.clauses.sentences import TOO_MANY, Draft, Said, decompose_parsed, parsed
from claimwise.text.clauses.stand_ins import hidden, shown
from claimwise.text.clauses.tree import Parse
from claimwise.text.options import Pronouns
from claimwise.text.parser import load_parser, parser_fingerprint

CLAUSES_VERSION = "2"
MAX_WORDS = 150
"""Longer sentences are left whole."""
_MAX_CHARACTERS = 20 * MAX_WORDS
_MARKUP = re.compile(r"</?\w[^<>]*>|\[/?\w+\]")
_AT_ONCE = 1000  # sentences whose parses are held at the same time
_BATCH = 256


class ClausesDecomposer(BaseDecomposer):
    """Splits sentences into claims offline, by their dependency trees.

    Args:
        pronouns: where to look for what "it", "they", "its", "their" at the beginning of a claim stand for:
            in the ``"text"`` (the sentence itself and the one before), in the ``"sentence"``, or nowhere:
            ``"keep"``. Only what is safe is put in their place (``pronouns.py``); the others stay.

    Raises:
        ClaimwiseError: for another value.
    """

    may_be_kept = True
    english_only = True

    def __init__(self, pronouns: Pronouns = "text") -> None:
        if pronouns not in get_args(Pronouns):
            raise ClaimwiseError(
                f"pronouns must be one of {', '.join(map(repr, get_args(Pronouns)))}; got {pronouns!r}.",
                option="pronouns",
            )
        self.pronouns = pronouns

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The version of the rules over the trees, what becomes of pronouns, and the parser's fingerprint."""
        return {
            "decomposer": "clauses",
            "clauses": CLAUSES_VERSION,
            "pronouns": self.pronouns,
            "parser": parser_fingerprint(),
        }

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, and why a sentence was left whole.

        Questions, sentences of more than ``MAX_WORDS`` words and those of whose parse a claim makes no sense
        stay whole, and so do those with markup. Each sentence is taken by itself: no other says what its
        pronouns stand for.
        """
        return [
            one for of_text in self.decompose_texts([[sentence] for sentence in sentences]) for one in of_text
        ]

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        """Return the claims of each sentence of each text, which may say what pronouns of the next stand for.

        "It was too firm." after "The mattress was new." becomes "The mattress was too firm.".
        """
        found: list[list[Decomposed]] = [[] for _ in texts]
        flat = [(number, sentence) for number, sentences in enumerate(texts) for sentence in sentences]
        topic, before = None, -1
        for start in range(0, len(flat), _AT_ONCE):
            some = flat[start : start + _AT_ONCE]
            reasons = {sentence: _refusal(sentence) for _, sentence in some}
            wanted = [sentence for sentence, reason in reasons.items() if reason is None]
            parses = dict(zip(wanted, parsed(wanted, _READER), strict=True))
            for number, sentence in some:
                if number != before or self.pronouns != "text":
                    topic = None
                said = self._said(sentence, reasons[sentence], parses, topic)
                found[number].append(said.decomposed)
                topic, before = said.topic, number
        return found

    def _said(
        self, sentence: str, reason: str | None, parses: Mapping[str, Sequence[Parse]], topic: Topic | None
    ) -> Said:
        """Return what a sentence says; ``reason`` is why it was not even parsed."""
        if not sentence.strip():
            return Said(Decomposed([]))
        if reason is not None:
            return Said(Decomposed([finished(sentence) or sentence], reason))
        resolve = self.pronouns != "keep"
        return decompose_parsed(parses[sentence], sentence, topic, resolve=resolve, reader=_READER)


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
    if _MARKUP.search(sentence):
        return "markup"
    return TOO_MANY if sentence.count(",") > MAX_WORDS // 3 else None


class _Reader:
    """The embedded parser."""

    def tagged(self, texts: Sequence[str]) -> list[Draft]:
        """Return the texts with tags, each as one sentence."""
        written = [hidden(text) for text in texts]
        documents = load_parser().pipe([text for text, _ in written], batch_size=_BATCH, disable=["parser"])
        drafts = []
        for document, (_, behind) in zip(documents, written, strict=True):
            tokens = list(document)
            tagged = Parse(
                [token.text for token in tokens],
                [bool(token.whitespace_) for token in tokens],
                [token.tag_ for token in tokens],
                [token.pos_ for token in tokens],
                (),
                (),
            )
            drafts.append(Draft(shown(tagged, behind), document))
        return drafts

    def parsed(self, drafts: Sequence[Draft]) -> list[Parse]:
        """Return their parses."""
        parser: Any = load_parser().get_pipe("parser")
        documents = parser.pipe([draft.document for draft in drafts], batch_size=_BATCH)
        parses = []
        for document, draft in zip(documents, drafts, strict=True):
            arcs = document.to_array(["HEAD", "DEP"]).astype("int64")
            heads = [place + offset for place, offset in enumerate(arcs[:, 0].tolist())]
            labels = [document.vocab.strings[label] for label in arcs[:, 1].astype("uint64").tolist()]
            parses.append(draft.parse._replace(heads=heads, labels=labels))
        return parses


_READER = _Reader()


def parse(texts: Sequence[str]) -> list[Parse]:
    """Return the parse of each text, as one sentence."""
    return _READER.parsed(_READER.tagged(texts))
