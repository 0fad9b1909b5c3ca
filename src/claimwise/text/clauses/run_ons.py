"""Hasty writing: statements that only commas set apart, and fragments that miss their verb.

Parsers were brought up on sentences. So what is no sentence is cut at its commas, and "beds hard" is written
out as "the beds are hard", before it is parsed once more. Only tags are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claimwise.text.clauses import forms, words
from claimwise.text.clauses.ellipsis import gap_at
from claimwise.text.clauses.set_off import set_off_at, subject_end
from claimwise.text.clauses.tree import Parse
from claimwise.text.clauses.words import word_set

_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_BEFORE_NOUNS = _NOUNS | {"DT", "PRP$", "JJ", "CD", "VBG", "POS", "JJS", "HYPH", "PDT", "JJR", "VBN"}
_PREDICATES = frozenset({"JJ", "JJR", "VBN", "UH", "JJS"})
_DEGREES = frozenset({"RB", "RBR"})
_DEPENDENT = word_set(
    "which who whom whose that because since although though while whereas so and but or nor than as "
    "with without including like such especially plus until when where if unless after before to not"
)
_OPENING = word_set(
    "if when whenever while after before since because although though unless once until as despite"
)
_ENDINGS = frozenset({".", "!", "?"})
_FLAT = frozenset(
    {"ok", "okay", "meh", "fine", "great", "mint", "superb", "perfect", "fab", "ace", "grim", "free", "10/10"}
)


@dataclass(frozen=True)
class _Piece:
    start: int
    end: int
    kind: str


def is_hasty(text: str) -> bool:
    """Whether a text is written as reviews often are: no capital at its start or no stop at its end."""
    text = text.strip()
    if not text:
        return False
    first, last = text[0], text.rstrip("\"')”’")[-1:]
    return first.islower() or not first.isalnum() or last not in _ENDINGS or "!!" in text or "..." in text


def statements(parse: Parse, *, past: bool) -> list[str] | None:
    """Return the statements of a hasty text, with verbs; None where it is best parsed as it stands."""
    cut = _joined(_cut(parse), parse)
    texts = [_written(piece, parse, past=past) for piece in cut]
    as_it_stands = "".join(
        word + (" " if space else "") for word, space in zip(parse.words, parse.spaces, strict=True)
    ).strip(" ,;–—-")
    if texts == [as_it_stands]:
        return None
    return [text for text in texts if text]


_JOINING = frozenset({"but", "while", "whereas", "although", "though", "yet", "and", "so", "however"})
_SUBJECT_TAGS = _BEFORE_NOUNS | {"PRP", "EX", "RB", "IN", "WRB"}


def clauses(parse: Parse) -> list[str] | None:
    """Cut where a conjunction after a comma opens a clause with a subject; None where there is no such place.

    A parser errs less in short sentences, and what such a conjunction joins shares nothing.
    """
    if _is_bound(parse):
        return None
    texts: list[str] = []
    start, place, finite, subject = 0, 0, False, ""
    fronted = _fronted(parse)
    if fronted is not None:
        start = 1

    def piece(end: int) -> str:
        return f"{subject} {_text(parse, start, end)}".strip()

    def pieces(end: int) -> list[str]:
        listed = _listed_verbs(parse, start, end)
        if listed is None:
            return [piece(end)]
        rest = _text(parse, listed[-1] + 1, end)
        return [f"{piece(listed[0])} {parse.words[verb]} {rest}" for verb in listed]

    if fronted is not None:
        texts += pieces(fronted)
        start = place = fronted + 1
    while place < len(parse.words) - 1:
        word = parse.words[place].lower()
        if place == start and not subject:
            start += word in _JOINING and place > 0
            while not subject and (aside := set_off_at(parse, start)) is not None:
                texts += filter(None, [aside.said])
                start, subject = aside.end, aside.subject
            place = max(start, place)
            word = parse.words[place].lower()
        if word == "(" and (remark := _aside(parse, place, start)) is not None:
            body, end = remark
            rest = clauses_of_rest(parse, end + 1, piece(place))
            return [*texts, *rest, body]
        finite = finite or parse.tags[place] in _FINITE
        said = _saying(parse, place) if texts or (finite and place > start + 2) else None
        if said is not None:
            texts += pieces(place)
            holder, verb = said
            ends = _end_of_saying(parse, verb)
            texts.append(
                _text(parse, holder, verb) + " " + _finite(parse, verb) + " " + _text(parse, verb + 1, ends)
            )
            start, subject = ends, ""
            place = ends
            continue
        gap = None
        if finite and place > start + 2 and word in (",", ";", "and"):
            gap = gap_at(parse, place, start)
        if gap is not None:
            texts += pieces(place)
            begin, ends = start, place
            while gap is not None:
                texts.append(gap.text)
                ends = gap.end
                gap = gap_at(parse, ends, begin)
            start, place, finite, subject = ends, ends, False, ""
            continue
        some = _some_of_which(parse, start, place) if finite and word == "," else None
        if some is not None:
            texts += pieces(place)
            subject, start = some
            place, finite = start, False
            continue
        if finite and word == "," and _goes_on_with_clause(parse, start, place):
            texts += pieces(place)
            start, place, finite, subject = place + 1, place + 1, False, ""
            continue
        if place > start + 1 and (
            (_opens_clause(parse, place) and (finite or _stands_against(parse, place)))
            or (finite and _gives_reason(parse, place, start))
        ):
            texts += pieces(place)
            start, finite, subject = place + (word in ("because", "so", "for")), False, ""
            place = start
            continue
        place += 1
    last = pieces(len(parse.words))
    if not texts and len(last) == 1:
        return None
    texts += last
    return [text for text in texts if any(letter.isalpha() for letter in text)]


def _listed_verbs(parse: Parse, start: int, end: int) -> list[int] | None:
    """Return the places of three verbs that share their object: "assemble, clean and trust the device"."""
    for comma in range(start + 2, end - 4):
        if parse.words[comma] != ",":
            continue
        second, joining = comma + 1, comma + 2 + (parse.words[comma + 2] == ",")
        third = joining + 1 + (parse.tags[joining + 1] == "RB")
        if parse.words[joining] not in ("and", "or") or third + 1 >= end:
            continue
        found = [comma - 1, second, third]
        if any(tag in _FINITE - {"MD"} for tag in parse.tags[start : comma - 1]):
            return None
        shapes = {parse.words[verb][-2:] if parse.words[verb].endswith("ed") else "" for verb in found}
        endings = {parse.words[verb].endswith("s") for verb in found}
        if (
            len(shapes) == len(endings) == 1
            and sum(parse.tags[verb] in _VERBAL for verb in found) >= 2
            and parse.tags[third + 1] in ("DT", "PRP$", "PRP", "JJ", "NN", "NNS", "NNP")
            and parse.tags[comma - 2] in (*_NOUNS, "PRP", "RB", "MD")
            and not any(
                forms.base_form(parse.words[verb], "VBZ" if endings == {True} else "VBD")
                in words.INTRANSITIVE
                for verb in found[:2]
            )
        ):
            return found
    return None


_VERBAL = _FINITE | {"VB", "VBN"}


def _some_of_which(parse: Parse, start: int, comma: int) -> tuple[str, int] | None:
    """Return "most of the students" for ", most of whom", and where what is said of them begins."""
    of = next(
        (at for at in range(comma + 1, min(comma + 4, len(parse.words))) if parse.words[at] == "of"), None
    )
    if of is None or of + 2 >= len(parse.words) or parse.words[of + 1].lower() not in ("which", "whom"):
        return None
    first = comma
    while first > start and parse.tags[first - 1] in _BEFORE_NOUNS - {"VBN"}:
        first -= 1
    if first == comma or parse.words[comma - 2 : comma - 1] == ["and"]:
        return None
    of_them = _text(parse, first, comma)
    if parse.tags[first] in ("DT", "PRP$", "CD"):
        of_them = f"of {of_them}"
    return f"{_text(parse, comma + 1, of)} {of_them}", of + 2


def _goes_on_with_clause(parse: Parse, start: int, comma: int) -> bool:
    """Whether a comma parts two statements of a list: "the food was hot, the staff were kind, and ..."."""
    first = parse.words[start].lower()
    if first in _DEPENDENT | _OPENING | {"by"} or parse.tags[start] in _FINITE | {"VB", "VBG", "VBN", "WRB"}:
        return False
    if any(
        word.lower() in _EMBEDDING or tag in ("WDT", "WP", "WRB")
        for word, tag in zip(parse.words[start:comma], parse.tags[start:comma], strict=True)
    ):
        return False
    end = subject_end(parse, comma + 1)
    if end is None or end >= len(parse.words) or parse.words[end] == ",":
        return False
    while end < len(parse.words) and parse.tags[end] == "RB":
        end += 1
    return (
        end + 1 < len(parse.words) and parse.tags[end] in _FINITE and parse.words[end + 1] not in (",", ".")
    )


def _stands_against(parse: Parse, place: int) -> bool:
    """Whether what begins there is a contrast that is a clause, whatever stands before it."""
    return parse.words[place].lower() in ("though", "although", "whereas", "while") and place > 2


def _gives_reason(parse: Parse, place: int, start: int) -> bool:
    """Whether "because" or "so" there parts two statements."""
    if place + 3 > len(parse.words):
        return False
    if parse.words[place].lower() == "so":
        return parse.tags[place + 1] == "PRP" and parse.tags[place + 2] in ("VBD", "VBZ", "VBP")
    if parse.words[place].lower() == "for" and parse.words[place - 1] == ",":
        end = subject_end(parse, place + 1)
        return end is not None and end < len(parse.words) - 1 and parse.tags[end] in _FINITE
    if parse.words[place].lower() != "because":
        return False
    before = [word.lower() for word in parse.words[start:place]]
    if parse.words[place + 1].lower() == "of" or before[-1] in _HALF_REASONS:
        return False
    if any(word in _EMBEDDING - {"as"} for word in before) or parse.tags[place + 1] == "VBG":
        return False
    denied = any(word in ("not", "n't", "nt", "never") for word in before)
    return not denied or before[-1] == ","


_HALF_REASONS = word_set(
    "just only not partly mainly simply largely even probably perhaps especially maybe and but"
)


def _fronted(parse: Parse) -> int | None:
    """Return the place of the comma after the first clause of "Because the pool was shut, we left."."""
    if parse.words[0].lower() not in _FRONTED or parse.words[1:2] == ["of"] or "VBG" in parse.tags[1:4]:
        return None
    finite = False
    for place, word in enumerate(parse.words):
        finite = finite or parse.tags[place] in _FINITE
        if word == "," and finite and place + 2 < len(parse.words):
            end = subject_end(parse, place + 1)
            if end is not None and any(tag in _FINITE for tag in parse.tags[end : end + 2]):
                return place
    return None


_FRONTED = frozenset({"because", "although", "though", "while", "whereas"})


def clauses_of_rest(parse: Parse, end: int, before: str) -> list[str]:
    """Return the sentence around a remark in brackets."""
    return [f"{before} {_text(parse, end, len(parse.words))}"]


def _aside(parse: Parse, place: int, start: int) -> tuple[str, int] | None:
    """Return a remark in brackets as a sentence, and where the bracket closes."""
    end = next((at for at in range(place + 1, len(parse.words)) if parse.words[at] == ")"), None)
    if end is None or end - place < 3:
        return None
    tags = parse.tags[place + 1 : end]
    text = _text(parse, place + 1, end)
    if any(tag in _FINITE for tag in tags[1:]) or (tags[0] == "VB" and len(tags) > 2):
        return (text, end) if parse.words[place + 1].lower() not in _DEPENDENT | {"if", "e.g."} else None
    noun = place - 1
    if noun < start or parse.tags[noun] not in _NOUNS:
        return None
    first = noun
    while first > start and parse.tags[first - 1] in _BEFORE_NOUNS:
        first -= 1
    subject = _text(parse, first, place)
    many = parse.tags[noun] in ("NNS", "NNPS")
    if tags[0] in ("VBN", "VBD"):
        return f"{subject} {'were' if many else 'was'} {text}", end
    if tags[0] == "JJ" and not any(tag in _NOUNS for tag in tags[1:2]):
        return f"{subject} {'are' if many else 'is'} {text}", end
    if tags[0] == "DT" and parse.words[place + 1].lower() in ("a", "an", "the"):
        return f"{subject} {'are' if many else 'is'} {text}", end
    return None


def _saying(parse: Parse, place: int) -> tuple[int, int] | None:
    """Return the places of holder and verb of ", with some saying ..." and "and others finding ..."."""
    holder = place
    while holder < len(parse.words) and parse.words[holder].lower() in (",", "with", "and", "while"):
        holder += 1
    opening = {word.lower() for word in parse.words[place:holder]}
    if "with" not in opening and not ({"and", "while"} & opening):
        return None
    verb = holder
    while (
        verb < min(len(parse.words), holder + 6)
        and parse.tags[verb] in _BEFORE_NOUNS - {"VBG"}
        and parse.words[verb].lower() not in _SAYING
    ):
        verb += 1
    if (
        verb == holder
        or verb + 1 >= len(parse.words)
        or (parse.tags[verb] != "VBG" and parse.words[verb].lower() not in _SAYING)
    ):
        return None
    several = any(word.lower() in words.QUANTIFIERS for word in parse.words[holder:verb])
    if not several and "with" not in opening:
        return None
    return (holder, verb) if several or parse.words[verb].lower() in _SAYING else None


_SAYING = word_set(
    "saying noting mentioning finding describing calling praising complaining citing adding reporting"
)


def _end_of_saying(parse: Parse, verb: int) -> int:
    """Return where a statement of somebody ends: before that of others, or before a contrast."""
    for place in range(verb + 1, len(parse.words)):
        if _saying(parse, place) is not None or (
            parse.words[place] in (",", ";") and _opens_clause(parse, place + 1)
        ):
            return place
    return len(parse.words)


def _finite(parse: Parse, verb: int) -> str:
    base = forms.base_form(parse.words[verb].lower(), "VBG")
    past_tense = any(tag == "VBD" for tag in parse.tags[:verb])
    return forms.past(base) if past_tense else {"be": "are"}.get(base, base)


def _is_bound(parse: Parse) -> bool:
    """Whether the sentence begins with a clause that what follows depends on."""
    return parse.words[0].lower() in ("neither", "not")


def _opens_plainly(parse: Parse, place: int) -> bool:
    """Whether an "and" without a comma can join nothing but clauses: "has a bar and the bar is open".

    A noun phrase with its finite verb follows, and nothing before could have both as its object.
    """
    if any(word.lower() in _EMBEDDING for word in parse.words[:place]) or parse.tags[place + 1] not in (
        *("DT", "PRP", "PRP$", "EX"),
    ):
        return False
    if not any(tag in _FINITE for tag in parse.tags[:place]):
        return False
    later = place + 1
    while later < len(parse.words) and parse.tags[later] in _BEFORE_NOUNS | {"PRP", "EX"} - {"VBN"}:
        later += 1
    return later < len(parse.words) and parse.words[later].lower() in _PLAINLY_FINITE


_EMBEDDING = (
    words.REPORTING
    | words.CONDITIONS
    | words.TIMES
    | words.REASON_MARKS
    | word_set(
        "that which who whom whose what how why complain complains complained warn warns warned wish "
        "wishes hope hopes hoped regret argue argues argued lament lamented claim claims claimed told tell "
        "know knew than whether between both neither not only see saw let makes make made"
    )
)
_PLAINLY_FINITE = word_set(
    "is are was were has had can could will would should does did isn't wasn't weren't aren't"
)


def _opens_clause(parse: Parse, place: int) -> bool:
    word = parse.words[place].lower()
    before = parse.words[place - 1]
    if word not in _JOINING:
        return False
    if before == "," and word in ("whereas", "although", "though") and place + 2 < len(parse.words):
        return parse.words[place + 2] != ","
    if before not in (",", ";", "–", "—") and word not in ("but", "whereas"):
        return word == "and" and _opens_plainly(parse, place)
    if word == "while" and parse.tags[place + 1] == "VBG":
        return False
    noun = False
    for later in range(place + 1, min(place + 12, len(parse.words))):
        tag = parse.tags[later]
        if tag in _FINITE or (
            noun and parse.words[later].lower() in words.REPORTING and tag in ("VBN", "NN", "VB")
        ):
            return noun
        if tag == "VBN" and later > place + 1 and parse.words[later - 1].lower() in words.QUANTIFIERS:
            return True
        if tag in _NOUNS or tag in ("PRP", "EX", "CD", "DT", "JJ", "VBG", "JJS", "JJR"):
            noun = True
        if (
            parse.words[later] in (",", ";")
            or tag in ("WDT", "WP", "VB", "TO")
            or parse.words[later].lower() in ("that", "than")
        ):
            return False
    return False


def _cut(parse: Parse) -> list[_Piece]:
    """Cut at commas, and before "no" after a noun."""
    found: list[_Piece] = []
    start = depth = 0
    for place, word in enumerate(parse.words):
        if word in "([" or word in ")]":
            depth += 1 if word in "([" else -1
        comma = word in (",", ";", "--", "–", "—") and depth <= 0
        no = (
            word.lower() == "no"
            and place > start
            and (parse.tags[place - 1] in _NOUNS | {"CD"} or parse.words[place - 1].lower() == "nothing")
            and place + 1 < len(parse.words)
            and (parse.tags[place + 1] in _NOUNS | {"JJ"})
        )
        begins = place > start and (
            _after_though(parse, place)
            or (
                parse.words[start].lower() == "no"
                and word.lower() == "and"
                and _opens_subject(parse, place + 1)
            )
            or _denies_next(parse, place)
            or _subject_again(parse, place, start)
        )
        no = no or begins
        if comma or no:
            if place > start:
                found.append(_Piece(start, place, _kind(parse, start, place)))
            start = place + 1 if comma or (begins and word.lower() == "and") else place
    if start < len(parse.words):
        found.append(_Piece(start, len(parse.words), _kind(parse, start, len(parse.words))))
    return found


def _after_though(parse: Parse, place: int) -> bool:
    """Whether a "though" that closes a statement stands before: "not near it though | smells of hair"."""
    return parse.words[place - 1].lower() == "though" and parse.tags[place] not in (
        *("PRP", "DT", "PRP$", "EX", "NNS", "NNP", "IN", ",", "RB", "TO"),
    )


def _opens_subject(parse: Parse, place: int) -> bool:
    return place + 2 < len(parse.tags) and parse.tags[place] in ("DT", "PRP", "PRP$")


def _denies_next(parse: Parse, place: int) -> bool:
    """Whether a second denial begins there: "not hot | not fresh"."""
    return (
        parse.words[place].lower() == "not"
        and parse.tags[place - 1] == "JJ"
        and place + 1 < len(parse.tags)
        and parse.tags[place + 1] == "JJ"
    )


def _subject_again(parse: Parse, place: int, start: int) -> bool:
    """Whether a new statement begins there without any mark: "she loved it | I didn't"."""
    if parse.words[place].lower() not in ("i", "we", "they", "he", "she") or place + 1 >= len(parse.tags):
        return False
    if parse.tags[place + 1] not in _FINITE | {"RB"} or not any(
        tag in _FINITE for tag in parse.tags[start:place]
    ):
        return False
    before = parse.words[place - 1].lower()
    if parse.tags[place - 1] in ("PRP", "RB", "JJ", "RP", "CD"):
        return before not in ("when", "once", "so", "then", "now", "how", "like", "what", "only", "i", "you")
    return parse.tags[place - 1] in ("VB", "VBD", "VBP") and before not in _THINKING


_THINKING = word_set(
    "think thought know knew guess say says said feel felt hope hoped wish wished believe swear suppose "
    "mean told tell heard hear see saw bet find found was is are were be 's"
)


def _kind(parse: Parse, start: int, end: int) -> str:
    tags = [
        tag for tag in parse.tags[start:end] if tag not in (".", ":", "''", "``", "-LRB-", "-RRB-", "NFP")
    ]
    lower = [word.lower() for word in parse.words[start:end]]
    if not tags:
        return "nothing"
    if lower[0] in _OPENING and any(tag in _FINITE for tag in tags):
        return "opening"
    if lower[0] == "not" and all(tag in ("RB", "JJ", "JJR") for tag in tags):
        return "adjective"
    if lower[0] in _DEPENDENT:
        return "dependent"
    if any(tag in _FINITE for tag in tags):
        return "clause"
    if tags[0] in ("VB", "VBN") and len(tags) > 1:
        return "clause"
    if tags[0] in ("IN", "TO", "VBG", "RP"):
        return "phrase"
    if lower[0] == "no" or _subject_end(parse, start, end) is not None:
        return "fragment"
    nouns = [place for place, tag in enumerate(tags) if tag in _NOUNS]
    if not nouns:
        return "adjective" if any(tag in _PREDICATES for tag in tags) else "phrase"
    if any(tag in ("JJ", "JJR", "JJS") for tag in tags[: nouns[0]]) and tags[0] not in ("DT", "PRP$"):
        return "fragment"
    return "noun"


def _joined(pieces: Sequence[_Piece], parse: Parse) -> list[_Piece]:
    """Join pieces to those before that they belong to."""
    found: list[_Piece] = []
    for piece in pieces:
        before = found[-1] if found else None
        if before is None:
            found.append(piece)
            continue
        own = piece.kind in ("clause", "fragment", "opening")
        if piece.kind == "adjective":
            own = before.kind in ("fragment", "adjective")
        if (
            before.kind in ("opening", "phrase", "noun") and before is found[0] and piece.kind in ("clause",)
        ) or before.kind == "opening":
            own = False
        if piece.kind == "fragment" and before.kind == "clause" and _is_list(parse, piece):
            own = False
        if own:
            found.append(piece)
        else:
            kind = piece.kind if before.kind in ("opening", "phrase", "nothing") else before.kind
            found[-1] = _Piece(before.start, piece.end, kind)
    return found


def _is_list(parse: Parse, piece: _Piece) -> bool:
    """Whether what looks like a fragment goes on with a list: "warm bread, cold beer and good soup"."""
    tags = parse.tags[piece.start : piece.end]
    return (
        _subject_end(parse, piece.start, piece.end) is None
        and "CC" in tags
        and parse.words[piece.start].lower() != "no"
    )


def _subject_end(parse: Parse, start: int, end: int) -> int | None:
    """Return where a fragment's subject ends and what is said of it begins: "beds | too hard"."""
    if " ".join(parse.words[start : start + 2]).lower() in (
        "a bit",
        "a little",
        "a tad",
        "kind of",
        "sort of",
    ):
        return None
    if (
        2 <= end - start <= 4
        and parse.words[end - 1].lower() in _FLAT
        and not any(tag in _FINITE | {"VB", "IN", "CC"} for tag in parse.tags[start : end - 1])
    ):
        return end - 1 if parse.tags[end - 2] not in _DEGREES | {"JJ"} else None
    place = start
    noun = None
    while (
        place < end
        and parse.tags[place] in _BEFORE_NOUNS
        and not (
            noun is not None
            and parse.tags[place] in _PREDICATES
            and not (place + 1 < end and parse.tags[place + 1] in _NOUNS)
        )
    ):
        if parse.tags[place] in _NOUNS:
            noun = place
        elif noun is not None and parse.tags[place] in ("CD", "DT"):
            break
        place += 1
    if noun is None or noun != place - 1 or place >= end:
        return None
    rest = place
    while rest < end and (
        parse.tags[rest] in _DEGREES
        or parse.words[rest].lower() in ("a", "bit", "so", "too", "kinda", "way", "little", "super", "still")
    ):
        rest += 1
    if rest < end and parse.words[rest].lower() == "yes":
        return None
    if rest < end and parse.words[rest].lower() == "like" and end - start <= 6:
        return place
    if rest < end and (
        parse.tags[rest] in _PREDICATES or parse.words[rest].lower() in _FLAT or "/10" in parse.words[rest]
    ):
        return place
    return None


