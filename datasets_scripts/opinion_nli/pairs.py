"""The labelled pairs that follow from clusters, scales and checklists."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from opinion_nli import SCALE_CONTRADICTS, SCALE_ENTAILS, Checklist, Cluster, Scale

Source = TypeVar("Source", Cluster, Scale)


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise, a hypothesis and the label that follows from the clusters they come from."""

    premise: str
    hypothesis: str
    label: str
    domain: str


def balanced_pairs(
    clusters: list[Cluster],
    scales: list[Scale],
    checklists: list[Checklist],
    truisms: dict[str, list[str]],
    split: str,
    seed: int = 13,
) -> list[Pair]:
    """Return the distinct pairs of one split in random order, as many of each label.

    A pair of texts that got two labels (two clusters saying the same) is left out.
    """
    expanded = [
        *expand([cluster for cluster in clusters if cluster.split == split], truisms, seed),
        *expand_scales([scale for scale in scales if scale.split == split], seed),
        *expand_checklists([checklist for checklist in checklists if checklist.split == split], seed),
    ]
    found: dict[tuple[str, str], dict[str, Pair]] = {}
    for pair in expanded:
        found.setdefault((pair.premise, pair.hypothesis), {}).setdefault(pair.label, pair)
    by_label: dict[str, list[Pair]] = {}
    for of_label in found.values():
        if len(of_label) == 1:
            for label, pair in of_label.items():
                by_label.setdefault(label, []).append(pair)
    generator = random.Random(seed)
    fewest = min(len(pairs) for pairs in by_label.values())
    kept = [pair for pairs in by_label.values() for pair in generator.sample(pairs, fewest)]
    generator.shuffle(kept)
    return kept


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


def by_aspect(one: Source, all_of_them: list[Source]) -> dict[str, list[Source]]:
    """Group those on other aspects than ``one`` by aspect: of its domain, or of any where its has too few.

    Sentences on several aspects stay among those of their domain, whose aspects are named alike.
    """
    elsewhere: dict[str, list[Source]] = {}
    for same_domain in (True, False):
        for other in all_of_them:
            near = other.domain == one.domain if same_domain else len(other.aspects) == 1
            if near and one.aspects.isdisjoint(other.aspects):
                elsewhere.setdefault(other.aspect, []).append(other)
        if len(one.aspects) > 1 or len(elsewhere) >= 3:
            break
    return elsewhere


def draw_unrelated(elsewhere: dict[str, list[Source]], count: int, generator: random.Random) -> list[Source]:
    """Draw from at most ``count`` groups, no two of which have an aspect in common."""
    drawn: list[Source] = []
    for group in generator.sample(list(elsewhere.values()), len(elsewhere)):
        if all(group[0].aspects.isdisjoint(other.aspects) for other in drawn):
            drawn.append(generator.choice(group))
        if len(drawn) == count:
            break
    return drawn


def either_way(generator: random.Random, left: str, right: str) -> tuple[str, str]:
    """Return the two texts of a relation that holds both ways, in either order."""
    return (left, right) if generator.random() < 0.5 else (right, left)


