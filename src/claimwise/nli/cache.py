"""The on-disk cache of NLI probabilities: one SQLite file, safe for several processes at once."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from claimwise.errors import ClaimwiseError, ClaimwiseWarning

Pair = tuple[str, str]
_BUSY_SECONDS = 60.0
_READ_AT_ONCE = 500
_ROUNDING = 1e-5
_TABLE = "score_1"  # another layout gets another number
# On damaged files SQLite may also run out of memory, or quote bytes that are no text.
_FAILURES = (sqlite3.Error, OSError, MemoryError, UnicodeDecodeError)


class CachedScore(NamedTuple):
    """Probabilities of one pair, and whether its premise had been cut to fit the model."""

    entailment: float
    neutral: float
    contradiction: float
    truncated: bool

    @classmethod
    def read(cls, entailment: Any, neutral: Any, contradiction: Any, truncated: Any) -> CachedScore | None:
        """Return the score that was written so, or None if the file was damaged since."""
        probabilities = entailment, neutral, contradiction
        if {type(value) for value in probabilities} != {float} or truncated not in (0, 1):
            return None
        within = min(probabilities) >= 0 and max(probabilities) <= 1
        if not (within and abs(sum(probabilities) - 1) <= _ROUNDING):  # so that NaN is refused too
            return None
        return cls(*probabilities, bool(truncated))


class ScoreCache:
    """Probabilities keyed on model fingerprint, premise and hypothesis.

    Every ``write`` is one committed transaction, so a killed run loses at most the batch at hand. A cache
    that cannot be read or written costs a warning and recomputation, never a result.
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: str, tolerance: float = 1e-5) -> None:
        if not isinstance(path, (str, os.PathLike)) or "\0" in str(path):
            raise ClaimwiseError(f"score_cache must be the path of a file; got {path!r}.")
        self.path = Path(path)
        self.fingerprint = fingerprint
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> ScoreCache:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            tables = self._connection.execute("SELECT name FROM sqlite_master WHERE name GLOB 'score_*'")
            if (names := {name for (name,) in tables}) and _TABLE not in names:
                self._give_up("it was written by another version of claimwise")
                return self
            self._connection.execute(
                f"CREATE TABLE IF NOT EXISTS {_TABLE} (pair BLOB PRIMARY KEY, entailment REAL, "
                "neutral REAL, contradiction REAL, truncated INTEGER) WITHOUT ROWID"
            )
        except _FAILURES as error:
            self._give_up(error)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def read(self, pairs: Sequence[Pair]) -> dict[Pair, CachedScore]:
        """Return what is known of ``pairs``."""
        found: dict[Pair, CachedScore] = {}
        damaged = 0
        for start in range(0, len(pairs), _READ_AT_ONCE):
            if self._connection is None:
                break
            by_key = {self._key(pair): pair for pair in pairs[start : start + _READ_AT_ONCE]}
            marks = ",".join("?" * len(by_key))
            try:
                rows = self._connection.execute(
                    "SELECT pair, entailment, neutral, contradiction, truncated "
                    f"FROM {_TABLE} WHERE pair IN ({marks})",
                    list(by_key),
                ).fetchall()
            except _FAILURES as error:
                self._give_up(error)
                break
            for key, *values in rows:
                if score := CachedScore.read(*values):
                    found[by_key[key]] = score
                else:
                    damaged += 1
        if damaged:
            warnings.warn(
                f"The score cache {self.path} is damaged: {damaged} of its scores cannot be right and are "
                f"computed again. If this comes again, delete the file.",
                ClaimwiseWarning,
                stacklevel=2,
            )
        return found

    def write(self, scores: Iterable[tuple[Pair, CachedScore]]) -> None:
        """Add ``scores`` and commit them."""
        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.executemany(
                    f"INSERT OR REPLACE INTO {_TABLE} "
                    "(pair, entailment, neutral, contradiction, truncated) VALUES (?, ?, ?, ?, ?)",
                    [(self._key(pair), *score) for pair, score in scores],
                )
        except _FAILURES as error:
            self._give_up(error)

    def _key(self, pair: Pair) -> bytes:
        premise, hypothesis = (text.encode("utf-8", "surrogatepass") for text in pair)
        head = f"{self.fingerprint}\0{len(premise)}\0".encode()
        return hashlib.sha256(head + premise + hypothesis).digest()

    def _give_up(self, reason: Exception | str) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        warnings.warn(
            f"The score cache {self.path} cannot be used ({reason}); scores are computed without it. "
            f"Delete the file if it is damaged or of another version; choose another score_cache if it is "
            f"read-only or the disk is full.",
            ClaimwiseWarning,
            stacklevel=2,
        )
