"""The cache of NLI probabilities: it saves time, and costs at most a warning."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from claimwise.cache import CacheFailureError, OpenTable, Table, checked_path
from claimwise.errors import warn

Pair = tuple[str, str]
_TABLE = Table(
    "score_1",  # another layout gets another number
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
    """Probabilities of one pair, and whether its premise had been cut to fit the model."""

    entailment: float
    neutral: float
    contradiction: float
    truncated: bool

    @classmethod
    def read(cls, values: Sequence[Any], tolerance: float) -> CachedScore | None:
        """Return the score that was written so, or None if the file was damaged since."""
        entailment, neutral, contradiction, truncated = values
        if not (type(entailment) is type(neutral) is type(contradiction) is float and truncated in (0, 1)):
            return None
        within = 0 <= entailment <= 1 and 0 <= neutral <= 1 and 0 <= contradiction <= 1
        if not (
            within and abs(entailment + neutral + contradiction - 1) <= tolerance
        ):  # so that NaN is refused
            return None
        return cls(entailment, neutral, contradiction, bool(truncated))


class ScoreCache:
    """Probabilities keyed on a judge's fingerprint, premise and hypothesis; a context manager.

    Every ``write`` is one committed transaction, so a killed run loses at most the batch at hand. A cache
    that cannot be read or written costs a warning and recomputation, never a result.

    Args:
        path: an SQLite file, created with its folders if need be; several processes may share it.
        fingerprint: what distinguishes the judge's scores from any other's.
        tolerance: how far three probabilities may be from summing to 1; further, they count as damaged.
            A judge that rounds its probabilities needs more than the default.

    Raises:
        ClaimwiseError: if ``path`` is no path.
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: str, tolerance: float = 1e-5) -> None:
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
        self._close()

    def read(self, pairs: Sequence[Pair]) -> dict[Pair, CachedScore]:
        """Return what is known of ``pairs``."""
        if self._table is None:
            return {}
        by_key = {self._key(pair): pair for pair in pairs}
        found: dict[Pair, CachedScore] = {}
        damaged = 0
        try:
            for key, *values in self._table.read(list(by_key)):
                if score := CachedScore.read(values, self.tolerance):
                    found[by_key[key]] = score
                else:
                    damaged += 1
        except CacheFailureError as failure:
            self._give_up(failure)
        if damaged:
            warn(
                f"The score cache {self.path} is damaged: {damaged} of its scores cannot be right and are "
                f"computed again. If this comes again, delete the file."
            )
        return found

    def write(self, scores: Iterable[tuple[Pair, CachedScore]]) -> None:
        """Add ``scores``, in place of older ones of the same pairs, and commit them."""
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

    def _close(self) -> None:
        if self._table is not None:
            self._table.close()
            self._table = None

    def _give_up(self, failure: CacheFailureError) -> None:
        self._close()
        warn(
            f"The score cache {self.path} cannot be used ({failure}); scores are computed without it. "
            f"Delete the file if it is damaged or of another version; choose another score_cache if it is "
            f"read-only or the disk is full."
        )
