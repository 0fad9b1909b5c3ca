"""The layout of a text: lists, headings, wrapped lines and the frames around a chat model's answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_BULLETS = "-–—*+•·▪▫◦‣⁃∙●○■□◆◇➢➤►▶▸→⇒✓✔✗✘☑☐✅❌✨"
_NUMBER = r"[(\[]?\d{1,2}[.)\]](?=\s)|\d{1,2}\s?[:–-](?=\s)|#\d{1,2}\b[.:)]?|\d\u20e3"
_MARKER = re.compile(rf"^(?:[{_BULLETS}]+(?=\s|I\b|[^\W\d_]?[^\W\d_A-Z])|{_NUMBER})\s*")
_LETTER = re.compile(r"^\(?(?:[a-hA-H]|i{1,3}|iv|vi{0,3}|I{1,3}|IV|VI{0,3})[.)](?=\s)\s*")
_MARKER_OR_LETTER = re.compile(rf"{_MARKER.pattern}|{_LETTER.pattern}")
_MARKS = "✓✔✗✘☑✅❌"
_MARKED = re.compile(rf"[{_MARKS}]")
_BULLET = re.compile(r"(?:^|\s)[•▪●►➤‣]\s")
_EMOJI = "[\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2b55]"
_CONTENT = re.compile(rf"[^\W_]|{_EMOJI}")
_LONE_EMOJI = re.compile(rf"{_EMOJI}[\U0001f3fb-\U0001f3ff]?$")
_LEADING_EMOJI = re.compile(rf"^(?P<mark>{_EMOJI}[\U0001f3fb-\U0001f3ff]?)(?P=mark)*\s*(?=[^\W\d_])")
_LEADING_MARK = re.compile(rf"[{_MARKS}]|{_EMOJI}")
_HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<title>.*?)\s*#*$")
_RULE = re.compile(r"(?:[-=_*~]\s*){3,}$|\|?(?:\s*:?-{2,}:?\s*\|?)+$")
_TITLE = re.compile(
    r"(?:the )?(?:(?:overall|final|brief|short|guest|customer|review|key|main|in) )*"
    r"(?:pros?|cons?|positives?|negatives?|positive|negative|advantages?|disadvantages?|strengths?|weaknesses|"
    r"likes|dislikes|highlights?|downsides?|upsides?|drawbacks?|summar(?:y|ies)|overview|conclusion|verdict|"
    r"review|reviews|comparison|takeaways|points|bottom line|tl;?dr|output|answer|pros (?:and|&|/) cons)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\s.!?:][^.!?:]{0,60}:$")
_MOST_LABEL_WORDS = 6
_LEADS_IN = re.compile(
    r"(?!(?:what|things?|points?|aspects?|features?|how|why|where|areas?|here|the following)\b).*"
    r"\s(?:about|of|with|for|by|that|includes?|offers?|liked|loved|enjoyed|disliked|hated|praised|"
    r"criticised|criticized|mentioned|appreciated|was|were|is|are|has|had|have)(?: the following)?:$",
    re.IGNORECASE,
)
"""The beginning of a sentence that every item of a list ends: "Guests complained about:"."""
_SIDE = (
    "pros?|cons?|good|bad|positives?|negatives?|likes?|dislikes?|plus(?:es)?|minus(?:es)?|"
    "(?:dis)?advantages?|upsides?|downsides?|strengths?|weaknesses"
)
_SIDE_UPPER = _SIDE.upper()
_PROS_AND_CONS = re.compile(
    rf"(?:\s*\b(?:PROS?|CONS?)\b\s*[:–-]?\s+|\s*\b(?:{_SIDE_UPPER})\s*:\s+"
    rf"|(?:(?<=[.!?;,])\s+|^)(?i:{_SIDE})\s*[:–-]\s+)(?!(?i:none|nothing|everything|all|nil|n/a)\b)"
)
_ENDED = re.compile(r"[.!?…][\"')\]]*(?:\s*\[[\d,; –-]+\])*$")
_RUNS_ON = re.compile(
    r"(?:[,–—-]|\b(?:a|an|the|and|or|but|of|in|on|at|to|for|with|from|by|as|than|that|which|who|is|are|was|were|"
    r"be|been|has|have|had|not|very|so|too|my|our|your|their|his|her|its|this|these|those|I|we|they|it|he|"
    r"she|you|if|when|because|while|although|would|could|should|will|can|did|do|does))$",
    re.IGNORECASE,
)
_MOST_MARKED_WORDS = 3
_WRAPS_AT = 30
"""Lines of wrapped paragraphs have at least about this number of characters."""

_QUOTED_SENTENCES = re.compile(r'(?<![^\s(\[–—-])"(?=\S)([^"]*[.!?]\s+[^"\s][^"]*)"(?=[\s.,;:!?)\]–—-]|$)')
_INLINE_NUMBER = re.compile(r"(?:(?<=\s)|^)\(?(\d{1,2}|[a-h])[.)]\s+(?=\S)")
_BLOCK_TAG = re.compile(
    r"<\s*/?\s*(?:p|br|div|li|ul|ol|dl|dt|dd|tr|td|th|table|tbody|thead|hr|section|article|header|footer|"
    r"blockquote|pre|body|html)\b[^<>]*>",
    re.IGNORECASE,
)
_BBCODE = re.compile(r"\[/?(?:b|i|u|s|quote|url|img|size|color|list|\*)(?:=[^\]\n]*)?\]", re.IGNORECASE)
_TITLE_TAG = re.compile(
    r"<\s*(h[1-6]|title|style|script|think|thinking|reasoning)\b[^<>]*>.*?<\s*/\s*\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_INLINE_TAG = re.compile(
    r"<\s*/?\s*(?:b|i|u|s|em|strong|span|a|font|small|big|mark|sub|sup|code|h[1-6]|img|center|summary|review|"
    r"reviews|answer|output|response|text|q)\b[^<>]*>|<!--.*?-->",
    re.IGNORECASE | re.DOTALL,
)
_EMPHASIS = re.compile(
    r"(?<!\w)(?:(\*\*\*|\*\*|__)(?=\S)(.+?)(?<=\S)\1|\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*)(?!\w)"
)

_REQUEST = (
    r"(?:sure|certainly|of course|absolutely|okay|ok|great|got it|no problem|happy to help|thanks?(?: you)?)"
)
_OPENING = re.compile(
    rf"(?:{_REQUEST}(?:\s+thing)?\s*[!,.:]\s*)?"
    r"(?:(?:based on|according to|from) [^:.!?\n]{0,80}, )?"
    r"(?:(?:here(?:'s| is| are)|below (?:is|are)|(?:the )?following (?:is|are)|this is)\b"
    r"(?:[^:.!?\n]{0,150}:|[^:.!?\n]{0,60}\b(?:summary|summaries|overview)\b[^:.!?\n]{0,90}\.)(?=\s|$)"
    r"|(?:[^:.!?\n]{0,60}\b)?(?:summar(?:y|ies|i[sz]ed?)|overview|tl;?dr)\b[^:.!?\n]{0,60}:(?=\s|$))",
    re.IGNORECASE,
)
# Not "Great!" and "Thanks!", which people write of what they review.
_ASSENT = re.compile(
    r"(?:sure|certainly|of course|got it|no problem|happy to help)\s*[!.](?=\s|$)\s*", re.IGNORECASE
)
_IS_SUMMARY = re.compile(
    r"summar|overview|tl;?dr|review|points|takeaway|comparison|synopsis|recap|rewrit|version|answer|list|claims|"
    r"what (?:the )?(?:guests?|customers?|users?|people|reviewers?)",
    re.IGNORECASE,
)
_DISCLAIMER = re.compile(r"as an ai\b[^.!?\n]*[.!?]\s*", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?:^|(?<=[.!?\n\"'\])]))\s*(?:(?:i )?(?:really )?hope (?:this|that|it|these)\b[^.!?\n]*"
    r"\b(?:helps?|helped|helpful|useful|clear|needs?|questions?|expectations|clarifies|what you)\b[^.!?\n]*"
    r"|(?:please )?(?:just )?let me know\b[^.!?\n]*"
    r"|(?:please )?feel free to (?:ask|reach|let|contact)\b[^.!?\n]*"
    r"|if you(?:'d| would| have| need| want)\b[^.!?\n]*\b(?:let me know|feel free|just ask|happy to help)\b"
    r"[^.!?\n]*"
    r"|\(?(?:total )?word count\s*:?\s*\d+(?: words)?\)?|\(\d+ words\)"
    r"|(?:is there anything else|would you like me to|do you (?:want|need) me to)\b[^.!?\n]*"
    r"|i(?:'m| am) happy to (?:help|answer|provide|revise)\b[^.!?\n]*)[.!?]*\s*$",
    re.IGNORECASE,
)


class _Line(NamedTuple):
    """A line of a text: its words without the marker of a list item, if it had one."""

    text: str
    is_item: bool = False


def laid_out(text: str) -> str:
    """Return a text in which line breaks end sentences; see ``claimwise.text.normalise.plain``."""
    text = _without_tags(text)
    bare = _without_frame(text)
    paragraphs = [
        [line for line in map(str.strip, paragraph.split("\n")) if line]
        for paragraph in re.split(r"\n[^\S\n]*\n", bare)
    ]
    every_line = [line for lines in paragraphs for line in lines]
    kept = [list(_blocks(lines, len(every_line) == 1)) for lines in _without_titles(paragraphs)]
    if sum(map(len, kept)) > 1:
        kept = [list(map(_with_stop, blocks)) for blocks in kept]
    return "\n\n".join("\n".join(map(_unquoted, blocks)) for blocks in kept if blocks)


def _without_tags(text: str) -> str:
    if "<" in text:
        text = re.sub(
            r"(?:(?<=\w{3})|(?<=[.!?]))<sup>\s*(\d[\d,; –-]*)</sup>", r" [\1]", text, flags=re.IGNORECASE
        )
        text = _BLOCK_TAG.sub("\n", _TITLE_TAG.sub("\n", text))
        text = _INLINE_TAG.sub("", text)
    if "[/" in text:
        text = _BBCODE.sub("", text)
    return text


def _without_frame(text: str) -> str:
    """Return a chat model's answer without "Here is a summary:" and "I hope this helps!"."""
    text = text.strip()
    rest = _DISCLAIMER.sub("", _ASSENT.sub("", text, count=1) if _ASSENT.match(text) else text)
    start = rest.lstrip("#*_ ")
    opening = _OPENING.match(start)
    if opening and (_IS_SUMMARY.search(opening.group()) or start[opening.end() :].startswith("\n")):
        rest = start[opening.end() :].lstrip("*_ ")
    while (shorter := _CLOSING.sub("", rest)) != rest:
        rest = shorter
    return rest if any(map(str.isalpha, rest)) else text


