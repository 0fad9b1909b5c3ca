"""From a sentence to tokens and back.

A sentence is a list of tokens, split at white space with commas and semicolons on their own; what
must never be split ("bed and breakfast", a bracket, a name) is one token with spaces inside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimwise.text.rules.words import phrase_set, word_set

Tokens = list[str]
PERFECTS = frozenset({"been", "got", "had"})  # after these, "it's" is "it has"
CONTRACTED = {"'s": "is", "'re": "are", "'m": "am"}
CONTRACTING = word_set("it that there he she they we you i")
FIXED_PHRASES = phrase_set(
    "inside and out|and a half|one and the same|"
    "bed and breakfast|bed & breakfast|bacon and eggs|peace and quiet|up and down|back and forth|"
    "in and out|on and off|to and from|fish and chips|mac and cheese|salt and pepper|"
    "wear and tear|pros and cons|ups and downs|black and white|first and foremost|by and large|"
    "over and over|day and night|night and day|again and again|here and there|food and beverage|"
    "r & b|r and b|bread and butter|plug and play|trial and error|hit and miss|hustle and bustle|"
    "nice and easy|tried and tested|safe and sound|far and wide|loud and clear|arts and crafts|"
    "drag and drop|hide and seek|odds and ends|rock and roll|tea and coffee making|"
    "coffee and tea making|bits and pieces|cut and dried|few and far between|each and every|"
    "terms and conditions|research and development|question and answer|lock and key|hot and cold|"
    "pick and choose|sooner or later|more or less|once or twice|one or two|two or three|"
    "whether or not|or so|nothing but|anything but|all but|last but not least|so far|so that|"
    "so much|so many|as if|as though|as long as|as soon as|as well as|even though|because of|"
    "due to|such as|no one|a few|a little|a bit|a tad|kind of|at times|a lot of|lots of|plenty of|"
    "a variety of|a number of|try and|come and go|go and see"
)
LONGEST_PHRASE = max(len(phrase.split()) for phrase in FIXED_PHRASES)
TAIL_MARKERS = frozenset({"including", "such as", "especially", "particularly"})
CLOSERS = {"(": ")", "[": "]", "“": "”", '"': '"'}
NAME = re.compile(r"[A-Z][a-z]+(?:['’]s)?")
STOPS = " .!?…,;:\t\n\r"


def lower(tokens: Sequence[str]) -> Tokens:
    """Lower-case words for look-ups, with straight apostrophes; no token holds a line break."""
    return "\n".join(tokens).lower().replace("’", "'").split("\n") if tokens else []


def tokenize(sentence: str) -> Tokens:
    """Split a sentence into tokens; whatever must stay together becomes one token.

    Args:
        sentence: any text.

    Returns:
        Words, with commas and semicolons apart; fixed phrases, names, bracketed and quoted text and
        "between X and Y" as single tokens that hold spaces.
    """
    words: Tokens = []
    chunks = sentence.split()
    for chunk, after in zip(chunks, [*chunks[1:], ""], strict=False):
        bare = chunk.rstrip(",;")
        pronoun, mark, ending = bare.replace("’", "'").partition("'")
        if pronoun.lower() in CONTRACTING and mark + ending in CONTRACTED and after not in PERFECTS:
            words += [pronoun, CONTRACTED[mark + ending]]
        elif bare:
            words.append(bare)
        words += chunk[len(bare) :]
    lowered = lower(words)
    tokens: Tokens = []
    i = 0
    while i < len(words):
        size = _span(words, lowered, i)
        tokens.append(join(words[i : i + size]))
        i += size
    return tokens


def _span(words: Sequence[str], lowered: Sequence[str], i: int) -> int:
    """Return how many words, from word ``i`` on, form one token."""
    word = words[i]
    closer = CLOSERS.get(word[0])
    if closer and closer not in word[1:]:
        for j in range(i + 1, len(words)):
            if closer in words[j]:
                return j - i + 1
    for size in range(LONGEST_PHRASE, 1, -1):
        if " ".join(lowered[i : i + size]) in FIXED_PHRASES:
            return size
    following = lowered[i + 1 : i + 9]
    if word == "," and following and " ".join(following[:2]).startswith(tuple(TAIL_MARKERS)):
        return 3 if following[0] == "such" else 2
    if lowered[i] == "between" and "and" in following[:-1]:
        return following.index("and") + 3
    if following[:1] == ["and"] and len(following) > 1:
        named = i > 0 and NAME.fullmatch(word) and NAME.fullmatch(words[i + 2])
        numbers = word[-1].isdigit() and words[i + 2][0].isdigit()
        if named or numbers or lowered[i] == following[1]:
            return 3
    return 1


def split_at_semicolons(tokens: Tokens) -> list[Tokens]:
    """Split at semicolons, the only mark that is safe beside a condition."""
    segments: list[Tokens] = [[]]
    for token in tokens:
        if token == ";":
            segments.append([])
        else:
            segments[-1].append(token)
    return [segment for segment in segments if segment]


def pair_not_only(tokens: Tokens) -> Tokens:
    """Write "not only clean but also quiet" as "clean and quiet"."""
    words = lower(tokens)
    for i in range(1, len(words) - 1):
        if words[i : i + 2] == ["not", "only"] and "but" in words[i + 2 :]:
            but = words.index("but", i)
            after = but + 2 if words[but + 1 : but + 2] == ["also"] else but + 1
            before = but - 1 if words[but - 1] == "," else but
            return [*tokens[:i], *tokens[i + 2 : before], "and", *tokens[after:]]
    return tokens


def join(tokens: Sequence[str]) -> str:
    """Return tokens as text, no space before commas and semicolons."""
    text = ""
    for token in tokens:
        text += token if not text or token[0] in ",;" else " " + token
    return text


def finish(text: str) -> str:
    """Return text as a sentence: capital first letter, one full stop at the end.

    Args:
        text: a claim.
    """
    body = " ".join(text.split()).lstrip(",; ").rstrip(STOPS)
    if body.endswith(('"', "”", ")")):
        body = body[:-1].rstrip(STOPS) + body[-1]
    if not any(character.isalnum() for character in body):
        body = text.strip().removesuffix(".")
    first = body[:1].upper()
    return (first if len(first) == 1 else body[:1]) + body[1:] + "."
