"""The best premise of a hypothesis: likely premises are judged first, until no other can be better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from claimwise.judges.crossing import check_examples, cross, gather
from claimwise.judges.filter import BestBy, Floats, PairFilter, Vectors
from claimwise.judges.filter.judge import FilteredJudge
from claimwise.judges.pairs import Ints, Pairs, numbers_of
from claimwise.judges.protocol import Example, Judgements, concatenate
from claimwise.labels import CONTRADICTION, ENTAILMENT

LOGITS_AT_ONCE = 1 << 22
"""Pairs ranked at a time (16 MB)."""
HYPOTHESES_AT_ONCE = 512
"""Hypotheses whose premises are judged in the same rounds."""
LOOK = 4
"""Premises of a hypothesis judged in the first round; each further round judges twice as many."""
FEWEST_PREMISES = 64
LEAST_SAVED = 6
"""Where only the best premise counts, a filter saves time with more premises than ``FEWEST_PREMISES`` and
more pairs than ``LEAST_SAVED`` for each text that it reads."""
MOST_JUDGED = 256
"""Maximum premises of a hypothesis that are judged."""
LEAST_GAIN = 0.01
"""A premise is not judged if it can raise the best score by at most this much: where many premises are near
the best, such small gains are frequent."""

Wanted = Iterable[tuple[int, Ints]]
"""Hypotheses, each with its candidate premises, as indices into a list of texts."""


class Ranked(NamedTuple):
    """A hypothesis and its most likely premises.

    Attributes:
        hypothesis: its index in the list of texts.
        premises: their indices, the most likely first.
        bounds: the score that each premise rarely exceeds, in descending order.
    """

    hypothesis: int
    premises: Ints
    bounds: Floats


def best_first(
    judge: FilteredJudge,
    texts: Sequence[str],
    wanted: Wanted,
    by: BestBy = "entailment_minus_contradiction",
) -> Iterator[tuple[int, Ints, Judgements]]:
    """Judge the most likely premises of each hypothesis, until no other premise can score higher.

    A premise can score higher only if the filter's bound exceeds the best score so far by more than
    ``LEAST_GAIN``.

    Args:
        judge: the filtered judge.
        texts: distinct texts.
        wanted: hypotheses, each with its candidate premises, as indices into ``texts``; may be an iterator.
        by: the score of a premise.

    Yields:
        Each hypothesis with its judged premises, the most likely first, and their judgements.
    """
    texts = list(texts)
    ranked = rank(judge.filter, judge.vectors(texts), wanted, by)
    while block := list(islice(ranked, HYPOTHESES_AT_ONCE)):
        for of_one, judgements in zip(block, _in_rounds(judge, texts, block, by), strict=True):
            yield of_one.hypothesis, of_one.premises[: len(judgements)], judgements


def rank(pair_filter: PairFilter, vectors: Vectors, wanted: Wanted, by: BestBy) -> Iterator[Ranked]:
    """Yield each hypothesis with its ``MOST_JUDGED`` most likely premises.

    Args:
        pair_filter: predicts likely pairs.
        vectors: vectors of the texts.
        wanted: hypotheses, each with its candidate premises.
        by: the score of the bounds.
    """
    number = len(vectors.too_long)
    hypotheses_left = iter(wanted)
    at_once = max(1, min(HYPOTHESES_AT_ONCE, LOGITS_AT_ONCE // max(1, number)))
    while block := list(islice(hypotheses_left, at_once)):
        is_used = np.zeros(number, dtype=np.bool_)
        for _, premises in block:
            is_used[premises] = True
        if 2 * is_used.sum() > number:  # skipping a few would cost more than computing them
            is_used[:] = True
        places = np.cumsum(is_used) - 1
        hypotheses = np.array([hypothesis for hypothesis, _ in block])
        of_premises = vectors.premises if is_used.all() else vectors.premises[is_used]
        logits = pair_filter.entailment(of_premises, vectors.hypotheses[hypotheses])
        logits[vectors.too_long[is_used]] = np.inf
        logits[:, vectors.too_long[hypotheses]] = np.inf
        for column, (hypothesis, premises) in enumerate(block):
            of_one = logits[places[premises], column]
            order = np.arange(len(of_one))
            if len(of_one) > MOST_JUDGED:
                order = np.argpartition(-of_one, MOST_JUDGED)[:MOST_JUDGED]
            order = order[np.lexsort((order, -of_one[order]))]  # the highest first
            yield Ranked(hypothesis, premises[order], pair_filter.bound(of_one[order], by))


def likely_of_examples(
    judge: FilteredJudge, examples: Sequence[Example], best_by: BestBy | None = None
) -> list[Judgements]:
    """Judge the likely pairs of each example, or all pairs where a filter would cost more than it saves.

    The filter reads each text once, which takes about as long as judging a pair. All pairs are judged of an
    example with one premise or one hypothesis, which has as many texts as pairs, and, if only the best
    premise counts, of a small one; see ``LEAST_SAVED``.

    Args:
        judge: the filtered judge.
        examples: (premises, hypotheses) each.
        best_by: the score if only the best premise of a hypothesis counts; see ``best_first``.

    Returns:
        Judgements of shape ``[premises, hypotheses]`` per example; pairs that were not judged are marked as
        not asked.
    """
    check_examples(examples)
    whole: list[int] = []
    filtered: list[int] = []
    for number, (premises, hypotheses) in enumerate(examples):
        size, others = len(set(premises)), len(set(hypotheses))
        is_small = min(size, others) <= 1
        if best_by is not None:
            is_small |= size <= FEWEST_PREMISES or size * others <= LEAST_SAVED * (size + others)
        (whole if is_small else filtered).append(number)
    found = dict(zip(whole, cross(judge.judge, [examples[number] for number in whole]), strict=True))
    others_of = [examples[number] for number in filtered]
    likely = cross(judge, others_of) if best_by is None else best_of_examples(judge, others_of, best_by)
    found |= zip(filtered, likely, strict=True)
    return [found[number] for number in range(len(examples))]


def best_of_examples(judge: FilteredJudge, examples: Sequence[Example], by: BestBy) -> list[Judgements]:
    """Judge the most likely premises of each hypothesis of an example, as ``best_first`` does.

    Args:
        judge: the filtered judge.
        examples: (premises, hypotheses) each.
        by: the score of a premise.

    Returns:
        Judgements of shape ``[premises, hypotheses]`` per example; premises that were not judged are marked
        as not asked.
    """
    check_examples(examples)
    texts, numbered = numbers_of(examples)
    wanted = (
        (int(hypothesis), np.unique(premises))
        for premises, hypotheses in numbered
        for hypothesis in hypotheses
    )
    found = best_first(judge, texts, wanted, by)
    blocks = []
    for premises, hypotheses in numbered:
        distinct, places = np.unique(premises, return_inverse=True)
        block = Judgements.neutral(len(distinct), len(hypotheses), asked=False)
        for column, (_, judged, judgements) in zip(range(len(hypotheses)), found, strict=False):
            block[np.searchsorted(distinct, judged), column] = judgements
        blocks.append(block[places])
    return blocks


def _in_rounds(judge: FilteredJudge, texts: list[str], block: list[Ranked], by: BestBy) -> list[Judgements]:
    """Return for each hypothesis the judgements of as many of its first premises as needed."""
    hypotheses = np.array([of_one.hypothesis for of_one in block])
    found = [[Judgements.neutral(0)] for _ in block]
    best = np.full(len(block), -np.inf)
    done = np.zeros(len(block), dtype=np.int64)
    look = LOOK
    while True:
        # Bounds descend, so premises that can still win come first.
        sizes = np.array(
            [
                (of_one.bounds[first : first + look] > score + LEAST_GAIN).sum()
                for of_one, first, score in zip(block, done, best, strict=True)
            ]
        )
        if not sizes.any():
            return [concatenate(parts) for parts in found]
        premises = [
            of_one.premises[first : first + size]
            for of_one, first, size in zip(block, done, sizes, strict=True)
        ]
        pairs = Pairs(texts, np.concatenate(premises), np.repeat(hypotheses, sizes))
        judgements = gather(judge.judge, pairs)
        scores = judgements.probabilities[:, ENTAILMENT].copy()
        if by == "entailment_minus_contradiction":
            scores -= judgements.probabilities[:, CONTRADICTION]
        ends = np.cumsum(sizes)
        for place in np.flatnonzero(sizes):
            part = slice(ends[place] - sizes[place], ends[place])
            found[place].append(judgements[part])
            best[place] = max(best[place], scores[part].max())
        done += sizes
        look *= 2
