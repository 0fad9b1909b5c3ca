"""Q without a chat model: extract the most representative sentences of a pool.

A sentence that shares a trigram of stems with a chosen one is skipped, as in QFSumm (Ahuja et al. 2022).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from claimwise.scores.rouge import rouge_n
from claimwise.text.stopwords import Terms
from claimwise_summarize.lexrank import lexrank
from claimwise_summarize.options import Extractor
from claimwise_summarize.rows import Line

SupportersOf = Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.bool_]]
"""A function from premises and hypotheses to the support of each pair, ``[premises, hypotheses]``."""
SHORT_LIST, FEWEST_WORDS = 50, 4
"""Maximum number of sentences that the judge ranks, and minimum number of words of a preferred sentence."""


def choose(
    lines: Sequence[Line],
    count: int,
    how: Extractor,
    *,
    words: Sequence[str] = (),
    only: bool = True,
    references: Sequence[str] = (),
    seed: int = 0,
    supporters: SupportersOf | None = None,
) -> list[Line]:
    """Return at most ``count`` sentences, best first (``lead``: in their order).

    Args:
        lines: sentences of a pool.
        count: maximum number of sentences to choose.
        how: see ``SummarizerOptions.extractor``.
        words: keywords; sentences that contain one are favoured.
        only: choose only sentences that contain a keyword, if there are keywords.
        references: reference summaries for ``oracle``.
        seed: seed of ``random``.
        supporters: the judge, for ``judge``.
    """
    terms = _terms()
    stems = [terms(line.text) for line in lines]
    query = {stem for word in words for stem in terms(word)}
    keywords = [len(query.intersection(own)) for own in stems]
    about = [index for index, number in enumerate(keywords) if number or not (query and only)]
    ranked: Iterable[int] = about
    if how == "keywords":
        ranked = sorted(about, key=lambda index: -keywords[index])
    elif how == "random":
        ranked = random.Random(seed).sample(about, len(about))
    elif how == "oracle":
        return [lines[index] for index in _closest(stems, about, list(map(terms, references)), count)]
    elif how in ("lexrank", "judge"):
        scores = lexrank(stems, [number > 0 for number in keywords] if any(keywords) else None)
        is_short = [len(line.text.split()) < FEWEST_WORDS for line in lines]
        ranked = sorted(about, key=lambda index: (is_short[index], -scores[index]))
        if how == "judge" and supporters is not None:
            ranked = _most_supported([line.text for line in lines], ranked, supporters)
    return [lines[index] for index in _without_repetition(ranked, stems, count)]


def _most_supported(texts: Sequence[str], ranked: Sequence[int], supporters: SupportersOf) -> list[int]:
    """Rerank a shortlist greedily by the number of supporting sentences that are not yet counted."""
    short = list(ranked[:SHORT_LIST])
    supported = supporters(texts, [texts[index] for index in short])
    supported[short, range(len(short))] = False  # no sentence counts as its own support
    left, order = np.ones(len(texts), dtype=np.bool_), list[int]()
    while len(order) < len(short):
        gains = supported[left].sum(axis=0)
        gains[order] = -1
        order.append(best := int(np.argmax(gains)))
        left &= ~supported[:, best]
    return [short[number] for number in order]


def _without_repetition(ranked: Iterable[int], stems: Sequence[Sequence[str]], count: int) -> list[int]:
    chosen: list[int] = []
    seen: set[tuple[str, ...]] = set()
    for index in ranked:
        own = stems[index]
        trigrams = {tuple(own[i : i + 3]) for i in range(max(len(own) - 2, 1))}
        if len(chosen) < count and not trigrams & seen:
            chosen.append(index)
            seen |= trigrams
    return chosen


def _closest(
    stems: Sequence[Sequence[str]], about: Sequence[int], references: Sequence[Sequence[str]], count: int
) -> list[int]:
    """Choose sentences greedily to maximize the sum of ROUGE-1 and ROUGE-2 (F1)."""

    def closeness(sentences: Sequence[int]) -> float:
        words = [stem for index in sentences for stem in stems[index]]
        return sum(rouge_n(words, reference, n).f1 for reference in references for n in (1, 2))

    chosen: list[int] = []
    left = list(about)
    while left and len(chosen) < count:
        best = max(left, key=lambda index: (closeness([*chosen, index]), -index))
        if closeness([*chosen, best]) <= closeness(chosen):
            break
        chosen.append(best)
        left.remove(best)
    return chosen


@cache
def _terms() -> Terms:
    """Return the stemmer, whose cache all pools share."""
    return Terms()