def expand(clusters: list[Cluster], truisms: dict[str, list[str]], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: about twenty of each label per cluster.

    Claims of two clusters are paired (neutral) only across aspects, and inside a domain unless that has too
    few of them; clusters that share an aspect may well bear on each other, so nothing is claimed about them.
    A sentence on several aspects gets fewer pairs where its domain has few others without an aspect of it.
    """
    generator = random.Random(seed)
    for cluster in clusters:
        pair = partial(Pair, domain=cluster.domain)
        elsewhere = by_aspect(cluster, clusters)

        def unrelated(count: int, elsewhere: dict[str, list[Cluster]] = elsewhere) -> list[str]:
            """Draw claims on ``count`` different other aspects, or on as many as there are."""
            drawn = draw_unrelated(elsewhere, count, generator)
            return [generator.choice([*c.claims, *c.weaker, *c.contradictions]) for c in drawn]

        for premise, hypothesis in itertools.permutations(cluster.claims, 2):
            yield pair(premise, hypothesis, "entailment")
        for premise, hypothesis in itertools.product(cluster.claims, cluster.weaker):
            if generator.random() < 0.7:
                yield pair(premise, hypothesis, "entailment")
            if generator.random() < 0.4:
                yield pair(hypothesis, premise, "neutral")
        for left, right in itertools.product(cluster.claims, cluster.contradictions):
            yield pair(*either_way(generator, left, right), "contradiction")
            if generator.random() < 0.8:
                yield pair(*either_way(generator, left, right), "contradiction")
        for left, right in itertools.product(cluster.claims, cluster.neutral):
            if generator.random() < 0.6:
                yield pair(*either_way(generator, left, right), "neutral")
        for claim in generator.sample([*cluster.claims, *cluster.contradictions], 7):
            for other in unrelated(2):
                yield pair(*either_way(generator, claim, other), "neutral")
        yield pair(
            generator.choice(cluster.claims),
            generator.choice(truisms[cluster.domain]),
            "neutral",
        )

        for _ in range(3):
            claim, paraphrase = generator.sample(cluster.claims, 2)
            contradiction = generator.choice(cluster.contradictions)
            others = unrelated(generator.choice([2, 2, 3]))
            if len(others) < 2:
                break
            stranger, *rest = others
            compound = join_claims(generator.sample([claim, *rest], len(rest) + 1), generator)
            yield pair(compound, generator.choice([paraphrase, *cluster.weaker]), "entailment")
            yield pair(compound, generator.choice([claim, *rest]), "entailment")
            yield pair(*either_way(generator, compound, contradiction), "contradiction")
            yield pair(paraphrase, compound, "neutral")
            yield pair(compound, stranger, "neutral")
            rephrased = join_claims(generator.sample([paraphrase, *rest], len(rest) + 1), generator)
            opposed = join_claims(generator.sample([contradiction, *rest], len(rest) + 1), generator)
            yield pair(compound, rephrased, "entailment")
            yield pair(*either_way(generator, compound, opposed), "contradiction")


def expand_scales(scales: list[Scale], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: about 25 of each label per scale, a third of them about compounds."""
    generator = random.Random(seed)
    for scale in scales:
        pair = partial(Pair, domain=scale.domain)
        elsewhere = by_aspect(scale, scales)

        def unrelated(count: int, elsewhere: dict[str, list[Scale]] = elsewhere) -> list[str]:
            """Draw claims on ``count`` different other aspects."""
            return [
                f"{generator.choice(generator.choice(s.subjects))} {generator.choice(s.verb_phrases)}."
                for s in draw_unrelated(elsewhere, count, generator)
            ]

        def claims(left: str, right: str, scale: Scale = scale) -> tuple[str, str]:
            """Say both verb phrases of one thing, in the same or in other words for it."""
            group = generator.choice(scale.subjects)
            return f"{generator.choice(group)} {left}.", f"{generator.choice(group)} {right}."

        def phrases(relation: dict[str, tuple[str, ...]], scale: Scale = scale) -> tuple[str, str]:
            degree = generator.choice(list(relation))
            left = generator.choice(getattr(scale, degree))
            rights = getattr(scale, generator.choice(relation[degree]))
            return left, generator.choice([phrase for phrase in rights if phrase != left])

        for _ in range(16):
            yield pair(*claims(*phrases(SCALE_ENTAILS)), "entailment")
            yield pair(*either_way(generator, *claims(*phrases(SCALE_CONTRADICTS))), "contradiction")
        for _ in range(4):
            something = generator.choice(scale.verb_phrases)
            yield pair(*either_way(generator, *claims(something, generator.choice(scale.neither))), "neutral")
            here, there = generator.sample(scale.subjects, 2)
            left = f"{generator.choice(here)} {something}."
            right = f"{generator.choice(there)} {generator.choice(scale.verb_phrases)}."
            yield pair(left, right, "neutral")
            yield pair(*either_way(generator, left, *unrelated(1)), "neutral")

        for _ in range(4):
            left, right = claims(*phrases(SCALE_ENTAILS))
            other, stranger = unrelated(2)
            compound = join_claims(generator.sample([left, other], 2), generator)
            yield pair(compound, right, "entailment")
            rephrased = join_claims(generator.sample([right, other], 2), generator)
            yield pair(compound, rephrased, "entailment")
            yield pair(compound, stranger, "neutral")
            yield pair(right, compound, "neutral")
            left, right = claims(*phrases(SCALE_CONTRADICTS))
            compound = join_claims(generator.sample([left, other], 2), generator)
            yield pair(*either_way(generator, compound, right), "contradiction")
            opposed = join_claims(generator.sample([right, other], 2), generator)
            yield pair(*either_way(generator, compound, opposed), "contradiction")


def expand_checklists(checklists: list[Checklist], seed: int) -> Iterator[Pair]:
    """Yield labelled pairs: per item about six entailments, six contradictions and nine neutral ones.

    Half of the neutral pairs set the first claim of one item against the first denial of another: the two
    tend to share their words but for the one that matters ("The hotel has a pool", "It has no gym").
    """
    generator = random.Random(seed)
    for checklist in checklists:
        pair = partial(Pair, domain=checklist.domain)
        points = [item for item in checklist.items if len(item.aspects) == 1]
        for item in checklist.items:
            apart = [other for other in points if item.aspects.isdisjoint(other.aspects)]
            for texts in (item.claims, item.denials):
                for premise, hypothesis in itertools.permutations(texts, 2):
                    yield pair(premise, hypothesis, "entailment")
            for claim, denial in itertools.product(item.claims, item.denials):
                yield pair(*either_way(generator, claim, denial), "contradiction")
            for other in generator.sample(apart, min(4, len(apart))):
                yield pair(*either_way(generator, item.claims[0], other.denials[0]), "neutral")
                texts = generator.choice([other.claims, other.denials])
                mine = generator.choice([*item.claims, *item.denials])
                yield pair(*either_way(generator, mine, generator.choice(texts)), "neutral")

        for item in checklist.items:
            for part in points:
                if part.aspects < item.aspects:
                    sentence, denied = generator.choice(item.claims), generator.choice(item.denials)
                    claim, denial = generator.choice(part.claims), generator.choice(part.denials)
                    yield pair(sentence, claim, "entailment")
                    yield pair(denied, denial, "entailment")
                    yield pair(claim, sentence, "neutral")
                    yield pair(*either_way(generator, sentence, denial), "contradiction")
                    yield pair(*either_way(generator, denied, claim), "contradiction")

        for first, second, third in zip(points, points[1:], points[2:], strict=False):
            kept, denied = generator.choice(first.claims), generator.choice(second.denials)
            compound = join_claims(generator.sample([kept, denied], 2), generator)
            yield pair(compound, generator.choice([*first.claims, *second.denials]), "entailment")
            yield pair(*either_way(generator, compound, generator.choice(first.denials)), "contradiction")
            yield pair(*either_way(generator, compound, generator.choice(second.claims)), "contradiction")
            yield pair(compound, generator.choice([*third.claims, *third.denials]), "neutral")
