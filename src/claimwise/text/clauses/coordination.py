"""Coordination: every conjunct with all that it shares with the others.

``alternatives`` returns a tree for each way to choose one conjunct of every list that may be taken apart.
"""

from __future__ import annotations

import itertools

from claimwise.text.clauses import words
from claimwise.text.clauses.grammar import (
    AUXILIARIES,
    FINITE_TAGS,
    SUBJECTS,
    is_clause,
    is_finite,
    is_negated,
    is_noun,
    is_verb,
    subject_of,
)
from claimwise.text.clauses.negation import denied, not_only
from claimwise.text.clauses.scope import Scope, denies_all, opens, stays_whole
from claimwise.text.clauses.sharing import (
    complete,
    continues,
    with_genitive_of,
    with_object_of,
    with_own_infinitive,
    with_than_of,
)
from claimwise.text.clauses.tree import Node

MOST = 24
"""More claims than these are no longer made of one sentence."""


class TooManyClaimsError(Exception):
    """A sentence whose lists make too many claims."""


def alternatives(node: Node, scope: Scope | None = None) -> list[Node]:
    """Return the tree with one conjunct each of its lists, in the order of the sentence."""
    if not node.left and not node.right:
        return [node]
    scope = scope or Scope()
    found: list[Node] = []
    for group in conjuncts(node, scope):
        found += _chosen(group, scope)
        if len(found) > MOST:
            raise TooManyClaimsError
    return found


def _chosen(node: Node, scope: Scope) -> list[Node]:
    """Return the choices among the lists below a node, which is no list itself."""
    if stays_whole(node):
        return [node]
    denied_by = denies_all(subject_of(node))
    negated, by_subject = scope.negated or is_negated(node), scope.by_subject or denied_by
    lists: list[list[tuple[Node, ...]]] = []
    for child in node.children:
        if not opens(child, node, scope):
            lists.append([(child,)])
            continue
        subject = child.label in SUBJECTS and node.first("expl") is None
        below = Scope(negated, scope.within_subject or subject, by_subject)
        lists.append([(choice,) for choice in alternatives(child, below)])
    if not scope.within_subject and is_noun(node) and node.label not in SUBJECTS:
        _choose_adjectives(node, lists)
    count = 1
    for choices in lists:
        count *= len(choices)
        if count > MOST:
            raise TooManyClaimsError
    if count == 1 and all(
        choices[0] == (child,) for choices, child in zip(lists, node.children, strict=True)
    ):
        return [node]
    middle = len(node.left)
    return [
        node.with_(
            left=itertools.chain.from_iterable(choice[:middle]),
            right=itertools.chain.from_iterable(choice[middle:]),
        )
        for choice in itertools.product(*lists)
    ]


def _choose_adjectives(node: Node, lists: list[list[tuple[Node, ...]]]) -> None:
    """Make a choice of adjectives that a comma sets apart: "a compact, walkable centre"."""
    places = [
        place
        for place, child in enumerate(node.left)
        if child.label == "amod" and child.pos in ("ADJ", "VERB") and len(lists[place]) == 1
    ]
    if len(places) < 2 or node.first("nummod"):
        return
    run = [places[0]]
    for place in places[1:]:
        between = node.left[run[-1] + 1 : place]
        if next(node.left[place].walk()).before != "," or any(child.pos != "PUNCT" for child in between):
            break
        run.append(place)
    if len(run) < 2:
        return
    adjectives = [lists[place][0][0] for place in run]
    lists[run[0]] = [(adjective,) for adjective in adjectives]
    for place in range(run[0] + 1, run[-1] + 1):
        lists[place] = [()]


