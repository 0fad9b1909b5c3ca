"""The treebank: CoNLL-U in, sentences and spaCy documents out."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TREEBANK = "ud_ewt"


@dataclass(frozen=True)
class Sentence:
    """A sentence with its basic tree; heads are indexes of tokens, the root is its own head.

    Attributes:
        text: the text as it was written.
        words: the tokens.
        spaces: whether a space follows each token in ``text``.
        tags: Penn Treebank tags.
        parts_of_speech: universal parts of speech.
        heads: index of each token's head.
        labels: the relation of each token to its head.
        enhanced: the (head, relation) pairs of each token in the enhanced graph; the head of a root is −1,
            and edges from or to tokens that are not in the text are left out.
    """

    text: str
    words: list[str]
    spaces: list[bool]
    tags: list[str]
    parts_of_speech: list[str]
    heads: list[int]
    labels: list[str]
    enhanced: list[list[tuple[int, str]]]


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Read a gzipped CoNLL-U file.

    Lines of multi-word tokens ("3-4 don't") and of tokens that are not in the text ("8.1") are skipped: the
    words of a contraction are the tokens, as for spaCy's tokenizer.
    """
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for block in file.read().strip().split("\n\n"):
            lines = block.split("\n")
            text = next(line.removeprefix("# text = ") for line in lines if line.startswith("# text = "))
            rows = [line.split("\t") for line in lines if not line.startswith("#")]
            yield _sentence(text, [row for row in rows if row[0].isdigit()])


def _sentence(text: str, rows: list[list[str]]) -> Sentence:
    words = [row[1] for row in rows]
    return Sentence(
        text=text,
        words=words,
        spaces=spaces_between(text, words),
        tags=[row[4] for row in rows],
        parts_of_speech=[row[3] for row in rows],
        heads=[int(row[6]) - 1 if row[6] != "0" else index for index, row in enumerate(rows)],
        labels=[row[7] for row in rows],
        enhanced=[_edges(row[8]) for row in rows],
    )


def _edges(column: str) -> list[tuple[int, str]]:
    pairs = [edge.split(":", 1) for edge in column.split("|") if ":" in edge]
    return [(int(head) - 1, relation) for head, relation in pairs if head.isdigit()]


def spaces_between(text: str, words: list[str]) -> list[bool]:
    """Return whether a space follows each of ``words`` in ``text``.

    A space inside a word, which the treebank allows, is passed over; the last word has none behind it.
    """
    spaces = []
    position = 0
    for word in words:
        for character in word:
            while position < len(text) and text[position].isspace() and not character.isspace():
                position += 1
            if position < len(text) and text[position] == character:
                position += 1
        spaces.append(position < len(text) and text[position].isspace())
    return spaces


def to_document(sentence: Sentence, vocabulary: Any) -> Any:
    """Return the spaCy ``Doc`` of a sentence: tags, parts of speech, heads and labels."""
    from spacy.tokens import Doc

    return Doc(
        vocabulary,
        words=sentence.words,
        spaces=sentence.spaces,
        tags=sentence.tags,
        pos=sentence.parts_of_speech,
        heads=sentence.heads,
        deps=["ROOT" if label == "root" else label for label in sentence.labels],
        sent_starts=[index == 0 for index in range(len(sentence.words))],
    )
