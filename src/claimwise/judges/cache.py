"""Score cache: judgements kept in an SQLite file. It saves time, and a failure costs only a warning."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from claimwise.cache import CacheFailureError, OpenTable, Table, checked_path
from claimwise.errors import ClaimwiseError, warn
from claimwise.judges.crossing import JudgeInFront, batches
from claimwise.judges.pairs import Ints, Pairs
from claimwise.judges.protocol import TOLERANCE, Judge, Judgements, Pair

READ_AT_ONCE = 1_000
"""Pairs; many more at a time would trigger full garbage collections."""

Batches = Iterator[tuple[Ints, Judgements]]
_TABLE = Table(
    "score_1",  # the number changes with the layout
    {
        "pair": "BLOB PRIMARY KEY",
        "entailment": "REAL",
        "neutral": "REAL",
        "contradiction": "REAL",
        "truncated": "INTEGER",
    },
    suffix="WITHOUT ROWID",
    versions="score_*",
    synchronous="NORMAL",
)


class CachedScore(NamedTuple):
    """Probabilities of one pair, and whether its premise was truncated."""

    entailment: float
    neutral: float
    contradiction: float
    truncated: bool

    @classmethod
    def read(cls, values: Sequence[Any], tolerance: float) -> CachedScore | None:
        """Return the stored score, or None if it is damaged."""
        *three, truncated = values
        are_shares = all(type(share) is float and 0 <= share <= 1 for share in three)  # refuses NaN
        is_score = are_shares and abs(sum(three) - 1) <= tolerance and truncated in (0, 1)
        return cls._make((*three, bool(truncated))) if is_score else None


class ScoreCache:
    """Probabilities by the judge's fingerprint, premise and hypothesis; a context manager.

    Every ``write`` is one committed transaction, so a killed run loses at most the current batch. A cache
    that cannot be read or written costs a warning and recomputation, never a result.

    Args:
        path: an SQLite file, created with its folders if missing; several processes may share it.
        fingerprint: of the judge.
        tolerance: maximum deviation of the sum of three probabilities from 1; beyond it, they count as
            damaged. A judge that rounds its probabilities needs more than the default.
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: str, tolerance: float = TOLERANCE) -> None:
        self.path = checked_path(path, "score_cache")
        self.fingerprint = fingerprint
        self.tolerance = tolerance
        self._table: OpenTable | None = None

    def __enter__(self) -> ScoreCache:
        try:
            self._table = OpenTable(self.path, _TABLE)
        except CacheFailureError as failure:
            self._give_up(failure)
        return self

    def __exit__(self, *_: object) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None

    def read(self, pairs: Sequence[Pair]) -> dict[Pair, CachedScore]:
        """Return the known scores of ``pairs``."""
        if self._table is None:
            return {}
        by_key = {self._key(pair): pair for pair in pairs}
        known: dict[Pair, CachedScore] = {}
        damaged = 0
        try:
            for key, *values in self._table.read(list(by_key)):
                if score := CachedScore.read(values, self.tolerance):
                    known[by_key[key]] = score
                else:
                    damaged += 1
        except CacheFailureError as failure:
            self._give_up(failure)
        if damaged:
            warn(
                f"The score cache {self.path} is damaged: {damaged} stored scores are invalid and are "
                "computed again. If you see this again, delete the file."
            )
        return known

    def write(self, scores: Iterable[tuple[Pair, CachedScore]]) -> None:
        """Add ``scores``, replacing older ones of the same pairs, and commit them."""
        if self._table is None:
            return
        try:
            self._table.write([(self._key(pair), *score) for pair, score in scores], replace=True)
        except CacheFailureError as failure:
            self._give_up(failure)

    def _key(self, pair: Pair) -> bytes:
        premise = pair[0].encode("utf-8", "surrogatepass")
        hypothesis = pair[1].encode("utf-8", "surrogatepass")
        head = f"{self.fingerprint}\0{len(premise)}\0".encode()
        return hashlib.sha256(head + premise + hypothesis).digest()

    def _give_up(self, failure: CacheFailureError) -> None:
        self.__exit__()
        warn(
            f"The score cache {self.path} cannot be used ({failure}); scores are computed without it. "
            f"Delete the file if it is a cache that is damaged or from another version; otherwise choose "
            f"another score_cache."
        )


def pairs_not_kept(judge: Judge, pairs: Sequence[Pair], path: str | Path | None) -> Sequence[Pair]:
    """Return the pairs that are not in a score cache; all pairs if the judge's fingerprint is unavailable."""
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
    """Any judge with a score cache: it is asked about the pairs that are not in the SQLite file."""

    def __init__(self, judge: Judge, path: str | Path) -> None:
        super().__init__(judge)
        self.path = path

    def predict_batches(self, pairs: Pairs) -> Batches:
        """Yield the cached judgements, then the judge's; each batch is stored first."""
        with ScoreCache(self.path, self.fingerprint, self.tolerance) as cache:
            is_known = np.zeros(len(pairs), dtype=np.bool_)
            for start in range(0, len(pairs), READ_AT_ONCE):
                block = list(pairs.at(slice(start, start + READ_AT_ONCE)))
                known = cache.read(block)
                rows = start + np.array([row for row, pair in enumerate(block) if pair in known], np.int64)
                if len(rows):
                    scores = [known[pair] for pair in block if pair in known]
                    is_known[rows] = True
                    probabilities = np.array([score[:3] for score in scores], dtype=np.float32)
                    yield rows, Judgements(probabilities, np.array([score.truncated for score in scores]))
            missing = np.flatnonzero(~is_known)
            if not len(missing):
                return
            for rows_of_missing, judgements in batches(self.judge, pairs.at(missing)):
                rows = missing[rows_of_missing]
                is_judged = ~judgements.unjudged
                judged = judgements[is_judged]
                truncated = judged.truncated.tolist()
                scores = [
                    CachedScore._make((*three, is_cut))
                    for three, is_cut in zip(judged.probabilities.tolist(), truncated, strict=True)
                ]
                cache.write(zip(pairs.at(rows[is_judged]), scores, strict=True))
                yield rows, judgements