def _written(piece: _Piece, parse: Parse, *, past: bool) -> str:
    """Return the piece as a text, with the verb that a fragment misses."""
    if piece.kind == "nothing":
        return ""
    if piece.kind == "fragment":
        boundary = _subject_end(parse, piece.start, piece.end)
        if boundary is not None and parse.words[piece.start].lower() not in ("no", "not"):
            many = parse.tags[boundary - 1] in ("NNS", "NNPS")
            was = past or parse.tags[boundary] == "VBN"
            be = ("were" if many else "was") if was else ("are" if many else "is")
            subject = _text(parse, piece.start, boundary)
            if parse.tags[piece.start] not in ("DT", "PRP$", "CD", "NNP", "PDT"):
                subject = f"the {subject[:1].lower() + subject[1:] if subject[1:].islower() else subject}"
            return f"{subject} {be} {_text(parse, boundary, piece.end)}"
    return _text(parse, piece.start, piece.end)


def _text(parse: Parse, start: int, end: int) -> str:
    text = ""
    for place in range(start, end):
        word = parse.words[place]
        if word.lower() == "its" and place + 1 < len(parse.words) and _is_it_is(parse, place + 1):
            word = "it is" if word[0] == "i" else "It is"
        text += word + (" " if parse.spaces[place] else "")
    return text.strip(" ,;–—-")


def _is_it_is(parse: Parse, after: int) -> bool:
    """Whether "its" before a word is "it's"."""
    if parse.tags[after] in ("DT", "RB", "IN", "PRP$"):
        return True
    following = parse.tags[after + 1] if after + 1 < len(parse.tags) else "."
    if following == "CC" and parse.tags[after + 2 : after + 3] in (["PRP"], ["DT"], ["EX"]):
        return parse.tags[after] in ("JJ", "JJR", "VBN")
    return parse.tags[after] in ("JJ", "JJR", "VBN") and following not in _NOUNS | {"JJ", "CC", "HYPH"}
