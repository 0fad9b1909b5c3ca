"""Clauses beside the main clause that make claims of their own: contrast, reason, participles, run-ons."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.grammar import (
    SUBJECTS,
    is_clause,
    is_noun,
    subject_of,
)
from claimwise.text.clauses.relative import participle
from claimwise.text.clauses.tree import Node

_CLOSED = frozenset({"punct", "det", "case", "cc", "amod", "compound", "nmod:poss", "nsubj", "nsubj:pass"})
_RESULTS = frozenset({"making", "leaving", "causing", "forcing", "meaning"})
"""What follows from all that was said before: ", leaving parents free"."""
_SET_OFF = frozenset({",", "-", "--", "–", "—", "(", ")", ";", ":"})


def detach(root: Node, *, past_tense: bool) -> list[Node]:
    """Return the root without the clauses beside it, and these, in the order of the sentence."""
    taken: list[Node] = []
    kept = _detach(root, root, taken, past_tense=past_tense)
    return sorted([kept, *taken], key=_place)


def _contrasts(child: Node) -> bool:
    """Whether a clause deep inside belongs to no part of the sentence but stands against it all."""
    marks = {below.lower for below in child.left if below.label == "mark"}
    first = next(child.walk())
    if marks & {"as", "because", "since"}:
        return first.before == ","
    return bool(marks & words.CONTRAST_MARKS)


def _place(tree: Node) -> float:
    return tree.index


def _detach(node: Node, root: Node, taken: list[Node], *, past_tense: bool) -> Node:
    children: dict[int, Node | None] = {}
    subject = subject_of(node) or subject_of(root)
    inside = node is not root and node.label not in ("conj", "parataxis", "xcomp")
    for child in node.children:
        made = _own_clause(child, node, subject, past_tense=past_tense)
        if made is not None and inside and not _contrasts(child):
            made = None
        if made is not None:
            children[id(child)] = None
            taken.append(made)
        elif child.right and child.label not in _CLOSED:
            inner = _detach(child, root, taken, past_tense=past_tense)
            if inner is not child:
                children[id(child)] = inner
    if not children:
        return node

    def now(kept: tuple[Node, ...]) -> list[Node]:
        exchanged = (children.get(id(child), child) for child in kept)
        return [child for child in exchanged if child is not None]

    return node.with_(left=now(node.left), right=now(node.right))


def _own_clause(child: Node, node: Node, subject: Node | None, *, past_tense: bool) -> Node | None:
    """Return what a dependent says as a tree of its own, or None if it says nothing alone."""
    if child.label in ("advcl", "advcl:relcl", "acl", "ccomp", "dep", "acl:relcl"):
        return _adverbial(child, node, subject, past_tense=past_tense)
    if child.label in ("parataxis", "list"):
        return _beside(child, node)
    if (
        child.label == "conj"
        and not node.first("cop")
        and is_noun(node)
        and is_clause(child)
        and not is_clause(node)
    ):
        return _cleaned(child)
    return None


def _beside(child: Node, node: Node) -> Node | None:
    """Return a run-on clause, a remark in brackets or a piece of a list."""
    if child.lower in words.REPORTING and child.first("ccomp") is None and (subject_of(child) is not None):
        return None
    if child.index < node.index and not is_clause(child):
        return None
    if any(below.label == "mark" and below.lower in words.TIMES | words.CONDITIONS for below in child.left):
        return None
    return _cleaned(child)


def _cleaned(child: Node) -> Node:
    edges = child.keep(
        lambda below: not (below.label == "punct" and below.lower in ",;:-–—()...…") and below.label != "cc"
    )
    return edges.with_(label="root")


def _adverbial(child: Node, node: Node, subject: Node | None, *, past_tense: bool) -> Node | None:
    marks = [
        below
        for below in child.left
        if below.label == "mark" or (below.label == "advmod" and below.tag == "WRB")
    ]
    names = {mark.lower for mark in marks}
    fronted = child in node.left
    comma = _has_comma(child, node)
    if len(marks) == 1 and is_clause(child):
        mark = marks[0]
        if mark.right or (mark.lower == "as" and child.lower in words.REPORTING | {"boasts", "boast"}):
            return None
        if mark.lower == "where" and comma and not fronted:
            body = _cleaned(child.without(mark))
            return body.with_(right=[*body.right, Node("there", "RB", "ADV", "advmod", child.index + 0.9)])
        contrast = mark.lower in words.CONTRAST_MARKS and (mark.lower not in ("while", "whilst") or comma)
        reason = mark.lower in words.REASON_MARKS and _is_reason(
            mark, child, node, comma=comma, fronted=fronted
        )
        if contrast or reason:
            return _cleaned(child.without(mark))
        if mark.lower == "with" and child.tag in ("VBG", "VBN", "JJ"):
            own = subject_of(child)
            if own is not None:
                body = child.without(mark, own).keep(lambda below: below.label != "punct")
                return participle(body, own, past_tense=past_tense)
        return None
    if child.label == "advcl" and subject is not None and comma and subject_of(child) is None:
        mark_names = names - {"although", "though", "while"}
        if mark_names or any(below.lower == "to" for below in child.left):
            return None
        if child.tag in ("VBG", "VBN") or child.pos == "ADJ":
            body = child.keep(lambda below: below.label not in ("punct", "mark"))
            own = subject.with_(label="nsubj")
            made = child.first("obj", "xcomp", "nsubj")
            if child.lower in _RESULTS and made is not None and made.lower not in ("it", "them"):
                own = Node("this", "DT", "PRON", "nsubj", child.index - 0.9)
            return participle(body, own, past_tense=past_tense)
    if child.label == "advcl:relcl" and comma:
        pronoun = next((below for below in child.left if below.lower == "which"), None)
        if pronoun is not None and pronoun.label in SUBJECTS:
            return _cleaned(child).swap(pronoun, pronoun.with_(word="this", tag="DT"))
    return None


def _has_comma(child: Node, node: Node) -> bool:
    """Whether a comma, a dash or a bracket sets a clause apart."""
    *_, last = child.walk()
    first = next(child.walk())
    if child.index < node.index:
        return last.lower in _SET_OFF or last.after in _SET_OFF
    return first.lower in _SET_OFF or first.before in _SET_OFF


def _is_reason(mark: Node, child: Node, node: Node, *, comma: bool, fronted: bool) -> bool:
    negated = (
        not comma
        and any(child.lower in ("do", "did", "does") for child in node.all("aux"))
        and any(child.lower in ("not", "n't", "nt") for child in node.left)
    )
    if mark.lower == "so":
        return True
    if mark.lower in ("since", "as"):
        if mark.lower == "as" and not comma:
            return False
        perfect = any(helper.lower in ("has", "have", "had", "'ve") for helper in node.all("aux"))
        return (comma and not (fronted and child.tag == "VBD")) or not (perfect or fronted)
    return not negated
