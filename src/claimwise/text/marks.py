"""Marks in a text: opinions in emoji, ratings, and citation markers."""

from __future__ import annotations

import re
import unicodedata

from claimwise.text.questions import adjectives, word_set

_WORDS = {
    "good": "👍👌🙂😊😀😃😄😁☺🙌👏💪",
    "excellent": "😍🤩😋🥰❤♥💖💕💯🏆",
    "bad": "👎🙁☹😞😟😕😒😔😐😑🙄",
    "terrible": "😡😠🤬😤💩😖😫😩😱🤯",
    "disgusting": "🤮🤢",
    "yes": "✅✔☑",
    "no": "❌✗✘🚫⛔",
}
_MEANS = {emoji: word for word, emojis in _WORDS.items() for emoji in emojis}
_SCALE = ((0.9, "excellent"), (0.7, "good"), (0.5, "mediocre"), (0.3, "bad"), (0.0, "terrible"))
"""The word for a rating, by the smallest share of the best rating."""
_TONES = "\U0001f3fb-\U0001f3ff"
_STARS = "⭐★🌟"
_MARK = re.compile(
    rf"(?P<number>\d)\s?[{_STARS}](?![{_STARS}])|(?P<stars>[{_STARS}](?:\s?[{_STARS}])*)(?P<missing>(?:\s?[☆✩])*)"
    rf"|(?P<emoji>[{''.join(_MEANS)}])[{_TONES}]?(?:\s?[{''.join(_MEANS)}{_TONES}])*"
)
_RATING = re.compile(
    r"(?<![\d/.,-])(?<!\bon )(?<!\bby )(?<!\bsince )(?<!\bfrom )(?<!\buntil )"
    r"(?P<points>10|\d(?:[.,]\d)?)\s?/\s?(?P<best>5|10)(?![\d/.]\d|\d|/|\s+of\b)(?P<stars>\s*(?:stars?|points?)\b)?"
)
_EMOTICON = re.compile(
    r"(?:(?<=\s)|(?<=[.!?])|^)[:;=]['’]?-?(?P<mouth>[)D(/])\1*(?=\s|[.!?,;]|$)", re.MULTILINE
)
_I_LOVE = re.compile(r"\b(I|we|We) ?[❤♥] ?(?=\w)")
_MOST_LABEL_WORDS, _MOST_ITEM_WORDS = 3, 8
"""Of a name before its mark, and of an item that begins with its mark."""
_NOT_A_LABEL = re.compile(
    r"\b(?:i|we|it|they|he|she|is|was|are|were|has|had|have|give|gave|rate|rated|a|an|of|at|no|not|never|my|"
    r"our|thumbs)\b|n[’']t\b",
    re.IGNORECASE,
)
_AMENITIES = word_set("free private indoor outdoor heated paid daily included public")
"""Adjectives that tell amenities apart, and rate none."""
_LACKS = re.compile(rf"[\s•*-]*[❌✗✘🚫⛔].*\b(?:{'|'.join(sorted(_AMENITIES))})\b", re.IGNORECASE)
_THUMBS = {"👍": "thumbs up", "👎": "thumbs down"}
_STARRED = re.compile(
    r"\s+(?:[a-z]+\s)?(?:hotel|resort|inn|hostel|place|property|rooms?|restaurant|accommodation|service|stay|"
    r"reviews?|ratings?|experience|quality)\b",
    re.IGNORECASE,
)
_THUMB_BEFORE = re.compile(r"\bthumbs (?:up|down)$", re.IGNORECASE)
_MILD = "🙂😊😀😃😄😁☺😋🙌💪🙁☹😞😟😕😒😔😐😑🙄😱🤯❤♥💖💕"
"""Emoji that show a mood; they rate only a bare name ("Breakfast 🙂")."""
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*$")
_LABEL = re.compile(
    r"^(?:.*(?:[.!?,;]\s|\b(?:and|but)\s))?\s*(?P<name>[^.!?,;]*?)[\s:–—(-]*$", re.IGNORECASE | re.DOTALL
)
"""The name directly before a mark: from the beginning of the line, of the sentence or of the clause."""
_BEHIND_LABEL = re.compile(r"\)?(?:\s*[.,;!:]+|\s*$|\s+(?:and|but)\b|\s*(?=[\s(]*[A-Z]))[\s,;]*", re.ASCII)
"""What ends a label and its mark: punctuation, the end of the line, or another beginning."""