def conjuncts(node: Node, scope: Scope) -> list[Node]:
    """Return the conjuncts of a node, each with what they share; the node alone where they stay together."""
    listed = [child for child in node.right if child.label == "conj"]
    if not listed:
        return [node]
    coordinators = _coordinators(listed)
    base = node.without(*listed)
    pair_open = next(
        (child for child in base.left if child.label == "cc:preconj" or child.lower == "neither"), None
    )
    neither = pair_open is not None and pair_open.lower == "neither"
    only = not_only(base)
    negated = scope.negated or is_negated(base) or neither
    whole = stays_whole(base)
    bound = max((child.index for child in base.right if child.label == "advcl"), default=-1.0)
    groups: list[list[Node]] = [[]]
    kinds: list[str] = [""]
    for child, coordinator in zip(listed, coordinators, strict=True):
        if _joins(
            base,
            child,
            coordinator,
            negated=negated,
            whole=whole and not 0 <= bound < child.index,
            only=only is not None,
            by_subject=scope.by_subject,
        ):
            groups.append([child])
            kinds.append(coordinator)
        else:
            groups[-1].append(child)
    if len(groups) == 1:
        return [node]
    last = max(groups[-1], key=lambda child: child.index) if groups[-1] else listed[-1]
    base = with_than_of(base, last)
    base = with_genitive_of(base, listed[-1], coordinators[-1])
    first = only if only is not None else base
    if pair_open is not None and pair_open.lower in ("both", "neither"):
        first = first.keep(lambda child: child.index != pair_open.index)
    if groups[-1]:
        last_node, first = with_own_infinitive(groups[-1][-1], first)
        groups[-1][-1] = last_node
    own = set(map(id, last.right))
    followers = [child for child in base.right if child.label != "punct" and id(child) not in own]
    made: list[Node] = []
    if neither:
        first = denied(first)
    head = first.with_(right=[*first.right, *groups[0]]) if groups[0] else first
    head = with_object_of(head, listed[0], coordinators[0]) if len(groups) > 1 else head
    made.append(head)
    for group, coordinator in zip(groups[1:], kinds[1:], strict=True):
        conjunct = _bare(group[0])
        if neither:
            conjunct = conjunct.keep(lambda child: child.lower not in words.NEGATIVE)
            helpers = first.all(*AUXILIARIES)
            if helpers and conjunct.tag == "VBD" and first.tag in ("VBN", "VBD"):
                conjunct = conjunct.with_(tag="VBN")
            elif is_finite(conjunct) and not continues(conjunct, helpers):
                conjunct = denied(conjunct)
        if conjunct.tag == "VBN" and (
            (is_verb(first) and first.tag in FINITE_TAGS and not first.all(*AUXILIARIES))
            or (first.first("cop") is not None and conjunct.first("obj", "xcomp", "ccomp") is not None)
        ):
            conjunct = conjunct.with_(tag="VBD")
        shared_right = [child for child in followers if child.index > group[-1].index]
        conjunct = complete(conjunct, first, coordinator, shared_right)
        if len(group) > 1:
            conjunct = conjunct.with_(right=[*conjunct.right, *group[1:]])
        made.append(conjunct.with_(label=node.label))
    return made


def _coordinators(listed: list[Node]) -> list[str]:
    """Return what joins each conjunct to those before; commas take what comes later."""
    found: list[str] = []
    following = "and"
    for child in reversed(listed):
        cc = next((below for below in child.left if below.label == "cc"), None)
        if cc is not None:
            following = cc.lower
            if cc.right:
                following = " ".join(below.lower for below in cc.walk())
        elif is_clause(child) and following in words.BUT:
            following = "and"
        found.append(following)
    return found[::-1]


def _joins(
    base: Node, child: Node, coordinator: str, *, negated: bool, whole: bool, only: bool, by_subject: bool
) -> bool:
    """Whether the conjunct may be said apart from what it is joined to."""
    if by_subject and coordinator in words.AND and not is_clause(child):
        return False
    if coordinator in words.BUT:
        return base.lower not in ("nothing", "anything", "none", "anyone", "nobody")
    cc = next((below for below in child.left if below.label == "cc"), None)
    if cc is not None and ((cc.before, cc.after) in words.FIXED_PAIRS or cc.before == cc.after):
        return False
    if whole:
        return False
    if coordinator in words.OR:
        return negated or coordinator == "nor"
    if coordinator not in words.AND and coordinator not in (
        "as well as",
        "but also",
        "then",
        "and then",
        "and also",
    ):
        return only
    if (base.lower, child.lower) in words.FIXED_PAIRS or (base.lower == child.lower and not child.right):
        return False
    if base.lower in words.TRYING and child.tag in ("VB", "VBP") and not is_finite(child):
        return False
    if base.tag in ("JJR", "RBR") and child.tag in ("JJR", "RBR") and base.lower == child.lower:
        return False
    if base.pos == child.pos == "PROPN" and base.first("det") is not None and not child.first("det"):
        return False
    return not (base.pos == "NUM" and child.pos == "NUM")


def _bare(conjunct: Node) -> Node:
    """Return the conjunct without the conjunction and the comma before it."""

    def stays(child: Node) -> bool:
        if child.label == "cc" or (
            child.label == "punct" and child.index < conjunct.index and child.lower in ",;-–—:/&"
        ):
            return False
        return not (
            child.label == "advmod"
            and child.lower in ("also", "then")
            and not child.children
            and child.index < conjunct.index
        )

    return conjunct.keep(stays)
