"""Whether a claim preserves the negations of its sentence: none may be lost or added.

The rule is based on words and deliberately independent of the network: "Neither the shower nor the heating
worked." must not become "The shower worked.".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from claimwise.text.questions import word_set
from claimwise.text.stopwords import load_stopwords
from claimwise.text.tokens import load_stemmer
from claimwise.text.writer.words import words_of

_OF_VERBS = word_set("not n't nt never cannot hardly barely scarcely")
_OF_NOUNS = word_set("no without zero")
_OF_CLAUSES = word_set("nobody none nothing nowhere neither nor noone")
DENIALS = _OF_VERBS | _OF_NOUNS | _OF_CLAUSES
_LOOKS_LIKE_ONE = re.compile(
    r"n['’]?t\b|\b(?:no|cannot|without|zero|hardly|barely|scarcely|n[oe]\w+)\b", re.I
)
_ALSO_DENY = re.compile(
    r"lack\w*|fail\w*|miss(?:ing|es|ed)|few|little|absent|absence|un\w+|in(?:adequate|sufficient)\w*|free|"
    r"far|anything|seldom|rarely|refus\w+|deni\w+|least|less|except|instead|rather|any|either|stop\w*",
    re.IGNORECASE,
)
"""Words that may express a negation in a claim or its sentence in another way."""
_DENIES_NOTHING = word_set("only just merely simply wonder doubt matter mention least")
"""Not only …, no doubt …, no matter …, not to mention …"""
_BOUNDARIES = word_set(", ; : . ! ? ( ) - -- – — but although though while whereas because so and if when")
_GOES_ON = word_set("or nor")
_SAYING = word_set(
    "think thought believe feel felt find found say said consider expect mean recall imagine call called"
)
_DEGREE = word_set(
    "very really quite too so that all even particularly exactly much more most ever at longer"
)
_AUXILIARIES = word_set(
    "is are was were am do does did have has had can could will would should shall may might must"
)
_FILLERS = word_set("gonna going lie lying thx thanks thank kidding joking complaining help")
"""Not gonna lie, no thanks: what is denied is no opinion."""
_MOST_BETWEEN = 3


class Denial(NamedTuple):
    """A negation in a sentence.

    Attributes:
        heads: stems that a claim without a negation must not contain.
        scope: stems of everything that is negated.
        least: minimum number of stems of the scope that a claim without a negation must not reach.
    """

    heads: frozenset[str]
    scope: frozenset[str]
    least: int


def is_changed(claim: str, sentence: str, context: str = "") -> bool:
    """Return whether a claim loses a negation of its sentence, or negates what the sentence does not."""
    if not _LOOKS_LIKE_ONE.search(f"{sentence} {claim}"):
        return False
    said = [word.lower() for word in words_of(claim).words]
    given = [word.lower() for word in (*words_of(context).words, *words_of(sentence).words)]
    content = {_stem(word) for word in said if _is_content(word)}
    denials = list(_denials_of(words_of(sentence).words))
    denies = any(word in DENIALS for word in said)
    if denies:
        if _has_torn_nor(said) and not _has_torn_nor(given):
            return True
        if not any(word in DENIALS or _ALSO_DENY.fullmatch(word) for word in given):
            return True
        scopes = frozenset().union(*(denial.scope for denial in denials)) if denials else frozenset()
        return bool(denials) and bool(content) and bool(scopes) and not content & scopes
    if any(_ALSO_DENY.fullmatch(word) for word in said):
        return False
    if any(denial.heads & content or len(denial.scope & content) >= denial.least for denial in denials):
        return True
    return _is_skipped(said, [word.lower() for word in words_of(sentence).words])


def loses_denial(claims: Sequence[str], sentence: str) -> bool:
    """Return whether a negation of a sentence is in none of its claims."""
    if not _LOOKS_LIKE_ONE.search(sentence):
        return False
    said = [[word.lower() for word in words_of(claim).words] for claim in claims]
    denying = [
        {_stem(word) for word in words if _is_content(word)}
        for words in said
        if any(word in DENIALS or _ALSO_DENY.fullmatch(word) for word in words)
    ]
    return any(
        denial.scope - _fillers() and not any(content & denial.scope for content in denying)
        for denial in _denials_of(words_of(sentence).words)
    )


def _has_torn_nor(words: Sequence[str]) -> bool:
    """Return whether "nor" occurs without a preceding negation."""
    return "nor" in words and not any(word in DENIALS for word in words[: words.index("nor")])


def _is_skipped(said: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether a claim contains the words around a negation without the negation itself."""
    blocks = SequenceMatcher(
        None, [_stem(word) for word in given], [_stem(word) for word in said], autojunk=False
    ).get_matching_blocks()
    for before, after in itertools.pairwise(blocks[:-1]):
        between = given[before.a + before.size : after.a]
        put_in = said[before.b + before.size : after.b]
        if (
            between
            and between[-1] in DENIALS
            and given[after.a] not in _DENIES_NOTHING
            and len(between) <= _MOST_BETWEEN
            and all(word in load_stopwords("english") for word in put_in)
        ):
            return True
    return False


