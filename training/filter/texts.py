"""The texts that the filter learns from, in blocks as metrics cross them: our own claims and sentences alone.

A block is of one domain (some mix a few): claims and denials of checklists, claims of clusters and scales,
sentences of OpinionClaims with their claims (those that people wrote and those that decomposers make), and
several claims joined into one premise. Texts about one thing lie next to many about other things.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import permutations, product
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parents[2] / "datasets_scripts"))
import opinion_claims
import opinion_nli.pairs

Pair = tuple[str, str]


class Block(NamedTuple):
    """Texts, and which ordered pairs of them the judge is asked about, as places in ``texts``."""

    texts: list[str]
    pairs: list[tuple[int, int]]

    @property
    def as_texts(self) -> list[Pair]:
        """The pairs as (premise, hypothesis)."""
        return [(self.texts[premise], self.texts[hypothesis]) for premise, hypothesis in self.pairs]


class Texts:
    """The texts of one split, by domain and by what they are about.

    Attributes:
        made: sentence → the claims that decomposers make of it; empty until it is filled.
    """

    def __init__(self, split: str) -> None:
        self.made: Mapping[str, Sequence[str]] = {}
        self.checklists: dict[str, list[opinion_nli.Checklist]] = {}
        for checklist in opinion_nli.read_checklists():
            if checklist.split == split:
                self.checklists.setdefault(checklist.domain, []).append(checklist)
        self.clusters: dict[str, list[opinion_nli.Cluster]] = {}
        for cluster in opinion_nli.read_clusters():
            if cluster.split == split:
                self.clusters.setdefault(cluster.domain, []).append(cluster)
        self.scales: dict[str, list[opinion_nli.Scale]] = {}
        for scale in opinion_nli.read_scales():
            if scale.split == split:
                self.scales.setdefault(scale.domain, []).append(scale)
        self.rows: dict[str, list[opinion_claims.Row]] = {}
        for row in opinion_claims.read_rows():
            if row.split == split:
                self.rows.setdefault(row.domain, []).append(row)

    @cached_property
    def domains(self) -> list[str]:
        """Each domain as often as it has checklists, clusters and rows."""
        of_all = (*self.checklists.items(), *self.clusters.items(), *self.rows.items())
        return [domain for domain, found in of_all for _ in found]

    @cached_property
    def row_domains(self) -> list[str]:
        """Each domain as often as it has rows."""
        return [domain for domain, found in self.rows.items() for _ in found]

    def topics(self, domain: str, generator: random.Random) -> list[list[str]]:
        """Draw topics of a domain: a few texts each, about one thing."""

        def some(found: Sequence, count: int) -> list:
            return generator.sample(list(found), min(count, len(found)))

        topics = []
        for checklist in some(self.checklists.get(domain, ()), 2):
            topics += [some([*item.claims, *item.denials], 2) for item in checklist.items]
        for cluster in some(self.clusters.get(domain, ()), 9):
            others = [*cluster.weaker, *cluster.contradictions, *cluster.neutral]
            topics.append([*some(cluster.claims, 2), *some(others, 2)])
        for scale in some(self.scales.get(domain, ()), 3):
            group = generator.choice(scale.subjects)
            topics.append([f"{generator.choice(group)} {said}." for said in some(scale.verb_phrases, 2)])
        for row in some(self.rows.get(domain, ()), 6):
            written = [wordings[0] for wordings in some(row.claims, 2)]
            topics.append([row.sentence, *written, *some(self.made.get(row.sentence, ()), 2)])
        for _ in range(len(topics) // 7):
            topics.append(
                [opinion_nli.pairs.join_claims([generator.choice(t) for t in some(topics, 2)], generator)]
            )
        return topics


def draw_block(texts: Texts, generator: random.Random, most_topics: int = 42, pairs: int = 900) -> Block:
    """Draw a block: all pairs of a topic, and random ones of different topics; no ``pairs``: texts alone."""
    domains = {generator.choice(texts.domains) for _ in range(1 if generator.random() < 0.8 else 3)}
    topics = [topic for domain in sorted(domains) for topic in texts.topics(domain, generator)]
    topics = generator.sample(topics, min(most_topics, len(topics)))
    numbers = {
        text: number for number, text in enumerate(dict.fromkeys(t for topic in topics for t in topic))
    }
    inside = {pair for topic in topics for pair in permutations({numbers[text] for text in topic}, 2)}
    across = [pair for pair in permutations(range(len(numbers)), 2) if pair not in inside]
    drawn = generator.sample(across, min(len(across), max(0, pairs - len(inside))))
    return Block(list(numbers), [*sorted(inside), *drawn] if pairs else [])


def draw_compared(texts: Texts, generator: random.Random) -> Block:
    """Draw claims as metrics cross them, every pair both ways: checklists of a domain, or rows, or clusters.

    Half of what the one side says, the other says in other words or denies.
    """
    domain = generator.choice(texts.domains)
    kind = generator.choice(
        [kind for kind in ("checklists", "checklists", "clusters", "rows") if domain in getattr(texts, kind)]
    )
    found = getattr(texts, kind)[domain]
    if kind == "checklists":
        one, other = generator.choice(found), generator.choice(found)
        left = [item.claims[0] for item in one.items]
        right = [generator.choice([item.claims[-1], item.denials[0]]) for item in one.items]
        right = generator.sample(right, len(right) // 2)
        right += generator.sample([item.claims[0] for item in other.items], len(other.items) // 2)
    elif kind == "clusters":
        drawn = generator.sample(found, min(8, len(found)))
        left = [cluster.claims[0] for cluster in drawn]
        right = [
            generator.choice([*c.claims[1:], *c.weaker, *c.contradictions, *c.neutral])
            for c in generator.sample(found, min(8, len(found)))
        ]
    else:
        drawn = generator.sample(found, min(12, len(found)))
        left = [row.sentence for row in drawn]
        right = [generator.choice(row.claims)[0] for row in drawn]
    numbers = {text: number for number, text in enumerate(dict.fromkeys([*left, *right]))}
    one_way = [(numbers[a], numbers[b]) for a, b in product(left, right) if a != b]
    return Block(list(numbers), [*one_way, *((b, a) for a, b in one_way)])


def draw_decomposed(texts: Texts, generator: random.Random, sentences: int = 6) -> Block:
    """Draw claims that decomposers make of sentences of a domain, every pair of two groups both ways.

    Half of the sentences of the one group are in the other, too.
    """
    rows = texts.rows[generator.choice(texts.row_domains)]
    drawn = [row.sentence for row in generator.sample(rows, min(2 * sentences, len(rows)))]
    middle = drawn[sentences // 2 : sentences // 2 + sentences]

    def claims(of: Sequence[str]) -> list[str]:
        made = [claim for sentence in of for claim in texts.made[sentence]]
        return generator.sample(made, min(2 * sentences, len(made)))

    left, right = claims(drawn[:sentences]), claims(middle)
    numbers = {text: number for number, text in enumerate(dict.fromkeys([*left, *right]))}
    one_way = {(numbers[a], numbers[b]) for a, b in product(left, right) if a != b}
    return Block(list(numbers), sorted(one_way | {(b, a) for a, b in one_way}))


def draw_pool(texts: Texts, generator: random.Random, hypotheses: int, premises: int) -> Block:
    """Draw claims of many entities of the largest domain; some are hypotheses of all the others."""
    domain = max(texts.checklists, key=lambda name: len(texts.checklists[name]))
    said = [
        text
        for checklist in texts.checklists[domain]
        for item in checklist.items
        for text in (*item.claims, *item.denials)
    ]
    said += [
        claim
        for cluster in texts.clusters.get(domain, ())
        for claim in (*cluster.claims, *cluster.contradictions)
    ]
    drawn = generator.sample(sorted(set(said)), premises)
    return Block(drawn, [(p, h) for h in range(hypotheses) for p in range(premises) if p != h])
