"""What commas set off from a subject, before the parser: each becomes a sentence of its own.

"Set on a hill, the inn ...", "the inn, a former mill, ...", "the inn, which opened in May, ...": parsers lose
their way in long sentences, and these places can be told by tags alone.
"""

from __future__ import annotations

from typing import NamedTuple

from claimwise.text.clauses import forms, words
from claimwise.text.clauses.tree import Parse
from claimwise.text.clauses.words import word_set

FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_IN_NOUN = _NOUNS | {"DT", "PRP$", "JJ", "CD", "POS", "JJS", "HYPH", "PDT", "JJR", "VBN", "VBG"}
_OPENS_NOUN = frozenset({"DT", "PRP$", "NNP", "NNPS", "PRP", "CD", "PDT"})
_NO_PARTICIPLES = word_set(
    "including following considering given according depending regarding concerning provided assuming "
    "supposing starting judging speaking compared based owing thanks being granted barring"
)
_PARTICIPLES = word_set("shot built made written set told spread sold")
_PREPOSITIONS = word_set("of in with for on at from near to by")


class SetOff(NamedTuple):
    """What is said by the way at the beginning of a clause.

    Attributes:
        said: the sentence that it makes; empty where it makes none.
        subject: the subject of the clause, which is to stand before what follows.
        end: the place where the clause goes on; what goes on there may have its subject itself.
        first: whether it stands before the subject.
    """

    said: str
    subject: str
    end: int
    first: bool


def text(parse: Parse, start: int, end: int) -> str:
    """Return the words of a part as they stand, without the marks at its edges."""
    pieces = (
        word + (" " if space else "")
        for word, space in zip(parse.words[start:end], parse.spaces[start:end], strict=True)
    )
    return "".join(pieces).strip(" ,;–—-")


def set_off_at(parse: Parse, start: int) -> SetOff | None:
    """Return what is set off at the beginning of the clause that begins at ``start``."""
    if start + 4 >= len(parse.words):
        return None
    return _participle(parse, start) or _with(parse, start) or _after_subject(parse, start)


def subject_end(parse: Parse, start: int) -> int | None:
    """Return the place after a noun phrase, with what prepositions attach to it, before its finite verb."""
    place, noun = start, False
    while place < len(parse.words):
        tag = parse.tags[place]
        if tag in ("PRP", "EX") and not noun:
            return place + 1
        if tag in _IN_NOUN:
            noun = tag in _NOUNS or (noun and tag in ("POS", "CD")) or (tag == "CD" and place > start)
            place += 1
        elif (noun and parse.words[place].lower() in _PREPOSITIONS and tag in ("IN", "TO")) or (
            tag == "CC" and parse.words[place].lower() == "and" and noun and place + 1 < len(parse.words)
        ):
            noun, place = False, place + 1
        else:
            break
    return place if noun else None


def _verb_at(parse: Parse, place: int) -> int | None:
    """Return the place of the finite verb that stands there, after adverbs."""
    while place < len(parse.words) and parse.tags[place] == "RB":
        place += 1
    if place >= len(parse.words):
        return None
    tag, word = parse.tags[place], parse.words[place].lower()
    verbal = tag in FINITE or (tag in ("NNS", "NNPS") and parse.words[place - 1] == ",")
    verbal = verbal or (tag == "VBN" and parse.words[place - 1] == "," and word.endswith("ed"))
    return place if verbal else None


def _subject_and_verb(parse: Parse, start: int) -> tuple[int | None, int | None]:
    """Return where the subject that begins there ends, and its finite verb, which may follow two commas."""
    end = subject_end(parse, start)
    if end is None or end >= len(parse.words):
        return end, None
    if parse.words[end] != ",":
        return end, _verb_at(parse, end)
    comma = _comma(parse, end + 1)
    return end, None if comma is None else _verb_at(parse, comma + 1)


def _comma(parse: Parse, start: int) -> int | None:
    return next((place for place in range(start, len(parse.words)) if parse.words[place] == ","), None)


def _participle(parse: Parse, start: int) -> SetOff | None:
    """Return "the inn is set on a hill" of "Set on a hill, the inn offers ..."."""
    first = parse.words[start].lower()
    participle = parse.tags[start] in ("VBN", "VBD", "VBG") or first in _PARTICIPLES
    if not participle or first in _NO_PARTICIPLES:
        return None
    comma = _comma(parse, start)
    while comma is not None:
        if comma + 2 < len(parse.words) and parse.tags[comma + 1] in _OPENS_NOUN:
            end, verb = _subject_and_verb(parse, comma + 1)
            if end is not None and verb is not None:
                break
        comma = _comma(parse, comma + 1)
    if comma is None or end is None or verb is None or comma - start < 2:
        return None
    if any(tag in FINITE for tag in parse.tags[start + 1 : comma]) or "if" in map(
        str.lower, parse.words[start:comma]
    ):
        return None
    subject = text(parse, comma + 1, end)
    be = _be(parse, verb, end)
    if any(tag == "CD" and len(word) == 4 for word, tag in _tagged(parse, start, comma)):
        be = {"is": "was", "are": "were"}.get(be, be)
    said = f"{subject} {be} {first} {text(parse, start + 1, comma)}"
    if parse.tags[start] == "VBG":
        base = "have" if first == "having" else forms.base_form(first, "VBG")
        said = f"{subject} {_agreeing(base, parse, verb, end)} {text(parse, start + 1, comma)}"
    return SetOff(said, "", comma + 1, True)


