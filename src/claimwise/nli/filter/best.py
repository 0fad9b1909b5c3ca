"""The best premise of a hypothesis: the most likely ones are judged first, until no other can be better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.nli.crossing import check_examples, gather
from claimwise.nli.filter import BestBy, Floats
from claimwise.nli.filter.judge import FilteredJudge, all_asked, not_asked
from claimwise.nli.pairs import Ints, Pairs
from claimwise.nli.protocol import Example, Predictions, joined

HYPOTHESES_AT_ONCE = 512
FIRST_LOOK = 4
"""So many premises of a hypothesis are judged in the first round; in each further one twice as many."""
MOST_JUDGED = 96
"""No more premises of a hypothesis are judged."""


def best_first(
    judge: FilteredJudge,
    texts: Sequence[str],
    wanted: Iterable[tuple[int, Ints]],
    by: BestBy = "entailment_minus_contradiction",
) -> Iterator[tuple[int, Ints, Predictions]]:
    """Judge for each hypothesis its most likely premises, until none of the others can score more.

    A premise cannot win where the filter's bound for it does not exceed the best score so far.

    Args:
        judge: behind the filter.
        texts: distinct.
        wanted: hypotheses, each with the premises to choose from, as places in ``texts``.
        by: the score of a premise.

    Yields:
        Each hypothesis with its premises and their predictions; those not judged are marked as not asked.
    """
    vectors = judge.vectors(texts)
    hypotheses_left = iter(wanted)
    while block := list(islice(hypotheses_left, HYPOTHESES_AT_ONCE)):
        hypotheses = np.array([hypothesis for hypothesis, _ in block])
        used = np.unique(np.concatenate([premises for _, premises in block]))
        logits = judge.filter.entailment(vectors.premises[used], vectors.hypotheses[hypotheses])
        logits[vectors.too_long[used]] = np.inf
        logits[:, vectors.too_long[hypotheses]] = np.inf
        ranked, bounds = [], []
        for column, (_, premises) in enumerate(block):
            of_premises = logits[np.searchsorted(used, premises), column]
            order = _highest(of_premises, MOST_JUDGED)
            ranked.append(order)
            bounds.append(judge.filter.bound(of_premises[order], by))
        candidates = [premises[order] for (_, premises), order in zip(block, ranked, strict=True)]
        found = _in_rounds(judge, list(texts), hypotheses, candidates, bounds, by)
        for (hypothesis, premises), order, judged in zip(block, ranked, found, strict=True):
            yield hypothesis, premises, _among_others(judged, order, len(premises))


def best_of_examples(judge: FilteredJudge, examples: Sequence[Example], by: BestBy) -> list[Predictions]:
    """Judge for each hypothesis of an example its most likely premises, as ``best_first`` does.

    Args:
        judge: behind the filter.
        examples: (premises, hypotheses) each.
        by: the score of a premise.

    Returns:
        Predictions of shape ``[premises, hypotheses]`` per example.
    """
    check_examples(examples)
    numbers: dict[str, int] = {}
    numbered = [
        tuple(
            np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
            for texts in example
        )
        for example in examples
    ]
    wanted = (
        (int(hypothesis), np.unique(premises))
        for premises, hypotheses in numbered
        for hypothesis in hypotheses
    )
    found = best_first(judge, list(numbers), wanted, by)
    matrices = []
    for premises, hypotheses in numbered:
        columns = []
        for _, (_, distinct, predictions) in zip(hypotheses, found, strict=False):
            columns.append(predictions.at(np.searchsorted(distinct, premises)))
        arrays = [column.arrays() for column in columns]
        matrices.append(
            Predictions.of(
                {
                    name: np.stack([of_column[name] for of_column in arrays], axis=1)
                    for name in arrays[0]
                    if all(name in of_column for of_column in arrays)
                }
            )
        )
    return matrices


def _highest(values: Floats, count: int) -> Ints:
    """Return the places of the highest values, the highest first."""
    places = np.argpartition(-values, count)[:count] if len(values) > count else np.arange(len(values))
    order: Ints = places[np.lexsort((places, -values[places]))]
    return order


def _in_rounds(
    judge: FilteredJudge,
    texts: list[str],
    hypotheses: Ints,
    candidates: list[Ints],
    bounds: list[Floats],
    by: BestBy,
) -> list[Predictions | None]:
    """Return for each hypothesis what the judge says of its first candidates, as many as it takes."""
    found: list[list[Predictions]] = [[] for _ in hypotheses]
    best = np.full(len(hypotheses), -np.inf)
    done = np.zeros(len(hypotheses), dtype=np.int64)
    look = FIRST_LOOK
    while True:
        # Bounds fall from candidate to candidate, so that those above the best score come first.
        sizes = np.array(
            [
                (bounds[place][first : first + look] > score).sum()
                for place, (first, score) in enumerate(zip(done, best, strict=True))
            ]
        )
        if not sizes.any():
            return [joined(parts) if parts else None for parts in found]
        premises = [
            candidates[place][first : first + size]
            for place, (first, size) in enumerate(zip(done, sizes, strict=True))
        ]
        pairs = Pairs(texts, np.concatenate(premises), np.repeat(hypotheses, sizes))
        predictions = gather(judge.judge, pairs)
        scores = predictions.probabilities[:, ENTAILMENT].copy()
        if by == "entailment_minus_contradiction":
            scores -= predictions.probabilities[:, CONTRADICTION]
        ends = np.cumsum(sizes)
        for place in np.flatnonzero(sizes):
            part = slice(ends[place] - sizes[place], ends[place])
            found[place].append(predictions.at(part))
            best[place] = max(best[place], scores[part].max())
        done += sizes
        look *= 2


def _among_others(judged: Predictions | None, places: Ints, count: int) -> Predictions:
    """Return the predictions of ``count`` premises, of which those at the first ``places`` were judged."""
    everything = not_asked(count, set((judged.by_judge if judged else None) or ())).arrays()
    if judged is not None:
        for name, array in all_asked(judged).arrays().items():
            if name not in everything:
                everything[name] = np.zeros((count, *array.shape[1:]), dtype=array.dtype)
            everything[name][places[: len(array)]] = array
    return Predictions.of(everything)
