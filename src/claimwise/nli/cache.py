"""The on-disk cache of NLI probabilities: one SQLite file, safe for several processes at once."""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from claimwise.errors import ClaimwiseWarning

Pair = tuple[str, str]
_BUSY_SECONDS = 60.0
_READ_AT_ONCE = 500


class CachedScore(NamedTuple):
    """Probabilities of one pair, and whether its premise had been cut to fit the model."""

    entailment: float
    neutral: float
    contradiction: float
    truncated: bool


class ScoreCache:
    """Probabilities keyed on model fingerprint, premise and hypothesis.

    Every ``write`` is one committed transaction, so a killed run loses at most the batch at hand. A cache
    that cannot be read or written costs a warning and recomputation, never a result.
    """

    def __init__(self, path: str | Path, fingerprint: str) -> None:
        self.path = Path(path)
        self.fingerprint = fingerprint
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> ScoreCache:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS score_1 (pair BLOB PRIMARY KEY, entailment REAL, "
                "neutral REAL, contradiction REAL, truncated INTEGER) WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
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
        for start in range(0, len(pairs), _READ_AT_ONCE):
            if self._connection is None:
                break
            by_key = {self._key(pair): pair for pair in pairs[start : start + _READ_AT_ONCE]}
            marks = ",".join("?" * len(by_key))
            try:
                rows = self._connection.execute(
                    f"SELECT * FROM score_1 WHERE pair IN ({marks})", list(by_key)
                ).fetchall()
            except sqlite3.Error as error:
                self._give_up(error)
                break
            for key, entailment, neutral, contradiction, truncated in rows:
                score = CachedScore(entailment, neutral, contradiction, bool(truncated))
                found[by_key[key]] = score
        return found

    def write(self, scores: Iterable[tuple[Pair, CachedScore]]) -> None:
        """Add ``scores`` and commit them."""
        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO score_1 VALUES (?, ?, ?, ?, ?)",
                    [(self._key(pair), *score) for pair, score in scores],
                )
        except sqlite3.Error as error:
            self._give_up(error)

    def _key(self, pair: Pair) -> bytes:
        premise, hypothesis = (text.encode("utf-8", "surrogatepass") for text in pair)
        head = f"{self.fingerprint}\0{len(premise)}\0".encode()
        return hashlib.sha256(head + premise + hypothesis).digest()

    def _give_up(self, error: Exception) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        warnings.warn(
            f"The score cache {self.path} cannot be used ({error}); scores are computed without it. "
            f"If the file is damaged, delete it; if it is read-only, choose another score_cache.",
            ClaimwiseWarning,
            stacklevel=2,
        )
