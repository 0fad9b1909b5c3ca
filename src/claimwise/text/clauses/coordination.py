"""Coordination: every conjunct with all that it shares with the others.

``alternatives`` returns a tree for each way to choose one conjunct of every list that may be taken apart.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from claimwise.text.clauses import words
from claimwise.text.clauses.forms import base_form
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
from claimwise.text.clauses.negation import denied, negate, not_only
from claimwise.text.clauses.tree import Node

MOST = 24
"""More claims than these are no longer made of one sentence."""


class TooMany(Exception):
    """A sentence whose lists make too many claims."""


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


def alternatives(node: Node, scope: Scope | None = None) -> list[Node]:
    """Return the tree with one conjunct each of its lists, in the order of the sentence."""
    scope = scope or Scope()
    found: list[Node] = []
    for group in conjuncts(node, scope):
        found += _chosen(group, scope)
        if len(found) > MOST:
            raise TooMany
    return found


def _chosen(node: Node, scope: Scope) -> list[Node]:
    """Return the choices among the lists below a node, which is no list itself."""
    if stays_whole(node):
        return [node]
    denied_by = _denies_all(subject_of(node))
    inner = replace(
        scope,
        negated=scope.negated or is_negated(node),
        by_subject=scope.by_subject or denied_by,
    )
    lists: list[list[tuple[Node, ...]]] = []
    for child in node.children:
        if not _opens(child, node, scope):
            lists.append([(child,)])
            continue
        subject = child.label in SUBJECTS and node.first("expl") is None
        below = replace(inner, within_subject=scope.within_subject or subject)
        lists.append([(choice,) for choice in alternatives(child, below)])
    if not scope.within_subject and is_noun(node) and node.label not in SUBJECTS:
        _choose_adjectives(node, lists)
    count = 1
    for choices in lists:
        count *= len(choices)
        if count > MOST:
            raise TooMany
    if count == 1 and all(choices[0] == (child,) for choices, child in zip(lists, node.children, strict=True)):
        return [node]
    middle = len(node.left)
    return [
        node.with_(
            left=itertools.chain.from_iterable(choice[:middle]),
            right=itertools.chain.from_iterable(choice[middle:]),
        )
        for choice in itertools.product(*lists)
    ]


def _denies_all(subject: Node | None) -> bool:
    """Whether a subject is "no guest", "nobody", "not all rooms"."""
    if subject is None or subject.label == "expl":
        return False
    return any(node.lower in ("no", "not", "nobody", "none", "hardly", "few", "neither") for node in (subject, *subject.left)) and not (
        any(node.lower == "a" for node in subject.left)
    )


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


def stays_whole(node: Node) -> bool:
    """Whether a clause is bound by a condition, a time or a comparison, so that no part of it stands alone."""
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


def _opens(child: Node, head: Node, scope: Scope) -> bool:
    """Whether the lists in a dependent may be taken apart."""
    label = child.label
    if label in ("conj", "cc", "punct", "mark", "case", "det", "cop", "aux", "aux:pass", "compound", "nummod"):
        return False
    if label in ("nsubj", "nsubj:pass", "obj"):
        return not _is_joint(child, head)
    case = [node.lower for node in child.left if node.label in ("case", "mark")]
    if {"between", "than", "among", "despite", "until", "till"} & set(case):
        return False
    if "from" in case and any(below.lower == "to" for other in (*head.right, *child.right) for below in other.left):
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
        return not infinitive and not scope.within_subject and (child.tag in ("VBG", "VBN") or child.pos == "ADJ")
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
        reciprocal = " ".join(node.lower for node in predicate.walk())
        return any(text in reciprocal for text in ("each other", "one another", "in common")) or bool(
            {child.lower for child in below_of(predicate)} & words.COLLECTIVE
        )
    return False


def below_of(predicate: Node) -> list[Node]:
    """Return the complements of a predicate, whose words may say that it is collective."""
    return [child for child in predicate.right if child.label in ("xcomp", "obj")]


# Conjuncts -----------------------------------------------------------------------------------------


def conjuncts(node: Node, scope: Scope) -> list[Node]:
    """Return the conjuncts of a node, each with what they share; the node alone where they stay together."""
    listed = [child for child in node.right if child.label == "conj"]
    if not listed:
        return [node]
    coordinators = _coordinators(listed)
    base = node.without(*listed)
    pair_open = next((child for child in base.left if child.label == "cc:preconj" or child.lower == "neither"), None)
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
    base = _with_than_of(base, last)
    base = _with_genitive_of(base, listed[-1], coordinators[-1])
    first = only if only is not None else base
    if pair_open is not None and pair_open.lower in ("both", "neither"):
        first = first.keep(lambda child: child.index != pair_open.index)
    if groups[-1]:
        last_node, first = _with_own_infinitive(groups[-1][-1], first)
        groups[-1][-1] = last_node
    own = set(map(id, last.right))
    followers = [child for child in base.right if child.label != "punct" and id(child) not in own]
    made: list[Node] = []
    if neither:
        first = denied(first)
    head = first.with_(right=[*first.right, *groups[0]]) if groups[0] else first
    head = _with_object_of(head, listed[0], coordinators[0]) if len(groups) > 1 else head
    made.append(head)
    for group, coordinator in zip(groups[1:], kinds[1:], strict=True):
        conjunct = _bare(group[0])
        if neither:
            conjunct = conjunct.keep(lambda child: child.lower not in words.NEGATIVE)
            helpers = first.all(*AUXILIARIES)
            if helpers and conjunct.tag == "VBD" and first.tag in ("VBN", "VBD"):
                conjunct = conjunct.with_(tag="VBN")
            elif is_finite(conjunct) and not _continues(conjunct, helpers):
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


def _with_than_of(base: Node, last: Node) -> Node:
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


def _with_genitive_of(base: Node, last: Node, coordinator: str) -> Node:
    """Give "cleanliness" what it is of in "the cleanliness and comfort of the rooms"."""
    if not (base.pos == last.pos == "NOUN") or base.right or coordinator not in words.AND:
        return base
    if last.first("det", "nmod:poss", "amod", "nummod") is not None or base.tag != last.tag:
        return base
    of = [child for child in last.right if child.label == "nmod" and any(x.lower == "of" for x in child.left)]
    return base.with_(right=of[:1])


def _is_comparative(node: Node) -> bool:
    return node.tag in ("JJR", "RBR") or any(child.lower in ("more", "less") for child in node.left)


def _with_own_infinitive(last: Node, first: Node) -> tuple[Node, Node]:
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
    if coordinator not in words.AND and coordinator not in ("as well as", "but also", "then", "and then", "and also"):
        return only
    if (base.lower, child.lower) in words.FIXED_PAIRS or (
        base.lower == child.lower and not child.right
    ):
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
        if child.label == "cc" or (child.label == "punct" and child.index < conjunct.index and child.lower in ",;-–—:/&"):
            return False
        return not (child.label == "advmod" and child.lower in ("also", "then") and not child.children
                    and child.index < conjunct.index)

    return conjunct.keep(stays)


def _with_object_of(first: Node, second: Node, coordinator: str) -> Node:
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
                right=[child for child in base.right if child.index < conjunct.index and child.label != "punct"]
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
        if not is_finite(conjunct) and not is_verb(conjunct) and complement is not None and not is_verb(complement):
            # "the violence felt gratuitous and the jokes stale"
            old = subject_of(base)
            said = conjunct.without(own_subject).with_(label="xcomp")
            other = base.with_(right=[said])
            return other.swap(old, own_subject.with_(label=old.label)) if old is not None else other
        return conjunct.with_(left=[*taken, *conjunct.left])
    finite = is_finite(conjunct) and not _continues(conjunct, helpers)
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
            if not own_helpers and (child.label != "cop" or keep_copula)
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
            elif not own and child.index > max((helper.index for helper in helpers), default=1e9) and is_finite(base):
                if _degree_is_shared(child, base, conjunct):
                    taken.append(child)
    taken = sorted({id(child): child for child in taken}.values(), key=lambda child: child.index)
    right = list(conjunct.right)
    labels = {child.label for child in right}
    right += [child for child in shared_right if child.label not in labels or child.label in ("obl", "advmod")]
    return conjunct.with_(left=[*taken, *conjunct.left], right=right)


def _is_another_subject(conjunct: Node) -> bool:
    several = {"the", "some", "few", "many", "several", "all", "our", "their", "both", "most"}
    return (
        conjunct.tag == "NNS"
        and conjunct.first(*AUXILIARIES, "case") is None
        and any(child.lower in several for child in conjunct.left)
    )


def _degree_is_shared(adverb: Node, base: Node, conjunct: Node) -> bool:
    return False


def _continues(conjunct: Node, helpers: list[Node]) -> bool:
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
    """Return a clause of its own with the first's verb: what the parser hung on the verb is its complement."""
    kept = [child for child in base.right if child.label in ("obj",) and child.index < conjunct.index
            and conjunct.pos == "ADJ"]
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
                if child.label == "nmod:poss" or (
                    child.label in ("det", "det:predet")
                    and child.lower in words.SHARED_DETERMINERS
                    and not (plural and child.lower in ("a", "an", "another", "every", "each", "this", "that"))
                    and not (child.lower in ("this", "that", "these", "those", "the", "no") and False)
                ):
                    taken.append(child)
                elif child.label == "amod" and child.lower in words.SAME:
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
