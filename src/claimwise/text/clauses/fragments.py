"""Fragments: "Great view, lumpy bed" says that the view is great; a claim has a verb."""

from __future__ import annotations

from claimwise.text.clauses import words
from claimwise.text.clauses.grammar import (
    AUXILIARIES,
    SUBJECTS,
    finite_verb,
    is_noun,
    is_plural,
    is_verb,
    subject_of,
)
from claimwise.text.clauses.tree import Node
from claimwise.text.clauses.words import word_set

_MINE = word_set(
    "loved liked hated bought ordered got had went stayed ate tried enjoyed paid waited sat used sent "
    "wanted expected thought found took visited booked asked watched read downloaded cried love like "
    "hate recommend enjoy prefer wish miss think buy return go come stay order complain wait hear see "
    "use appreciate appreciated saw heard felt gave spent drove walked left came slept forgot finished "
    "picked purchased received replaced rented upgraded decided couldnt regret regretted adore adored "
    "need needed switched been hope hoped met rode flew arrived skipped slept told returned emailed "
    "lent aired skimmed contacted called phoned complained cancelled canceled parked walked brought "
    "wore washed"
)
_MINE_GOING = word_set("looking planning hoping considering thinking giving returning using loving going")
_NAMELESS = frozenset(["INTJ", "PUNCT", "SYM", "X"])


def with_verb(tree: Node, *, past: bool, hasty: bool) -> Node:
    """Return the tree as a sentence with subject and verb; an order or a whole sentence stays as it is.

    Args:
        tree: the tree of a claim.
        past: whether a verb that has to be put in stands in the past.
        hasty: whether the text is of the kind that leaves out verbs.
    """
    subject = subject_of(tree)
    helpers = tree.all(*AUXILIARIES)
    finite = any(helper.tag in ("VBD", "VBP", "VBZ", "MD") for helper in helpers)
    if subject is not None and subject.label != "expl":
        if finite or (is_verb(tree) and tree.tag in ("VBD", "VBP", "VBZ", "MD", "VB")):
            return tree
        if helpers and tree.tag not in ("VBN", "VBG"):
            return tree
        if (
            tree.tag == "VBN"
            and not helpers
            and subject.label == "nsubj"
            and (not hasty or tree.first("obj", "xcomp", "ccomp") is not None)
        ):
            return tree.with_(tag="VBD")
        return _with_copula(tree, subject, past=past)
    if subject is not None:
        return tree
    if finite or (is_verb(tree) and tree.tag in ("VBD", "VBP", "VBZ", "MD", "VB")):
        return tree if _has_other_subject(tree, helpers) else _with_subject(tree, helpers)
    if is_verb(tree) and tree.tag == "VBG" and tree.pos != "NOUN":
        if tree.lower in _MINE_GOING:
            return _opened(tree, _word("I", "PRP", "nsubj", tree), _word("am", "VBP", "aux", tree))
        return _opened(tree, _word("it", "PRP", "nsubj", tree), _word(_be(False, past), "VBZ", "aux", tree))
    if is_verb(tree) and tree.tag == "VBN" and not helpers and tree.lower in _MINE:
        return _opened(tree.with_(tag="VBD"), _word("I", "PRP", "nsubj", tree))
    if not helpers and tree.lower in ("stuck", "stranded", "seated"):
        return _opened(tree, _word("I", "PRP", "nsubj", tree), _word("was", "VBD", "cop", tree))
    if is_noun(tree) and tree.first("case") is None and tree.lower != "meh":
        return _noun(tree, past=past)
    return _opened(
        tree,
        _word("it", "PRP", "nsubj", tree),
        _word(_be(False, past or tree.tag == "VBN"), "VBZ", "cop", tree),
    )


def says_something(tree: Node) -> bool:
    """Whether a fragment says anything: "lol" and "anyway" do not."""
    content = [node for node in tree.walk() if node.pos not in _NAMELESS]
    if not content:
        return False
    return not all(node.lower in words.OPENERS or node.pos in ("INTJ", "CCONJ") for node in content)


def with_subject_before(claim: Node, subject: Node | None) -> Node:
    """Return the claim with the subject of the one before it, where hasty writing left it out.

    "The author knows boats, doesn't know women": of a finite verb that got "it" for a subject.
    """
    it = claim.first("nsubj")
    verb = finite_verb(claim)
    if subject is None or it is None or it.index == int(it.index) or verb is None:
        return claim
    if it.lower != "it" and not (it.lower == "i" and subject.lower == "we"):
        return claim
    if verb.index != int(verb.index) or (verb.tag == "VBZ" and is_plural(subject)):
        return claim
    return claim.swap(it, placed(subject, it.index).with_(label="nsubj"))


def placed(node: Node, place: float) -> Node:
    """Return a phrase with places of its own, so that none is that of another word."""
    left = [placed(child, place) for child in node.left]
    right = [placed(child, place) for child in node.right]
    return Node(node.word, node.tag, node.pos, node.label, place, glued=node.glued, left=left, right=right)


def _has_other_subject(tree: Node, helpers: list[Node]) -> bool:
    """Whether something before the verb is its subject, whatever its label: "What I liked was ..."."""
    verb = min((helper.index for helper in helpers), default=tree.index)
    return any(
        child.index < verb
        and (
            child.label in ("advcl", "ccomp", "acl", "dislocated", "dep", "acl:relcl", "parataxis", "nmod")
            or (child.label == "obl" and next(child.walk()).tag == "VBG")
        )
        and not any(node.lower == "," or node.after == "," for node in child.walk())
        for child in tree.left
    )


