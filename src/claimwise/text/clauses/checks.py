"""Signs that a parse went wrong: a claim that is no sentence, or content that no claim holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from claimwise.text.clauses.grammar import VERB_TAGS, finite_verb, subject_of
from claimwise.text.clauses.tree import Node
from claimwise.text.clauses.words import word_set

_DANGLING = word_set(
    "a an the of and or but nor with for at from by into than very my your his our their its because "
    "although while if that's such which who whose every no is are was were"
)
_MAY_END_IN = frozenset({"is", "are", "was", "were", "with", "for", "at", "from", "by", "of", "into", "no"})
_NO_BEGINNING = frozenset({"that's", "which", "who", "whom", "whose", "than", "of"})
_NEEDS_OBJECT = word_set(
    "report reports reported praise praises praised describe describes described mention mentions mentioned "
    "appreciate appreciated enjoyed find finds found make makes made offer offers offered have has had"
)
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})


def problem_of(
    claims: Sequence[Node], source: Sequence[Node], dropped: Callable[[], Iterable[float]]
) -> str | None:
    """Return what is wrong with the claims of a sentence, in a few words; None if nothing seems to be.

    Args:
        claims: the trees of the claims.
        source: the trees of the sentence.
        dropped: returns the places of words that were left out on purpose.
    """
    for claim in claims:
        found = _problem_of_one(claim)
        if found is not None:
            return found
    said = {node.index for claim in claims for node in claim.walk()}
    lost = [
        node for tree in source for node in tree.walk() if node.pos in _CONTENT and node.index not in said
    ]
    if lost:
        on_purpose = set(dropped())
        lost = [node for node in lost if node.index not in on_purpose]
    return f'a claim without "{lost[0].word}"' if lost else None


def completion_of(claims: Sequence[Node]) -> str | None:
    """Return what had to be put before a claim to make it a sentence; None if nothing was.

    Whole sentences need nothing: where one does, a phrase was taken for a statement.
    """
    for claim in claims:
        first, *others = claim.walk()
        if first.index != int(first.index) and first.lower in ("it", "i", "there") and others:
            return f'a claim that needs "{first.word} {others[0].word}"'
    return None


def _problem_of_one(claim: Node) -> str | None:
    nodes = [node for node in claim.walk() if node.pos != "PUNCT"]
    if len(nodes) < 2:
        return "a claim of one word"
    if not any(node.tag in VERB_TAGS for node in nodes):
        return "a claim without a verb"
    if nodes[0].lower in _NO_BEGINNING or (nodes[0].tag in ("VBZ", "MD") and nodes[0].index != 0):
        return f'a claim that begins with "{nodes[0].word}"'
    if nodes[0] in claim.left and nodes[0].tag == "WRB" and nodes[0].index != 0 and nodes[0].lower != "why":
        return f'a claim that begins with "{nodes[0].word}"'
    if claim.lower in _NEEDS_OBJECT and len(nodes) <= 4 and claim is nodes[-1]:
        return f'a claim that ends in "{claim.word}"'
    subject, verb = subject_of(claim), finite_verb(claim)
    if subject is not None and verb is not None and _disagree(subject, verb):
        return f'a claim with "{subject.word} {verb.word}"'
    places = [node.index for node in nodes if node.index == int(node.index)]
    if len(set(places)) < len(places):
        return "a claim that says a word twice"
    for before, node, after in zip(nodes, nodes[1:], nodes[2:], strict=False):
        if (
            node.tag == "CC"
            and node.lower in ("and", "or", "but", "nor")
            and (
                before.index not in (node.index - 1, node.index - 2)
                or after.index not in (node.index + 1, node.index + 2)
            )
        ):
            return f'a claim with "{before.word} {node.word} {after.word}"'
    last = nodes[-1]
    if last.lower in _DANGLING and (
        last.lower not in _MAY_END_IN or last.label in ("det", "cop", "aux", "cc") or last.label == "case"
    ):
        return f'a claim that ends in "{last.word}"'
    for node, following in pairwise(nodes):
        if (
            node.lower == following.lower
            and node.index != following.index - 1
            and node.lower not in ("had", "that")
        ):
            return f'a claim with "{node.word} {following.word}"'
        if (
            node.label == "det"
            and following.pos in ("CCONJ", "ADP", "DET")
            and node.lower in ("a", "an", "the")
            and (following.index != node.index + 1)
        ):
            return f'a claim with "{node.word} {following.word}"'
    return None


def _disagree(subject: Node, verb: Node) -> bool:
    """Whether a subject cannot have this form of a verb, and did not have it in the sentence."""
    if subject.index == verb.index - 1 or subject.first("conj") is not None:
        return False
    singular = verb.tag == "VBZ" or verb.lower == "was"
    if subject.lower in ("we", "they", "you"):
        return singular
    if subject.lower in ("he", "she", "it", "this"):
        return verb.tag == "VBP" or verb.lower == "were"
    return subject.lower == "i" and (verb.tag == "VBZ" or verb.lower in ("are", "were"))
