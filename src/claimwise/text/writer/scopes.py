"""Whether a claim keeps the condition, wish or doubt that its sentence puts on it.

Like ``denials``, the rules are based on words and independent of the network: of "I wish the bed were softer
and the room were quieter.", no claim may be "The room were quieter.". A condition or wish at the beginning of
the sentence is put back; otherwise a claim that loses one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from claimwise.text.questions import adjectives, word_set
from claimwise.text.writer.attributions import PEOPLE
from claimwise.text.writer.denials import DENIALS
from claimwise.text.writer.words import Source, Written, is_content

_TIME = (
    r"(?:in|during|on|at|by|after|before|until|over|outside)(?: the| a)?"
    r"(?: (?:high|low|peak|rainy|dry|early|late|busy|hot|cold|bad|good|wet|school|public|summer|winter))?"
    r" (?:winters?|summers?|spring|autumn|fall|seasons?|weekends?|weekdays?|(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december|holidays?|"
    r"christmas|easter|nights?|day|daytime|evenings?|mornings?|afternoons?|dark|dawn|dusk|midnight|noon|rain|"
    r"(?:bad|good|wet|cold|hot) weather|heat|rush hour|hours)"
)
_IF = r"if|unless|as long as|so long as|provided(?: that)?|providing(?: that)?|assuming(?: that)?|in case"
_WHEN = r"whenever|when|once(?= (?:the|you|we|i|they|it|he|she|your|my|our|inside)\b)"
_CONDITION = re.compile(rf"\b(?:{_IF}|{_WHEN}|without|{_TIME})\b")
_LEADING = re.compile(
    r"^(?:(?:and|but|also|however|so|then|overall|plus|sadly)(?: ,)? )?"
    rf"(?:(?P<clause>(?:(?:{_IF}|{_WHEN}|without|during)(?! only\b)) [^,;:]+?) , |(?P<time>{_TIME})(?: ,)? "
    r"|(?P<wish>(?:(?:i|we|they|some|others|guests|reviewers|many|most)(?: \w+)? )?(?:wish(?:ed|es)?|hoped?|"
    r"hoping)(?: that)?|hopefully(?: ,)?|if only) )"
)
_EMBEDDED = re.compile(r"\b(?:wonder\w*|ask\w*|see|check\w*|know\w*|sure|decide\w*|tell\w*|as|even|what) $")
_PAST = re.compile(r"\b(?:was|were|had|did|came|went|got|left|saw|woke|told|said|\w+ed)\b")
_SUBORDINATE = re.compile(rf"\b(?:{_IF}|whether)\b")
_ABOUT = r"(?= (?:that|whether|if|the|this|these|its|their|how|by|claims?|reports?)\b)"
_DOUBT = re.compile(
    r"(?<!no )(?<!without )(?<!beyond )\bdoubt\w*"
    rf"|\b(?:disput(?:e|es|ed|ing)|den(?:y|ies|ied|ying)|contest(?:s|ed|ing)?|reject(?:s|ed|ing)?|"
    rf"refut(?:es?|ed|ing)|question(?:s|ed|ing)?|quer(?:y|ies|ied)|challeng(?:es?|ed|ing)|debunk\w*){_ABOUT}"
    r"|\b(?:s[ck]eptical\w* (?:that|of|about)|unsure|unconvinced|uncertain|unclear|disbelie\w+|disagree\w*|"
    r"myth that|(?:mis|dis)trust\w*|(?:wonder(?:s|ed|ing)?|ask(?:s|ed)?|debat(?:es?|ed|ing)) (?:if|whether)"
    rf"|suspect(?:s|ed)? (?:that|the)|contrary to|(?<!a )few (?:of (?:the |them )?)?(?:{PEOPLE})"
    r"|(?:despite|in spite of|notwithstanding)(?= (?:\w+ ){0,3}?(?:claims?|reports?|rumou?rs?|suggestions?|"
    r"assertions?|assurances?|promises?|advertis\w+|what|statements?|reviews)\b)"
    r"|(?<!as )(?<!than )(?:promis(?:ed|es|ing)|advertis(?:ed|es|ing)|expect(?:ed|s|ing)?|fear(?:ed|s|ing)?"
    r"|pretend(?:ed|s)?|hop(?:e|ed|es|ing)|wish(?:ed|es|ing)?|if only|hopefully)"
    r" (?:that|the|it|they|their|its|there|we|you|more)"
    r"|(?:claims?|rumou?rs?|reports?|idea|belief) (?:that|of)(?=.* (?:false|untrue|exaggerated|unfounded|"
    r"wrong|misleading)\b))"
)
_REQUEST = re.compile(
    r"\b(?:(?:ask(?:s|ed|ing)? for|request(?:s|ed|ing)?|suggest(?:s|ed|ing)?|demand(?:s|ed|ing)?|call(?:s|"
    r"ed|ing)? for|needs?|needed|wants?|wanted|in need of|could (?:use|do with)|wish(?:es|ed)? for|"
    r"long(?:s|ed)? for)(?= (?:more|less|fewer|better|\w+er)\b)"
    r"|would (?:like|love|prefer|appreciate|welcome|want|have (?:liked|loved|preferred|appreciated)|be \w+ "
    r"(?:to|if))"
    r"|should|ought to)\b"
)
_ENDS = word_set("; . ! ? ... although though because so yet whereas while but")
_FINITE = word_set("is are was were am has have had does do did 's 're isn aren wasn weren")
_OPERATORS = word_set(
    "if unless when whenever once without during whether should would could might may wish wishes wished",
    "hope hopes hoped need needs needed want wants wanted ask asked request requested suggest suggested",
    "more doubt doubtful",
)
_BEFORE_ADJECTIVES = word_set("a an not only rather somewhat slightly occasionally sometimes")
_WHENS = word_set("whenever when once")
_NO_VERBS = word_set(
    "few contrary despite in notwithstanding claim claims rumor rumors rumour rumours report reports idea",
    "belief unsure unconvinced uncertain unclear if hopefully myth skeptical sceptical",
)
_FEWEST = 3
"""Clauses with fewer words are asides: "if possible", "if forgetful"."""


class _Scope(NamedTuple):
    """The places of the words of a condition, wish or doubt, and of the words that it governs.

    A request governs no finite clause, so that a claim with a verb of its own is free of it.
    """

    words: range
    governed: range
    is_request: bool = False


class _Leading(NamedTuple):
    """The places of a condition or wish that begins a sentence, and of what it surely and perhaps governs."""

    words: range
    has_comma: bool
    governed: range
    perhaps: range


class _Text:
    """The words of a sentence in lower case, joined, and the place of each character's word."""

    def __init__(self, source: Source) -> None:
        self.low = [word.lower() for word in source.words]
        self.start = source.context
        self.text = " ".join(self.low[self.start :])
        self._place = [
            place for place in range(self.start, len(self.low)) for _ in range(len(self.low[place]) + 1)
        ]

    def places(self, match: re.Match[str], group: int | str = 0) -> range:
        """Return the places of the words of a match."""
        return range(self._place[match.start(group)], self._place[match.end(group) - 1] + 1)

    def matches(self, pattern: re.Pattern[str]) -> Iterator[tuple[range, re.Match[str]]]:
        """Yield the matches of a pattern, each after the places of its words."""
        for match in pattern.finditer(self.text):
            yield self.places(match), match

    def end(self, start: int, *ends: str) -> int:
        """Return the place of the first word from ``start`` that is in ``ends``, or ends a statement."""
        stops = _ENDS.union(ends)
        return next((n for n in range(start, len(self.low)) if self.low[n] in stops), len(self.low))


