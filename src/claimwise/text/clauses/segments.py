"""Before the parser: short spellings written out, openers dropped, statements at stops set apart."""

from __future__ import annotations

import re

from claimwise.text.clauses import words
from claimwise.text.clauses.words import word_set

_SHORT = {
    **{
        f"{verb}nt": f"{verb}n't"
        for verb in [
            "is",
            "was",
            "are",
            "were",
            "does",
            "did",
            "do",
            "has",
            "have",
            "had",
            "could",
            "would",
            "should",
            "ca",
        ]
    },
    **{
        "wont": "won't",
        "its'": "its",
        "hes": "he is",
        "shes": "she is",
        "theyre": "they are",
        "thats": "that's",
    },
    **{
        "im": "I'm",
        "ive": "I've",
        "whats": "what's",
        "theres": "there's",
        "youre": "you're",
        "dosnt": "doesn't",
    },
    **{
        "bc": "because",
        "cuz": "because",
        "coz": "because",
        "cos": "because",
        "cause": "cause",
        "b/c": "because",
    },
    **{"n": "and", "&": "and", "+": "and", "tho": "though", "altho": "although", "w": "with", "u": "you"},
    **{"ur": "your", "ppl": "people", "i": "I", "pls": "please", "plz": "please", "esp": "especially"},
    **{"r": "are", "smth": "something", "thru": "through", "idk": "I don't know"},
    **{
        "werent": "weren't",
        "wernt": "weren't",
        "doesnt": "doesn't",
        "=": "is",
        "ok": "ok",
        "w/": "with",
        "w/o": "without",
    },
}
_WORD = re.compile(r"(?<![\w'’/.-])(?:w/o(?=\s)|w/|b/c|[a-zA-Z]+(?:nt)?|[&+=n])(?![\w'’/-])")
_AFTER_NUMBER = re.compile(r"\d\s*$")
_STOP = re.compile(
    r"(?P<stop>[.!?…;]+[\"”)]?|\s[/|•~*]+|\s-(?=\s)|\s[–—]{1,2}(?=\s))\s+(?=[\w\"“(£$€'’-])|(?<=[!?])(?<=[!?]{2})\s+"
)
_NOT_A_STOP = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|etc|e\.g|i\.e|approx|esp|jr|sr|prof|mt|ave|vol|pp?|ch|fig|inc|ltd|co|min|mins|hr|hrs)"
    r"|\b[a-z]|\.[a-z])\.$",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\s*(?:[-*•]\s*)?(?:pros?|cons?|update|edit|verdict|note|tldr|tl;dr|bottom line)\s*[:–-]+\s*",
    re.IGNORECASE,
)
_MANY_THINGS = re.compile(r"(?:^|[,.;:!?/])\s*(?:\w+ )?\w*[^\Wsiu]s\s*$")
_OF_THING = re.compile(r"^(?P<thing>(?:[A-Za-z]+ ){0,2}[A-Za-z]+): (?=[a-z0-9])")
_LAUGHTER = re.compile(
    r"\s\b(?:lol|lmao|rofl|ngl|tbh|smh|imo|imho|ha(?:ha)+|omg|fyi|btw)\b(?=\W|$)", re.IGNORECASE
)
_AS_WELL_AS = re.compile(
    r"(?<!\bworks)(?<!\bwork)(?<!\bdoes)(?<!\bnot)(?<!\bfits)(?<!\bperforms)(?<!\blooks)(?<!\bjust)"
    r"(?<!\bworked),? as well as "
)
_INSERTED = re.compile(
    r"\b(?P<joining>and|or|but|yet), (?P<inserted>(?!which|who|that|if|when)[^,;()]{2,50}), "
    r"(?P<rest>[^,;.!()]+?)(?P<end>[.!,;]|$)"
)
_LISTED = re.compile(r"(?:^\s*|\s)[-–—](?=\s)")


def segments(text: str) -> list[str]:
    """Return the statements of a text that stops set apart, short spellings written out."""
    written = _WORD.sub(lambda found: _written_out(found, text), text)
    written = _LAUGHTER.sub(" ", written)
    written = _AS_WELL_AS.sub(" and ", written)
    dashes = len(_LISTED.findall(written))
    listed = dashes > 0 and (dashes != 2 or bool(re.match(r"\s*[-–—]\s", written)))
    pieces: list[str] = []
    start = depth = 0
    for found in _STOP.finditer(written):
        mark = found["stop"] or ""
        depth = written.count("(", 0, found.start()) - written.count(")", 0, found.start())
        if depth > 0 or _NOT_A_STOP.search(written[: found.start() + len(mark)]):
            continue
        if mark.strip() in ("-", "–", "—") and not ((listed and dashes > 2) or _short_after(written, found)):
            continue
        pieces.append(written[start : found.start()] + (mark if mark.strip() in ("?", "??") else ""))
        start = found.end()
    pieces.append(written[start:])
    pieces = [_INSERTED.sub(_moved_behind, without_opener(piece)) for piece in pieces]
    cleaned = [_thing_is(_LABEL.sub("", piece)).strip(" -–—*•~/|") for piece in pieces]
    return [piece for piece in cleaned if any(letter.isalnum() for letter in piece)] or [text]


def _moved_behind(found: re.Match[str]) -> str:
    """Write "and, in summer, it closes" as "and it closes in summer"; one adverb stays where it is."""
    joining, inserted, rest, end = found["joining"], found["inserted"], found["rest"], found["end"]
    if " " not in inserted:
        return f"{joining} {inserted} {rest}{end}"
    return f"{joining} {rest} {inserted}{end}"


def without_opener(piece: str) -> str:
    """Return the text without words before its first comma that say nothing: "That said, ..."."""
    while True:
        head, comma, rest = piece.partition(",")
        told = tuple(head.lower().split())
        if not comma or not rest.strip() or len(told) > 7:
            return piece
        if told not in words.OPENING_PHRASES and not (len(told) == 1 and told[0] in words.OPENERS):
            return piece
        piece = rest.strip()


def _short_after(text: str, found: re.Match[str]) -> bool:
    return text.lstrip()[:1] in "-–—*" and found.start() > 0


def _written_out(found: re.Match[str], text: str) -> str:
    word = found[0]
    long = _SHORT.get(word.lower())
    if long is None or long == word.lower():
        return word
    if word in ("n", "&", "+", "=", "w") and not (
        text[found.end() : found.end() + 1].isspace() and text[: found.start()][-1:].isspace()
    ):
        return word
    if word.isupper() and len(word) > 1:
        return word
    if word == "=" and _MANY_THINGS.search(text[: found.start()]):
        return "are"
    if word.lower() == "w/":
        return long + ("" if text[found.end() : found.end() + 1].isspace() else " ")
    return long[:1].upper() + long[1:] if word[:1].isupper() else long


def _thing_is(piece: str) -> str:
    """Write "camera: sharp" as "camera is sharp"."""
    found = _OF_THING.match(piece)
    if found is None or found["thing"].lower().split()[-1] in _NO_THINGS:
        return piece
    be = "are" if _MANY_THINGS.search(found["thing"]) else "is"
    return f"{found['thing']} {be} {piece[found.end() :]}"


_NO_THINGS = word_set(
    "good bad best worst pros cons overall note tip tips update plus minus warning verdict summary "
    "result this that was is are were love like divided clear simple reasons one two three things ways "
    "say says said wrote but and so reason"
)
