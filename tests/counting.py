"""A metric that writes down which rows it scores, and ends its process when it is told to."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.metrics import Metric, MetricSpec, Row, RowScore
from claimwise.metrics.base import CorpusMetric
from claimwise.metrics.spec import SUMMARIES, Column, Further
from claimwise.options import OptionGroup, option

MEBIBYTE = 2**20
HUNGER = 6 * 1024
"""So many MiB a process takes on a row that says HUNGRY."""
TEXTS = [f"Room {number} is warm. " + "So it is. " * (number % 5) for number in range(40)]


@dataclass(frozen=True, kw_only=True)
class CountingOptions(OptionGroup):
    """Where the rows are written down, and when the process ends."""

    log: str = option("", "path of a file")
    deaths: int = option(0, "how often a process ends, each time on a row that says DEADLY or HUNGRY")


def spec_of(name: str) -> MetricSpec:
    return MetricSpec(
        name=name,
        title="Words",
        family="style",
        question="how many words?",
        bounds=(0, 10_000),
        ends=("none", "many"),
        columns=(SUMMARIES, Column(name="entities", holds="names", meaning="of what", required=False)),
        rows="summary",
        mean_over="sentences",
        further={"letters": Further(title="letters", bounds=(0, 10_000), weighted=True)},
        counts={"shouted": "words in capitals"},
        source="",
        citation="",
    )


class Counting(Metric):
    """Words in a summary, weighted by its full stops."""

    Options = CountingOptions
    spec = spec_of("counting")

    def load(self) -> None:
        """Nothing to load."""

    def score_rows(self, rows: Sequence[Row], *, details: bool = False, **_: Any) -> list[RowScore]:
        return [self._row_score(row) for row in rows]

    def _row_score(self, row: Row) -> RowScore:
        words = row.prediction.split()
        if "IMPOSSIBLE" in words:
            raise ClaimwiseError("holds the impossible.", "Drop it.", column="predictions", row=row.number)
        if "ODD" in words:
            warn("Something odd was left out.")
        self._note(row, words)
        shouted = sum(word.isupper() for word in words)
        return RowScore(
            score=None if "UNSCORED" in words else float(len(words)) / 3,
            weight=float(max(1, row.prediction.count("."))),
            further={"letters": float(len(row.prediction))},
            sums={"lengths": list({len(word) for word in words}), "words": [1, [2.5, "a\tb\n"]]},
            counts={"shouted": shouted} if shouted else {},
        )

    def _note(self, row: Row, words: Sequence[str]) -> None:
        """Write the row down, and end the process if the row says so."""
        log = Path(self.options.log) if self.options.log else None
        if log is not None:
            with log.open("a") as file:
                file.write(f"{row.number} {os.getpid()}\n")
            lives = log.with_suffix(".lives")
            died = len(lives.read_bytes()) if lives.exists() else 0
            if {"DEADLY", "HUNGRY"} & set(words) and died < self.options.deaths:
                with lives.open("ab") as file:
                    file.write(b"x")
                if "HUNGRY" in words:
                    _ = [b"x" * MEBIBYTE for _ in range(HUNGER)]
                    raise AssertionError("nobody ended it")
                os.kill(os.getpid(), signal.SIGKILL)

    def _of_all(self, row_scores: Sequence[RowScore], confidence_level: float | None) -> dict[str, Any]:
        return {"longest": max(max(row.sums["lengths"]) for row in row_scores)}

    def _signature_parts(self) -> dict[str, object]:
        return {"counts": "words"}


class Ranking(Counting, CorpusMetric):
    """Words in a summary as a share of those in the longest."""

    spec = spec_of("ranking")

    def prepare(self, rows: Sequence[Row]) -> dict[int, int]:
        for row in rows:
            if "UNRANKED" in row.prediction:
                raise ClaimwiseError("has no rank.", "Drop it.", column="predictions", row=row.number)
        return {row.number: len(row.prediction.split()) for row in rows}

    def score_rows(
        self, rows: Sequence[Row], *, details: bool = False, state: dict[int, int] | None = None
    ) -> list[RowScore]:
        words = self.prepare(rows) if state is None else state
        longest = max(words.values())
        for row in rows:
            self._note(row, row.prediction.split())
        return [
            RowScore(
                score=words[row.number] / longest,
                further={"letters": 1.0},
                sums={"lengths": [1]},
            )
            for row in rows
        ]
