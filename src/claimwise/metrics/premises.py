"""The premises of sources: sentences, pairs of sentences, paragraphs, or whole documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Literal

from claimwise.evidence.support import SourcePremise
from claimwise.text.inputs import Summary, has_content, text_of
from claimwise.text.marks import without_citations

PremiseGranularity = Literal["sentence", "two_sentences", "paragraph", "document", "topk"]

WINDOW = 200
"""Maximum number of words of a window, which every judge reads without truncation."""


def premises_of(
    sources: Sequence[Sequence[Summary]],
    split: Callable[[str], list[str]],
    granularity: PremiseGranularity = "sentence",
) -> list[list[SourcePremise]]:
    """Return the premises of the sources, splitting each distinct review only once.

    A source is a list of reviews, each a text or given sentences. ``"topk"`` makes sentences, of which a
    metric joins the best.
    """
    if granularity == "document":
        texts = [" ".join(filter(None, map(text_of, reviews))) for reviews in sources]
        return [[SourcePremise(premise=text, review=0, position=0)] for text in texts]
    distinct = dict.fromkeys(chain.from_iterable(sources))
    parts = {review: _parts(review, split, granularity) for review in distinct}
    return [
        [
            SourcePremise(premise=premise, review=number, position=position)
            for number, review in enumerate(reviews)
            for premise, position in parts[review]
        ]
        for reviews in sources
    ]


def texts_of(premises: Sequence[SourcePremise]) -> list[str]:
    """Return the texts of premises."""
    return [premise.premise for premise in premises]


def reviews_of(
    sources: Sequence[Sequence[Summary]], split: Callable[[str], list[str]]
) -> list[list[SourcePremise]]:
    """Return the reviews of each source as premises, a long review in windows of whole sentences.

    A window has at most ``WINDOW`` words, unless a sentence has more, and begins with the last sentence of
    the window before it.
    """
    return [
        [
            SourcePremise(premise=" ".join(sentences[start:end]), review=number, position=start)
            for number, review in enumerate(reviews)
            for sentences in [_sentences(review, split)]
            for start, end in _windows([len(sentence.split()) for sentence in sentences])
        ]
        for reviews in sources
    ]


def _windows(words: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first sentence of each window and the one after its last, from the words of sentences."""
    start, total = 0, 0
    for end, of_sentence in enumerate(words):
        total += of_sentence
        if total > WINDOW and end > start:
            yield start, end
            start = end - 1 if words[end - 1] + of_sentence <= WINDOW else end
            total = sum(words[start : end + 1])
    if words:
        yield start, len(words)


def _sentences(review: Summary, split: Callable[[str], list[str]]) -> Sequence[str]:
    """Return the sentences of a review, without citation markers unless they are given."""
    return list(map(without_citations, split(review))) if isinstance(review, str) else review


def _parts(
    review: Summary, split: Callable[[str], list[str]], granularity: PremiseGranularity
) -> list[tuple[str, int]]:
    """Return the premises of a review, each with the index of its first sentence."""
    if granularity == "paragraph":
        parts, position = [], 0
        for paragraph in _paragraphs(text_of(review)):
            parts.append((paragraph, position))
            position += len(split(paragraph))
        return parts
    sentences = _sentences(review, split)
    width = 2 if granularity == "two_sentences" else 1
    return [(" ".join(sentences[i : i + width]), i) for i in range(len(sentences))]


def _paragraphs(text: str) -> list[str]:
    """Split at blank lines, or at line breaks if there are none, as the released code of SummaC does."""
    blank_line = r"\n[^\S\n]*\n"
    text = text.strip()
    pieces = re.split(blank_line if re.search(blank_line, text) else r"\n", text)
    return [piece.strip() for piece in pieces if has_content(piece)]
