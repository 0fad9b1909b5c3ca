"""Who said it: general holders ("reviewers say that") say nothing and go."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.grammar import is_clause, is_negated, subject_of
from claimwise.text.clauses.tree import Node

_FIRST_PERSON = frozenset({"i", "we"})
_OPINIONS = frozenset(
    {"think", "thought", "believe", "feel", "felt", "guess", "suppose", "say", "find", "found"}
)


def without_openers(tree: Node) -> Node:
    """Return the tree without what opens or closes a sentence and says nothing."""
    while True:
        gone = [child for child in tree.children if _says_nothing(child, tree)]
        if not gone:
            return tree
        tree = tree.without(*gone)


def _says_nothing(child: Node, tree: Node) -> bool:
    if child.label in ("discourse", "vocative") and child.lower not in ("not", "no"):
        return child.lower in words.OPENERS or child.pos == "INTJ"
    if child.label == "cc" and child.index < tree.index:
        return True
    if (
        child.label == "mark"
        and child.lower == "that"
        and child is tree.left[0]
        and subject_of(tree) is not None
    ):
        return True
    if (
        child.label == "mark"
        and child.lower in words.CONTRAST_MARKS - {"but"} | words.REASON_MARKS
        and child is tree.left[0]
    ):
        return True
    content = child.words()
    phrase = tuple(content)
    edge = child is tree.left[0] if tree.left and child in tree.left else child in tree.right
    opening = child in tree.left and not any(
        other.label not in ("punct", "cc", "discourse") and other.index < child.index and not _opens(other)
        for other in tree.left
    )
    if child.label in ("advmod", "obl", "advcl", "parataxis", "nmod", "obl:unmarked", "ccomp"):
        if opening and (
            phrase in words.OPENING_PHRASES
            or (len(phrase) == 1 and phrase[0] in words.OPENERS and _comma_after(child, tree))
        ):
            return True
        if content[:2] == ["according", "to"] and not any(word in words.QUANTIFIERS for word in content):
            return True
        if (
            edge
            and not opening
            and phrase
            in (
                ("though",),
                ("however",),
                ("overall",),
                ("tho",),
                ("anyway",),
                ("anyways",),
                ("too",),
                ("also",),
            )
            and child.index > tree.index
        ):
            return True
    return (
        child.label == "advmod"
        and child.lower in ("also", "however", "therefore", "nevertheless", "thus")
        and (not child.children)
    )


def _opens(child: Node) -> bool:
    return child.lower in words.OPENERS


def _comma_after(child: Node, tree: Node) -> bool:
    if child.lower in (
        "overall",
        "however",
        "also",
        "unfortunately",
        "plus",
        "sadly",
        "ok",
        "honestly",
        "anyway",
        "luckily",
        "besides",
        "still",
        "thankfully",
    ):
        return True
    end = max(node.index for node in child.walk())
    return any(other.label == "punct" and other.index == end + 1 for other in tree.children) or any(
        below.lower == "," for below in child.children
    )


def without_holder(tree: Node) -> Node:
    """Return what is said without who says it, where that is everybody or nobody in particular."""
    said = tree.first("ccomp")
    subject = subject_of(tree)
    if said is None or tree.lower not in words.REPORTING or said.index < tree.index or not is_clause(said):
        return tree
    if (
        is_negated(tree)
        or tree.first("conj") is not None
        or (
            said.first("mark") is not None
            and (
                said.first("mark").lower not in ("that",)  # type: ignore[union-attr]
            )
        )
    ):
        return tree
    if any(child.label == "advmod" and child.tag in ("WRB",) for child in said.left):
        return tree
    if tree.all("aux") and any(
        helper.lower not in ("have", "has", "do", "did", "had") for helper in tree.all("aux")
    ):
        return tree
    if tree.first("advcl") is not None or tree.first("obj") is not None:
        return tree
    if subject is not None and subject.label != "expl" and subject.lower != "it":
        general = subject.lower in words.HOLDERS - {"they", "it"} and not any(
            below.lower in words.QUANTIFIERS for below in subject.walk() if below is not subject
        )
        if subject.lower in _FIRST_PERSON:
            general = tree.lower in _OPINIONS
        if not general or subject.first("acl:relcl", "nmod", "acl", "conj") is not None:
            return tree
    elif subject is None or not tree.all("aux:pass"):
        return tree
    mark = said.first("mark")
    said = said.without(mark) if mark is not None else said
    beside = [child for child in tree.right if child.label in ("parataxis", "punct")]
    del beside
    return said.with_(label="root", left=[child for child in said.left if child.label != "punct"])
