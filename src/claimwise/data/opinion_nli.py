"""OpinionNLI: claim clusters written for claimwise, and the NLI pairs that follow from them.

A cluster is one opinion: paraphrases of it (``claims``), claims it entails (``weaker``), claims that cannot
be true with it (``contradictions``) and claims on the same aspect that are neither (``neutral``).
The label of a pair follows from where its two claims stand, so nothing is annotated pair by pair.
"""

from __future__ import annotations

import itertools
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TEST_DOMAINS = frozenset({"cities", "films"})


@dataclass(frozen=True)
class Cluster:
    """One opinion and the claims around it."""

    domain: str
    aspect: str
    claims: tuple[str, ...]
    weaker: tuple[str, ...]
    contradictions: tuple[str, ...]
    neutral: tuple[str, ...]

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: two domains and one cluster in twelve are for testing."""
        bucket = zlib.crc32(f"{self.domain}/{self.aspect}".encode()) % 12
        if self.domain in TEST_DOMAINS or bucket == 0:
            return "test"
        return "validation" if bucket == 1 else "train"


@dataclass(frozen=True)
class Pair:
    """A premise, a hypothesis and the label that follows from the clusters they come from."""

    premise: str
    hypothesis: str
    label: str
    domain: str


def read_clusters(folder: Path) -> list[Cluster]:
    """Read ``clusters/*.jsonl`` below ``folder``."""
    clusters = []
    for path in sorted((folder / "clusters").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            texts = {key: tuple(row[key]) for key in ("claims", "weaker", "contradictions", "neutral")}
            clusters.append(Cluster(domain=row["domain"], aspect=row["aspect"], **texts))
    return clusters


def read_universal(folder: Path) -> dict[str, list[str]]:
    """Read ``universal/*.txt``: per domain, claims that are true of anything in it and so say nothing."""
    return {
        path.stem: path.read_text(encoding="utf-8").split("\n")[:-1]
        for path in sorted((folder / "universal").glob("*.txt"))
    }


def join_claims(claims: list[str], generator: random.Random) -> str:
    """Join claims as people join them: one sentence with a conjunction, or sentences in a row."""
    connective = generator.choice([", and ", " and ", ", but ", "; ", ", while ", ". ", ". Also, "])
    joined = claims[0]
    for claim in claims[1:]:
        first, *rest = claim.split(" ")
        keeps_case = connective == ". " or first == "I" or first.startswith("I'") or first.isupper()
        start = first if keeps_case else first[0].lower() + first[1:]
        joined = joined.rstrip(".") + connective + " ".join([start, *rest])
    return joined


def expand(clusters: list[Cluster], universal: dict[str, list[str]], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: about twenty of each label per cluster.

    Claims of two clusters are paired (neutral) only inside a domain and across aspects; clusters that
    share an aspect may well bear on each other, so nothing is claimed about them.
    """
    generator = random.Random(seed)
    for cluster in clusters:
        elsewhere = [other for other in clusters if other.aspect != cluster.aspect]
        others = [other for other in elsewhere if other.domain == cluster.domain] or elsewhere

        def other_claim(others: list[Cluster] = others) -> str:
            other = generator.choice(others)
            return generator.choice([*other.claims, *other.weaker, *other.contradictions])

        def pair(premise: str, hypothesis: str, label: str, domain: str = cluster.domain) -> Pair:
            return Pair(premise, hypothesis, label, domain)

        def both_ways(left: str, right: str) -> tuple[str, str]:
            return (left, right) if generator.random() < 0.5 else (right, left)

        for premise, hypothesis in itertools.permutations(cluster.claims, 2):
            yield pair(premise, hypothesis, "entailment")
        for premise, hypothesis in itertools.product(cluster.claims, cluster.weaker):
            if generator.random() < 0.7:
                yield pair(premise, hypothesis, "entailment")
            if generator.random() < 0.4:
                yield pair(hypothesis, premise, "neutral")
        for left, right in itertools.product(cluster.claims, cluster.contradictions):
            yield pair(*both_ways(left, right), "contradiction")
            if generator.random() < 0.3:
                yield pair(*both_ways(right, left), "contradiction")
        for left, right in itertools.product(cluster.claims, cluster.neutral):
            if generator.random() < 0.6:
                yield pair(*both_ways(left, right), "neutral")
        for claim in generator.sample([*cluster.claims, *cluster.contradictions], 5):
            yield pair(*both_ways(claim, other_claim()), "neutral")
            yield pair(claim, other_claim(), "neutral")
        yield pair(
            generator.choice(cluster.claims),
            generator.choice(universal[cluster.domain]),
            "neutral",
        )

        for _ in range(3):
            claim, paraphrase = generator.sample(cluster.claims, 2)
            contradiction = generator.choice(cluster.contradictions)
            rest = [other_claim() for _ in range(generator.choice([1, 1, 2]))]
            compound = join_claims(generator.sample([claim, *rest], len(rest) + 1), generator)
            yield pair(compound, generator.choice([paraphrase, *cluster.weaker]), "entailment")
            yield pair(compound, generator.choice([claim, *rest]), "entailment")
            yield pair(*both_ways(compound, contradiction), "contradiction")
            yield pair(paraphrase, compound, "neutral")
            yield pair(compound, other_claim(), "neutral")
            rephrased = join_claims(generator.sample([paraphrase, *rest], len(rest) + 1), generator)
            opposed = join_claims(generator.sample([contradiction, *rest], len(rest) + 1), generator)
            yield pair(compound, rephrased, "entailment")
            yield pair(*both_ways(compound, opposed), "contradiction")
