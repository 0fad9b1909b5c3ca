"""What keeps the conjuncts of a list together: conditions, comparisons, collective predicates, negations."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from claimwise.text.clauses import words
from claimwise.text.clauses.grammar import (
    AUXILIARIES,
    SUBJECTS,
    is_clause,
)
from claimwise.text.clauses.tree import Node


@dataclass(frozen=True)
class Scope:
    """What stands above a part of the tree.

    Attributes:
        negated: a negation scopes over it, so that "or" lists denials.
        within_subject: it belongs to a subject, whose attributes stay as they are.
        by_subject: the negation is the subject's ("no passenger", "not everyone"): nothing that "and" joins
            may be chosen alone.
    """

    negated: bool = False
    within_subject: bool = False
    by_subject: bool = False


def stays_whole(node: Node) -> bool:
    """Whether a clause is bound by a condition or a time, so that no part of it stands alone."""
    for child in node.children:
        if child.label == "advcl" and _is_bound_by(child, fronted=child in node.left):
            return True
    # "Should the timer freeze, restart the phone", "the more ..., the more ..."
    return False


def _is_bound_by(clause: Node, *, fronted: bool) -> bool:
    mark = clause.first("mark", "advmod")
    if fronted and clause.lower in ("provided", "providing", "assuming", "supposing", "given", "should"):
        return True
    if mark is None:
        verb = next((child for child in clause.left if child.label in AUXILIARIES), None)
        return verb is not None and verb.lower in ("should", "had", "were") and fronted
    marks = {child.lower for child in clause.left if child.label in ("mark", "advmod")}
    if marks & words.CONDITIONS:
        return True
    if "since" in marks and fronted:
        return clause.tag == "VBD"
    if "while" in marks and fronted and not _ends_in_comma(clause):
        return True
    return fronted and bool(marks & words.TIMES) and not marks & words.CONTRAST_MARKS and is_clause(clause)


def _ends_in_comma(clause: Node) -> bool:
    *_, last = clause.walk()
    return "," in (last.lower, last.after)


def opens(child: Node, head: Node, scope: Scope) -> bool:
    """Whether the lists in a dependent may be taken apart."""
    label = child.label
    if label in (
        "conj",
        "cc",
        "punct",
        "mark",
        "case",
        "det",
        "cop",
        "aux",
        "aux:pass",
        "compound",
        "nummod",
    ):
        return False
    if label in ("nsubj", "nsubj:pass", "obj"):
        return not _is_joint(child, head)
    case = [node.lower for node in child.left if node.label in ("case", "mark")]
    if {"between", "than", "among", "despite", "until", "till"} & set(case):
        return False
    if "from" in case and any(
        below.lower == "to" for other in (*head.right, *child.right) for below in other.left
    ):
        return False
    if label in ("obl", "obl:agent", "iobj", "obl:unmarked"):
        return not _compares(head, child) and not _is_joint(child, head)
    if label == "nmod":
        if {"like", "such", "including"} & set(case):
            return True
        return not scope.within_subject and head.lower not in words.JOINT_NOUNS and not _compares(head, child)
    if label == "nmod:poss":
        return False
    if label in ("xcomp", "ccomp"):
        return not {"whether", "if"} & set(case)
    if label == "acl:relcl":
        return not scope.within_subject
    if label in ("amod", "advmod"):
        return not scope.within_subject and label == "amod"
    if label in ("acl", "advcl"):
        infinitive = any(node.lower == "to" for node in child.left)
        if infinitive and head.pos == "ADJ":
            return True
        return (
            not infinitive
            and not scope.within_subject
            and (child.tag in ("VBG", "VBN") or child.pos == "ADJ")
        )
    return label in ("parataxis", "appos")


def _compares(head: Node, child: Node) -> bool:
    """Whether a dependent belongs to a comparison: "better than A and B", "as good as A and B"."""
    return any(node.lower in ("than", "as") for node in child.left if node.label in ("case", "mark")) and any(
        node.lower in ("as", "more", "less", "so", "same", "such") for node in head.left
    )


def _is_joint(noun: Node, predicate: Node) -> bool:
    """Whether the predicate is said of several together: "A and B match"."""
    if not any(child.label == "conj" for child in noun.right):
        return False
    around = {node.lower for node in predicate.walk()} - {node.lower for node in noun.walk()}
    below = {child.lower for child in predicate.children}
    if any(node.lower == "both" for node in noun.left):
        return False
    if noun.label == "obj":
        return predicate.lower in words.TOGETHER_VERBS or bool(around & {"together", "apart"})
    if noun.label in SUBJECTS:
        if predicate.lower in words.COLLECTIVE or bool(below & words.TOGETHER):
            return True
        if around & {"together", "altogether", "combined"}:
            return True
        said = [node.lower for node in predicate.walk()]
        if any((one, two) in words.APART for one, two in pairwise(said)):
            return True
        reciprocal = " ".join(said)
        return any(text in reciprocal for text in ("each other", "one another", "in common")) or bool(
            {child.lower for child in _complements(predicate)} & words.COLLECTIVE
        )
    return False


def _complements(predicate: Node) -> list[Node]:
    """Return the complements of a predicate, whose words may say that it is collective."""
    return [child for child in predicate.right if child.label in ("xcomp", "obj")]


def denies_all(subject: Node | None) -> bool:
    """Whether a subject is "no guest", "nobody", "not all rooms"."""
    if subject is None or subject.label == "expl":
        return False
    return any(
        node.lower in ("no", "not", "nobody", "none", "hardly", "few", "neither")
        for node in (subject, *subject.left)
    ) and not (any(node.lower == "a" for node in subject.left))
