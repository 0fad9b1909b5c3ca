"""Marks in a text: opinions in emoji, ratings, and citation markers."""

from __future__ import annotations

import re
import unicodedata

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
_MOST_LABEL_WORDS = 3
_NOT_A_LABEL = re.compile(
    r"\b(?:i|we|it|they|he|she|is|was|are|were|give|gave|rate|rated|a|an|of|at)\b", re.I
)
_MILD = "🙂😊😀😃😄😁☺😋🙌💪🙁☹😞😟😕😒😔😐😑🙄😱🤯❤♥💖💕"
_MOODS = re.compile(rf"\s*[{_MILD}][{_MILD}\s]*")
"""Emoji that show a mood; they say something only about a bare name ("Breakfast 🙂")."""
_SENTENCE_END = re.compile(r"[.!?…][\"')\]]*$")
_BETWEEN = re.compile(r"[\s,;:&–—-]*(?:\b(?:and|but)\b)?\s*")

_NUMBERS = r"#?\d{1,3}(?:\s*(?:,|;|&|-|–|and|,\s*and)\s*#?\d{1,3})*"
_CITATION = (
    rf"(?:\[\^?{_NUMBERS}\]|【{_NUMBERS}(?:†[^】]*)?】"
    rf"|[(\[](?:see |from |sources?:? )?(?:reviews?|sources?|refs?\.?|references?|r)\s*{_NUMBERS}[)\]])"
)
_AFTER_STOP = re.compile(rf"([.!?…]+)[ ]?((?:[ ]?{_CITATION})+)(?=\s|$)", re.IGNORECASE)
_CITED = re.compile(rf"\s*{_CITATION}", re.IGNORECASE)


def in_words(text: str) -> str:
    """Return a text in which emoji and ratings that carry the opinion are words.

    "Breakfast 👎" becomes "Breakfast: bad.", and "Location ⭐⭐⭐⭐⭐" "Location: excellent.".
    Emoji after a sentence, which says it already, are left out. Citation markers after a full stop move in
    front of it, into the sentence that they support.
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


def _is_label(text: str) -> bool:
    """Return whether a text only names what is rated, such as "Breakfast"."""
    return len(text.split()) <= _MOST_LABEL_WORDS and not _NOT_A_LABEL.search(text)


def _rated(share: float) -> str:
    return next(word for least, word in _SCALE if share >= least)


def _rating_in_words(match: re.Match[str]) -> str:
    points, best = float(match["points"].replace(",", ".")), int(match["best"])
    before, after = match.string[: match.start()], match.string[match.end() :]
    label = re.split(r"[.!?\n,;]", before)[-1].strip(" :–-")
    ends = not after.strip() or re.match(r"\s*[.,;!?\n]|\s+and\b", after)
    if points > best:
        return match.group()
    if not (ends and _is_label(label)):
        return f"{match['points']} out of {best}"
    word = _rated(points / best)
    if not label:
        return word.capitalize()
    return word if before.rstrip().endswith(":") else f"is {word}"


def _emoji_in_words(line: str) -> str:
    """Return a line in which the emoji that mean something are words for what they rate.

    They rate what stands before them; if the line begins with one, each rates what follows.
    """
    line = _MOODS.sub(_mood, line)
    marks = list(_MARK.finditer(line))
    if not marks:
        return line
    ends = [mark.end() for mark in marks]
    rated = [line[start : mark.start()] for start, mark in zip([0, *ends], marks, strict=False)]
    rest = line[ends[-1] :]
    if not rated[0].strip():
        rated, rest = [re.sub(r"\.$", "", text) for text in (*rated[1:], rest)], ""
    said: list[str] = []
    for text, mark in zip(rated, marks, strict=True):
        label = (_BETWEEN.sub("", text, count=1) if said else text).strip().rstrip(" :–—-")
        if _SENTENCE_END.search(label):
            said.append(label)  # which says it already
        elif any(map(str.isalpha, label)):
            said.append(f"{label[0].upper()}{label[1:]}: {_meaning(mark)}.")
        elif not said or not label:
            said.append(f"{_meaning(mark).capitalize()}.")
    if any(map(str.isalnum, rest)):
        said.append(_BETWEEN.sub("", rest, count=1).lstrip(" ."))
    return " ".join(said)


def _mood(match: re.Match[str]) -> str:
    """Return emoji of a mood if they rate a bare name, else what separates the sentences around them."""
    before = re.split(r"[.!?,;:]", match.string[: match.start()])[-1]
    following = match.string[match.end() :]
    is_end = not following or following[0] in ".,;!?"
    if _is_label(before) and (is_end or re.match(r"(?:and|but)\b", following)):
        return match.group()
    if following[:1].isupper() and before.strip():
        return ". "
    return "" if is_end or not match.start() else " "


def _meaning(mark: re.Match[str]) -> str:
    if mark["emoji"]:
        return _MEANS[mark["emoji"]]
    stars = int(mark["number"]) if mark["number"] else len(re.sub(r"\s", "", mark["stars"]))
    return _rated(min(stars, 5) / 5)
