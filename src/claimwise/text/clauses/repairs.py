"""Attachments that parsers get wrong in the same way again and again, set right by what is parallel."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.forms import base_form, is_known_verb
from claimwise.text.clauses.grammar import (
    AUXILIARIES,
    FINITE_TAGS,
    SUBJECTS,
    VERB_TAGS,
    finite_verb,
    is_finite,
    is_noun,
    is_verb,
    subject_of,
)
from claimwise.text.clauses.negation import negate
from claimwise.text.clauses.tree import Node

_PLACES = frozenset({"within", "near", "opposite", "beside", "next", "close", "from"})
_REPEATABLE = ("obl", "obj", "ccomp", "xcomp", "advcl", "nmod", "obl:agent", "acl", "acl:relcl", "iobj")


def repaired(tree: Node) -> Node:
    """Return the tree with lists, small clauses and repeated prepositions in their places."""
    if not tree.left and not tree.right:
        return tree
    left = tuple(repaired(child) for child in tree.left)
    right = tuple(repaired(child) for child in tree.right)
    if left != tree.left or right != tree.right:
        tree = tree.with_(left=left, right=right)
    if tree.left and tree.left[0].left and tree.left[0].left[0].label == "cc":
        first = tree.left[0]
        joining = first.left[0]
        also = [child for child in first.left[1:2] if child.lower == "also"]
        tree = tree.with_(left=[joining, *also, first.without(joining, *also), *tree.left[1:]])
    if tree.tag in ("VBZ", "VBD", "VBP"):
        tree = _with_noun_for_subject(tree)
    if tree.tag in ("NNS", "NN"):
        tree = _as_verb(_listed_adjective(tree))
    if len(tree.left) > 1:
        tree = _one_subject(_with_copula(tree))
    if tree.right:
        tree = _with_complement(_with_predicate_adjective(tree))
        tree = _listed_complements(_listed(_raised(_continued(tree))))
        tree = _between(tree)
    if len(tree.right) > 1:
        tree = _repeated(tree)
    tree = _neither(tree)
    if any(child.label == "conj" for child in tree.right):
        tree = _flat(_agreeing(_below(tree)))
        tree = _small_clauses(tree)
    elif tree.first("xcomp") is not None:
        tree = _small_clauses(tree)
    return tree


def _listed(tree: Node) -> Node:
    """Make a list of "a restaurant, a bar and a pool" where the parser sees an apposition in the middle."""
    places = [place for place, child in enumerate(tree.right) if child.label == "conj" and _joined(child)]
    if not places or not is_noun(tree):
        return tree
    right = list(tree.right)
    for place, child in enumerate(right[: places[-1]]):
        start = next(child.walk())
        if (
            child.label in ("appos", "parataxis", "list", "dep")
            and is_noun(child)
            and subject_of(child) is None
            and (start.lower == "," or start.before == ",")
        ):
            right[place] = child.with_(label="conj")
    return tree.with_(right=right)


def _listed_complements(tree: Node) -> Node:
    """Make a list of "comes with a hook, a whisk and a bowl" where the parser sees a new statement."""
    right: list[Node] = []
    changed = False
    for child in tree.right:
        before = next(
            (place for place in range(len(right) - 1, -1, -1) if right[place].label != "punct"), None
        )
        start = next(child.walk())
        if (
            before is not None
            and child.label in ("parataxis", "list", "appos", "dep", "obl:unmarked")
            and is_noun(child)
            and child.pos != "PRON"
            and not is_finite(child)
            and subject_of(child) is None
            and (start.lower == "," or start.before == ",")
            and any(_joined(below) for below in child.right if below.label == "conj")
            and right[before].label in ("obj", "obl", "nmod", "conj", "obl:agent")
            and is_noun(right[before])
            and not child.first("case")
            and is_verb(tree)
        ):
            first = right[before]
            inner = [below for below in child.right if below.label == "conj"]
            listed = [child.without(*inner).with_(label="conj"), *inner]
            right[before] = first.with_(right=[*first.right, *listed])
            changed = True
            continue
        right.append(child)
    return tree.with_(right=right) if changed else tree


def _continued(tree: Node) -> Node:
    """Make a conjunct of a predicate that only a comma joins: "the lamp flickers, then dies"."""
    if subject_of(tree) is None or not is_verb(tree):
        return tree
    right = [
        child.with_(label="conj")
        if child.label in ("parataxis", "list")
        and is_verb(child)
        and child.tag in (tree.tag, "VB" if tree.tag == "VBP" else tree.tag)
        and subject_of(child) is None
        and not child.first(*AUXILIARIES, "mark")
        else child
        for child in tree.right
    ]
    return tree.with_(right=right)


def _raised(tree: Node) -> Node:
    """Hang on a node the conjuncts that the parser hung on something unlike them below it.

    "Is impressed by the view and irritated by the noise": "irritated" is joined to "impressed". A
    conjunct goes up where it is unlike what it hangs on and like the node.
    """
    raised: list[Node] = []
    right: list[Node] = []
    for child in tree.right:
        if _goes_on(tree, child):
            raised.append(child.with_(label="conj"))
            continue
        rest, found = _without_unlike(child, tree)
        right.append(rest)
        raised += [conjunct.with_(label="conj") for conjunct in found]
    return tree.with_(right=sorted([*right, *raised], key=lambda child: child.index)) if raised else tree


def _without_unlike(node: Node, above: Node) -> tuple[Node, list[Node]]:
    """Return a node without the conjuncts at its end that belong to one above it, and these."""
    if not node.right or node.label in ("conj", "punct"):
        return node, []
    last = node.right[-1]
    bound = {child.lower for child in node.left} & (words.TIMES | words.CONDITIONS | {"between"})
    if bound and _coordinator(last) not in words.BUT:
        return node, []
    if last.label == "conj" and _joined(last):
        if _is_like(above, last) and not _is_like(node, last):
            return node.without(last), [last]
        return node, []
    if _goes_on(above, last) and not _goes_on(node, last):
        return node.without(last), [last]
    rest, found = _without_unlike(last, above)
    if not found:
        return node, []
    node = node.swap(last, rest)
    before, more = _without_unlike(node, above)
    return before, [*more, *found]


def _goes_on(head: Node, dependent: Node) -> bool:
    """Whether a comma and the same preposition or "that" join a dependent to a list that the head opens."""
    case = _case_of(dependent)
    start = next(dependent.walk())
    listed = start.lower == "," or (start.before == "," and start.lower == case)
    return bool(case) and listed and dependent.label in _REPEATABLE and case == _case_of(head)


def _is_like(head: Node, conjunct: Node) -> bool:
    """Whether a conjunct is of the same kind as its head, so far as one can see."""
    case = _case_of(conjunct)
    if subject_of(conjunct) is not None:
        return subject_of(head) is not None
    if case:
        return case == _case_of(head)
    if conjunct.tag in ("JJ", "JJR") and not conjunct.first("det", "nmod:poss"):
        return head.tag in ("JJ", "JJR", "VBN") or head.pos in ("ADJ", "ADV", "VERB")
    predicate = is_finite(head) and subject_of(head) is not None
    participle = conjunct.tag in ("VBN", "VBD") and conjunct.first(*AUXILIARIES) is None
    if participle and head.pos == "ADJ" and not _case_of(head) and conjunct.first("obj", "obl") is None:
        return True
    if is_finite(conjunct) and not participle:
        return predicate
    if is_verb(conjunct) and conjunct.tag in VERB_TAGS:
        return (is_verb(head) and _form(conjunct) == _form(head)) or (predicate and conjunct.tag != "VBG")
    return not is_verb(head) or is_finite(head)


def _with_copula(tree: Node) -> Node:
    """Hang on the predicate the copula that the parser hung on an adverb: "it 's | right on the lake"."""
    if subject_of(tree) is None or finite_verb(tree) is not None:
        return tree
    for child in tree.left:
        copula = child.left[0] if child.label == "advmod" and child.left else None
        if copula is not None and copula.label == "cop" and copula.tag in FINITE_TAGS:
            return tree.swap(child, copula, child.without(copula))
    return tree


def _one_subject(tree: Node) -> Node:
    """Make a list of "both the hem and the collar" where the parser sees two subjects."""
    for place, (first, joining, second) in enumerate(
        zip(tree.left, tree.left[1:], tree.left[2:], strict=False)
    ):
        if (
            joining.label == "cc"
            and first.label == second.label
            and first.label in SUBJECTS
            and not is_verb(first)
            and not is_verb(second)
        ):
            other = second.with_(label="conj", left=[joining, *second.left])
            last = first.right[-1] if first.right else first
            if last.label == "nmod" and _case_of(last) in ("between", "such", "like", "including"):
                listed = first.swap(last, last.with_(right=[*last.right, other]))
            else:
                listed = first.with_(right=[*first.right, other])
            return tree.with_(left=[*tree.left[:place], listed, *tree.left[place + 3 :]])
    return tree


def _between(tree: Node) -> Node:
    """Hang "the monitor" on "the bell" in "a rivalry between the bell and the monitor"."""
    for place, child in enumerate(tree.right):
        if _case_of(child) != "between" or child.tag in ("NNS", "NNPS") or child.first("conj", "nummod"):
            continue
        second = next((other for other in tree.right[place + 1 :] if other.label == "conj"), None)
        if second is not None and _joined(second) and subject_of(second) is None:
            return tree.without(second).swap(child, child.with_(right=[*child.right, second]))
    return tree


def _form(verb: Node) -> str:
    return {"VBD": "VBN", "VBP": "VB"}.get(verb.tag, verb.tag)


def _with_predicate_adjective(tree: Node) -> Node:
    """Read "called the heroine stubborn" as thing and complement where the parser sees one noun phrase.

    An adjective does not follow the noun that its article goes with.
    """
    right: list[Node] = []
    for child in tree.right:
        noun = child.left[-1] if child.left else None
        if (
            noun is None
            or child.label not in ("obj", "conj")
            or noun.label not in ("compound", "nsubj", "amod")
            or noun.tag not in ("NN", "NNS", "NNP")
            or noun.index != child.index - 1
            or not _is_adjective(child)
            or child.first("det", "nmod:poss") is None
        ):
            right.append(child)
            continue
        joining = [below for below in child.left if below.label in ("cc", "punct")]
        own = [below for below in child.left if below not in joining and below is not noun]
        if child.label == "obj":
            thing = noun.with_(label="obj", left=[*own, *noun.left])
            right += [thing, child.with_(label="xcomp", pos="ADJ", tag="JJ", left=joining)]
        else:
            thing = noun.with_(label="nsubj", left=[*own, *noun.left])
            right.append(child.with_(pos="ADJ", tag="JJ", left=[*joining, thing]))
    return (
        tree
        if len(right) == len(tree.right) and all(map(_is, right, tree.right))
        else tree.with_(right=right)
    )


def _with_noun_for_subject(tree: Node) -> Node:
    """Read "the laser drifts" as subject and verb where the parser makes one noun phrase of a finite verb."""
    noun = tree.left[-1] if tree.left else None
    if (
        noun is None
        or noun.label not in ("compound", "amod", "nmod:unmarked")
        or noun.tag not in ("NN", "NNS", "NNP", "NNPS")
        or noun.index != tree.index - 1
        or tree.first(*SUBJECTS, *AUXILIARIES) is not None
    ):
        return tree
    labels = ("det", "det:predet", "amod", "nmod:poss", "nummod", "compound")
    own = [child for child in tree.left[:-1] if child.label in labels]
    rest = [child for child in tree.left[:-1] if child.label not in labels]
    return tree.with_(pos="VERB", left=[*rest, noun.with_(label="nsubj", left=[*own, *noun.left])])


def _with_complement(tree: Node) -> Node:
    """Read "found the room dark, damp and cold" as thing and complements, whatever hangs where.

    Behind the object of a verb of judging an adjective says what it was judged to be.
    """
    thing = tree.first("obj")
    if tree.lower not in words.JUDGING or thing is None or thing not in tree.right:
        return tree
    if tree.first("xcomp") is None:
        inside = next(
            (
                child
                for child in thing.right
                if child.label in ("amod", "acl", "conj") and _may_complete(child)
            ),
            None,
        )
        if inside is not None and not _joined(inside):
            behind = [child for child in thing.right if child.index > inside.index]
            thing_alone = thing.without(inside, *behind)
            found = inside.with_(label="xcomp", right=[*inside.right, *behind])
            tree = tree.swap(thing, thing_alone, found)
        else:
            beside = next(
                (
                    child
                    for child in tree.right
                    if child.index > thing.index
                    and child.label in ("advmod", "obl", "advcl", "ccomp", "dep", "parataxis", "nsubj")
                    and _may_complete(child)
                ),
                None,
            )
            if beside is None:
                return tree
            tree = tree.swap(beside, beside.with_(label="xcomp"))
    complement = tree.first("xcomp")
    if complement is None or complement.pos not in ("ADJ", "ADV", "VERB") or complement.index < tree.index:
        return tree
    others = [
        child
        for child in tree.right
        if child.index > complement.index
        and child.label in ("conj", "advcl", "advmod", "parataxis", "dep", "xcomp")
        and _may_complete(child)
        and child.tag == complement.tag
        and (_joined(child) or "," in (next(child.walk()).lower, next(child.walk()).before))
    ]
    if not others:
        return tree
    listed = [child.with_(label="conj") for child in others]
    return tree.without(*others).swap(
        complement, complement.with_(label="xcomp", right=[*complement.right, *listed])
    )


def _may_complete(node: Node) -> bool:
    """Whether a word may say what something was found to be."""
    return (
        node.tag in ("JJ", "JJR", "VBN")
        and subject_of(node) is None
        and not node.first(*AUXILIARIES, "case", "mark", "det", "nmod:poss")
    )


def _is(one: Node, other: Node) -> bool:
    return one is other


def _is_adjective(node: Node) -> bool:
    """Whether the word is an adjective by its tag or by those that it is joined to."""
    if node.tag in ("JJ", "JJR"):
        return True
    joined = [child for child in node.right if child.label == "conj"]
    return bool(joined) and all(child.tag in ("JJ", "JJR", "VBN") and not child.left[1:] for child in joined)


def _agreeing(tree: Node) -> Node:
    """Hang "does not get hot" on "it is bright" in "I love it as it is bright and does not get hot"."""
    verb = finite_verb(tree)
    if verb is None or verb.tag not in ("VBP", "VBZ"):
        return tree
    for child in tree.right:
        if child.label != "conj" or subject_of(child) is not None:
            continue
        own = finite_verb(child)
        if own is None or own.tag == verb.tag or own.tag not in ("VBP", "VBZ"):
            continue
        for other in reversed(tree.right):
            subject = (
                subject_of(other) if other.label in ("advcl", "ccomp") and other.index < child.index else None
            )
            if subject is not None:
                inner = finite_verb(other)
                if (inner is not None and inner.tag == own.tag) or (own.tag == "VBZ") == (
                    subject.tag in ("NN", "NNP")
                ):
                    return tree.without(child).swap(other, other.with_(right=[*other.right, child]))
    return tree


def _neither(tree: Node) -> Node:
    """Say "the staff did not and the manager did not" of "neither the staff nor the manager"."""
    for part in tree.children:
        if part.label not in ("nsubj", "nsubj:pass", "obj", "xcomp", "obl"):
            continue
        neither = next((child for child in part.left if child.lower == "neither"), None)
        if (
            neither is None
            or not any(child.label == "conj" for child in part.right)
            or subject_of(tree) is None
        ):
            continue
        return negate(tree.swap(part, part.without(neither)))
    return tree


def _as_verb(tree: Node) -> Node:
    """Read "kinks" as a verb in "its hose kinks", where the parser gives a noun a subject."""
    subject = tree.first("nsubj", "nsubj:pass")
    clausal = tree.label in ("root", "conj", "advcl", "ccomp", "parataxis", "acl:relcl")
    if (
        subject is None
        or not clausal
        or tree.first("det", "cop", "aux", "nmod:poss", "amod", "nummod", "case")
    ):
        return tree
    if subject.index != tree.index - 1 and not all(
        child.label == "advmod" for child in tree.left if child.index > subject.index
    ):
        return tree
    tag = "VBZ" if tree.tag == "NNS" else "VBP"
    right = []
    for child in tree.right:
        inner = child.first("compound")
        if (
            child.label == "conj"
            and child.tag == tree.tag
            and inner is not None
            and inner.index == child.index - 1
        ):
            left = [x for x in child.left if x.label in ("det", "nmod:poss", "amod")]
            noun = inner.with_(label="nsubj", left=[*left, *inner.left])
            rest = [noun if x is inner else x for x in child.left if x not in left]
            child = child.with_(tag=tag, pos="VERB", left=rest)
        right.append(child)
    return tree.with_(tag=tag, pos="VERB", right=right)


def _listed_adjective(tree: Node) -> Node:
    """Make a list of "smooth boarding and generous legroom" where the parser hangs all on the last noun."""
    for child in tree.left:
        joined = [below for below in child.right if below.label == "conj"]
        if (
            child.label not in ("compound", "amod")
            or child.tag not in ("NN", "NNS", "VBG")
            or len(joined) != 1
        ):
            continue
        [adjective] = joined
        if adjective.tag not in ("JJ", "JJR", "VBN") or adjective is not child.right[-1] or adjective.right:
            continue
        cc = [below for below in adjective.left if below.label == "cc"]
        if not cc:
            continue
        place = tree.left.index(child)
        own = adjective.without(*cc).with_(label="amod")
        second = tree.with_(label="conj", left=[*cc, own, *tree.left[place + 1 :]])
        return child.with_(
            label=tree.label, pos="NOUN", left=[*tree.left[:place], *child.left], right=[second]
        )
    return tree


def with_a_verb(tree: Node) -> Node:
    """Read "stank" as a verb in "our corridor stank of smoke", where the parser sees no verb at all."""
    if (
        tree.tag not in ("NN", "NNS", "VBN")
        or tree.first("cop", "aux", *SUBJECTS) is not None
        or not tree.right
    ):
        return tree
    noun = tree.left[-1] if tree.left else None
    if noun is None or noun.label != "compound" or noun.index != tree.index - 1:
        return tree
    base = base_form(tree.lower, "VBZ" if tree.tag == "NNS" else "VBD")
    if not is_known_verb(base):
        return tree
    tag = "VBZ" if tree.tag == "NNS" else "VBD" if base != tree.lower else "VBP"
    subject = noun.with_(label="nsubj", left=[*tree.left[:-1], *noun.left])
    return tree.with_(tag=tag, pos="VERB", left=[subject])


def _case_of(node: Node) -> str:
    return next((child.lower for child in node.left if child.label in ("case", "mark")), "")


def _joined(node: Node) -> bool:
    """Whether a conjunction stands before a dependent that is labelled as if it were no conjunct."""
    return any(child.label == "cc" for child in node.left)


def _repeated(tree: Node) -> Node:
    """Make one list of "for A, for B and for C", of "that A and that B"."""
    right: list[Node] = []
    changed = False
    for child in tree.right:
        before = next(
            (place for place in range(len(right) - 1, -1, -1) if right[place].label not in ("punct", "conj")),
            None,
        )
        if child.label in _REPEATABLE and before is not None:
            first = right[before]
            case = _case_of(child)
            same = first.label == child.label or (case != "" and case == _case_of(first))
            start = next(child.walk())
            listed = start.lower == "," or start.before == ","
            placed = (
                case in _PLACES
                and first.label == "obl"
                and before == len(right) - 1
                and not child.first("conj")
            )
            if same and (
                _joined(child)
                or (listed and case and (case == _case_of(first) or placed) and case not in words.TIMES)
            ):
                right[before] = first.with_(right=[*first.right, child.with_(label="conj")])
                changed = True
                continue
        right.append(child)
    return tree.with_(right=right) if changed else tree


def _below(tree: Node) -> Node:
    """Hang a conjunct on what it begins like: "in premium" in "legroom in economy and in premium"."""
    right: list[Node] = []
    changed = False
    own = _case_of(tree)
    for child in tree.right:
        case = _case_of(child)
        dependent = case and not own and subject_of(child) is None and not is_finite(child)
        if (child.label == "conj" and dependent) or (
            child.label == "conj" and case == "that" and own != "that"
        ):
            place = next(
                (
                    place
                    for place in range(len(right) - 1, -1, -1)
                    if right[place].label
                    in (
                        ("ccomp",)
                        if case == "that"
                        else ("obl", "nmod", "advcl", "obl:agent", "xcomp", "obj")
                    )
                    and _case_of(right[place])
                ),
                None,
            )
            if place is not None:
                right[place] = right[place].with_(right=[*right[place].right, child])
                right[place] = _flat(right[place])
                changed = True
                continue
            if not _joined(child) and case == "with":
                child, changed = child.with_(label="obl"), True
        right.append(child)
    return tree.with_(right=right) if changed else tree


def _flat(tree: Node) -> Node:
    """Hang the conjuncts of a conjunct on the first, where one conjunction joins them all."""
    right: list[Node] = []
    for child in tree.right:
        inner = [below for below in child.right if below.label == "conj"] if child.label == "conj" else []
        if (
            inner
            and subject_of(child) is None
            and _alike(tree, child)
            and all(_alike(child, below) for below in inner)
        ):
            own = _coordinator(child)
            if own in ("", *(_coordinator(below) for below in inner)):
                right += [child.without(*inner), *inner]
                continue
        right.append(child)
    return tree if len(right) == len(tree.right) else tree.with_(right=right)


def _alike(first: Node, second: Node) -> bool:
    return is_verb(first) == is_verb(second) and subject_of(second) is None


def _coordinator(node: Node) -> str:
    return next((child.lower for child in node.left if child.label == "cc"), "")


def _small_clauses(tree: Node) -> Node:
    """Set right "found the beds hard and the pillows flat": each thing with what it was found."""
    thing, complement = tree.first("obj"), tree.first("xcomp")
    if thing is None or complement is None or is_verb(complement) or complement.index < thing.index:
        return tree
    for child in complement.right:
        if (
            child.label == "conj"
            and (subject := subject_of(child)) is not None
            and not child.first(*AUXILIARIES)
        ):
            other = _second(tree, thing, complement, subject, child.without(subject))
            return tree.swap(complement, complement.without(child)).with_(
                right=[*tree.swap(complement, complement.without(child)).right, other]
            )
    for child in thing.right:
        if child.label != "conj" or child.index < complement.index:
            continue
        described = [
            below
            for below in child.right
            if below.label in ("amod", "acl", "xcomp") and not below.first(*SUBJECTS)
        ]
        joined = [below for below in complement.right if below.label == "conj" and below.index > child.index]
        what = (described or joined)[:1]
        if not what:
            continue
        other = _second(tree, thing, complement, child.without(*described[:1]), what[0].with_(pos="ADJ"))
        first = tree.swap(thing, thing.without(child))
        first = (
            first.swap(complement, complement.without(*what))
            if what == joined[:1] and not described
            else first
        )
        return first.with_(right=[*first.right, other])
    for child in tree.right:
        if child.label == "conj" and not is_verb(child) and not child.first(*AUXILIARIES):
            subject = subject_of(child)
            if subject is not None:
                return tree.swap(child, _second(tree, thing, complement, subject, child.without(subject)))
    return tree


def _second(tree: Node, thing: Node, complement: Node, other_thing: Node, other_complement: Node) -> Node:
    """Return a conjunct with the verb again, for the second thing."""
    joining = [
        child for child in (*other_thing.left, *other_complement.left) if child.label in ("cc", "punct")
    ]
    clean_thing = other_thing.keep(lambda child: child not in joining).with_(label="obj")
    clean = other_complement.keep(lambda child: child not in joining).with_(label="xcomp")
    cases = [child for child in complement.left if child.label in ("case", "mark")]
    if cases and not any(child.label in ("case", "mark") for child in clean.left):
        clean = clean.with_(left=[*cases, *clean.left])
    return Node(
        tree.word,
        tree.tag,
        tree.pos,
        "conj",
        other_thing.index - 0.8,
        before=other_thing.before,
        left=[child for child in joining if child.label == "cc"],
        right=[clean_thing, clean],
    )
