"""Pronouns: "it was too firm" after "the mattress was new" is said of the mattress.

Only what is safe is resolved: "it" and "they" as the subject of a claim, "its" and "their" in its subject.

- Within a sentence they stand for the one thing of their number that its claims before name as subject, or as
  object where no subject will do: "The room wasn't large but it was bright."
- Across sentences they stand for the subject of the sentence before, if all its claims are of that one thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from claimwise.text.clauses import words
from claimwise.text.clauses.grammar import SUBJECTS, finite_verb, is_plural, subject_of
from claimwise.text.clauses.relative import named
from claimwise.text.clauses.tree import Node
from claimwise.text.clauses.words import word_set

_DEFINITE = frozenset({"the", "this", "our", "my", "their", "its"})
_PERSONS = word_set(
    "owner host hostess manager waiter waitress chef cook receptionist porter guide driver pilot "
    "captain author director actor actress singer teacher instructor club mother father mum mom dad "
    "wife husband son daughter friend boyfriend girlfriend brother sister neighbour neighbor landlord "
    "landlady barman bartender concierge"
)
"""Nobody says "it" of them."""
_SINGULAR, _PLURAL = frozenset({"it"}), frozenset({"they"})


class Topic(NamedTuple):
    """What a sentence is about.

    Attributes:
        noun: the noun phrase, as a tree.
        plural: whether it is plural; None where both numbers will do.
    """

    noun: Node
    plural: bool | None


def topic_of(claims: Sequence[Node]) -> Topic | None:
    """Return the one thing that the claims of a sentence are about, or None."""
    subjects = [subject_of(claim) for claim in claims]
    named = {str(subject).lower(): subject for subject in subjects if subject is not None}
    if len(named) != 1 or None in subjects:
        return None
    [noun] = named.values()
    if noun.pos not in ("NOUN", "PROPN") or len(list(noun.walk())) > 6:
        return None
    definite = any(child.lower in _DEFINITE for child in noun.left if child.label in ("det", "nmod:poss"))
    if not definite and noun.pos != "PROPN":
        return None
    return Topic(noun, is_plural(noun))


def is_open(claim: Node) -> bool:
    """Whether the subject of a claim is a pronoun that stands for something named before."""
    subject = subject_of(claim)
    if subject is None or subject.lower not in _SINGULAR | _PLURAL or next(claim.walk()) is not subject:
        return False
    if subject.index != int(subject.index):
        return False
    # "it is easy to park", "it takes an hour to get there": it stands for nothing
    return not any(child.label in ("csubj", "ccomp", "expl") for child in claim.children) and not (
        subject.lower == "it"
        and any(child.label in ("advcl", "xcomp") and child.tag == "VB" for child in claim.right)
    )


def referent(claims: Sequence[Node], *, plural: bool) -> Topic | None:
    """Return the one thing that claims name and a pronoun of this number may stand for, or None.

    None as well where one of them has such a pronoun itself, which stayed open.
    """
    if any(wants_plural(claim) is plural for claim in claims):
        return None
    for labels in (SUBJECTS, ("obj",)):
        found = {
            str(named(noun)).lower(): noun
            for claim in claims
            for noun in _nouns(claim, labels)
            if not any(child.lower in ("its", "their") for child in noun.left)
            and is_plural(noun) in (plural, None)
            and (plural or not _is_person(noun))
        }
        if len(found) > 1:
            return None
        for noun in found.values():
            return Topic(named(noun), plural)
    return None


def _nouns(claim: Node, labels: Sequence[str]) -> Iterator[Node]:
    for child in claim.children:
        if child.label in labels and child.pos in ("NOUN", "PROPN") and child.index == int(child.index):
            yield child
        elif child.label in ("ccomp", "xcomp"):
            yield from _nouns(child, labels)


def _is_person(noun: Node) -> bool:
    return noun.lower in _PERSONS | words.HOLDERS | words.EITHER_NUMBER


def wants_plural(claim: Node) -> bool | None:
    """Return whether the pronoun that begins a claim is plural; None where none stands for something."""
    if is_open(claim):
        subject = subject_of(claim)
        return subject is not None and subject.lower in _PLURAL
    owner = _owner(claim)
    return None if owner is None else owner.lower == "their"


def _owner(claim: Node) -> Node | None:
    """Return the "its" or "their" that begins the subject of a claim."""
    subject = subject_of(claim)
    if subject is None or not subject.left or subject.left[0].label != "nmod:poss":
        return None
    owner = subject.left[0]
    return owner if owner.lower in ("its", "their") and next(claim.walk()) is owner else None


def resolved(claim: Node, topic: Topic | None) -> Node:
    """Return the claim with its topic for its pronoun, or as it is where that is not safe."""
    plural = wants_plural(claim)
    subject, verb = subject_of(claim), finite_verb(claim)
    if topic is None or plural is None or subject is None or verb is None:
        return claim
    if topic.plural is not None and topic.plural != plural:
        return claim
    if not plural and _is_person(topic.noun):
        return claim
    owner = _owner(claim)
    if owner is None:
        thing = _moved(topic.noun, subject.index).with_(label=subject.label)
        return _written_out(claim.swap(subject, thing), verb)
    thing = _moved(topic.noun, owner.index)
    ending = "'" if thing.lower.endswith("s") and is_plural(topic.noun) else "'s"
    genitive = Node(ending, "POS", "PART", "case", owner.index - 0.4, glued=True)
    whose = thing.with_(label="nmod:poss", right=[*thing.right, genitive])
    return claim.swap(subject, subject.swap(owner, whose))


def _written_out(claim: Node, verb: Node) -> Node:
    """Return the claim with "is" for "'s": behind a noun it would be read as a genitive."""
    has = verb.label == "aux" and claim.tag == "VBN"
    word = {"'s": "has" if has else "is", "'re": "are", "'ve": "have", "'ll": "will"}.get(verb.lower)
    if word is None or verb is claim:
        return claim
    whole = Node(word, verb.tag, verb.pos, verb.label, verb.index, left=verb.left, right=verb.right)
    return claim.swap(verb, whole)


def _moved(node: Node, place: float) -> Node:
    """Return a phrase of another sentence with places of its own, so that none is that of another word."""
    left = [_moved(child, place) for child in node.left]
    right = [_moved(child, place) for child in node.right]
    word = node.word.lower() if node.pos in ("DET", "PRON") else node.word
    return Node(word, node.tag, node.pos, node.label, place - 0.45, glued=node.glued, left=left, right=right)
