"""What the data sets written for claimwise share: rows that know their place, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from claimwise.errors import ClaimwiseError

SPLITS = ("train", "validation", "test")
WORD = re.compile(r"\w+(?:['’]\w+)*")
SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*$")

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)
class Written:
    """A row that knows its file and its line (from 1)."""

    path: Path = field(default=Path(), compare=False)
    line: int = field(default=0, compare=False)

    def fault(self, problem: str, remedy: str = "") -> ClaimwiseError:
        """Return an error at the place of this row."""
        return ClaimwiseError(problem, remedy, path=self.path, line=self.line)


def read_lines(folder: Path, pattern: str, parse: Callable[[str, Path, int], Row]) -> list[Row]:
    """Return what ``parse`` makes of each line, its file and its number (from 1)."""
    return [
        parse(line, path, number)
        for path in sorted(folder.glob(pattern))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def runs(words: Sequence[str], length: int) -> set[tuple[str, ...]]:
    """Return all runs of ``length`` words in a row."""
    return set(zip(*(words[start:] for start in range(length)), strict=False))