def has_doubt(sentence: str) -> bool:
    """Return whether a sentence doubts, denies, expects or wishes what a claim must not assert."""
    return _DOUBT.search(sentence.lower()) is not None


def _elides_doubter(text: _Text) -> bool:
    """Return whether a doubt shares its subject: "found the staff kind but doubted that …"."""
    return any(
        text.text[: doubt.start()].endswith((" and ", " but ", " or ", " , ", " yet "))
        for doubt in _DOUBT.finditer(text.text)
        if doubt.group().split()[0] not in _NO_VERBS
    )


def put_back(claims: Sequence[Sequence[Written]], source: Source) -> list[list[Written]] | None:
    """Return the claims of a sentence, each with the condition or wish that begins the sentence.

    Returns:
        None if a claim has lost a condition, wish or doubt that cannot be put back for certain.
    """
    text = _Text(source)
    if not any(pattern.search(text.text) for pattern in (_CONDITION, _DOUBT, _REQUEST, _LEADING)):
        return [list(claim) for claim in claims]
    if len(claims) > 1 and _elides_doubter(text):
        return None
    leading, scopes = _leading(text), list(_scopes(text))
    conditions = {
        place for pattern in (_CONDITION, _LEADING) for words, _ in text.matches(pattern) for place in words
    }
    kept = []
    for claim in claims:
        whole = list(claim)
        if leading is not None and _is_lost(claim, leading.perhaps, text) and not _has(claim, conditions):
            if not _is_lost(claim, leading.governed, text):
                return None
            comma = [Written(",")] if leading.has_comma else []
            whole = [*(Written(source.words[place], place) for place in leading.words), *comma, *claim]
        if any(_loses(whole, scope, text) for scope in scopes):
            return None
        kept.append(whole)
    return kept


