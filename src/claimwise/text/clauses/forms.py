"""Forms of verbs: base, third person, past; for verbs that get another subject or become finite."""

from __future__ import annotations

import re

from claimwise.text.rules.verbs import BASE_VERBS, IRREGULAR_VERBS, inflect

_BASES = BASE_VERBS | {
    "have",
    "do",
    "be",
    "write",
    "make",
    "hide",
    "rise",
    "give",
    "arrive",
    "live",
    "move",
    "praise",
}
_BASE_OF_PAST = {past: base for base, past in IRREGULAR_VERBS.items()} | {
    "had": "have",
    "did": "do",
    "was": "be",
    "were": "be",
    "made": "make",
    "hid": "hide",
    "chose": "choose",
    "began": "begin",
    "flew": "fly",
    "understood": "understand",
    "read": "read",
    "reread": "reread",
    "let": "let",
    "set": "set",
    "put": "put",
    "cut": "cut",
    "shut": "shut",
}
_THIRD = {
    "be": "is",
    "have": "has",
    "do": "does",
    "are": "is",
    "were": "was",
    "'re": "is",
    "'ve": "has",
    "am": "is",
}
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do", "'s": "are"}
_VOWELS = "aeiou"
_SHORT = re.compile("(?:[^aeiou]+|qu)?[aeiou][^aeiouwxy]")
"""Stems of one syllable that would have doubled their last letter, had they not lost an "e": "cit(ing)"."""


def third_person(verb: str) -> str:
    """Return the singular of a finite verb in the plural: "are", "have", "smell" → "is", "has", "smells"."""
    return _THIRD.get(verb) or inflect(verb, "s")


def plural(verb: str) -> str:
    """Return the plural of a finite verb in the singular: "is", "smells" → "are", "smell"."""
    return _PLURAL.get(verb) or base_form(verb, "VBZ")


def past(base: str) -> str:
    """Return the past tense of a verb."""
    known = {of: form for form, of in _BASE_OF_PAST.items() if form not in ("was",)}
    if base in known:
        return known[base]
    doubled = (
        len(base) <= 5 and base[-1:] in "bdgmnprt" and base[-2:-1] in "aiou" and base[-3:-2] not in _VOWELS
    )
    return base + base[-1] + "ed" if doubled and base not in BASE_VERBS else inflect(base, "ed")


def base_form(verb: str, tag: str) -> str:
    """Return the base of a verb in the form that the Penn Treebank ``tag`` names."""
    if tag == "VBZ":
        return _base_of_third(verb)
    if tag in ("VBD", "VBN"):
        if verb in _BASE_OF_PAST:
            return _BASE_OF_PAST[verb]
        if verb.endswith("ied") and len(verb) > 4:
            return verb[:-3] + "y"
        return _restored(verb[:-2]) if verb.endswith("ed") and len(verb) > 3 else verb
    if tag == "VBG":
        if verb in ("lying", "dying", "tying"):
            return verb[:-4] + "ie"
        return _restored(verb[:-3]) if verb.endswith("ing") and len(verb) > 4 else verb
    return verb


def _base_of_third(verb: str) -> str:
    known = {"is": "be", "has": "have", "does": "do", "goes": "go"}
    if verb in known:
        return known[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb.removesuffix("s")


def _restored(stem: str) -> str:
    """Return the verb of a stem that lost its "e" or doubled its last letter."""
    for candidate in (stem, stem + "e", stem[:-1]):
        if candidate in _BASES:
            return candidate
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsfz":
        return stem[:-1]
    if _SHORT.fullmatch(stem):
        return stem + "e"
    if stem[-1:] in ("v", "c", "u") or stem[-2:] in (
        "dg",
        "rg",
        "iz",
        "ys",
        "as",
        "is",
        "us",
        "ur",
        "bl",
        "gl",
        "tl",
    ):
        return stem + "e"
    if stem[-2:] in ("at", "ir", "or", "ar", "id", "in", "ak", "ik", "im", "ok", "ud") and len(stem) > 2:
        before = stem[-3]
        closed = stem[-2:] in ("at", "ir", "id", "ik", "ak", "im", "ud", "ok") and before not in _VOWELS
        return stem + "e" if closed and stem[-2:] != "it" else stem
    return stem


def is_known_verb(base: str) -> bool:
    """Whether a word is the base of a common verb."""
    return base in _BASES or base in _BASE_OF_PAST.values()
