"""The best premise of a hypothesis: likely premises are judged first, until no other can be better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from claimwise.judges.crossing import check_examples, cross, gather
from claimwise.judges.filter import BestBy, PairFilter, Vectors
from claimwise.judges.filter.judge import FilteredJudge
from claimwise.judges.pairs import Floats, Ints, Pairs, numbers_of
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

Candidates = Iterable[tuple[int, Ints]]
"""Hypotheses, each with its candidate premises, as indices into a list of texts; may be an iterator."""


class Ranked(NamedTuple):
    """A hypothesis and its most likely premises, as indices into a list of texts.

    Attributes:
        hypothesis: its index.
        premises: their indices, the most likely first.
        bounds: the score that each premise rarely exceeds, in descending order.
    """

    hypothesis: int
    premises: Ints
    bounds: Floats


def best_first(
    judge: FilteredJudge,
    texts: Sequence[str],
    candidates: Candidates,
    by: BestBy = "entailment_minus_contradiction",
) -> Iterator[tuple[int, Ints, Judgements]]:
    """Judge the most likely premises of each hypothesis, until no other premise can score higher.

    A premise can score higher only if the filter's bound exceeds the best score so far by more than
    ``LEAST_GAIN``. The texts must be distinct.

    Yields:
        Each hypothesis with its judged premises, the most likely first, and their judgements.
    """
    texts = list(texts)
    ranked = rank(judge.filter, judge.vectors(texts), candidates, by)
    while block := list(islice(ranked, HYPOTHESES_AT_ONCE)):
        for best, judgements in zip(block, _in_rounds(judge, texts, block, by), strict=True):
            yield best.hypothesis, best.premises[: len(judgements)], judgements


def rank(pair_filter: PairFilter, vectors: Vectors, candidates: Candidates, by: BestBy) -> Iterator[Ranked]:
    """Yield each hypothesis with its ``MOST_JUDGED`` most likely premises, given the vectors of the texts."""
    number = len(vectors.too_long)
    candidates_left = iter(candidates)
    at_once = max(1, min(HYPOTHESES_AT_ONCE, LOGITS_AT_ONCE // max(1, number)))
    while block := list(islice(candidates_left, at_once)):
        is_used = np.zeros(number, dtype=np.bool_)
        for _, premises in block:
            is_used[premises] = True
        if 2 * is_used.sum() > number:  # skipping a few would cost more than computing them
            is_used[:] = True
        row_of = np.cumsum(is_used) - 1
        hypotheses = np.array([hypothesis for hypothesis, _ in block])
        premise_vectors = vectors.premises if is_used.all() else vectors.premises[is_used]
        logits = pair_filter.entailment(premise_vectors, vectors.hypotheses[hypotheses])
        logits[vectors.too_long[is_used]] = np.inf  # the filter cannot tell, so these are always judged
        logits[:, vectors.too_long[hypotheses]] = np.inf
        for column, (hypothesis, premises) in enumerate(block):
            premise_logits = logits[row_of[premises], column]
            order = np.arange(len(premise_logits))
            if len(premise_logits) > MOST_JUDGED:
                order = np.argpartition(-premise_logits, MOST_JUDGED)[:MOST_JUDGED]
            order = order[np.lexsort((order, -premise_logits[order]))]  # the highest first
            yield Ranked(hypothesis, premises[order], pair_filter.bound(premise_logits[order], by))


def likely_of_examples(
    judge: FilteredJudge, examples: Sequence[Example], best_by: BestBy | None = None
) -> list[Judgements]:
    """Judge the likely pairs of each example, or all pairs where a filter would cost more than it saves.

    The filter reads each text once, which takes about as long as judging a pair. All pairs are judged of an
    example with one premise or one hypothesis, which has as many texts as pairs, and, if only the best
    premise counts, of a small one; see ``LEAST_SAVED``.

    Args:
        judge: whose filter is used.
        examples: (premises, hypotheses) each.
        best_by: the score if only the best premise of a hypothesis counts; see ``best_first``.

    Returns:
        Judgements of shape ``[premises, hypotheses]`` per example; pairs that were not judged are marked as
        skipped.
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
    blocks = dict(zip(whole, cross(judge.judge, [examples[number] for number in whole]), strict=True))
    large = [examples[number] for number in filtered]
    likely = cross(judge, large) if best_by is None else best_of_examples(judge, large, best_by)
    blocks |= zip(filtered, likely, strict=True)
    return [blocks[number] for number in range(len(examples))]


def best_of_examples(judge: FilteredJudge, examples: Sequence[Example], by: BestBy) -> list[Judgements]:
    """Judge the most likely premises of each hypothesis of an example, as ``best_first`` does.

    See ``likely_of_examples`` for the result.
    """
    check_examples(examples)
    texts, numbered = numbers_of(examples)
    candidates = (
        (int(hypothesis), np.unique(premises))
        for premises, hypotheses in numbered
        for hypothesis in hypotheses
    )
    judged_hypotheses = best_first(judge, texts, candidates, by)
    blocks = []
    for premises, hypotheses in numbered:
        distinct, indices = np.unique(premises, return_inverse=True)
        block = Judgements.neutral(len(distinct), len(hypotheses), asked=False)
        for column, (_, judged, judgements) in zip(range(len(hypotheses)), judged_hypotheses, strict=False):
            block[np.searchsorted(distinct, judged), column] = judgements
        blocks.append(block[indices])
    return blocks


def _in_rounds(judge: FilteredJudge, texts: list[str], block: list[Ranked], by: BestBy) -> list[Judgements]:
    """Return for each hypothesis the judgements of as many of its first premises as needed."""
    hypotheses = np.array([ranked.hypothesis for ranked in block])
    judged = [[Judgements.neutral(0)] for _ in block]
    best = np.full(len(block), -np.inf)
    done = np.zeros(len(block), dtype=np.int64)
    look = LOOK
    while True:
        # Bounds descend, so premises that can still win come first.
        sizes = np.array(
            [
                (ranked.bounds[first : first + look] > score + LEAST_GAIN).sum()
                for ranked, first, score in zip(block, done, best, strict=True)
            ]
        )
        if not sizes.any():
            return [concatenate(parts) for parts in judged]
        premises = [
            ranked.premises[first : first + size]
            for ranked, first, size in zip(block, done, sizes, strict=True)
        ]
        pairs = Pairs(texts, np.concatenate(premises), np.repeat(hypotheses, sizes))
        judgements = gather(judge.judge, pairs)
        scores = judgements.probabilities[:, ENTAILMENT].copy()
        if by == "entailment_minus_contradiction":
            scores -= judgements.probabilities[:, CONTRADICTION]
        ends = np.cumsum(sizes)
        for number in np.flatnonzero(sizes):
            part = slice(ends[number] - sizes[number], ends[number])
            judged[number].append(judgements[part])
            best[number] = max(best[number], scores[part].max())
        done += sizes
        look *= 2  # few rounds, even where many premises are near the best
