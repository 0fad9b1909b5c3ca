"""Q without a model: which sentences of a pool stand for the others.

LexRank is that of Erkan and Radev 2004 (continuous, Section 3.3), with the bias towards a query of
Otterbacher et al. 2005 where an aspect has words; a sentence that repeats three stems in a row of a chosen
one is passed over, as in QFSumm (Ahuja et al. 2022).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from claimwise.scores.rouge import rouge_n
from claimwise.summarizers.options import Extractor
from claimwise.summarizers.rows import Line
from claimwise.text.stopwords import load_stopwords
from claimwise.text.tokens import load_stemmer, load_tokenizer

Floats = npt.NDArray[np.float64]
SupportersOf = Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.bool_]]
"""Of premises and hypotheses: which premises support which, ``[premises, hypotheses]``."""

DAMPING = 0.15
"""The share of a step that goes anywhere, or to the sentences with a query's words (LexRank's d)."""
TOLERANCE = 1e-9
MOST_STEPS = 200
SHORT_LIST = 50
"""So many sentences are put to the judge, the most central ones."""
FEWEST_WORDS = 4
"""Shorter sentences are chosen where there are no others: hardly any says something of its own."""


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
    """Return at most ``count`` sentences, the best first (``lead``: in their order).

    Args:
        lines: of a pool.
        count: how many.
        how: see ``SummarizerOptions.extractor``.
        words: of an aspect: sentences that hold one are favoured.
        only: whether no other sentences are chosen where there are words.
        references: for ``oracle``.
        seed: for ``random``.
        supporters: for ``judge``.
    """
    stems = _stems([line.text for line in lines])
    query = {stem for of_word in _stems(words) for stem in of_word}
    hits = [len(query.intersection(of_line)) for of_line in stems]
    about = [place for place, of_line in enumerate(hits) if of_line or not (query and only)]
    if how == "keywords":
        ranked: Iterable[int] = sorted(about, key=lambda place: -hits[place])
    elif how == "lead":
        ranked = about
    elif how == "random":
        ranked = random.Random(seed).sample(about, len(about))
    elif how == "oracle":
        return [lines[place] for place in _closest(stems, about, _stems(references), count)]
    else:
        scores = lexrank(stems, [of_line > 0 for of_line in hits] if any(hits) else None)
        is_short = [len(line.text.split()) < FEWEST_WORDS for line in lines]
        ranked = sorted(about, key=lambda place: (is_short[place], -scores[place]))
        if how == "judge":
            assert supporters is not None
            ranked = _most_supported([line.text for line in lines], ranked, supporters)
    return [lines[place] for place in _without_repetition(ranked, stems, count)]


def lexrank(documents: Sequence[Sequence[str]], favoured: Sequence[bool] | None = None) -> Floats:
    """Return how central each sentence is among the others, ``[sentences]``, in sum 1.

    The stationary distribution of a walk that goes from a sentence to others in proportion to the cosine of
    their TF-IDF vectors, and with the probability ``DAMPING`` anywhere. No matrix of all pairs is made.

    Args:
        documents: the terms of each sentence.
        favoured: the sentences to which those steps go; None = all.
    """
    vectors = tf_idf(documents)
    count = len(documents)
    start = np.ones(count) if favoured is None else np.array(favoured, dtype=np.float64)
    start /= start.sum() or 1.0
    degrees: Floats = vectors @ (vectors.T @ np.ones(count))
    degrees[degrees <= 0] = 1.0  # without terms: such a sentence leads nowhere
    scores = start
    for _ in range(MOST_STEPS):
        spread: Floats = vectors @ (vectors.T @ (scores / degrees))
        spread *= (1 - DAMPING) / (spread.sum() or 1.0)
        found = spread + DAMPING * start
        if np.abs(found - scores).sum() < TOLERANCE:
            return found
        scores = found
    return scores


def tf_idf(documents: Sequence[Sequence[str]]) -> Any:
    """Return TF-IDF vectors of length 1 as a sparse array ``[documents, terms]``; IDF = ln(N / df) + 1."""
    from scipy.sparse import csr_array

    frequencies = Counter(term for document in documents for term in set(document))
    numbers = {term: number for number, term in enumerate(sorted(frequencies))}
    rows, columns, values = [], [], []
    for row, document in enumerate(documents):
        weights = {
            term: count * (np.log(len(documents) / frequencies[term]) + 1)
            for term, count in sorted(Counter(document).items())
        }
        length = float(np.sqrt(sum(weight**2 for weight in weights.values())))
        rows += [row] * len(weights)
        columns += [numbers[term] for term in weights]
        values += [weight / length for weight in weights.values()]
    shape = len(documents), max(len(numbers), 1)
    return csr_array((np.array(values, dtype=np.float64), (rows, columns)), shape=shape)


def _most_supported(texts: Sequence[str], ranked: Sequence[int], supporters: SupportersOf) -> list[int]:
    """Return a short-list anew: each time the sentence that most sentences support which no other counts."""
    short = list(ranked[:SHORT_LIST])
    supported = supporters(texts, [texts[place] for place in short])
    supported[short, range(len(short))] = False  # by itself
    left, order = np.ones(len(texts), dtype=np.bool_), list[int]()
    while len(order) < len(short):
        gains = [
            -1 if number in order else int(supported[left, number].sum()) for number in range(len(short))
        ]
        order.append(best := int(np.argmax(gains)))
        left &= ~supported[:, best]
    return [short[number] for number in order]


def _without_repetition(ranked: Iterable[int], stems: Sequence[Sequence[str]], count: int) -> list[int]:
    chosen: list[int] = []
    seen: set[tuple[str, ...]] = set()
    for place in ranked:
        own = stems[place]
        trigrams = {tuple(own[i : i + 3]) for i in range(max(len(own) - 2, 1))}
        if len(chosen) < count and not trigrams & seen:
            chosen.append(place)
            seen |= trigrams
    return chosen


def _closest(
    stems: Sequence[Sequence[str]], about: Sequence[int], references: Sequence[Sequence[str]], count: int
) -> list[int]:
    """Return the sentences that, one by one, raise the sum of ROUGE-1 and ROUGE-2 (F1) most."""

    def closeness(places: Sequence[int]) -> float:
        words = [stem for place in places for stem in stems[place]]
        return sum(rouge_n(words, of_one, n).f1 for of_one in references for n in (1, 2))

    chosen: list[int] = []
    best = 0.0
    while len(chosen) < count:
        found = max(
            ((closeness([*chosen, one]), -one) for one in about if one not in chosen), default=(0.0, 0)
        )
        if found[0] <= best:
            break
        best = found[0]
        chosen.append(-found[1])
    return chosen


def _stems(texts: Sequence[str]) -> list[list[str]]:
    """Return the stems of the words of texts, without stopwords."""
    tokenize, stem, stopwords = load_tokenizer("words"), load_stemmer("english"), load_stopwords("english")
    return [stem([word for word in tokenize(text) if word not in stopwords]) for text in texts]
