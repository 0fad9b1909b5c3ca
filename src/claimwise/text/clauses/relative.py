"""What is said of a noun by the way: relative clauses, appositions, parentheses, "with" phrases."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.forms import base_form, past, third_person
from claimwise.text.clauses.grammar import (
    AUXILIARIES,
    SUBJECTS,
    finite_verb,
    is_finite,
    is_noun,
    is_plural,
    subject_of,
)
from claimwise.text.clauses.tree import Node

_RELATIVES = frozenset({"which", "who", "whom", "that", "whose", "where", "wich"})
_SET_OFF = frozenset({",", "-", "--", "–", "—", "(", "-lrb-", "["})
_DESCRIBING = frozenset(
    {"describe", "describes", "described", "considered", "called", "deemed", "found", "seen"}
)


def extract(tree: Node, *, past_tense: bool, root: bool = True) -> tuple[Node, list[Node]]:
    """Return the tree without what is said by the way, and a tree for each such statement."""
    if not tree.left and not tree.right:
        return tree, []
    said: list[Node] = []
    children: dict[int, Node | None] = {}
    antecedent = named(tree) if is_noun(tree) else None
    for child in tree.children:
        made = _statement(child, tree, antecedent, past_tense=past_tense) if antecedent is not None else None
        if made is not None:
            children[id(child)] = None
            said += made
            continue
        if child.label in ("advcl", "acl", "acl:relcl") and _keeps(child):
            continue
        inner, more = extract(child, past_tense=past_tense, root=False)
        if inner is not child:
            children[id(child)] = inner
        said += more
    if root and subject_of(tree) is not None and tree.first("cop", "aux:pass") is not None:
        tree, children, more = _with_phrases(tree, children, past_tense=past_tense)
        said += more
    if (
        root
        and tree.lower in _DESCRIBING
        and (thing := tree.first("obj", "xcomp")) is not None
        and is_noun(thing)
    ):
        owner = subject_of(tree) if tree.first("aux:pass") is not None else named(thing)
        for child in thing.right:
            case = child.first("case")
            if (
                owner is None
                or child.label != "nmod"
                or case is None
                or case.lower != "with"
                or id(thing) in children
            ):
                continue
            children[id(thing)] = thing.without(child)
            said.append(_has(owner, child, case, was=False))
    if not children:
        return tree, said

    def now(kept: tuple[Node, ...]) -> list[Node]:
        exchanged = (children.get(id(child), child) for child in kept)
        return [child for child in exchanged if child is not None]

    return tree.with_(left=now(tree.left), right=now(tree.right)), said


def _keeps(clause: Node) -> bool:
    """Whether what a clause says by the way is said on its condition."""
    marks = {child.lower for child in clause.left if child.label in ("mark", "advmod")}
    return bool(marks & words.CONDITIONS)


def named(noun: Node) -> Node:
    """Return the noun as the subject of a statement about it: without what follows it, "a" become "the"."""
    kept = [
        child
        for child in noun.left
        if child.label in ("det", "det:predet", "amod", "compound", "nmod:poss", "nummod", "flat", "nmod")
    ]
    kept = [_definite(child, noun) for child in kept]
    right = [
        child
        for child in noun.right
        if child.label in ("flat", "flat:name", "compound", "nummod", "goeswith", "fixed")
        or (child.label == "nmod" and any(below.lower == "of" for below in child.left))
    ]
    right = [
        child.keep(lambda below: below.label not in ("acl:relcl", "appos", "conj", "punct"))
        for child in right
    ]
    return noun.with_(label="nsubj", left=kept, right=right)


def _definite(child: Node, noun: Node) -> Node:
    if child.label == "det" and child.lower in ("a", "an"):
        return child.with_(word="the")
    return child


def _set_off(child: Node, head: Node) -> str:
    """Return the comma, dash or bracket before a dependent that follows its head, or an empty string."""
    opening = next(child.walk())
    if opening.lower in _SET_OFF:
        return opening.lower
    return opening.before if opening.before in _SET_OFF else ""


def _statement(child: Node, noun: Node, antecedent: Node, *, past_tense: bool) -> list[Node] | None:
    """Return the trees that a dependent of a noun makes, or None if it is part of what the noun means."""
    if child not in noun.right or noun.lower in ("it", "that", "this", "one", "those", "i", "we", "you"):
        return None
    mark = _set_off(child, noun)
    if not mark:
        return None
    if (
        mark in ("(", "-lrb-", "[")
        and child.label in ("parataxis", "appos", "acl", "dep")
        and (subject_of(child) is not None and is_finite(child))
    ):
        return [_clean(child).with_(label="root")]
    if child.label == "acl:relcl":
        if _judges(child) and noun.first("det", "nmod:poss", "nummod", "amod", "compound") is None:
            antecedent = Node("this", "DT", "PRON", "nsubj", child.index - 0.9)
        clause = _relative(child, antecedent)
        return None if clause is None else [clause]
    if (
        mark in ("(", "-lrb-", "[")
        and (made := _in_brackets(child, antecedent, past_tense=past_tense)) is not None
    ):
        return [made]
    if child.label == "appos" and is_noun(child) and not any(x.lower in ("such", "like") for x in child.left):
        return _apposition(child, antecedent, mark, past_tense=past_tense)
    if child.label in ("acl", "amod", "advcl", "parataxis", "dep") and (
        child.tag in ("VBN", "VBG", "JJ", "JJR") and child.pos in ("VERB", "ADJ")
    ):
        if subject_of(child) is not None or any(
            below.label in ("mark", "cc") and below.lower not in ("although", "though", "while")
            for below in child.left
        ):
            return None
        return [participle(_clean(child), antecedent, past_tense=past_tense)]
    return None


def _judges(clause: Node) -> bool:
    """Whether ", which was a nice addition" may be said of the whole sentence."""
    return clause.first("cop") is not None and any(
        child.lower == "which" and child.label in SUBJECTS for child in clause.left
    )


def _in_brackets(child: Node, antecedent: Node, *, past_tense: bool) -> Node | None:
    """Return a participle or adjective in brackets as a sentence: "the market (open daily)"."""
    body = _clean(child)
    first = next(node for node in body.walk())
    if child.tag == "VBD" and child.lower.endswith(("ed", "t", "n")) and subject_of(child) is None:
        return participle(body.with_(tag="VBN"), antecedent, past_tense=past_tense)
    if first.tag == "JJ" and first.label == "amod" and child.label == "appos" and child.pos == "NOUN":
        return participle(body, antecedent, past_tense=past_tense)
    return None


def _clean(child: Node) -> Node:
    """Return the part without the marks around it and its conjunction."""
    return child.keep(
        lambda below: below.label not in ("punct", "mark", "cc") or below.lower in ("that", '"')
    )


def participle(clause: Node, subject: Node, *, past_tense: bool) -> Node:
    """Return a participle or adjective with a subject as a sentence: "it offers a pool"."""
    many = bool(is_plural(subject))
    place = clause.index
    made = next((child for child in clause.right if child.lower in ("it", "them")), None)
    result = next(
        (child for child in clause.right if child.label in ("xcomp", "obj") and child is not made), None
    )
    if (
        clause.lower == "making"
        and result is not None
        and made is not None
        and made.lower in ("it", "them")
        and (result.pos in ("ADJ", "NOUN"))
    ):
        be = ("were" if many else "was") if past_tense else ("are" if many else "is")
        copula = Node(be, "VBD" if past_tense else "VBZ", "AUX", "cop", result.index - 0.5)
        others = [child for child in clause.right if child not in (result, made) and child.label != "punct"]
        return result.with_(
            label="root", left=[subject, copula, *result.left], right=[*result.right, *others]
        )
    before = [child for child in clause.left if child.label == "advmod" and child.lower in words.NOT]
    if clause.tag == "VBG" and not clause.first(*AUXILIARIES):
        base = base_form(clause.lower, "VBG")
        if base == "be":
            word = ("were" if many else "was") if past_tense else ("are" if many else "is")
        elif past_tense:
            word = past(base)
        else:
            word = base if many else third_person(base)
        tag = "VBD" if past_tense else ("VBP" if many else "VBZ")
        if before:
            helper = Node("did" if past_tense else "do" if many else "does", tag, "AUX", "aux", place - 0.5)
            kept = [child for child in clause.left if child not in before]
            return clause.with_(word=base, tag="VB", label="root", left=[subject, helper, *before, *kept])
        return clause.with_(word=word, tag=tag, label="root", left=[subject, *clause.left])
    if clause.first(*AUXILIARIES) is not None:
        return clause.with_(label="root", left=[subject, *clause.left])
    was = clause.tag == "VBN" and past_tense
    be = ("were" if many else "was") if was else ("are" if many else "is")
    copula = Node(be, "VBD" if was else "VBZ", "AUX", "cop", place - 0.5)
    return clause.with_(label="root", left=[subject, copula, *clause.left])


def _apposition(child: Node, antecedent: Node, mark: str, *, past_tense: bool) -> list[Node] | None:
    if child.first("nummod") is not None and not child.first("det") and child.tag == "CD":
        return None
    if (
        any(below.label in ("cc", "case") for below in child.left)
        or child.pos == "NUM"
        or child.pos == "PRON"
    ):
        return None
    bare = child.pos != "PROPN" and child.first("det", "nmod:poss", "nummod") is None
    if (bare and child.tag == "NN") or (mark in ("(", "-lrb-", "[") and bare):
        return None
    if (
        child.first("conj") is not None
        and any(below.label == "cc" for conjunct in child.all("conj") for below in conjunct.left)
        and bare
    ):
        return None
    many = bool(is_plural(antecedent))
    be = "are" if many else "is"
    copula = Node(be, "VBP" if many else "VBZ", "AUX", "cop", child.index - 0.9)
    return [_clean(child).with_(label="root", left=[antecedent, copula, *_clean(child).left])]


def _relative(clause: Node, antecedent: Node) -> Node | None:
    """Return a relative clause with the antecedent in the place of its pronoun."""
    kept = clause.keep(lambda child: child.label != "punct")
    for child in kept.children:
        inside = _pronoun_within(child)
        if inside is None:
            continue
        if child.lower in _RELATIVES - {"where", "whose"} and child.label in SUBJECTS:
            return kept.swap(child, antecedent.with_(label=child.label)).with_(label="root")
        if child.label in SUBJECTS:
            return kept.swap(child, _filled(child, antecedent)).with_(label="root")
        if child.lower == "where":
            if subject_of(kept) is None:
                return None
            place = antecedent.with_(
                label="obl", left=[Node("at", "IN", "ADP", "case", antecedent.index - 0.95), *antecedent.left]
            )
            rest = kept.without(child)
            return rest.with_(label="root", right=[*rest.right, place])
        if child in kept.left and child.label in ("obj", "obl", "iobj", "nmod"):
            if subject_of(kept) is None or not is_finite(kept):
                return None
            moved = _filled(child, antecedent)
            rest = kept.without(child)
            return rest.with_(
                label="root", right=[moved, *rest.right] if child.label == "obj" else [*rest.right, moved]
            )
        return None
    return None


def _pronoun_within(child: Node) -> Node | None:
    return (
        next(
            (
                node
                for node in child.walk()
                if node.lower in _RELATIVES and node.tag in ("WDT", "WP", "WP$", "WRB", "IN")
            ),
            None,
        )
        if child.index < 1e9 and len(list(child.walk())) <= 6
        else None
    )


def _filled(child: Node, antecedent: Node) -> Node:
    """Return the phrase with the antecedent in the place of the relative pronoun in it."""
    if child.lower in _RELATIVES:
        if child.lower == "whose":
            return _owner(child, antecedent)
        return antecedent.with_(
            label=child.label, left=[*(x for x in child.left if x.label == "case"), *antecedent.left]
        )
    left = [_filled(below, antecedent) if _pronoun_within(below) else below for below in child.left]
    right = [_filled(below, antecedent) if _pronoun_within(below) else below for below in child.right]
    return child.with_(left=left, right=right)


def _owner(pronoun: Node, antecedent: Node) -> Node:
    ending = "'" if antecedent.lower.endswith("s") else "'s"
    last = Node(ending, "POS", "PART", "case", antecedent.index + 0.1, glued=True)
    return antecedent.with_(label="nmod:poss", right=[*antecedent.right, last])


def _with_phrases(
    tree: Node, children: dict[int, Node | None], *, past_tense: bool
) -> tuple[Node, dict[int, Node | None], list[Node]]:
    """Take "with kind staff" out of "it is a quiet place with kind staff": the place has kind staff."""
    subject = subject_of(tree)
    said: list[Node] = []
    if (
        subject is None
        or subject.lower in ("there", "this", "that", "who", "which", "what")
        or subject.label == "expl"
    ):
        return tree, children, said
    for child in tree.right:
        if child.label not in ("nmod", "obl") or children.get(id(child), child) is None:
            continue
        if (child.label == "obl" or tree.pos not in ("NOUN", "PROPN", "ADJ")) and not _set_off(child, tree):
            continue
        case = child.first("case")
        if case is None or case.lower != "with" or case.right:
            continue
        verb = finite_verb(tree)
        was = verb is not None and verb.lower in ("was", "were")
        said.append(_has(subject, children.get(id(child)) or child, case, was=was))
        children[id(child)] = None
    return tree, children, said


def _has(owner: Node, thing: Node, case: Node, *, was: bool) -> Node:
    """Return "the owner has the thing" of "with the thing"."""
    many = bool(is_plural(owner)) or owner.lower in ("i", "you", "we", "they")
    word = "had" if was else "have" if many else "has"
    bare = thing.keep(lambda child: child.index != case.index and child.label != "punct").with_(label="obj")
    tag = "VBD" if was else "VBP" if many else "VBZ"
    return Node(word, tag, "VERB", "root", thing.index - 0.95, left=[owner], right=[bare])
