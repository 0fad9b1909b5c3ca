"""What conjuncts share: subject, auxiliary, preposition, determiner, object, term of a comparison."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.forms import base_form
from claimwise.text.clauses.grammar import (
    AUXILIARIES,
    SUBJECTS,
    is_clause,
    is_finite,
    is_noun,
    is_verb,
    subject_of,
)
from claimwise.text.clauses.tree import Node


def complete(conjunct: Node, base: Node, coordinator: str, shared_right: list[Node]) -> Node:
    """Return the conjunct with what it shares with the first."""
    participle = base.tag in ("VBG", "VBN") and subject_of(base) is None and base.first(*AUXILIARIES) is None
    if participle and not is_verb(conjunct):
        return _complete_phrase(conjunct, base, shared_right)
    if is_clause(base) or is_verb(base) or base.first(*AUXILIARIES) is not None:
        return _complete_predicate(conjunct, base, coordinator, shared_right)
    return _complete_phrase(conjunct, base, shared_right)


def _complete_predicate(conjunct: Node, base: Node, coordinator: str, shared_right: list[Node]) -> Node:
    marks = [child for child in base.left if child.label == "mark"]
    own_subject = subject_of(conjunct)
    helpers = base.all(*AUXILIARIES)
    has_mark = conjunct.first("mark") is not None
    taken: list[Node] = [] if has_mark else list(marks)
    if own_subject is None and base.pos == "ADJ" and helpers and _is_another_subject(conjunct):
        # "the pools were perfect, and some tables": said of the tables as well
        old = subject_of(base)
        if old is not None:
            return base.swap(old, conjunct.with_(label=old.label)).with_(
                right=[
                    child for child in base.right if child.index < conjunct.index and child.label != "punct"
                ]
            )
    if own_subject is not None:
        if not is_finite(conjunct) and helpers and (not is_verb(conjunct) or conjunct.tag in ("VBN", "VBG")):
            # "the boats can be draughty and the blankets damp"
            place = conjunct.left.index(own_subject) + 1 if own_subject in conjunct.left else 0
            denial = [child for child in base.left if child.label == "advmod" and child.lower in words.NOT]
            if coordinator not in words.OR:
                denial = []
            between = sorted([*helpers, *denial], key=lambda child: child.index)
            return conjunct.with_(left=[*taken, *conjunct.left[:place], *between, *conjunct.left[place:]])
        complement = base.first("xcomp")
        if (
            not is_finite(conjunct)
            and not is_verb(conjunct)
            and complement is not None
            and not is_verb(complement)
        ):
            # "the violence felt gratuitous and the jokes stale"
            old = subject_of(base)
            said = conjunct.without(own_subject).with_(label="xcomp")
            other = base.with_(right=[said])
            return other.swap(old, own_subject.with_(label=old.label)) if old is not None else other
        return conjunct.with_(left=[*taken, *conjunct.left])
    finite = is_finite(conjunct) and not continues(conjunct, helpers)
    taken += [child for child in base.left if child.label in SUBJECTS]
    relative = [child for child in base.left if child.label in ("obj", "obl") and child.tag in ("WDT", "WP")]
    taken += relative
    adverbs = [child for child in base.left if child.label == "advmod" and child not in taken]
    if finite:
        if not conjunct.first("advmod"):
            taken += [child for child in adverbs if child.lower in words.FREQUENCY - words.NEGATIVE]
        if coordinator in words.OR:
            taken += [child for child in adverbs if child.lower in words.NEGATIVE - words.NOT | {"never"}]
    else:
        verbal = is_verb(conjunct) and conjunct.pos != "ADJ"
        keep_copula = not verbal or conjunct.tag in ("VBG", "VBN")
        own_helpers = conjunct.all(*AUXILIARIES)
        taken += [
            child
            for child in helpers
            if not own_helpers
            and (child.label != "cop" or keep_copula)
            and (child.label != "aux:pass" or conjunct.tag in ("VBN", "VBD") or not verbal)
        ]
        if not helpers and not verbal and is_verb(base):
            return _as_complement(conjunct, base, shared_right)
        denies = coordinator not in words.BUT
        own = conjunct.first("advmod") is not None and any(
            child.label == "advmod" and child.index < conjunct.index for child in conjunct.children
        )
        for child in adverbs:
            if child.lower in words.NOT | {"never"}:
                if denies:
                    taken.append(child)
            elif not own and child.lower in words.FREQUENCY:
                taken.append(child)
    taken = sorted({id(child): child for child in taken}.values(), key=lambda child: child.index)
    right = list(conjunct.right)
    labels = {child.label for child in right}
    right += [
        child for child in shared_right if child.label not in labels or child.label in ("obl", "advmod")
    ]
    return conjunct.with_(left=[*taken, *conjunct.left], right=right)


def _is_another_subject(conjunct: Node) -> bool:
    several = {"the", "some", "few", "many", "several", "all", "our", "their", "both", "most"}
    return (
        conjunct.tag == "NNS"
        and conjunct.first(*AUXILIARIES, "case") is None
        and any(child.lower in several for child in conjunct.left)
    )


def continues(conjunct: Node, helpers: list[Node]) -> bool:
    """Whether a verb that looks finite goes on after the first's auxiliary: "can be noisy and get hot"."""
    if conjunct.first(*AUXILIARIES) is not None or not helpers:
        return False
    last = helpers[-1]
    if last.tag == "MD" or last.lower in ("do", "does", "did", "to"):
        return conjunct.tag in ("VB", "VBP")
    if last.label == "cop":
        return last.tag == "VB" and len(helpers) > 1 and conjunct.tag in ("VB", "VBP")
    if last.lower in ("have", "has", "had", "'ve") or last.tag in ("VB", "VBN"):
        return conjunct.tag in ("VBN", "VBD")
    return False


