"""Division of sentences into chunks, and truncation of chunks to the limit of a request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise

from claimwise_summarize.options import ChunkPlan, InputUnit
from claimwise_summarize.rows import Line


def plan(length: int, size: int, how: ChunkPlan) -> list[int]:
    """Return the lengths of the chunks of ``length`` sentences.

    Bhaskar et al. 2022, Section 3.1: c = ⌈length / size⌉ chunks. ``"remainder"`` makes chunks of
    ⌊length / c⌋ and one of the remainder, as in their code for SPACE; ``"balanced"`` spreads the remainder
    over the chunks, as in their code for FewSum.
    """
    chunks = -(-length // size)
    whole, left = divmod(length, chunks)
    if how == "balanced":
        return [whole + 1] * left + [whole] * (chunks - left)
    left = length % whole
    return [whole] * (length // whole) + ([left] if left else [])


def cut_into(lines: Sequence[Line], lengths: Sequence[int]) -> list[list[Line]]:
    """Split lines into consecutive chunks of the given lengths."""
    return [list(lines[start:end]) for start, end in pairwise(accumulate(lengths, initial=0))]


def fitting(lines: Sequence[Line], limit: int | None, unit: InputUnit) -> list[Line]:
    """Return the first lines that fit into a request, at least one; all of them if there is no limit.

    In ``"characters"``, these are whole lines up to the limit, line breaks included. In blank-separated
    ``"words"``, they are whole reviews (or single lines that a model wrote) until the limit is reached.
    """
    if limit is None:
        return list(lines)
    kept: list[Line] = []
    size = 0
    if unit == "characters":
        for line in lines:
            size += len(line.text) + (1 if kept else 0)
            if kept and size > limit:
                break
            kept.append(line)
        return kept
    numbered = enumerate(lines)
    for _, of_review in groupby(numbered, lambda n: -1 - n[0] if n[1].review is None else n[1].review):
        if kept and size >= limit:
            break
        whole = [line for _, line in of_review]
        size += sum(len(line.text.split()) for line in whole)
        kept += whole
    return kept
