"""Pairs of claims as two summaries bring them together: mostly about different things, some in two wordings.

CASPR compares every claim of one summary with every claim of the other, so nearly all pairs are neutral, and
one entailment that is wrongly found costs a claim its contrast. A pair may have a second wording, which has
the same label.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import opinion_claims
import opinion_nli
from augment import deny
from facts import stems
from opinion_nli.pairs import join_claims
from pairs import Sources, points_of

PREDICATE = re.compile(r"^(.{3,40}?) (is|are|was|were) (.+)$")
# Nouns that name no particular thing, and pronouns: "the room is small" may imply "the place is small".
VAGUE = frozenset({
    "airline", "all", "app", "book", "city", "everything", "experience", "film", "flight", "he", "hotel", "i",
    "it", "movie", "nothing", "overall", "place", "restaurant", "room", "rooms", "service", "she", "stay",
    "story", "that", "the", "there", "they", "this", "we", "what", "you",
})  # fmt: skip
COUNTS = {
    "one_sentence": 16_000,
    "two_sentences": 8_000,
    "one_predicate": 6_000,
    "reworded": 3_000,
    "negated": 3_000,
    "two_checklists": 14_000,
    "one_checklist": 6_000,
    "one_point": 8_000,
    "truisms": 2_000,
    "joined": 3_000,
    "one_quality": 3_000,
}
"""Pairs to draw by kind; those of the domains that are reviewed most are not preferred."""


class Compared(NamedTuple):
    """A pair of claims; ``again`` is the same pair in other words, with the same label."""

    premise: str
    hypothesis: str
    label: str
    kind: str
    again: tuple[str, str] | None = None


def one_sentence(rows: Sequence[opinion_claims.AnyRow], generator: random.Random) -> Iterator[Compared]:
    """Yield claims of one sentence that share few words: neutral, also if one of them is negated."""
    for row in rows:
        for one in row.claims:
            for other in row.claims:
                a, b = generator.choice(one), generator.choice(other)
                words_a, words_b = stems(a), stems(b)
                shortest = min(len(words_a), len(words_b))
                if one is other or not shortest or len(words_a & words_b) > shortest / 2:
                    continue
                form = generator.random()
                if form < 0.35:
                    b = deny(b, generator) or b
                elif form < 0.5:
                    a = deny(a, generator) or a
                again = (generator.choice(one), generator.choice(other)) if form >= 0.5 else None
                yield Compared(a, b, "neutral", "one_sentence", again)


def two_sentences(rows: Sequence[opinion_claims.AnyRow], generator: random.Random) -> Iterator[Compared]:
    """Yield claims of two sentences of one domain without a word in common: neutral."""
    domains = defaultdict(list)
    for row in rows:
        domains[row.domain].append(row)
    for row in rows:
        for _ in range(3):
            another = generator.choice(domains[row.domain])
            one, other = generator.choice(row.claims), generator.choice(another.claims)
            a, b = generator.choice(one), generator.choice(other)
            if another is row or stems(a) & stems(b) or not (stems(a) and stems(b)):
                continue
            again = (generator.choice(one), generator.choice(other))
            if generator.random() < 0.35:
                b, again = deny(b, generator) or b, None
            yield Compared(a, b, "neutral", "two_sentences", again)


def one_predicate(rows: Sequence[opinion_claims.AnyRow], generator: random.Random) -> Iterator[Compared]:
    """Yield one predicate of two things: neutral ("The pool is small." and "The bath is small.")."""
    for row in rows:
        found = [match.groups() for claim in row.claims if (match := PREDICATE.match(claim[0].rstrip(".")))]
        named = [(s, verb, rest) for s, verb, rest in found if len(s.split()) <= 4 and not vague(s)]
        for one, verb, rest in named:
            for other, its_verb, its_rest in named:
                heads = {one.lower().split()[-1], other.lower().split()[-1]}
                shared = (
                    stems(one) & stems(rest) or stems(other) & stems(its_rest) or stems(one) & stems(other)
                )
                if verb != its_verb or len(heads) < 2 or shared:
                    continue
                denied = "not " if generator.random() < 0.25 else ""
                yield Compared(
                    f"{one} {verb} {rest}.", f"{other} {verb} {denied}{rest}.", "neutral", "one_predicate"
                )


def vague(subject: str) -> bool:
    """Tell whether a subject names no particular thing."""
    words = subject.lower().split()
    return words[-1] in VAGUE or words[0] in VAGUE - {"the", "this", "that", "all"}


def reworded(rows: Sequence[opinion_claims.AnyRow], generator: random.Random) -> Iterator[Compared]:
    """Yield a claim and a shorter wording of it: entailed."""
    for row in rows:
        for wordings in row.claims:
            if len(wordings) < 2:
                continue
            a, b = generator.sample(wordings, 2)
            if stems(b) < stems(a) and stems(b) and abs(len(a.split()) - len(b.split())) <= 2:
                yield Compared(a, b, "entailment", "reworded")


def negated(rows: Sequence[opinion_claims.AnyRow], generator: random.Random) -> Iterator[Compared]:
    """Yield a claim and its negation, in either order: contradicted."""
    for row in rows:
        for wordings in row.claims:
            if denial := deny(generator.choice(wordings), generator):
                a, b = generator.sample([generator.choice(wordings), denial], 2)
                yield Compared(a, b, "contradiction", "negated")


def two_checklists(sources: Sources, generator: random.Random) -> Iterator[Compared]:
    """Yield points of two checklists of one domain whose aspects and claims share no word: neutral."""
    domains = defaultdict(list)
    for checklist in sources.checklists:
        domains[checklist.domain].append(points_of(checklist))
    for checklist in sources.checklists:
        mine = points_of(checklist)
        for _ in range(8):
            theirs = generator.choice(domains[checklist.domain])
            if not mine or not theirs or theirs == mine:
                continue
            one, other = generator.choice(mine), generator.choice(theirs)
            claims, its_claims = stems(" ".join(one.claims)), stems(" ".join(other.claims))
            if (stems(one.aspect) | claims) & (stems(other.aspect) | its_claims):
                continue
            yield _beside(one, other, 0.4, "two_checklists", generator)


def one_checklist(sources: Sources, generator: random.Random) -> Iterator[Compared]:
    """Yield two points of a checklist, which are independent of each other: neutral."""
    for checklist in sources.checklists:
        found = points_of(checklist)
        for _ in range(6 if len(found) > 1 else 0):
            yield _beside(*generator.sample(found, 2), 0.5, "one_checklist", generator)


def _beside(
    one: opinion_nli.Item, other: opinion_nli.Item, denied: float, kind: str, generator: random.Random
) -> Compared:
    """Return a claim of one point beside a claim, or with probability ``denied`` a denial, of another."""
    a, a_again = generator.sample(one.claims, 2)
    b, b_again = generator.sample(other.claims, 2)
    again: tuple[str, str] | None = (a_again, b_again)
    if generator.random() < denied:
        b, again = generator.choice(other.denials), None
    if generator.random() < 0.5:
        a, b, again = b, a, again and (again[1], again[0])
    return Compared(a, b, "neutral", kind, again)


def one_point(sources: Sources, generator: random.Random) -> Iterator[Compared]:
    """Yield a point in two wordings (entailed), and a point beside its denial (contradicted)."""
    for checklist in sources.checklists:
        found = points_of(checklist)
        for item in generator.sample(found, min(2, len(found))):
            a, b = generator.sample(item.claims, 2)
            yield Compared(a, b, "entailment", "one_point", (b, a))
            item = generator.choice(found)
            a, b = generator.sample(item.claims, 2)
            denial = generator.choice(item.denials)
            pair, again = (a, denial), (b, denial)
            if generator.random() < 0.5:
                pair, again = (denial, a), (denial, b)
            yield Compared(*pair, "contradiction", "one_point", again)


def truisms(sources: Sources, generator: random.Random) -> Iterator[Compared]:
    """Yield points beside sentences that are always true: neutral."""
    for checklist in sources.checklists:
        if checklist.domain in sources.truisms:
            item, truism = (
                generator.choice(checklist.items),
                generator.choice(sources.truisms[checklist.domain]),
            )
            pair = (item.claims[0], truism)
            if generator.random() >= 0.7:
                pair = (truism, generator.choice([*item.claims, *item.denials]))
            yield Compared(*pair, "neutral", "truisms")


def joined(sources: Sources, generator: random.Random) -> Iterator[Compared]:
    """Yield two points in one sentence beside a third point (neutral) or beside one of the two (entailed)."""
    for checklist in sources.checklists:
        found = points_of(checklist)
        if len(found) < 3:
            continue
        one, other, third = generator.sample(found, 3)
        both = join_claims([generator.choice(one.claims), generator.choice(other.claims)], generator)
        if len(both.split()) > 30:
            continue
        yield Compared(both, generator.choice([*third.claims, *third.denials]), "neutral", "joined")
        if generator.random() < 0.5:
            yield Compared(generator.choice(third.claims), both, "neutral", "joined")
        else:
            yield Compared(both, generator.choice(one.claims), "entailment", "joined")


def one_quality(sources: Sources, generator: random.Random) -> Iterator[Compared]:
    """Yield two things of a scale with qualities of it: neutral."""
    for scale in sources.scales:
        for _ in range(6 if len(scale.subjects) > 1 else 0):
            one, other = generator.sample(scale.subjects, 2)
            its, another = (generator.choice(scale.verb_phrases) for _ in range(2))
            yield Compared(
                f"{generator.choice(one)} {its}.",
                f"{generator.choice(other)} {another}.",
                "neutral",
                "one_quality",
            )


OF_SENTENCES = (one_sentence, two_sentences, one_predicate, reworded, negated)
OF_CHECKLISTS = (two_checklists, one_checklist, one_point, truisms, joined, one_quality)


def compared_claims(sources: Sources, generator: random.Random) -> list[Compared]:
    """Return a shuffled draw of all kinds."""
    rows = [*opinion_claims.read_rows(), *opinion_claims.read_attributions()]
    rows = [row for row in rows if row.split == sources.split]
    drawn: list[Compared] = []
    builders = [(build, rows) for build in OF_SENTENCES] + [(build, sources) for build in OF_CHECKLISTS]
    for build, given in builders:
        found = list(build(given, generator))
        drawn += generator.sample(found, min(COUNTS[build.__name__], len(found)))
    drawn = [one for one in drawn if len(f"{one.premise} {one.hypothesis}".split()) < 60]
    generator.shuffle(drawn)
    return drawn