_NUMBERS = r"#?\d{1,3}(?:\s*(?:,|;|&|-|–|and|,\s*and)\s*#?\d{1,3})*"
_CITATION = (
    rf"(?:\[\^?{_NUMBERS}\]|【{_NUMBERS}(?:†[^】]*)?】"
    rf"|[(\[](?:see |from |sources?:? )?(?:reviews?|sources?|refs?\.?|references?|r)\s*{_NUMBERS}[)\]])"
)
_AFTER_STOP = re.compile(rf"([.!?…]+)[ ]?((?:[ ]?{_CITATION})+)(?=\s|$)", re.IGNORECASE)
_CITED = re.compile(rf"\s*{_CITATION}", re.IGNORECASE)


def in_words(text: str) -> str:
    """Return a text in which emoji and ratings that carry the opinion are words.

    "Breakfast 👎" becomes "Breakfast: bad.", and "Location ⭐⭐⭐⭐⭐" "Location: excellent.". Within a
    sentence, "👍" is "thumbs up" and "3★" is "3 stars"; other emoji, which repeat its words, are left out.
    Citation markers after a full stop move in front of it, into the sentence that they support.
    """
    text = _AFTER_STOP.sub(r" \2\1", text) if "]" in text or ")" in text or "】" in text else text
    text = re.sub(r" {2,}(?=[\[(【])", " ", text)
    text = _RATING.sub(_rating_in_words, text) if "/" in text else text
    text = _EMOTICON.sub(lambda face: "🙂" if face["mouth"] in ")D" else "🙁", text)
    if text.isascii():
        return text
    return "\n".join(_emoji_in_words(_I_LOVE.sub(r"\1 love ", line)) for line in text.split("\n"))


def without_citations(sentence: str) -> str:
    """Return a sentence without the markers of its sources: ``[1]``, ``[2][3]``, ``(reviews 2, 3)``."""
    return _CITED.sub("", sentence).strip() or sentence


def unread_emoji(text: str) -> int:
    """Return the number of emoji in a text in plain form, which a judge cannot tell from each other."""
    if text.isascii():
        return 0
    return sum(unicodedata.category(character) == "So" and character not in "©®™°" for character in text)


def rated_items(text: str) -> str:
    """Return a text in which items that begin with their marks, as in "✅ bar, ❌ sauna", are lines."""
    if text.isascii():
        return text
    return "\n".join(_items_of(line, 1 if _LACKS.match(line) else 2) or line for line in text.split("\n"))


def _items_of(line: str, least: int = 1) -> str:
    """Return the items of a line that begins with a mark, each with its rating; empty if it is no list."""
    marks = list(_MARK.finditer(line))
    if len(marks) < least or line[: marks[0].start()].strip(" -•*"):
        return ""
    ends = [mark.start() for mark in marks[1:]]
    names = [line[mark.end() : end] for mark, end in zip(marks, [*ends, len(line)], strict=True)]
    names = [re.sub(r"[\s,;–—-]+(?:and|but)?\s*$", "", name).strip(" ,;:–—-.") for name in names]
    if not all(_is_label(name, _MOST_ITEM_WORDS) for name in names):
        return ""
    return "\n".join(_of_item(name, mark) for name, mark in zip(names, marks, strict=True))


def _of_item(name: str, mark: re.Match[str]) -> str:
    """Return a sentence on an item; "✅ Clean rooms" and "❌ Dirty rooms" say it without their marks."""
    described = adjectives() & set(name.lower().split())
    if mark["emoji"] and described - _AMENITIES:
        return f"{name[:1].upper()}{name[1:]}."
    return _of_rated(name, mark)


