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

from claimwise.text.questions import AUXILIARIES, word_set
from claimwise.text.stopwords import load_stopwords
from claimwise.text.tokens import load_stemmer
from claimwise.text.writer.words import is_content, words_of

_OF_VERBS = word_set("not n't nt never cannot hardly barely scarcely")
_OF_NOUNS = word_set("no without zero")
_OF_CLAUSES = word_set("nobody none nothing nowhere neither nor noone")
DENIALS = _OF_VERBS | _OF_NOUNS | _OF_CLAUSES
_MAY_DENY = re.compile(r"n['’]?t\b|\b(?:no|cannot|without|zero|hardly|barely|scarcely|n[oe]\w+)\b", re.I)
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
_FILLERS = word_set("gonna going lie lying thx thanks thank kidding joking complaining help")
"""Not gonna lie, no thanks: what is denied is no opinion."""
_MOST_BETWEEN = 3
"""Number of words around a negation, with it, that a claim may skip together."""


class Denial(NamedTuple):
    """A negation, which a claim has lost if it denies nothing and says what the negation denies.

    A claim says so if it contains a head (the denied verb or noun: "not *work*"), or at least two stems of
    what a whole clause denies ("nobody *cleaned* the *bath*"): a single one may belong to another clause.

    Attributes:
        heads: stems, none of which a claim without a negation may contain.
        scope: stems of everything that is denied.
        is_clause: whether it denies a whole clause, so that two stems of the scope show that it was lost.
    """

    heads: frozenset[str]
    scope: frozenset[str]
    is_clause: bool

    def is_lost(self, content: set[str]) -> bool:
        """Return whether a claim without a negation says what is denied; ``content`` are its stems."""
        return bool(self.heads & content) or (self.is_clause and len(self.scope & content) >= 2)


def is_changed(claim: str, sentence: str, context: str = "") -> bool:
    """Return whether a claim loses a negation of its sentence, or negates what the sentence does not."""
    if not _MAY_DENY.search(f"{sentence} {claim}"):
        return False
    said, in_sentence = _low(claim), _low(sentence)
    given = [*_low(context), *in_sentence]
    content = _stems(said)
    denials = list(_denials_of(in_sentence))
    if any(word in DENIALS for word in said):
        if _has_torn_nor(said) and not _has_torn_nor(given):
            return True
        if not any(map(_denies, given)):
            return True
        # It denies something that the sentence affirms.
        scope = frozenset[str]().union(*(denial.scope for denial in denials))
        return bool(content and scope) and not content & scope
    if any(map(_ALSO_DENY.fullmatch, said)):
        return False
    return any(denial.is_lost(content) for denial in denials) or _is_skipped(said, in_sentence)


def loses_denial(claims: Sequence[str], sentence: str) -> bool:
    """Return whether a negation of a sentence is in none of its claims."""
    if not _MAY_DENY.search(sentence):
        return False
    denying = [_stems(words) for words in map(_low, claims) if any(map(_denies, words))]
    return any(
        denial.scope - _stems_in(_FILLERS) and not any(content & denial.scope for content in denying)
        for denial in _denials_of(_low(sentence))
    )


def _denies(word: str) -> bool:
    return word in DENIALS or _ALSO_DENY.fullmatch(word) is not None


def _has_torn_nor(words: Sequence[str]) -> bool:
    """Return whether "nor" occurs without a preceding negation."""
    return "nor" in words and not any(word in DENIALS for word in words[: words.index("nor")])


def _is_skipped(said: Sequence[str], given: Sequence[str]) -> bool:
    """Return whether a claim contains the words around a negation without the negation itself."""
    matcher = SequenceMatcher(None, list(map(_stem, given)), list(map(_stem, said)), autojunk=False)
    for before, after in itertools.pairwise(matcher.get_matching_blocks()[:-1]):
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


def _denials_of(low: Sequence[str]) -> Iterator[Denial]:
    """Yield the negations of a sentence, given by its words in lower case."""
    # A word that occurs twice may be denied only once: "The room was not clean, but the bath was clean."
    stems = [_stem(word) for word in low if _is_content(word)]
    repeated = frozenset(stem for stem in stems if stems.count(stem) > 1)
    for place, word in enumerate(low):
        behind = low[place + 1 : place + 3]
        if word == "nor" and behind and behind[0] in AUXILIARIES:
            # "nor would I recommend it" denies a clause of its own, of which a single stem is enough.
            clause = frozenset(itertools.chain(*_parts(low, place + 2, is_list=False))) - repeated
            yield Denial(clause if len(clause) == 1 else frozenset(), clause, True)
        is_nobody = word == "one" and place > 0 and low[place - 1] == "no"
        is_no_one = word == "no" and behind[:1] == ["one"]
        if (word not in DENIALS and not is_nobody) or word == "nor" or is_no_one:
            continue
        if set(behind) & _DENIES_NOTHING or (word == "nothing" and behind[:1] == ["but"]):
            continue
        of_clause = word in _OF_CLAUSES or is_nobody
        parts = _parts(low, place + 1, is_list=not of_clause or word == "neither")
        scope = frozenset(itertools.chain(*parts))
        if of_clause:
            yield Denial(frozenset(), scope - repeated, True)
        else:
            yield Denial(_heads(parts) - repeated, scope, False)


def _heads(parts: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the first stem of each part, or what is denied behind a verb: "don't think it *works*"."""
    saying = _stems_in(_SAYING)
    heads = [stem for part in parts for stem in part[: 3 if part[0] in saying else 1]]
    return frozenset(heads[1:] if heads and heads[0] in saying else heads)


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
            # "no kettle, fridge or safe": a comma continues the list if an "or" follows soon.
            ahead = low[place + 1 : place + 6]
            goes_on = word == "," and any(
                following in _GOES_ON and not set(ahead[:number]) & (_BOUNDARIES - {","})
                for number, following in enumerate(ahead)
            )
            if not (is_list and goes_on):
                break
            parts.append([])
        elif word in DENIALS:
            break
        elif _is_content(word):
            parts[-1].append(_stem(word))
    return [part for part in parts if part]


def _is_content(word: str) -> bool:
    return is_content(word) and word not in _DEGREE and word not in DENIALS


def _low(text: str) -> list[str]:
    return [word.lower() for word in words_of(text).words]


def _stems(words: Sequence[str]) -> set[str]:
    return {_stem(word) for word in words if _is_content(word)}


@cache
def _stems_in(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_stem, words))


@cache
def _stem(word: str) -> str:
    (stem,) = load_stemmer("english")([word.replace("’", "'")])
    return stem