def with_article(tree: Node) -> Node:
    """Return the clause with "the" before a subject that misses its article: "ferry left late"."""
    subject = tree.first("nsubj", "nsubj:pass")
    if (
        subject is None
        or not (subject.pos == "NOUN" or (subject.pos in ("PROPN", "ADV", "ADJ") and subject.word.islower()))
        or subject.lower in words.QUANTIFIERS | {"people", "nothing"}
        or subject.first("det", "nmod:poss", "nummod", "case", "det:predet") is not None
        or any(child.lower in words.QUANTIFIERS | words.SAME | {"only"} for child in subject.left)
    ):
        return tree
    start = next(subject.walk())
    article = Node("the", "DT", "DET", "det", start.index - 0.6)
    return tree.swap(subject, subject.with_(left=[article, *subject.left]))


def _with_copula(tree: Node, subject: Node, *, past: bool) -> Node:
    many = bool(is_plural(subject))
    be = Node(_be(many, past), "VBD" if past else "VBZ", "AUX", "cop", subject.index + 0.5)
    return tree.swap(subject, subject, be)


def _with_subject(tree: Node, helpers: list[Node]) -> Node:
    verb = helpers[0] if helpers else tree
    following = tree.lower
    if not helpers and tree.tag == "VB" and following not in ("love", "hate", "recommend", "adore", "loved"):
        return tree
    if not helpers and tree.tag == "VBP" and following not in _MINE:
        return tree
    if helpers and verb.lower in ("do", "let") and verb.tag in ("VB", "VBP"):
        return tree
    if helpers and verb.tag not in ("VBD", "VBP", "VBZ", "MD"):
        return tree
    mine = following in _MINE or (verb.lower in ("wo", "will", "would") and following in ("be", "back"))
    denied = helpers and verb.tag != "VBZ" and any(child.lower in words.NOT for child in tree.left)
    mine = mine and not any(child.lower in ("us", "me") for child in tree.right)
    mine = mine or (bool(denied) and verb.lower not in ("was", "is", "are", "were"))
    if verb.tag == "VBZ":
        mine = False
    if verb.lower in ("'m", "am"):
        mine = True
    return _opened(tree, _word("I" if mine else "it", "PRP", "nsubj", tree))


def _noun(tree: Node, *, past: bool) -> Node:
    many = bool(is_plural(tree))
    be = _be(many, past)
    no = next((child for child in tree.left if child.lower in ("no", "not", "zero")), None)
    determiner = tree.first("det", "nmod:poss", "nummod")
    if no is not None:
        return _opened(tree, _word("there", "EX", "expl", tree), _word(be, "VBZ", "cop", tree))
    after = next(
        (
            child
            for child in tree.right
            if child.label in ("amod", "acl")
            and child.pos in ("ADJ", "VERB")
            and not any(below.label in ("mark",) or below.label in SUBJECTS for below in child.left)
        ),
        None,
    )
    if after is not None and after.tag in ("JJ", "JJR", "VBN"):
        noun = tree.without(after)
        return _predicated(noun, after, be)
    if determiner is not None and determiner.lower in ("a", "an"):
        return _opened(tree, _word("it", "PRP", "nsubj", tree), _word(_be(False, past), "VBZ", "cop", tree))
    adjective = next((child for child in tree.left if child.label == "amod" and child.pos == "ADJ"), None)
    if adjective is not None and tree.pos != "PRON" and adjective.lower not in words.SAME | words.QUANTIFIERS:
        return _predicated(tree.without(adjective), adjective, be)
    return _opened(tree, _word("there", "EX", "expl", tree), _word(be, "VBZ", "cop", tree))


def _predicated(noun: Node, adjective: Node, be: str) -> Node:
    """Return "the noun is adjective"."""
    left = list(noun.left)
    outer = [child for child in left if child.label in ("advmod", "discourse", "cc", "punct")]
    left = [child for child in left if child not in outer]
    if noun.pos != "PROPN" and noun.first("det", "nmod:poss", "nummod") is None:
        left = [Node("the", "DT", "DET", "det", noun.index - 0.9), *left]
    subject = noun.with_(label="nsubj", left=left)
    copula = Node(be, "VBZ", "AUX", "cop", noun.index + 0.5)
    return adjective.with_(label="root", left=[*outer, subject, copula, *adjective.left])


def _be(many: bool, past: bool) -> str:
    return ("were" if many else "was") if past else ("are" if many else "is")


def _word(word: str, tag: str, label: str, beside: Node) -> Node:
    pos = "AUX" if label in ("cop", "aux") else "PRON"
    return Node(word, tag, pos, label, beside.index - 0.7)


def _opened(tree: Node, *new: Node) -> Node:
    """Return the tree with words before it, after what stands outside the clause."""
    left = list(tree.left)
    place = 0
    while place < len(left) and (
        left[place].label in ("discourse", "cc", "punct", "vocative", "advcl")
        or (left[place].label == "advmod" and left[place].lower in words.OPENERS)
        or (
            left[place].label in ("obl", "advmod")
            and any(x.lower == "," for x in left[place + 1 : place + 2])
        )
    ):
        place += 1
    return tree.with_(left=[*left[:place], *new, *left[place:]])
