"""Unlabelled pairs for the teacher, recombined from the texts of the training data.

python training/judge/unlabelled.py pairs.jsonl [--count 300000]
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from augment import deny, read_lexicon
from facts import stems
from pairs import LONGEST, Pair, Sources, words_of, write_pairs

UNLABELLED = "none"
SEED = 401
BREAK = re.compile(r"(?:,|;| and| but| because| although| while| when| so| which| who)\s")
COMMON = 400  # texts: a word that more of them have brings nothing together


def texts_of(sources: Sources, generator: random.Random) -> list[Pair]:
    """Return pairs of the public sets and OpinionNLI's clusters and checklists, whose texts are used."""
    pairs = sources.plain(*sources.public)
    for checklist in sources.checklists:
        wordings = [text for item in checklist.items for text in (*item.claims, *item.denials)]
        pairs += [Pair(*generator.sample(wordings, 2), UNLABELLED, "checklist") for _ in wordings]
    generator.shuffle(pairs)
    return pairs


def crossed(pairs: Sequence[Pair], generator: random.Random) -> Iterator[Pair]:
    """Yield premises with the hypothesis of another pair that shares a rare content word."""
    by_stem: dict[str, list[int]] = collections.defaultdict(list)
    for number, pair in enumerate(pairs):
        for stem in stems(pair.hypothesis):
            by_stem[stem].append(number)
    for pair in pairs:
        rare = sorted(stem for stem in stems(pair.premise) if 1 < len(by_stem[stem]) <= COMMON)
        if rare:
            other = pairs[generator.choice(by_stem[generator.choice(rare)])]
            if other.premise != pair.premise:
                yield Pair(pair.premise, other.hypothesis, UNLABELLED, "crossed")


def cut(pairs: Sequence[Pair], generator: random.Random) -> Iterator[Pair]:
    """Yield texts with one of their parts, whose order is drawn."""
    for pair in pairs:
        parts = [part.strip(" .") for part in BREAK.split(pair.premise)]
        parts = [part for part in parts if len(part.split()) > 2]
        if len(parts) > 1:
            part = generator.choice(parts)
            texts = [pair.premise, part[0].upper() + part[1:] + "."]
            if generator.random() < 0.25:
                texts.reverse()
            yield Pair(*texts, UNLABELLED, "cut")


def denied(pairs: Sequence[Pair], generator: random.Random) -> Iterator[Pair]:
    """Yield pairs of which one text is denied."""
    for pair in pairs:
        texts = [pair.premise, pair.hypothesis]
        side = generator.randrange(2)
        if (negation := deny(texts[side], generator)) is not None:
            texts[side] = negation
            yield Pair(*texts, UNLABELLED, "denied")


def swapped(pairs: Sequence[Pair], generator: random.Random) -> Iterator[Pair]:
    """Yield pairs with one word of the hypothesis swapped for another of the lexicon."""
    lexicon = read_lexicon()
    for pair in pairs:
        words = pair.hypothesis.rstrip(".").split()
        known = [number for number, word in enumerate(words) if any(lexicon.get(word, {}).values())]
        if known:
            place = generator.choice(known)
            others = [other for swaps in lexicon[words[place]].values() for other in swaps]
            words[place] = generator.choice(others)
            yield Pair(pair.premise, " ".join(words) + ".", UNLABELLED, "swapped")


def reversed_pairs(pairs: Sequence[Pair], generator: random.Random) -> Iterator[Pair]:
    """Yield pairs the other way round."""
    for pair in pairs:
        yield Pair(pair.hypothesis, pair.premise, UNLABELLED, "reversed")


SHARES: dict[Callable[[Sequence[Pair], random.Random], Iterator[Pair]], float] = {
    crossed: 0.35,
    cut: 0.2,
    denied: 0.15,
    swapped: 0.15,
    reversed_pairs: 0.15,
}
"""Share of each kind of pairs."""


def draw(data: Path, count: int, seed: int = SEED) -> list[Pair]:
    """Return shuffled pairs without labels, none of which has a label in the training data.

    Args:
        data: folder of the public sets.
        count: number of pairs, or as many as there are of each kind.
        seed: of the draw.
    """
    sources, generator = Sources(data, "train"), random.Random(seed)
    texts = texts_of(sources, generator)
    known = {(pair.premise, pair.hypothesis) for pair in texts if pair.label != UNLABELLED}
    found: dict[tuple[str, str], Pair] = {}
    for make, share in SHARES.items():
        made = [pair for pair in make(texts, generator) if words_of(pair) <= LONGEST]
        made = [pair for pair in made if (pair.premise, pair.hypothesis) not in known]
        chosen = generator.sample(made, min(len(made), int(share * count)))
        found |= {(pair.premise, pair.hypothesis): pair for pair in chosen}
    pairs = list(found.values())
    generator.shuffle(pairs)
    return pairs


def main() -> None:
    """Draw the pairs and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="JSON lines")
    parser.add_argument("--count", type=int, default=300_000)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    arguments = parser.parse_args()
    pairs = draw(Path(arguments.data), arguments.count)
    write_pairs(arguments.output, pairs)
    print(len(pairs), collections.Counter(pair.kind for pair in pairs))


if __name__ == "__main__":
    main()