def _denials_of(words: Sequence[str]) -> Iterator[Denial]:
    """Yield the negations of a sentence."""
    low = [word.lower() for word in words]
    outside = _stems_outside(low)
    place = 0
    while place < len(low):
        word = low[place]
        if word == "no" and low[place + 1 : place + 2] == ["one"]:
            word, place = "nobody", place + 1
        if word == "nor" and low[place + 1 : place + 2] and low[place + 1] in _AUXILIARIES:
            # "nor would I recommend it" denies a clause of its own.
            denied = frozenset(stem for part in _parts(low, place + 2, is_list=False) for stem in part)
            yield Denial(frozenset(), denied - outside, min(2, len(denied - outside)) or 1)
        if word not in DENIALS or word == "nor":
            place += 1
            continue
        following = low[place + 1 : place + 3]
        if any(one in _DENIES_NOTHING for one in following) or (
            word == "nothing" and following[:1] == ["but"]
        ):
            place += 1
            continue
        parts = _parts(low, place + 1, is_list=word in _OF_NOUNS or word == "neither" or word in _OF_VERBS)
        scope = [stem for part in parts for stem in part]
        if word in _OF_CLAUSES:
            yield Denial(frozenset(), frozenset(scope) - outside, 2)
        else:
            heads = []
            for part in parts:
                heads += part[: 3 if part and part[0] in _saying() else 1]
            if heads and heads[0] in _saying():
                heads = heads[1:]
            yield Denial(frozenset(heads) - outside, frozenset(scope), 99)
        place += 1


def _parts(low: Sequence[str], start: int, *, is_list: bool) -> list[list[str]]:
    """Return the stems that follow a negation, one list per part of a list with "or" or "nor"."""
    parts: list[list[str]] = [[]]
    for place in range(start, len(low)):
        word = low[place]
        if word in _GOES_ON:
            if not is_list:
                continue
            parts.append([])
        elif word in _BOUNDARIES:
            # "no kettle, fridge or safe": a comma continues the list if an "or" follows soon
            ahead = low[place + 1 : place + 6]
            goes_on = word == "," and any(
                one in _GOES_ON and not set(ahead[:number]) & (_BOUNDARIES - {","})
                for number, one in enumerate(ahead)
            )
            if not (is_list and goes_on):
                break
            parts.append([])
        elif word in DENIALS:
            break
        elif _is_content(word):
            parts[-1].append(_stem(word))
    return [part for part in parts if part]


def _stems_outside(low: Sequence[str]) -> frozenset[str]:
    """Return the repeated stems of a sentence, whose negation is ambiguous."""
    stems = [_stem(word) for word in low if _is_content(word)]
    return frozenset(stem for stem in stems if stems.count(stem) > 1)


def _is_content(word: str) -> bool:
    return (
        any(map(str.isalpha, word))
        and word not in load_stopwords("english")
        and word not in _DEGREE
        and word not in DENIALS
        and not word.startswith(("'", "’"))
    )


@cache
def _saying() -> frozenset[str]:
    return frozenset(map(_stem, _SAYING))


@cache
def _fillers() -> frozenset[str]:
    return frozenset(map(_stem, _FILLERS))


@cache
def _stem(word: str) -> str:
    (stem,) = load_stemmer("english")([word.replace("’", "'")])
    return stem
