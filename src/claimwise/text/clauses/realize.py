"""From a tree to a sentence: spaces, commas, agreement, a or an, capital letter and full stop."""

from __future__ import annotations

import re

from claimwise.text.articles import article_before
from claimwise.text.clauses.forms import plural, third_person
from claimwise.text.clauses.grammar import finite_verb, is_plural, subject_of
from claimwise.text.clauses.tree import Node

_LOOSE = frozenset(
    {",", ";", ":", "-", "--", "–", "—", "/", "...", "…", "..", "=", "*", "+", "•", "~", "&", "|"}
)
_STOPS = re.compile(r"[.!?…]+$")
_CLITICS = frozenset({"n't", "nt", "'s", "’s", "'re", "’re", "'ve", "'ll", "'d", "'m", "’t", "n’t", "'"})
_BRACKETS = {"(": ")", "[": "]", "{": "}", "-lrb-": "-rrb-"}


def sentence(tree: Node, *, starts: frozenset[int] = frozenset({0})) -> str:
    """Return the claim that a tree says.

    Args:
        tree: the tree of a claim.
        starts: the places in the sentence that have a capital letter because something begins there.
    """
    nodes = _without_loose_marks(list(tree.walk()))
    if not nodes:
        return ""
    while (
        len(nodes) > 2
        and nodes[0].lower in ("and", "but", "or", "so", "yet", "nor")
        and nodes[0].tag in ("CC", "RB", "IN")
    ):
        nodes = nodes[1:]
    text = ""
    before: Node | None = None
    for place, node in enumerate(nodes):
        word = node.word
        if (
            place
            and node.index in starts
            and node.pos != "PROPN"
            and word != "I"
            and (not word.isupper() or word == "A")
        ):
            word = word[:1].lower() + word[1:] if word[1:].islower() or len(word) == 1 else word
        if node.lower in ("a", "an") and place + 1 < len(nodes) and nodes[place + 1].index != node.index + 1:
            word = article_before(nodes[place + 1].lower)
        if before is not None and _apart(before, node):
            text += " "
        text += word
        before = node
    return finished(text)


def finished(text: str) -> str:
    """Return the text with a capital letter and a full stop (or its question mark)."""
    text = " ".join(text.split())
    question = text.endswith("?")
    text = _STOPS.sub("", text).rstrip(" ,;:-–—")
    if not text:
        return ""
    first = text.split(" ", 1)[0]
    if first.islower() or not any(letter.isupper() for letter in first[1:]):
        text = text[0].upper() + text[1:] if len(text[0].upper()) == 1 else text
    return text + ("?" if question else ".")


def _without_loose_marks(nodes: list[Node]) -> list[Node]:
    """Leave out commas and dashes where something was taken out, brackets without a partner, and stops."""
    kept: list[Node] = []
    for place, node in enumerate(nodes):
        if node.lower in _LOOSE and node.pos in ("PUNCT", "SYM", "X"):
            following = nodes[place + 1] if place + 1 < len(nodes) else None
            if not kept or following is None:
                continue
            if kept[-1].index != node.index - 1 or following.index != node.index + 1:
                continue
        elif node.pos == "PUNCT" and _STOPS.fullmatch(node.word) and place < len(nodes) - 1:
            continue
        kept.append(node)
    return _balanced(kept)


def _balanced(nodes: list[Node]) -> list[Node]:
    gone: set[int] = set()
    opened: list[int] = []
    for place, node in enumerate(nodes):
        if node.lower in _BRACKETS:
            opened.append(place)
        elif node.lower in _BRACKETS.values():
            if opened:
                start = opened.pop()
                if start == place - 1:
                    gone |= {start, place}
            else:
                gone.add(place)
    gone |= set(opened)
    quotes = [place for place, node in enumerate(nodes) if node.word in ('"', "''", "``", "“", "”")]
    if len(quotes) % 2:
        gone |= set(quotes)
    return [node for place, node in enumerate(nodes) if place not in gone]


def _apart(before: Node, node: Node) -> bool:
    """Whether a space stands between two words."""
    if node.index == before.index + 1:
        return not node.glued
    if node.lower in _CLITICS or (node.pos == "PUNCT" and node.lower in (",", ".", ")", "?", ";", ":", "'")):
        return False
    return before.lower not in ("(", "[", "$", "£", "€")


def agree(tree: Node, split: frozenset[float]) -> Node:
    """Mend the verbs whose subject is now another: one of several, whose places ``split`` has."""
    if not tree.left and not tree.right:
        return tree
    children = [agree(child, split) for child in tree.left], [agree(child, split) for child in tree.right]
    if any(new is not old for new, old in zip((*children[0], *children[1]), tree.children, strict=True)):
        tree = tree.with_(left=children[0], right=children[1])
    subject = subject_of(tree)
    if subject is None or subject.index not in split or subject.first("conj") is not None:
        return tree
    return with_number(tree, subject)


def with_number(tree: Node, subject: Node) -> Node:
    """Return the predicate with its finite verb in the number of the subject."""
    verb = finite_verb(tree)
    if verb is None and tree.tag == "VB" and tree.first("aux", "cop", "aux:pass") is None:
        verb = tree = tree.with_(tag="VBP")
    many = is_plural(subject)
    if verb is None or many is None or subject.lower in ("i", "you"):
        return tree
    if not many and (verb.tag == "VBP" or verb.lower in ("are", "were", "have", "do", "'re", "'ve")):
        word, tag = third_person(verb.lower), "VBD" if verb.lower == "were" else "VBZ"
    elif many and (verb.tag == "VBZ" or verb.lower == "was"):
        word, tag = plural(verb.lower), "VBD" if verb.lower == "was" else "VBP"
    else:
        return tree
    if verb.word[:1].isupper():
        word = word[:1].upper() + word[1:]
    if verb is tree:
        return tree.with_(word=word, tag=tag)
    changed = Node(word, tag, verb.pos, verb.label, verb.index, left=verb.left, right=verb.right)
    return tree.swap(verb, changed)
