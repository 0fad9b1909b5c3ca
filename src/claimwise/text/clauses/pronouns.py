"""Pronouns: "It was too firm" after "The mattress was new" is said of the mattress.

Only what is safe is resolved: the subject of a claim, if it is "it" or "they", by the subject of the sentence
before it, if all claims of that sentence are of one thing, named with a definite article, a possessive or a
name, and of the same number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from claimwise.text.clauses.grammar import finite_verb, is_plural, subject_of
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
    # "it is easy to park", "it takes an hour to get there": it stands for nothing
    return not any(child.label in ("csubj", "ccomp", "expl") for child in claim.children) and not (
        subject.lower == "it"
        and any(child.label in ("advcl", "xcomp") and child.tag == "VB" for child in claim.right)
    )


def resolved(claim: Node, topic: Topic | None) -> Node:
    """Return the claim with its topic for its pronoun, or as it is where that is not safe."""
    if topic is None or not is_open(claim):
        return claim
    subject = subject_of(claim)
    verb = finite_verb(claim)
    if subject is None or verb is None:
        return claim
    wants_plural = subject.lower in _PLURAL
    if topic.plural is not None and topic.plural != wants_plural:
        return claim
    if topic.noun.lower in _PERSONS and not wants_plural:
        return claim
    return claim.swap(subject, _moved(topic.noun, subject.index).with_(label=subject.label))


def _moved(node: Node, place: float) -> Node:
    """Return a phrase of another sentence with places of its own, so that none is that of another word."""
    left = [_moved(child, place) for child in node.left]
    right = [_moved(child, place) for child in node.right]
    word = node.word.lower() if node.pos in ("DET", "PRON") else node.word
    return Node(word, node.tag, node.pos, node.label, place - 0.45, glued=node.glued, left=left, right=right)