def _leading(text: _Text) -> _Leading | None:
    """Return the condition or wish that begins a sentence."""
    match = _LEADING.match(text.text)
    if match is None:
        return None
    kind = str(match.lastgroup)
    words = text.places(match, kind)
    has_comma = text.low[words.stop : words.stop + 1] == [","]
    first = words.stop + has_comma
    if kind == "wish":
        end = text.end(first)
        comma = next((place for place in range(first, end) if text.low[place] == ","), end)
        return _Leading(words, has_comma, range(first, comma), range(first, end))
    end = text.end(first, "which", "who", "where")
    after = end
    if text.low[end : end + 1] == ["but"]:
        # "When it rains, the pool is closed but the bar is open": both are so when it rains. If a comma
        # precedes "but", the second may be so always.
        after = text.end(end + 1, "which", "who", "where")
        end = end if text.low[end - 1] == "," else after
    # "When we came, the lift was broken, but the bar was open": a single event governs nothing behind "but".
    is_event = text.low[words.start] in _WHENS and _PAST.search(text.text)
    return _Leading(words, has_comma, range(first, end), range(first, end if is_event else after))


def _joins_clauses(text: _Text, first: int, last: int) -> bool:
    """Return whether some words are two clauses with "and": "the pool is closed and the bar is empty"."""
    low = text.low[first:last]
    place = low.index("and") if "and" in low else 0
    return bool(_FINITE & set(low[:place]) and _FINITE & set(low[place + 2 : place + 6]))


def _is_aside(text: _Text, words: range) -> bool:
    """Return whether what follows an "if" is no clause: "if possible", "if a little baggy"."""
    is_short = text.end(words.stop, ",") - words.stop < _FEWEST
    return is_short or text.low[words.stop] in _BEFORE_ADJECTIVES | adjectives()


def _is_bare(text: _Text, words: range) -> bool:
    """Return whether a doubt is about a thing, not about a statement: "doubt the dates"."""
    return not {"that", "whether", "if", "claim", "claims"} & set(text.low[words.start : words.stop + 5])


def _scopes(text: _Text) -> Iterator[_Scope]:
    """Yield what conditions within a sentence, doubts and requests govern."""
    for words, _ in text.matches(_SUBORDINATE):
        if not _is_aside(text, words) and text.low[words.start - 1] != "even":
            yield _Scope(words, range(words.stop, text.end(words.stop, ",", "then")))
    for words, match in text.matches(_CONDITION):
        yield from _governed(text, words, match)
    for words, match in text.matches(_DOUBT):
        is_aside = re.match("despite|in spite|notwithstanding|contrary", match.group())
        ends = [",", "and", "or"] if _is_bare(text, words) else [","] if is_aside else []
        yield _Scope(words, range(words.stop, text.end(words.stop, *ends)))
    for words, _ in text.matches(_REQUEST):
        yield _Scope(words, range(words.stop, text.end(words.stop, "which", "who")), is_request=True)


def _governed(text: _Text, words: range, match: re.Match[str]) -> Iterator[_Scope]:
    """Yield what a condition governs: behind it, or the clauses before it."""
    condition, is_first = match.group(), words.start == text.start
    is_time = re.fullmatch(_TIME, condition)
    is_event = condition in _WHENS and _PAST.search(text.text)
    behind = _Scope(words, range(words.stop, text.end(words.stop)))
    if is_first and not is_event and not _LEADING.match(text.text):
        yield behind
    if is_first:
        return
    if condition == "if":
        yield behind
    if condition == "without" or _EMBEDDED.search(text.text[: match.start()]):
        return
    if is_event or (not is_time and _is_aside(text, words)):
        return
    last = words.start - (text.low[words.start - 1] == ",")
    if text.low[last - 1] in ("and", "or", "but"):
        return  # it governs what follows
    stops = _ENDS | {",", "which", "who", ":", "(", ")"}
    before = (place + 1 for place in range(last - 1, text.start - 1, -1) if text.low[place] in stops)
    first = next(before, text.start)
    # Of two clauses or a list before the condition, only the last may have kept it.
    if _joins_clauses(text, first, last) if is_time else {"and", "or"} & set(text.low[first + 1 : last]):
        yield _Scope(words, range(first, last))


def _loses(claim: Sequence[Written], scope: _Scope, text: _Text) -> bool:
    """Return whether a claim states what a condition, wish or doubt governs as if it were plain fact."""
    if not _is_lost(claim, scope.governed, text) or _has(claim, scope.words):
        return False
    # The claim may express the doubt in other words: a negation of its own, or "might", "if", "more".
    if any(word.lower() in DENIALS and place not in scope.governed for word, place in claim):
        return False
    if any(word.lower() in _OPERATORS for word, _ in claim):
        return False
    has_verb = any(place is not None and text.low[place] in _FINITE for _, place in claim)
    return not (scope.is_request and has_verb)


def _is_lost(claim: Sequence[Written], governed: range, text: _Text) -> bool:
    """Return whether the last word of content of a claim, which belongs to its predicate, is governed."""
    content = [place for _, place in claim if place is not None and is_content(text.low[place])]
    return bool(content) and content[-1] in governed


def _has(claim: Sequence[Written], places: range | set[int]) -> bool:
    return any(place in places for _, place in claim if place is not None)