def _with(parse: Parse, start: int) -> SetOff | None:
    """Return "the ferry has a spacious lounge" of "With its spacious lounge, the ferry ..."."""
    if parse.words[start].lower() != "with" or parse.tags[start + 1] in ("WP", "PRP"):
        return None
    comma = _comma(parse, start)
    while comma is not None:
        end, verb = _subject_and_verb(parse, comma + 1)
        if end is not None and verb is not None and parse.tags[comma + 1] in _OPENS_NOUN - {"CD"}:
            break
        comma = _comma(parse, comma + 1)
    else:
        return None
    inside = set(parse.tags[start + 1 : comma])
    if inside & {"VBG", "TO", "MD", "WDT", "WP"} or inside & FINITE:
        return None
    subject = text(parse, comma + 1, end)
    if subject.lower() in ("i", "we", "you", "he", "she", "there"):
        return None
    owned = (
        parse.words[start + 1].lower() in ("its", "their", "his", "her") and parse.tags[start + 1] == "PRP$"
    )
    said = text(parse, start + 1 + owned, comma)
    if owned and not any(tag in ("NNS", "NNPS") for tag in parse.tags[start + 1 : start + 4]):
        said = f"a {said}"
    return SetOff(f"{subject} {_agreeing('have', parse, verb, end)} {said}", "", comma + 1, True)


def _tagged(parse: Parse, start: int, end: int) -> zip[tuple[str, str]]:
    return zip(parse.words[start:end], parse.tags[start:end], strict=True)


def _after_subject(parse: Parse, start: int) -> SetOff | None:
    """Return what two commas set off after the subject."""
    end = _simple_end(parse, start)
    if end is None or end + 3 >= len(parse.words) or parse.words[end] != ",":
        return None
    comma = _comma(parse, end + 1)
    while comma is not None:
        verb = _verb_at(parse, comma + 1)
        if verb is not None:
            break
        comma = _comma(parse, comma + 1)
    if comma is None or verb is None:
        return None
    subject, opening = text(parse, start, end), parse.words[end + 1].lower()
    tags = parse.tags[end + 1 : comma]
    rest = text(parse, end + 2, comma)
    inner = any(tag in FINITE for tag in tags)
    holder = subject_end(parse, end + 1)
    if holder is not None and inner and (saying := _saying(parse, holder, comma)):
        if not saying[1]:
            return SetOff("", subject, comma + 1, False)
        return SetOff("", f"{saying[0]} that {subject[:1].lower() + subject[1:]}", comma + 1, False)
    used = tags[1:2] == ["VBN"] and parse.words[end + 2].lower() == "used"
    if opening in ("which", "who") and (used or (inner and tags[1] in (*FINITE, "RB"))):
        return SetOff(f"{subject} {rest}", subject, comma + 1, False)
    if opening == "whose" and inner:
        ending = "'" if subject.endswith("s") else "'s"
        return SetOff(f"{subject}{ending} {rest}", subject, comma + 1, False)
    if inner and not {"that", "who", "which", "whose", "where", "when"} & {
        word.lower() for word in parse.words[end + 1 : comma]
    }:
        return None
    whole = text(parse, end + 1, comma)
    one_name = tags == ["NNP"]
    if (
        (
            opening in ("a", "an", "the", "our", "my", "their", "his", "her", "its")
            and any(tag in _NOUNS for tag in tags)
        )
        or one_name
        or tags[0] == "VBN"
    ):
        be = _be(parse, verb, end)
        if tags[0] != "VBN":
            be = {"was": "is", "were": "are"}.get(be, be)
        return SetOff(f"{subject} {be} {whole}", subject, comma + 1, False)
    return None


def _saying(parse: Parse, verb: int, comma: int) -> tuple[str, bool] | None:
    """Return "one buyer jokes" of ", one buyer jokes,", and whether that says who it is."""
    if verb >= comma or comma - verb > 2 or parse.tags[comma - 1] not in FINITE:
        return None
    start = verb
    while parse.words[start - 1] != ",":
        start -= 1
    holder = [word.lower() for word in parse.words[start:verb]]
    general = holder[-1] in words.HOLDERS and not words.QUANTIFIERS & set(holder)
    return text(parse, start, comma), not general


def _simple_end(parse: Parse, start: int) -> int | None:
    """Return the place after a noun phrase without "and" that begins at ``start``."""
    end = subject_end(parse, start)
    if end is None or parse.tags[end - 1] in ("PRP", "EX") or parse.tags[start] not in _OPENS_NOUN | _IN_NOUN:
        return None
    return None if "CC" in parse.tags[start:end] else end


def _be(parse: Parse, verb: int, noun_end: int) -> str:
    return _agreeing("be", parse, verb, noun_end)


def _agreeing(base: str, parse: Parse, verb: int, noun_end: int) -> str:
    """Return a verb in the tense of the one at ``verb`` and in the number of the subject."""
    word = parse.words[verb].lower()
    subject = parse.words[noun_end - 1].lower()
    joined = "CC" in parse.tags[noun_end - 3 : noun_end] and "and" in parse.words[noun_end - 3 : noun_end]
    many = (
        word in ("are", "were", "have")
        or (joined and word not in ("is", "was", "has"))
        or (
            parse.tags[verb] in ("MD", "VBD", "VBP")
            and word not in ("was", "is", "has")
            and (parse.tags[noun_end - 1] in ("NNS", "NNPS") or subject in ("they", "we", "you"))
        )
    )
    if parse.tags[verb] == "VBD":
        return ("were" if many else "was") if base == "be" else forms.past(base)
    if base == "be":
        return "are" if many else "is"
    return base if many else forms.third_person(base)
