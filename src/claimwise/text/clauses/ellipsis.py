"""Verbs that are said once and meant twice: "some liked the bar, others the pool"."""

from __future__ import annotations

from typing import NamedTuple

from claimwise.text.clauses import forms, words
from claimwise.text.clauses.tree import Parse
from claimwise.text.clauses.words import word_set

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_IN_NOUNS = _NOUNS | {"DT", "PRP$", "JJ", "CD", "POS", "JJS", "JJR", "PDT", "HYPH", "VBG"}
_VERBS = frozenset({"VB", "VBD", "VBP", "VBZ", "MD", "VBN", "VBG"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_BE = word_set("is are was were be been 's 're")
_FINDING = words.JUDGING | {"describe", "describes", "described"}
_SEVERAL = words.QUANTIFIERS | {"rest", "others", "second", "latter"}


class Gap(NamedTuple):
    """A clause without its verb.

    Attributes:
        start: place of the conjunction before it.
        end: place after its last word.
        text: the clause with its verb.
    """

    start: int
    end: int
    text: str


def gap_at(parse: Parse, place: int, start: int) -> Gap | None:
    """Return the clause without a verb that begins after ``place``, if one does.

    Args:
        parse: the parse of the sentence.
        place: the place of a comma or conjunction.
        start: where the clause before it begins.
    """
    begin = place + 1
    if begin < len(parse.words) and parse.words[begin].lower() in ("and", "but", "while"):
        begin += 1
    end = begin
    while (
        end < len(parse.words)
        and parse.words[end] not in (",", ";", ".", "!")
        and parse.words[end].lower()
        not in (
            "but",
            "though",
            "although",
            "while",
        )
    ):
        end += 1
    noun_end = _noun_end(parse, begin, end)
    if noun_end is None or noun_end >= end or parse.tags[begin] == "VBG":
        return None
    end = next((at for at in range(noun_end + 1, end) if _is_another(parse, at, noun_end, end)), end)
    if any(tag in _VERBS - {"VBN", "VBG"} for tag in parse.tags[begin:end]):
        return None
    verb = next((at for at in range(start, place) if parse.tags[at] in _FINITE), None)
    if verb is None or verb == start:
        return None
    last = verb
    while last + 1 < place and parse.tags[last + 1] in (_VERBS | {"RB"}) and parse.tags[last] != "RB":
        last += 1
    while parse.tags[last] == "RB":
        last -= 1
    group = _joined(parse, verb, last + 1)
    several = any(word.lower() in _SEVERAL - {"a", "another"} for word in parse.words[begin:noun_end])
    first, rest = _joined(parse, begin, noun_end), _joined(parse, noun_end, end)
    if _is_described(parse, noun_end, end):
        lower = {word.lower() for word in parse.words[verb : last + 1]}
        if lower & _BE and _is_described(parse, last + 1, place):
            return Gap(place, end, f"{first} {_agreeing(parse, verb, last, noun_end, several)} {rest}")
        if lower & _FINDING and any(
            tag in ("JJ", "JJR", "VBN", "VBG") for tag in parse.tags[place - 3 : place]
        ):
            return Gap(place, end, f"{_joined(parse, start, last + 1)} {first} {rest}")
        return None
    if _is_parallel(parse, last + 1, noun_end, end):
        return Gap(place, end, f"{first} {_agreeing(parse, verb, last, noun_end, several)} {rest}")
    alone = parse.words[noun_end - 1].lower() in ("others", "rest", "second", "latter")
    if (
        parse.tags[noun_end] in ("DT", "PRP$")
        or (several and parse.tags[noun_end] in ("IN", "TO"))
        or (alone and parse.tags[noun_end] in ("JJ", "NN", "NNS"))
    ):
        if parse.words[noun_end].lower() in ("of", "who", "that", "in", "on", "with") or group.lower() in _BE:
            return None
        return Gap(place, end, f"{first} {_agreeing(parse, verb, last, noun_end, several)} {rest}")
    return None


def _is_another(parse: Parse, place: int, noun_end: int, end: int) -> bool:
    """Whether another clause without a verb begins there: "the light as dim | and the food as cold"."""
    if parse.words[place].lower() != "and":
        return False
    other = _noun_end(parse, place + 1, end)
    return other is not None and other < end and parse.words[other].lower() == parse.words[noun_end].lower()


def _is_parallel(parse: Parse, after_verb: int, noun_end: int, end: int) -> bool:
    """Whether one preposition follows verb and noun: "they dwell on the bar, others on the price"."""
    at = after_verb
    while parse.tags[at] == "RB" or parse.words[at].lower() in ("not", "only", "both"):
        at += 1
    preposition = parse.words[at].lower()
    other = noun_end
    while other < end and parse.tags[other] == "RB":
        other += 1
    return (
        parse.tags[at] in ("IN", "TO")
        and preposition != "that"
        and other + 1 < end
        and parse.words[other].lower() == preposition
    )


def _noun_end(parse: Parse, begin: int, end: int) -> int | None:
    """Return where the first noun phrase ends."""
    at, noun = begin, False
    while at < end and parse.tags[at] in _IN_NOUNS:
        if noun and parse.tags[at] in ("DT", "PRP$", "JJ", "JJR", "VBG"):
            break
        noun = (
            noun
            or parse.tags[at] in _NOUNS
            or parse.words[at].lower() in _SEVERAL - {"a", "no", "hardly", "every"}
        )
        at += 1
    return at if noun else None


def _is_described(parse: Parse, begin: int, end: int) -> bool:
    """Whether a description stands there: "too flat", "as flimsy"."""
    at = begin
    while at < end and (parse.tags[at] == "RB" or parse.words[at].lower() in ("a", "bit", "as", "too")):
        at += 1
    if (
        at == end
        and at > begin
        and parse.words[at - 1].lower() in ("fast", "well", "early", "late", "hard", "low", "high")
    ):
        return True
    return (
        at < end
        and parse.tags[at] in ("JJ", "JJR", "VBN", "VBG")
        and (at + 1 >= end or parse.tags[at + 1] in ("IN", "CC", "TO", ",", "JJ", "RB"))
    )


def _agreeing(parse: Parse, verb: int, last: int, noun_end: int, several: bool) -> str:
    """Return the verbs from ``verb`` to ``last`` in the number of the noun before ``noun_end``."""
    first, *others = _joined(parse, verb, last + 1).split()
    last_noun = parse.words[noun_end - 1].lower()
    many = (several and last_noun != "one") or parse.tags[noun_end - 1] in ("NNS", "NNPS")
    if many and (parse.tags[verb] == "VBZ" or first == "was"):
        first = forms.plural(first)
    elif not many and (parse.tags[verb] == "VBP" or first == "were"):
        first = forms.third_person(first)
    return " ".join([first, *others])


def _joined(parse: Parse, start: int, end: int) -> str:
    spaces = [" " if space else "" for space in parse.spaces[start:end]]
    return "".join(word + space for word, space in zip(parse.words[start:end], spaces, strict=True)).strip(
        " ,;–—-"
    )