def _without_titles(paragraphs: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the lines of each paragraph without headings, labels and rules, unless nothing else is there."""
    flat = [line for lines in paragraphs for line in lines]
    titles = _titles(flat)
    kept, place = [], 0
    for lines in paragraphs:
        kept.append([line for number, line in enumerate(lines, place) if number not in titles])
        place += len(lines)
    return kept if any(kept) else [list(lines) for lines in paragraphs]


def _titles(lines: Sequence[str]) -> set[int]:
    """Return the indices of the lines that are no claims."""
    hashed = [_HEADING.match(line) for line in lines]
    headings = [heading for heading in hashed if heading]
    # Several headings of three words or more are the items of a list.
    are_items = len(headings) > 1 and all(len(heading["title"].split()) > 2 for heading in headings)
    following = [*lines[1:], None]
    return {
        number
        for number, (line, heading, below) in enumerate(zip(lines, hashed, following, strict=False))
        if _RULE.match(line)
        or (heading and not are_items and not _ENDED.search(line))
        or (below is not None and _names_what_follows(line, below))
    }


def _names_what_follows(line: str, below: str) -> bool:
    """Return whether a line is the header of a table, a label, or an emoji above a list."""
    is_header = line.startswith("|") and _RULE.match(below)
    is_mark = _LONE_EMOJI.match(line) and _MARKER.match(below)
    return bool(is_header or _is_label(line) or is_mark)


def _is_label(line: str) -> bool:
    """Return whether a line only names what follows: "Pros", "**Summary**", "The good parts:"."""
    bare = _EMPHASIS.sub(r"\2\3", line).strip(" *_#")
    if _LEADS_IN.match(bare):
        return False
    title = bare.rstrip(": ")
    if _TITLE.fullmatch(title):
        return True
    few = len(bare.split()) <= _MOST_LABEL_WORDS
    is_bold = bool(re.fullmatch(r"(\*\*|__)[^*_]+\1:?", line)) and not _ENDED.search(bare)
    return few and (is_bold or bool(_LABEL.fullmatch(bare)))


def _blocks(lines: Sequence[str], is_only_line: bool) -> Iterator[str]:
    """Yield the sentences or paragraphs of the lines of a paragraph."""
    lead_in = ""
    lines = [item for line in lines for part in _numbered(line) for item in _marked(part)]
    for line in _unwrapped(_items(lines)):
        if _LEADS_IN.match(line.text) and len(lines) > 1:
            lead_in = re.sub(r"(?: the following)?:$", "", line.text)
            continue
        text = line.text
        if lead_in and line.is_item:
            text = f"{lead_in} {text[0].lower()}{text[1:]}"
        pieces = list(_pieces(text))
        if len(pieces) == 1 and is_only_line and not line.is_item:
            yield text
        else:
            yield from (_with_stop(piece[0].upper() + piece[1:]) for piece in pieces)


def _items(lines: Sequence[str]) -> Iterator[_Line]:
    """Yield each line without its marker; a single "A." is no marker but may be the initial of a name."""
    marker = _MARKER if sum(map(bool, map(_LETTER.match, lines))) < 2 else _MARKER_OR_LETTER
    for line in lines:
        heading = _HEADING.match(line)
        text = heading["title"] if heading else line
        text = _EMPHASIS.sub(lambda match: match[2] or match[3], re.sub(r"^>\s+", "", text))
        bare = text if _keeps_mark(text) else _LEADING_EMOJI.sub("", marker.sub("", text, count=1), count=1)
        if re.match(r"[–—-] .*\s[–—-]$", text):  # a wrapped insertion
            bare = text
        is_item = bool(heading) or bare != text
        yield _Line(bare.strip() if any(map(str.isalpha, bare)) else text, is_item)


def _keeps_mark(text: str) -> bool:
    """Return whether a leading emoji says something about so few words that they say nothing without it."""
    if _LEADING_MARK.match(text) is None:
        return False
    words = re.findall(r"[^\W_]+(?:'\w+)?", text)
    rates = text[0] in "❌✗✘👎⭐★🌟" and words[:1] not in (["No"], ["no"], ["Not"], ["not"])
    return len(words) == 1 or (rates and len(words) <= _MOST_MARKED_WORDS)


def _unwrapped(lines: Iterable[_Line]) -> list[_Line]:
    """Join the lines of wrapped paragraphs, and of items that go on in the next line."""
    lines = list(lines)
    width = max((len(line.text) for line in lines), default=0)
    has_prose = any(re.search(r"[.!?][\"')]*(?:\s|$)", line.text) for line in lines)
    joined: list[_Line] = []
    before = ""
    for line in lines:
        goes_on = joined and not line.is_item
        if goes_on and not _goes_on(before, line.text, width if has_prose else 0):
            goes_on = joined[-1].is_item and line.text[0].islower() and not _ENDED.search(before)
        if goes_on:
            joined[-1] = joined[-1]._replace(text=f"{joined[-1].text} {line.text}")
        else:
            joined.append(line)
        before = line.text
    return joined


def _goes_on(line: str, following: str, width: int) -> bool:
    """Return whether the following line continues a sentence.

    ``width`` is the length of the longest line; 0 = the lines are fragments.
    """
    if _ENDED.search(line) or line.endswith((":", ";")):
        return False
    if _RUNS_ON.search(line):
        return True
    is_full = len(line) + 1 + len(following.split(" ", 1)[0]) > 0.85 * width
    return width >= _WRAPS_AT and is_full and not following[0].isupper()


def _pieces(line: str) -> Iterator[str]:
    """Yield the items of a list within a line: ``a | b | c``, ``• a • b``, ``PROS a CONS b``."""
    if "|" in line and len(cells := [cell.strip() for cell in line.split("|") if cell.strip()]) > 1:
        if line.startswith("|") and len(cells) == 2:
            cells = [f"{cells[0]}: {cells[1]}"]
    else:
        cells = [line]
    for cell in cells:
        for part in _PROS_AND_CONS.split(cell):
            yield from (text.strip() for text in _BULLET.split(part) if _CONTENT.search(text))


def _numbered(line: str) -> list[str]:
    """Split before the items of ``1) … 2) …``: numbers or letters that count up from the first."""
    starts: list[int] = []
    wanted = ["1", "a"]
    for match in _INLINE_NUMBER.finditer(line):
        if (number := match[1]) in wanted:
            starts.append(match.start())
            wanted = [str(int(number) + 1) if number.isdigit() else chr(ord(number) + 1)]
    if len(starts) < 2:
        return [line]
    pieces = (line[start:end].strip() for start, end in itertools.pairwise([0, *starts, len(line)]))
    return [piece for piece in pieces if piece]


def _marked(line: str) -> list[str]:
    """Split before marks that begin each item: ``✅ a ❌ b``, ``+ a + b - c``."""
    if re.match(r"[+-] ", line) and "+" in line and len(pieces := re.split(r"\s+(?=[+–-] \S)", line)) > 1:
        return pieces
    if _MARKED.match(line) and len(_MARKED.findall(line)) > 1:
        return [piece.strip() for piece in re.split(rf"(?=[{_MARKS}])", line) if piece]
    return [line]


def _with_stop(block: str) -> str:
    """Return a block that ends like a sentence."""
    block = block.rstrip(" ,;")
    return f"{block}." if re.search(r"[^\W_][\"')\]%°]*$", block) and not _ENDED.search(block) else block


def _unquoted(block: str) -> str:
    """Return a block without quotation marks around several sentences, which a splitter keeps together."""
    block = re.sub(r'"{2,}', '"', block)
    if re.fullmatch(r"'[^']*[.!?]\s+[A-Z].*'", block) or re.fullmatch(r'"[^"]*"\.?', block):
        block = block.rstrip(".") if block.endswith((".'", '".')) and block[-2] in "'\"" else block
        block = block[1:-1]
    return _QUOTED_SENTENCES.sub(r"\1", block)
