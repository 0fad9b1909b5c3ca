"""Negation: "not only A but B", "neither A nor B", and a negation where there was a correlative."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.forms import base_form, past, third_person
from claimwise.text.clauses.grammar import AUXILIARIES, FINITE_TAGS, is_noun, is_verb, subject_of
from claimwise.text.clauses.tree import Node


def not_only(node: Node) -> Node | None:
    """Return the node without "not only" before it; None where it has none."""
    for children in (node.left, node.right):
        for place, child in enumerate(children):
            if child.lower in ("not", "n't", "nt"):
                only = next((below for below in child.children if below.lower in words.ONLY), None)
                following = children[place + 1 : place + 2]
                if only is not None:
                    return affirmed(node.without(child))
                if following and following[0].lower in words.ONLY:
                    return affirmed(node.without(child, following[0]))
            elif child.lower in words.ONLY:
                inner = next((below for below in child.left if below.lower == "not"), None)
                if inner is not None:
                    return node.without(child)
    return None


def affirmed(node: Node) -> Node:
    """Return the predicate without the "do" that only the negation needed."""
    do = next(
        (child for child in node.left if child.label == "aux" and child.lower in ("do", "does", "did")), None
    )
    if do is None or node.tag not in ("VB", "VBP") or not is_verb(node):
        return node
    word, tag = node.lower, "VBP"
    if do.lower == "did":
        word, tag = past(node.lower), "VBD"
    elif do.lower == "does":
        word, tag = third_person(node.lower), "VBZ"
    return node.without(do).with_(word=word, tag=tag)


def denied(node: Node) -> Node:
    """Return the node with a negation of its own."""
    if is_noun(node) and subject_of(node) is None and node.first(*AUXILIARIES) is None:
        if node.first("det", "nmod:poss") is not None:
            return node.with_(left=[Node("not", "RB", "PART", "advmod", node.index - 0.9), *node.left])
        return node.with_(
            left=[*_until_case(node), Node("no", "DT", "DET", "det", node.index - 0.9), *_after_case(node)]
        )
    return negate(node)


def _until_case(node: Node) -> list[Node]:
    return [child for child in node.left if child.label == "case"]


def _after_case(node: Node) -> list[Node]:
    return [child for child in node.left if child.label != "case"]


def negate(node: Node) -> Node:
    """Return the predicate with "not" after its auxiliary, or with "do not"."""
    helper = next((child for child in node.left if child.label in AUXILIARIES), None)
    if helper is not None:
        return node.swap(helper, helper, Node("not", "RB", "PART", "advmod", helper.index + 0.1))
    if not is_verb(node) or node.tag not in FINITE_TAGS:
        return node.with_(left=[*node.left, Node("not", "RB", "PART", "advmod", node.index - 0.1)])
    word = {"VBZ": "does", "VBD": "did"}.get(node.tag, "do")
    do = Node(word, node.tag, "AUX", "aux", node.index - 0.3)
    not_ = Node("not", "RB", "PART", "advmod", node.index - 0.2)
    return node.with_(word=base_form(node.lower, node.tag), tag="VB", left=[*node.left, do, not_])
