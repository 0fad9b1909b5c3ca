"""The claims of texts."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from claimwise.signature import signature
from claimwise.text.claims import Decomposed, Decomposer, TextDecomposer
from claimwise.text.inputs import Summary
from claimwise.text.kept import decompose_kept
from claimwise.text.marks import without_citations
from claimwise.text.writer.attributions import is_attributed


class Claims(NamedTuple):
    """The claims of one text.

    Attributes:
        claims: texts of the claims.
        sentences: source sentence of each claim.
        numbers: index of that sentence in the text.
        fallbacks: number of sentences left whole because decomposition failed.
        resolved: number of claims with a resolved pronoun; None if the decomposer resolves none.
        open: claims that begin with an unresolved pronoun.
        stripped: parts of sentences that no claim contains, if attributions are stripped.
        attributed: claims that still have an attribution; None if attributions are kept.
        vacuous: vacuous claims; None = not checked.
    """

    claims: list[str]
    sentences: list[str]
    numbers: list[int]
    fallbacks: int = 0
    resolved: int | None = None
    open: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    attributed: tuple[str, ...] | None = None
    vacuous: tuple[str, ...] | None = None

    def without(self, dropped: Container[str]) -> Claims:
        """Return the claims without ``dropped``; all of them if none would be left."""
        kept = [index for index, claim in enumerate(self.claims) if claim not in dropped]
        if not kept:
            return self
        return self._replace(
            claims=[self.claims[index] for index in kept],
            sentences=[self.sentences[index] for index in kept],
            numbers=[self.numbers[index] for index in kept],
        )


def claims_of(
    texts: Sequence[Summary],
    split: Callable[[str], list[str]],
    decomposer: Callable[[], Decomposer],
    cache: str | Path | None = None,
) -> list[Claims]:
    """Return the claims of each text.

    A decomposer that reads whole texts receives each distinct text once; any other decomposer receives each
    distinct sentence once. Given claims are used unchanged, and each counts as a sentence. Claims are made
    from sentences without citation markers; the sentence of a claim keeps them.

    ``split`` returns the sentences of a text, and ``decomposer`` loads the decomposer, if there is any text.
    The SQLite file ``cache`` keeps claims; None = none are kept.
    """
    claims: dict[Summary, Claims] = {
        text: _claims_of_sentences(text, [Decomposed([claim]) for claim in text])
        for text in texts
        if not isinstance(text, str)
    }
    shown = {text: split(text) for text in dict.fromkeys(texts) if isinstance(text, str)}
    if shown:
        loaded = decomposer()
        sentences = [list(map(without_citations, of_text)) for of_text in shown.values()]
        strips = getattr(loaded, "attributions", None) == "strip"
        decomposed = _decompose(loaded, sentences, cache)
        for (text, of_text), of_sentences in zip(shown.items(), decomposed, strict=True):
            of_summary = _claims_of_sentences(of_text, of_sentences)
            attributed = tuple(filter(is_attributed, of_summary.claims)) if strips else None
            claims[text] = of_summary._replace(attributed=attributed)
    return [claims[text] for text in texts]


def _decompose(
    decomposer: Decomposer, texts: list[list[str]], cache: str | Path | None
) -> list[list[Decomposed]]:
    """Return the claims of each sentence of each text."""
    if not isinstance(decomposer, TextDecomposer):
        distinct = list(dict.fromkeys(chain.from_iterable(texts)))
        known = dict(zip(distinct, decomposer.decompose(distinct), strict=True))
        return [[known[sentence] for sentence in text] for text in texts]
    if cache is not None and getattr(decomposer, "may_be_kept", False):
        return decompose_kept(decomposer, signature("claims", decomposer.signature), texts, cache)
    return decomposer.decompose_texts(texts)


def _claims_of_sentences(sentences: Sequence[str], decomposed: Sequence[Decomposed]) -> Claims:
    """Return the claims of a text with the given sentences."""
    resolved = [of_sentence.resolved for of_sentence in decomposed if of_sentence.resolved is not None]
    # A sentence that is repeated in the text failed once.
    failed = dict(zip(sentences, (of_sentence.failed for of_sentence in decomposed), strict=True))
    return Claims(
        claims=[claim for of_sentence in decomposed for claim in of_sentence.claims],
        sentences=[
            sentence
            for sentence, of_sentence in zip(sentences, decomposed, strict=True)
            for _ in of_sentence.claims
        ],
        numbers=[number for number, of_sentence in enumerate(decomposed) for _ in of_sentence.claims],
        fallbacks=sum(failed.values()),
        resolved=sum(resolved) if resolved else None,
        open=tuple(claim for of_sentence in decomposed for claim in of_sentence.open),
        stripped=tuple(words for of_sentence in decomposed for words in of_sentence.stripped),
    )
