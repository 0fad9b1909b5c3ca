"""A judge whose answers are kept in an SQLite file: nothing is asked twice, and a killed run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.nli.cache import CachedScore, ScoreCache
from claimwise.nli.crossing import JudgeInFront, batches
from claimwise.nli.pairs import Ints, Pairs
from claimwise.nli.protocol import TOLERANCE, Judge, Judgements, Pair

READ_AT_ONCE = 1_000
"""Pairs; with many more at a time, Python's collector of garbage looks through all that is in memory."""

Batches = Iterator[tuple[Ints, Judgements]]
Ask = Callable[[Pairs], Batches]


def pairs_not_kept(judge: Judge, pairs: Sequence[Pair], path: str | Path | None) -> Sequence[Pair]:
    """Return the pairs that are not in a score cache; all where the judge cannot be asked what it is."""
    if path is None or not Path(path).is_file():
        return pairs
    try:
        fingerprint = judge.fingerprint
    except ClaimwiseError:
        return pairs
    with ScoreCache(path, fingerprint, getattr(judge, "tolerance", TOLERANCE)) as cache:
        known = cache.read(pairs)
    return [pair for pair in pairs if pair not in known]


class CachedJudge(JudgeInFront):
    """Any judge, with a score cache in front of it.

    Args:
        judge: what is asked for pairs that are not in the cache.
        path: of the SQLite file.
    """

    def __init__(self, judge: Judge, path: str | Path) -> None:
        super().__init__(judge)
        self.path = path

    def predict_batches(self, pairs: Pairs) -> Batches:
        """Yield what is known, then what the judge says of the others; each batch is kept first."""
        return through_cache(self, self.path, pairs, lambda missing: batches(self.judge, missing))


def through_cache(judge: Judge, path: str | Path, pairs: Pairs, ask: Ask) -> Batches:
    """Yield the judgements of ``pairs``: those in the score cache, else what ``ask`` gives, and keep it."""
    tolerance = getattr(judge, "tolerance", TOLERANCE)
    with ScoreCache(path, judge.fingerprint, tolerance) as cache:
        known = np.zeros(len(pairs), dtype=np.bool_)
        for start in range(0, len(pairs), READ_AT_ONCE):
            block = list(pairs.at(slice(start, start + READ_AT_ONCE)))
            found = cache.read(block)
            rows = [row for row, pair in enumerate(block) if pair in found]
            if rows:
                scores = [found[block[row]] for row in rows]
                known[start:][rows] = True
                yield (
                    np.array(rows) + start,
                    Judgements(
                        np.array([score[:3] for score in scores], dtype=np.float32),
                        np.array([score.truncated for score in scores]),
                    ),
                )
        missing = np.flatnonzero(~known)
        if not len(missing):
            return
        for rows_of_missing, judgements in ask(pairs.at(missing)):
            at = missing[rows_of_missing]
            cache.write(
                (pair, CachedScore(float(e), float(n), float(c), bool(cut)))
                for row, (pair, (e, n, c), cut) in enumerate(
                    zip(pairs.at(at), judgements.probabilities, judgements.truncated, strict=True)
                )
                if judgements.unjudged is None or not judgements.unjudged[row]
            )
            yield at, judgements
