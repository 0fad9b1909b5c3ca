"""What the judge learns from: pairs of a premise, a hypothesis and a label, by kind.

Of everything a part is kept out by a stable hash of the premise (public sets) or by the split of the data set
(OpinionNLI, SourceNLI): the validation pairs, by which the recipe is chosen.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
sys.path += [str(REPOSITORY), str(REPOSITORY / "datasets_scripts")]  # the first for ``benchmarks``
import opinion_nli.pairs  # noqa: E402
import source_nli  # noqa: E402

LONGEST = 70  # words of a plain pair of the public sets
# Two captions are taken for one scene, so that an unrelated one contradicts.
CAPTIONS = frozenset({"snli_dev", "snli_train", "joci", "cad", "monli"})
# Evidence of one to three sentences that was looked up for the claim: no neutral ones.
FEVER = "fever"


class Pair(NamedTuple):
    """One row to learn from or to validate with; ``kind`` is the set or the builder that it comes from."""

    premise: str
    hypothesis: str
    label: str
    kind: str


def read_pairs(path: Path) -> list[Pair]:
    """Return the JSON lines of ``path`` (gzip or plain), whose fourth column is ``kind`` or ``source``."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Pair(r["premise"], r["hypothesis"], r["label"], r.get("kind") or r["source"]) for r in rows]


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write JSON lines: the whole file or none of it."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(pair._asdict(), ensure_ascii=False) + "\n" for pair in pairs)
    part.rename(path)


def is_validation(premise: str, one_in: int = 50) -> bool:
    """Tell by a stable hash whether a premise belongs to the validation part."""
    return zlib.crc32(premise.encode()) % one_in == 0


def words_of(pair: Pair) -> int:
    """Return the number of words of both texts."""
    return len(pair.premise.split()) + len(pair.hypothesis.split())


class Sources:
    """The data of one split (``train`` or ``validation``), read when it is first asked for."""

    def __init__(self, data: Path, split: str) -> None:
        """Look for the public sets in ``data``/nli."""
        self.data = data
        self.split = split

    @cached_property
    def public(self) -> dict[str, list[Pair]]:
        """The pairs of the public sets by set."""
        by_kind: dict[str, list[Pair]] = {}
        for name in ("train", "train_more"):
            for pair in read_pairs(self.data / "nli" / f"{name}.jsonl.gz"):
                if is_validation(pair.premise) == (self.split == "validation"):
                    by_kind.setdefault(pair.kind, []).append(pair)
        return by_kind

    def plain(self, *kinds: str) -> list[Pair]:
        """Return the pairs of these public sets that are not too long."""
        return [pair for kind in kinds for pair in self.public[kind] if words_of(pair) <= LONGEST]

    @cached_property
    def clusters(self) -> list[opinion_nli.Cluster]:
        """The clusters of OpinionNLI."""
        return [c for c in opinion_nli.read_clusters() if c.split == self.split]

    @cached_property
    def scales(self) -> list[opinion_nli.Scale]:
        """The scales of OpinionNLI."""
        return [s for s in opinion_nli.read_scales() if s.split == self.split]

    @cached_property
    def checklists(self) -> list[opinion_nli.Checklist]:
        """The checklists of OpinionNLI."""
        return [c for c in opinion_nli.read_checklists() if c.split == self.split]

    @cached_property
    def truisms(self) -> dict[str, list[str]]:
        """Sentences of OpinionNLI that are always true, by domain."""
        return opinion_nli.read_truisms()

    @cached_property
    def triads(self) -> list[source_nli.Triad]:
        """The triads of SourceNLI."""
        return [t for t in source_nli.read_triads() if t.split == self.split]

    @cached_property
    def sentence_triads(self) -> list[source_nli.Triad]:
        """The triads of SourceNLI's configuration ``sentences``."""
        return [t for t in source_nli.read_triads(config="sentences") if t.split == self.split]


Builder = Callable[[Sources, random.Random], Iterator[Pair]]


def clusters_and_scales(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield a draw of the pairs that follow from the clusters and scales of OpinionNLI."""
    seed = generator.randrange(2**32)
    for pair in opinion_nli.pairs.expand(sources.clusters, sources.truisms, seed):
        yield Pair(pair.premise, pair.hypothesis, pair.label, "clusters_and_scales")
    for pair in opinion_nli.pairs.expand_scales(sources.scales, seed):
        yield Pair(pair.premise, pair.hypothesis, pair.label, "clusters_and_scales")


def checklists(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield a draw of the pairs that follow from the checklists of OpinionNLI."""
    for pair in opinion_nli.pairs.expand_checklists(sources.checklists, generator.randrange(2**32)):
        yield Pair(pair.premise, pair.hypothesis, pair.label, "checklists")


def points_of(checklist: opinion_nli.Checklist) -> list[opinion_nli.Item]:
    """Return the points of a checklist that are about one aspect and have two wordings."""
    return [item for item in checklist.items if len(item.aspects) == 1 and len(item.claims) > 1]


def compared(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield pairs as summaries are compared: every claim of a checklist with every paraphrase and denial.

    Nine in ten are neutral.
    """
    for checklist in sources.checklists:
        points = points_of(checklist)
        for one in points:
            for other in points:
                for text, same in ((other.claims[1], "entailment"), (other.denials[0], "contradiction")):
                    label = same if one is other else "neutral"
                    yield Pair(one.claims[0], text, label, "compared")
                    yield Pair(text, one.claims[0], label, "compared")


def random_neutrals(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield sentences of unrelated examples of the public sets, none of them captions, side by side."""
    pool = sources.plain(*(kind for kind in sources.public if kind not in CAPTIONS))
    for one, other in zip(generator.sample(pool, 20_000), generator.sample(pool, 20_000), strict=True):
        yield Pair(one.premise, other.hypothesis, "neutral", "random_neutrals")
