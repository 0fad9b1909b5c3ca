"""Premises of 2 to 15 sentences: what decides stands anywhere among the others, or is absent."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from pairs import Pair, Sources, opinion_nli

from claimwise.labels import LABELS

SENTENCES = 15  # of a premise, at most
WORDS = 320  # so that a pair fits into 512 tokens
TRUE_PREMISES = ("mnli_train", "lingnli", "newprotocols_base", "newprotocols_edit_premise", "wanli")
# A later sentence takes back an earlier one: (how the earlier is told, how it is taken back, is it denied?).
TAKEN_BACK = (
    ("{claim}", "No, that was my last trip: {denial}", True),
    ("The website says that {claim}", "That is not true.", True),
    ("I had written here that {claim}", "I was wrong about that.", True),
    ("We were told that {claim}", "In fact, {denial}", True),
    ("Somebody claimed that {claim}", "As it turned out, the opposite is the case.", True),
    ("It used to be true that {claim}", "Nowadays {denial}", True),
    ("A friend had told me that {denial}", "She was mistaken: {claim}", False),
    ("According to older reviews, {denial}", "This is no longer so: {claim}", False),
    ("At first I believed that {denial}", "But {claim}", False),
)


def amid(deciding: Sequence[str], others: Sequence[str], generator: random.Random) -> str:
    """Return the deciding texts, in their order, at random places among the others, as one text."""
    texts = list(others)
    places = sorted(generator.choices(range(len(texts) + 1), k=len(deciding)), reverse=True)
    for place, text in zip(places, reversed(deciding), strict=True):
        texts.insert(place, text)
    return " ".join(texts)


def shortened(texts: Sequence[str], room: int) -> list[str]:
    """Return as many of the first texts as have at most ``room`` words together."""
    kept: list[str] = []
    for text in texts:
        room -= len(text.split())
        if room < 0:
            break
        kept.append(text)
    return kept


def long_public(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield pairs of the public sets whose premise stands among other premises of its set.

    Every third has two hypotheses in one, about two of the premises: entailed if both are, contradicted if
    one is.
    """
    for kind in TRUE_PREMISES:
        pool = sources.plain(kind)
        by_label = {
            label: [pair for pair in pool if pair.label == label] for label in {p.label for p in pool}
        }
        for pair in generator.sample(pool, len(pool)):
            drawn = [other.premise for other in generator.sample(pool, generator.randint(1, SENTENCES - 2))]
            deciding, hypothesis, label = [pair.premise], pair.hypothesis, pair.label
            if generator.random() < 1 / 3:
                other = generator.choice(by_label[generator.choice(["entailment", label])])
                deciding.append(other.premise)
                hypothesis = opinion_nli.pairs.join_claims([hypothesis, other.hypothesis], generator)
                label = max(label, other.label, key=LABELS.index)
            room = WORDS - sum(len(text.split()) for text in deciding)
            premise = amid(deciding, shortened(drawn, room), generator)
            yield Pair(premise, hypothesis, label, "long_public")


def long_reviews(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield whole reviews made of the points of a checklist, each beside one claim.

    The claim says one of the points in other words, denies it, or is about a point that the review leaves
    out. Every fifth claim is about two points.
    """
    for checklist in sources.checklists:
        points = [item for item in checklist.items if len(item.aspects) == 1]
        for _ in range(3):
            told = generator.sample(points, generator.randint(2, min(SENTENCES, max(2, len(points) - 1))))
            sides = {item.aspect: generator.choice([0, 0, 1]) for item in told}  # 1: the point is denied
            sentences = {item.aspect: generator.choice(_texts(item, sides[item.aspect])) for item in told}
            left = [item for item in points if item not in told]
            premise = " ".join(sentences.values())
            item, other = generator.sample(told, 2)
            same = _another(item, sides[item.aspect], sentences[item.aspect], generator)
            denial = generator.choice(_texts(item, 1 - sides[item.aspect]))
            also = _another(other, sides[other.aspect], sentences[other.aspect], generator)
            yield Pair(premise, same, "entailment", "long_reviews")
            yield Pair(premise, denial, "contradiction", "long_reviews")
            if left:
                absent = generator.choice(left)
                text = generator.choice(_texts(absent, generator.choice([0, 1])))
                yield Pair(premise, text, "neutral", "long_reviews")
            if generator.random() < 0.4:
                for second, label in ((same, "entailment"), (denial, "contradiction")):
                    both = opinion_nli.pairs.join_claims(generator.sample([also, second], 2), generator)
                    yield Pair(premise, both, label, "long_reviews")
                if left:
                    both = opinion_nli.pairs.join_claims(generator.sample([also, text], 2), generator)
                    yield Pair(premise, both, "neutral", "long_reviews")


def _texts(item: opinion_nli.Item, side: int) -> tuple[str, ...]:
    """Return the claims (side 0) or the denials (side 1) of a point."""
    return item.denials if side else item.claims


def _another(item: opinion_nli.Item, side: int, text: str, generator: random.Random) -> str:
    """Return another wording of what ``text`` says of ``item``, or itself if there is none."""
    return generator.choice([other for other in _texts(item, side) if other != text] or [text])


def taken_back(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield premises in which a later sentence takes back an earlier one, or puts it right."""
    for checklist in sources.checklists:
        points = [item for item in checklist.items if len(item.aspects) == 1]
        item, *others = generator.sample(points, min(len(points), generator.randint(2, 7)))
        claim, denial = generator.choice(item.claims), generator.choice(item.denials)
        told, mended, denied = generator.choice(TAKEN_BACK)
        lowered = {"claim": _lowered(claim), "denial": _lowered(denial)}
        if told == "{claim}":
            lowered["claim"] = claim
        sentences = [told.format(**lowered), mended.format(**lowered)]
        between = [generator.choice(other.claims) for other in others]
        premise = amid(sentences, between, generator) if "{" in mended else _together(sentences, between)
        yes = generator.choice(item.claims)
        no = generator.choice(item.denials)
        yield Pair(premise, no if denied else yes, "entailment", "taken_back")
        yield Pair(premise, yes if denied else no, "contradiction", "taken_back")
        if "told that" in told or "claimed" in told:
            hearsay = amid([sentences[0]], between, generator)
            yield Pair(hearsay, generator.choice([yes, no]), "neutral", "taken_back")


def _together(sentences: Sequence[str], between: Sequence[str]) -> str:
    """Return the others and then both sentences, which only make sense side by side."""
    return " ".join([*between, *sentences])


def _lowered(claim: str) -> str:
    """Return a claim as it stands inside a sentence."""
    first = claim.split(" ")[0]
    return claim if first in ("I", "I'm", "I've") or first.isupper() else claim[0].lower() + claim[1:]