def _is_label(text: str, most_words: int = _MOST_LABEL_WORDS) -> bool:
    """Return whether a text only names what is rated, such as "Breakfast"."""
    return any(map(str.isalpha, text)) and len(text.split()) <= most_words and not _NOT_A_LABEL.search(text)


def _rated(share: float) -> str:
    return next(word for least, word in _SCALE if share >= least)


def _rating_in_words(match: re.Match[str]) -> str:
    points, best = float(match["points"].replace(",", ".")), int(match["best"])
    before, after = match.string[: match.start()], match.string[match.end() :]
    label = re.split(r"[.!?\n,;]", before)[-1].strip(" :–-")
    ends = not after.strip() or re.match(r"\s*[.,;!?\n]|\s+and\b", after)
    if points > best:
        return match.group()
    if not (ends and (not label or _is_label(label))):
        return f"{match['points']} out of {best}"
    word = _rated(points / best)
    if not label:
        return word.capitalize()
    return word if before.rstrip().endswith(":") else f"is {word}"


def _emoji_in_words(line: str) -> str:
    """Return a line in which the emoji that mean something are words for what they rate.

    They rate the name before them, or the item that begins with them; a rated name is a line of its own.
    """
    marks = list(_MARK.finditer(line))
    if not marks:
        return line
    if items := _items_of(line):
        return items
    if not any(map(str.isalpha, line)):
        return f"{_meaning(marks[0]).capitalize()}."
    done, said, place = "", "", 0
    for mark in marks:
        said = (said + line[place : mark.start()]).rstrip()
        following = line[mark.end() :].lstrip()
        place = len(line) - len(following)
        label, behind = _LABEL.search(said), _BEHIND_LABEL.match(line, mark.end())
        if label and behind and _is_label(label["name"], _most_words(mark)):
            before = re.sub(r"[\s,;]*(?:\b(?:and|but))?\s*$", "", said[: label.start("name")])
            done += f"{before}. " if before and not _SENTENCE_END.search(before) else f"{before} ".lstrip()
            rated, said = _of_rated(label["name"], mark), ""
            done += rated + ("\n" if rated.endswith(" no.") else " ")  # "no. 5" is an abbreviation
            place = behind.end()
        elif said.endswith("?") and (answer := _ANSWERS.get(_meaning(mark))):
            said += f" {answer}. "
        elif _THUMB_BEFORE.search(said):
            said += " "
        elif words := _in_place(mark, line[mark.end() :]):
            said += f"{'' if said.endswith('(') or not said else ' '}{words}"
            place = mark.end()
        else:
            ends_here = following[:1].isupper() and said and not _SENTENCE_END.search(said)
            said += ". " if ends_here else "" if following[:1] in (*".,;!?)", "") else " "
    return (done + said + line[place:]).strip()


def _most_words(mark: re.Match[str]) -> int:
    return 2 if mark["emoji"] and mark["emoji"] in _MILD else _MOST_LABEL_WORDS


_ANSWERS = {"good": "Yes", "excellent": "Yes", "yes": "Yes", "bad": "No", "terrible": "No", "no": "No"}


def _of_rated(name: str, mark: re.Match[str]) -> str:
    """Return a sentence on what a mark rates."""
    return f"{name[:1].upper()}{name[1:]}: {_meaning(mark)}."


def _in_place(mark: re.Match[str], following: str) -> str:
    """Return the words for a mark within a sentence; empty if the sentence says it already."""
    if mark["emoji"]:
        return _THUMBS.get(mark["emoji"], "")
    number = mark["number"] or str(len(re.sub(r"\s", "", mark["stars"])))
    is_kind = mark["number"] and _STARRED.match(following)
    return f"{number}-star" if is_kind else f"{number} star{'s' if number != '1' else ''}"


def _meaning(mark: re.Match[str]) -> str:
    if mark["emoji"]:
        return _MEANS[mark["emoji"]]
    stars = int(mark["number"]) if mark["number"] else len(re.sub(r"\s", "", mark["stars"]))
    return _rated(min(stars, 5) / 5)