def _as_complement(conjunct: Node, base: Node, shared_right: list[Node]) -> Node:
    """Return a clause with the first's verb, of which the conjunct is another complement."""
    kept = [
        child
        for child in base.right
        if child.label in ("obj",) and child.index < conjunct.index and conjunct.pos == "ADJ"
    ]
    complement = conjunct.with_(label="xcomp")
    return base.with_(right=[*kept, complement, *shared_right])


def _complete_phrase(conjunct: Node, base: Node, shared_right: list[Node]) -> Node:
    taken: list[Node] = []
    own_case = conjunct.first("case", "mark") is not None
    if not own_case:
        taken += [child for child in base.left if child.label in ("case", "mark")]
    if is_noun(conjunct) and is_noun(base):
        own = {child.label for child in conjunct.left}
        plural = conjunct.tag in ("NNS", "NNPS")
        if not own & {"det", "nmod:poss", "nummod"} and conjunct.pos != "PRON":
            for child in base.left:
                if (
                    child.label == "nmod:poss"
                    or (
                        child.label in ("det", "det:predet")
                        and child.lower in words.SHARED_DETERMINERS
                        and not (
                            plural and child.lower in ("a", "an", "another", "every", "each", "this", "that")
                        )
                    )
                    or (child.label == "amod" and child.lower in words.SAME)
                ):
                    taken.append(child)
    negations = [child for child in base.left if child.label == "advmod" and child.lower in words.NOT]
    if not any(child.lower in words.NOT for child in conjunct.left) and not any(
        child.lower == "but" for child in conjunct.left
    ):
        taken += negations
    taken = sorted(taken, key=lambda child: child.index)
    right = list(conjunct.right)
    labels = {child.label for child in right}
    right += [child for child in shared_right if child.label not in labels]
    return conjunct.with_(left=[*taken, *conjunct.left], right=right)


def with_object_of(first: Node, second: Node, coordinator: str) -> Node:
    """Give "admired" its object in "admired and envied the view"."""
    if not (is_verb(first) and is_verb(second)) or base_form(first.lower, first.tag) in words.INTRANSITIVE:
        return first
    if is_clause(second) or any(
        child.label not in ("punct", "cc") and child.index < second.index for child in first.right
    ):
        return first
    if first.first("obj", "ccomp", "xcomp") is not None:
        return first
    if second.first(*AUXILIARIES) is not None or (
        _form(first) != _form(second) and first.first(*AUXILIARIES) is None
    ):
        return first
    cc = [child for child in second.left if child.label == "cc"]
    if not cc or cc[0].index > first.index + 2:
        return first
    shared = [child for child in second.right if child.label in ("obj", "obl", "ccomp", "xcomp")]
    if not any(child.label in ("obj", "ccomp", "xcomp") for child in shared):
        # "returned for the pool": what comes before has an object only if it stands alone
        return first
    return first.with_(right=sorted([*first.right, *shared], key=lambda child: child.index))


def _form(verb: Node) -> str:
    return {"VBD": "VBN", "VBP": "VB"}.get(verb.tag, verb.tag)


def with_than_of(base: Node, last: Node) -> Node:
    """Give "lighter" what it is compared with in "lighter and louder than the old one"."""
    compared = [
        child
        for node in (last, *last.right)
        for child in node.right
        if any(below.lower == "than" for below in child.left)
    ]
    if not compared or not _is_comparative(base) or not _is_comparative(last):
        return base
    if any(any(below.lower == "than" for below in child.left) for child in base.right):
        return base
    return base.with_(right=[*base.right, *compared])


def with_genitive_of(base: Node, last: Node, coordinator: str) -> Node:
    """Give "cleanliness" what it is of in "the cleanliness and comfort of the rooms"."""
    if not (base.pos == last.pos == "NOUN") or base.right or coordinator not in words.AND:
        return base
    if last.first("det", "nmod:poss", "amod", "nummod") is not None or base.tag != last.tag:
        return base
    of = [child for child in last.right if child.label == "nmod" and any(x.lower == "of" for x in child.left)]
    return base.with_(right=of[:1])


def _is_comparative(node: Node) -> bool:
    return node.tag in ("JJR", "RBR") or any(child.lower in ("more", "less") for child in node.left)


def with_own_infinitive(last: Node, first: Node) -> tuple[Node, Node]:
    """Leave "to wipe" with "simple" in "quick, precise and simple to wipe"."""
    moved = [
        child
        for child in first.right
        if child.index > last.index
        and child.label in ("advcl", "xcomp", "ccomp")
        and last.pos == "ADJ"
        and next(child.walk()).index == last.index + 1
        and any(below.lower in ("to", "than") for below in child.left)
        and not any(below.lower == "than" for below in child.left)
    ]
    if not moved:
        return last, first
    return last.with_(right=[*last.right, *moved]), first.without(*moved)
