"""What a part of a tree is: clause, predicate, noun phrase; its number, its subject, its finite verb."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.tree import Node

SUBJECTS = ("nsubj", "nsubj:pass", "csubj", "csubj:pass", "expl", "nsubj:outer", "csubj:outer")
AUXILIARIES = ("aux", "aux:pass", "cop")
FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ", "MD"})
VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
NOUN_POS = frozenset({"NOUN", "PROPN", "PRON", "NUM"})


def subject_of(node: Node) -> Node | None:
    """Return the subject of a clause."""
    return node.first("nsubj", "nsubj:pass", "csubj", "csubj:pass", "nsubj:outer", "csubj:outer", "expl")


def is_finite(node: Node) -> bool:
    """Whether the predicate has a finite verb: its own, a copula or an auxiliary."""
    return finite_verb(node) is not None


def finite_verb(node: Node) -> Node | None:
    """Return the word of a predicate that agrees with its subject."""
    helpers = node.all(*AUXILIARIES)
    if helpers:
        return next((helper for helper in helpers if helper.tag in FINITE_TAGS), None)
    return node if node.tag in FINITE_TAGS and node.pos in ("VERB", "AUX") else None


def is_verb(node: Node) -> bool:
    """Whether the word itself is a verb."""
    return node.pos in ("VERB", "AUX") or (node.tag in VERB_TAGS and node.pos not in NOUN_POS | {"ADJ"})


def is_noun(node: Node) -> bool:
    """Whether the word is a noun, a name, a pronoun or a number."""
    return node.pos in NOUN_POS


def is_clause(node: Node) -> bool:
    """Whether it is a predicate with its subject."""
    return subject_of(node) is not None and (is_verb(node) or is_finite(node))


def is_negated(node: Node) -> bool:
    """Whether a negation stands with the predicate or noun itself, or its subject is one."""
    for child in node.children:
        if child.lower in words.NEGATIVE and child.label in (
            "advmod",
            "det",
            "case",
            "mark",
            "cc:preconj",
            "amod",
        ):
            return True
        if child.label in SUBJECTS and (
            child.lower in words.NEGATIVE_SUBJECTS
            or any(below.lower in words.NEGATIVE_SUBJECTS for below in child.left)
        ):
            return True
    return node.lower in words.NEGATIVE


def is_plural(noun: Node) -> bool | None:
    """Whether a noun phrase is plural; None where both numbers will do."""
    if noun.lower in ("i", "you", "we", "they", "these", "those", "both", "many", "several", "few", "others"):
        return True
    if noun.lower in words.EITHER_NUMBER or noun.lower in ("some", "most", "all", "who", "which", "that"):
        return None
    if any(child.label == "conj" for child in noun.right) and not any(
        child.lower in words.OR for below in noun.right if below.label == "conj" for child in below.left
    ):
        return True
    if noun.tag in ("NNS", "NNPS") or noun.lower in words.PLURAL_NOUNS:
        return True
    number = noun.first("nummod")
    if number is not None and number.lower not in ("one", "1") and noun.tag != "NN":
        return True
    if noun.tag == "CD":
        return noun.lower not in ("one", "1")
    return False
