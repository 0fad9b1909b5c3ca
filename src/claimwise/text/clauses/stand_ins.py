"""Subjects that parsers take for something else, hidden behind "they" while the parser reads.

"Several warn that ..." and "Owners like small ..." are rare in treebanks; "they warn" is not.
"""

from __future__ import annotations

import re

from claimwise.text.clauses import words
from claimwise.text.clauses.forms import base_form, is_known_verb
from claimwise.text.clauses.tree import Parse

_VERBS = "|".join(
    sorted(
        words.word_set(
            "add added admire admired admit admitted adore advise advised agree agreed appreciate "
            "appreciated argue argued ask asked blame blamed bemoan call called caution cautioned cite cited "
            "claim claimed complain complained consider considered criticise criticised criticize criticized "
            "describe described disagree disagreed dislike disliked doubt doubted encountered enjoy enjoyed "
            "expect expected experience experienced feel felt find found hate hated hope hoped lament "
            "lamented like liked love loved mention mentioned miss missed note noted noticed object objected "
            "point pointed praise praised prefer preferred rate rated recommend recommended regard regarded "
            "regret regretted report reported said say saw see suggest suggested struggle struggled think "
            "thought value valued want wanted warn warned welcome welcomed wish wished wonder worry worried "
            "wrote would"
        )
    )
)
_SHARES = (
    r"(?:(?:nearly|almost|about|roughly|over|just under|well over|more than) )?"
    r"(?:(?:a|one|two) (?:third|quarter|half|fifth)s?|half)"
)
_NUMBERS = r"a (?:good |large |growing |small |fair )?(?:number|minority|majority|handful|couple)"
_QUANTIFIERS = (
    r"quite a few|quite a lot|a good many|a great many|a few|nearly all|almost all|several|many|most|some|"
    rf"others|plenty|both|the rest|{_SHARES}|{_NUMBERS}"
)
_HOLDERS = "|".join(sorted(word for word in words.HOLDERS if word.endswith("s") and len(word) > 4))
_STAND_IN = re.compile(
    rf"""
    (?<![\w'’-])(?<!few\ )(?<!many\ )(?<!all\ )(?<!the\ )(?<!some\ )(?:{_QUANTIFIERS.replace(" ", r"[ ]")})
    (?=\ (?:also\ |often\ |even\ |really\ )?(?:{_VERBS})\b)
    | (?:(?<=^)|(?<=,\ )|(?<=\bbut\ )|(?<=\bwhile\ )|(?<=\bthough\ )|(?<=\band\ ))(?:{_HOLDERS}|people)
    (?=\ (?:{_VERBS})\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_THEY = re.compile(r"(?<![\w'’-])they(?![\w’-])", re.IGNORECASE)


def hidden(text: str) -> tuple[str, dict[int, str]]:
    """Return the text with "they" for such subjects, and what stands behind which of its "they"."""
    behind: dict[int, str] = {}
    pieces: list[str] = []
    end = count = 0
    for found in _STAND_IN.finditer(text):
        before = text[end : found.start()]
        count += len(_THEY.findall(before))
        behind[count] = found[0]
        count += 1
        pieces += [before, "They" if found[0][0].isupper() else "they"]
        end = found.end()
    return ("".join([*pieces, text[end:]]), behind) if behind else (text, behind)


def shown(parse: Parse, behind: dict[int, str]) -> Parse:
    """Return the parse with the subjects themselves; each is one word of it."""
    if not behind:
        return parse
    shown_words, tags, pos = list(parse.words), list(parse.tags), list(parse.parts_of_speech)
    count = 0
    for place, word in enumerate(parse.words):
        if word.lower() != "they":
            continue
        if count in behind:
            shown_words[place], tags[place] = behind[count], "NNS"
            pos[place] = "NOUN" if behind[count].lower() in words.HOLDERS else "PRON"
        count += 1
    return parse._replace(words=shown_words, tags=tags, parts_of_speech=pos)


_IN_SUBJECT = frozenset(
    {"DT", "PRP$", "JJ", "JJS", "JJR", "NN", "NNS", "NNP", "NNPS", "CD", "VBG", "VBN", "POS", "HYPH"}
)
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})


def simpler(parse: Parse) -> tuple[str, str, str] | None:
    """Return the statement with "it" or "they" for its first words, these words, and the tag of the last.

    For statements whose parse makes no sense: in "the lid kinks and the hose leaks" a parser may take a verb
    for a noun, in "it kinks ..." it does not. None where no place for a verb can be seen.
    """
    for place, (word, tag) in enumerate(zip(parse.words, parse.tags, strict=True)):
        if place and parse.tags[place - 1] in _NOUNS and (tag in _FINITE or _may_be_verb(word.lower(), tag)):
            subject = "".join(
                one + (" " if space else "")
                for one, space in zip(parse.words[:place], parse.spaces[:place], strict=True)
            ).strip()
            rest = "".join(
                one + (" " if space else "")
                for one, space in zip(parse.words[place:], parse.spaces[place:], strict=True)
            )
            last = parse.tags[place - 1]
            many = last in ("NNS", "NNPS") and not word.lower().endswith("s")
            return f"{'They' if many else 'It'} {rest}", subject, "NNS" if many else "NN"
        if tag not in _IN_SUBJECT:
            return None
    return None


def _may_be_verb(word: str, tag: str) -> bool:
    """Whether a word after a noun may be its verb: one in -s, or the past tense of a common verb."""
    if tag in ("NNS", "NNPS"):
        return word.endswith("s")
    return tag in ("NN", "VBN", "JJ", "VB") and (word.endswith("ed") or is_known_verb(base_form(word, "VBD")))


def with_subject(parse: Parse, subject: str, tag: str) -> Parse:
    """Return the parse with the subject for its first word."""
    return parse._replace(
        words=[subject, *parse.words[1:]],
        tags=[tag, *parse.tags[1:]],
        parts_of_speech=["NOUN", *parse.parts_of_speech[1:]],
    )
