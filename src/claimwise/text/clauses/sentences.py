"""From parses of sentences to their claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from claimwise.text.claims import Decomposed
from claimwise.text.clauses import words
from claimwise.text.clauses.attribution import without_holder, without_openers
from claimwise.text.clauses.checks import completion_of, problem_of
from claimwise.text.clauses.coordination import MOST, TooManyClaimsError, alternatives
from claimwise.text.clauses.fragments import says_something, with_article, with_subject_before, with_verb
from claimwise.text.clauses.grammar import FINITE_TAGS, subject_of
from claimwise.text.clauses.pronouns import Topic, referent, resolved, topic_of, wants_plural
from claimwise.text.clauses.realize import agree, finished, sentence
from claimwise.text.clauses.relative import extract
from claimwise.text.clauses.repairs import repaired, with_a_verb
from claimwise.text.clauses.run_ons import clauses, is_hasty, statements
from claimwise.text.clauses.scope import stays_whole
from claimwise.text.clauses.segments import segments
from claimwise.text.clauses.stand_ins import simpler, with_subject
from claimwise.text.clauses.subordinate import detach
from claimwise.text.clauses.tree import Node, Parse, trees

TOO_MANY = "more claims than can be told apart"
_DEPTH = 12


class Draft(NamedTuple):
    """A text whose words have tags, but no heads yet.

    Attributes:
        parse: its words and tags.
        document: what the parser goes on with.
    """

    parse: Parse
    document: Any


class Reader(Protocol):
    """Tags texts and parses them; in two steps, for many texts are cut by their tags and parsed in pieces."""

    def tagged(self, texts: Sequence[str]) -> list[Draft]:
        """Return the texts with tags, each as one sentence."""
        ...

    def parsed(self, drafts: Sequence[Draft]) -> list[Parse]:
        """Return their parses."""
        ...


class Said(NamedTuple):
    """What a sentence says.

    Attributes:
        decomposed: its claims.
        topic: the one thing that they are about, if it is named.
    """

    decomposed: Decomposed
    topic: Topic | None = None


def decompose_parsed(
    parses: Sequence[Parse],
    text: str,
    topic: Topic | None = None,
    *,
    resolve: bool = True,
    reader: Reader,
) -> Said:
    """Return the claims of a sentence.

    Args:
        parses: the trees of its statements (``parsed``).
        text: the sentence.
        reader: parses statements of whose parse a claim makes no sense, put more simply.
        topic: what the sentence before is about, where its pronouns may stand for that.
        resolve: whether pronouns are to be resolved at all.
    """
    if text.rstrip().endswith("?") and len(parses) == 1:
        return Said(Decomposed([finished(text)], "a question"))
    claims: list[str] = []
    trees_of_claims: list[Node] = []
    reason = None
    hasty = is_hasty(text)
    past_tense = _in_past(parses)
    replaced = 0
    still_open: list[str] = []
    for parse in parses:
        was = past_tense if hasty else _in_past([parse])
        said, problem = _of_statement(parse, hasty=hasty, past_tense=was)
        if problem is not None and not problem.startswith("a ques") and (put := simpler(parse)) is not None:
            simple, subject, tag = put
            [other] = reader.parsed(reader.tagged([simple]))
            better, still = _of_statement(with_subject(other, subject, tag), hasty=hasty, past_tense=was)
            if still is None and better:
                said, problem = better, None
        if problem is not None:
            reason = reason or problem
            claims.append(finished(_text(parse)))
            continue
        starts = _starts(parse)
        if hasty:
            said = [with_subject_before(claim, _last_subject(trees_of_claims)) for claim in said]
        now: list[Node] = []
        for claim in said:
            plural = wants_plural(claim) if resolve and not hasty else None
            known = None
            if plural is not None:
                start = next(claim.walk()).index
                earlier = [other for other in now if next(other.walk()).index < start]
                known = referent([*trees_of_claims, *earlier], plural=plural)
            now.append(resolved(claim, known or topic) if resolve else claim)
        replaced += sum(new is not old for new, old in zip(now, said, strict=True))
        trees_of_claims += now
        texts = [sentence(claim, starts=starts) for claim in now]
        claims += filter(None, texts)
        still_open += [one for one, claim in zip(texts, now, strict=True) if wants_plural(claim) is not None]
    claims = list(dict.fromkeys(claims))
    if not claims or len(claims) > MOST:
        return Said(Decomposed([finished(text)], TOO_MANY if claims else None))
    if len(parses) == 1 and len(claims) == 1 and reason is not None:
        return Said(Decomposed([finished(text)], reason))
    decomposed = Decomposed(claims, reason if len(claims) == 1 else None)
    if resolve:
        decomposed = decomposed._replace(resolved=replaced, open=tuple(dict.fromkeys(still_open)))
    return Said(decomposed, topic_of(trees_of_claims))


def _last_subject(claims: Sequence[Node]) -> Node | None:
    """Return the subject of the last claim, if it is somebody or something that was named."""
    subject = subject_of(claims[-1]) if claims else None
    if subject is None or subject.index != int(subject.index) or subject.label == "expl":
        return None
    return None if subject.lower in ("it", "this", "that", "these", "i", "nothing", "nobody") else subject


def _of_statement(parse: Parse, *, hasty: bool, past_tense: bool) -> tuple[list[Node], str | None]:
    """Return the trees of the claims of a statement, and why it stays whole."""
    if parse.words[-1:] == ["?"]:
        return [], "a question"
    if _is_inverted_condition(parse):
        return [], "a condition"
    roots = trees(parse)
    if (not hasty and len(roots) == 1 and not FINITE_TAGS & set(parse.tags)) or (
        not hasty and len(roots) == 1
    ):
        roots = [with_a_verb(roots[0])]
    split = frozenset(
        float(index)
        for root in roots
        for node in root.walk()
        if any(child.label == "conj" for child in node.right)
        for index in (node.index, *(child.index for child in node.right if child.label == "conj"))
    )
    try:
        said = [claim for root in roots for claim in _claims(repaired(root), past_tense=past_tense)]
    except (TooManyClaimsError, RecursionError):
        return [], TOO_MANY
    said = [claim for claim in said if says_something(claim)]
    said = [agree(with_verb(claim, past=past_tense, hasty=hasty), split) for claim in said]
    if hasty:
        said = [with_article(claim) for claim in said]
    if not said:
        return [], None
    if not hasty and FINITE_TAGS & set(parse.tags) and (completed := completion_of(said)) is not None:
        return [], completed
    return said, problem_of(said, roots, lambda: _openers(roots))


def _is_inverted_condition(parse: Parse) -> bool:
    """Whether the statement begins like "Should the lift be out of order, ..." or "Had I known, ..."."""
    first, following = parse.words[0].lower(), "".join(parse.tags[1:2])
    if first == "should":
        return following in ("DT", "PRP", "PRP$", "NN", "NNS", "NNP", "EX")
    return first in ("had", "were") and following == "PRP"


def _text(parse: Parse) -> str:
    return "".join(
        word + (" " if space else "") for word, space in zip(parse.words, parse.spaces, strict=True)
    ).strip()


def _claims(tree: Node, *, past_tense: bool, depth: int = 0) -> Iterator[Node]:
    """Yield the trees of the claims of a tree."""
    if depth > _DEPTH:
        raise TooManyClaimsError
    tree = without_openers(tree)
    parts = detach(tree, past_tense=past_tense)
    if len(parts) > 1:
        for part in parts:
            yield from _claims(part, past_tense=past_tense, depth=depth + 1)
        return
    said = without_holder(tree)
    if said is not tree:
        yield from _claims(said, past_tense=past_tense, depth=depth + 1)
        return
    if stays_whole(tree) and tree.first("conj") is None:
        yield tree
        return
    tree, asides = extract(tree, past_tense=past_tense)
    chosen = alternatives(tree)
    if len(chosen) > 1:
        for choice in chosen:
            yield from _claims(choice, past_tense=past_tense, depth=depth + 1)
    else:
        yield chosen[0]
    for aside in asides:
        yield from _claims(aside, past_tense=past_tense, depth=depth + 1)


def _starts(parse: Parse) -> frozenset[int]:
    """Return the places of words whose capital letter is that of a beginning."""
    found = {0}
    for place, word in enumerate(parse.words[:-1]):
        if parse.spaces[place] and (
            word[-1:] in ".!?:;-…" or (parse.parts_of_speech[place] == "PUNCT" and word not in ",'\"")
        ):
            found.add(place + 1)
    return frozenset(found)


def parsed(texts: Sequence[str], reader: Reader) -> list[list[Parse]]:
    """Return the parses of the statements of each text, which are cut first where their tags say so."""
    segmented = [segments(text) for text in texts]
    drafts = iter(reader.tagged([segment for found in segmented for segment in found]))
    statements_of: list[list[Draft]] = []
    written: list[str] = []
    cut: list[tuple[list[Draft], int, int]] = []
    for text, found in zip(texts, segmented, strict=True):
        own = [next(drafts) for _ in found]
        statements_of.append(own)
        tags = [tag for draft in own for tag in draft.parse.tags]
        hasty = is_hasty(text) or not any(tag in FINITE_TAGS | {"VB", "VBN"} for tag in tags)
        for place, draft in enumerate(own):
            if draft.parse.words[-1:] == ["?"]:
                continue
            pieces = statements(draft.parse, past="VBD" in tags) if hasty else None
            pieces = clauses(draft.parse) if pieces is None else pieces
            if pieces is not None:
                cut.append((own, place, len(pieces)))
                written += pieces
    drafts_of_pieces = reader.tagged(written)
    for own, place, count in reversed(cut):
        own[place : place + 1] = drafts_of_pieces[len(drafts_of_pieces) - count :]
        del drafts_of_pieces[len(drafts_of_pieces) - count :]
    parses = iter(reader.parsed([draft for own in statements_of for draft in own]))
    return [[next(parses) for _ in own] for own in statements_of]


def _in_past(parses: Sequence[Parse]) -> bool:
    """Whether most finite verbs of a text stand in the past."""
    tags = [tag for parse in parses for tag in parse.tags]
    return tags.count("VBD") > tags.count("VBZ") + tags.count("VBP")


def _openers(roots: list[Node]) -> Iterator[float]:
    """Yield the places of words that claims may do without: openers and holders."""
    for root in roots:
        for node in root.walk():
            if (
                node.lower == "making"
                or node.lower in words.OPENERS | words.HOLDERS | words.REPORTING
                or node.pos == "INTJ"
            ):
                yield node.index
            if node.label in ("obl", "advcl", "parataxis", "nmod", "discourse"):
                phrase = node.words()
                if tuple(phrase) in words.OPENING_PHRASES or phrase[:2] == ["according", "to"]:
                    yield from (below.index for below in node.walk())
