"""A claim as words of its sentence: which of them it takes, in which order, and what is put in or changed."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache

PUT_IN, CHANGED, JUMP_AHEAD, JUMP_BACK, FROM_CONTEXT = 0.5, 0.35, 0.03, 0.7, 0.1
PUT_IN_THOUGH_THERE = 1.5  # a word that the sentence has, which may be taken from it
SLIP = 0.8
"""Words that begin alike and are at least as similar as this are one word with a slip."""
ENDINGS = (
    *("-+s", "-s+", "-+es", "-es+", "-y+ies", "-ies+y", "-ing+", "-ing+s", "-ing+es", "-ing+e"),
    *("-ing+ed", "-ed+", "-+ly", "-y+"),
)
"""Changes of a word's end that the network can ask for: what goes, and what comes."""
_GROUPS = (
    "is are was were be been being 're am 'm",
    "has have had having 've",
    "do does did",
    "a an the",
    "n't not nt",
    "its their his her it they it's",
    "my our the",
    "w with w/",
    "u you",
    "'ll will would 'd",
    "this the these",
    "no any not",
    "can cannot",
    "none no nothing",
)
_ALIKE: dict[str, set[str]] = {}
for _group in _GROUPS:
    for _word in _group.split():
        _ALIKE.setdefault(_word, set()).update(set(_group.split()) - {_word})

Item = int | str
"""What a claim is made of: the place of a word of the sentence, a word, or an ending for what is before."""


@cache
def change(word: str, other: str) -> str | None:
    """Return what makes ``other`` of ``word``: nothing, ``"=other"`` or an ending; None if nothing does."""
    if word == other:
        return ""
    if other in _ALIKE.get(word, ()):
        return f"={other}"
    shared = 0
    while shared < min(len(word), len(other)) and word[shared] == other[shared]:
        shared += 1
    gone, come = word[shared:], other[shared:]
    if shared >= 3 and len(gone) <= 3 and len(come) <= 3:
        return f"-{gone}+{come}"
    if shared >= 2 and (gone, come) in {("", "s"), ("s", "")}:
        return f"-{gone}+{come}"
    is_slip = word[0] == other[0] and len(word) >= 4 and SequenceMatcher(None, word, other).ratio() >= SLIP
    return f"-{gone}+{come}" if is_slip else None


def align(sentence: Sequence[str], claim: Sequence[str], context: int = 0) -> tuple[float, list[Item]]:
    """Return the least cost at which the words of the sentence make the claim, and how.

    Args:
        sentence: its words, in small letters.
        claim: likewise.
        context: how many of the first words are of the sentence before.
    """
    best: dict[int, tuple[float, list[Item]]] = {-1: (0.0, [])}
    for word in claim:
        found: dict[int, tuple[float, list[Item]]] = {}

        def offer(last: int, cost: float, items: list[Item], found: dict = found) -> None:  # type: ignore[type-arg]
            if last not in found or cost < found[last][0]:
                found[last] = cost, items

        candidates = [
            (place, changed)
            for place, other in enumerate(sentence)
            if (changed := change(other, word)) is not None
        ]
        put_in = PUT_IN_THOUGH_THERE if word in sentence[context:] else PUT_IN
        for last, (cost, items) in best.items():
            offer(last, cost + put_in, [*items, word])
            for place, changed in candidates:
                if place in items:
                    continue
                step = 0.0 if place == last + 1 or last < 0 else JUMP_AHEAD if place > last else JUMP_BACK
                step += FROM_CONTEXT * (place < context)
                taken: list[Item] = [changed[1:]] if changed.startswith("=") else [place]
                if changed in ENDINGS:
                    taken.append(changed)
                offer(place, cost + step + (CHANGED if changed else 0.0), [*items, *taken])
        best = found
    return min(best.values(), key=lambda one: one[0])
