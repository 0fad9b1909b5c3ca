"""What data sets written for claimwise share: files of JSON lines, and rules that every row keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from claimwise.errors import ClaimwiseError

SPLITS = ("train", "validation", "test")
WORD = re.compile(r"\w+(?:['’]\w+)*")
SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*$")

Row = TypeVar("Row")


def read_lines(folder: Path, parse: Callable[[str, Path, int], Row]) -> list[Row]:
    """Return what ``parse`` makes of each line of ``*.jsonl``, its file and its number (from 1)."""
    return [
        parse(line, path, number)
        for path in sorted(folder.glob("*.jsonl"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def broken_rules(
    rows: Sequence[Row],
    faults_of: Callable[[Row], Iterable[ClaimwiseError]],
    faults_between: Callable[[Sequence[Row]], Iterable[ClaimwiseError]],
) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break by themselves, and then those that they break together."""
    for row in rows:
        yield from faults_of(row)
    yield from faults_between(rows)


def runs(words: Sequence[str], length: int) -> set[tuple[str, ...]]:
    """Return all runs of ``length`` words in a row."""
    return set(zip(*(words[start:] for start in range(length)), strict=False))
