"""Sentences that the network misreads, told by their words: "Gym - no.", "To improve: …", "Nobody but …"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from claimwise.text.questions import (
    AUXILIARY,
    BE,
    DETERMINERS,
    DO,
    PRONOUNS,
    adjectives,
    subject_of,
    there_is,
)

_ANSWERED = re.compile(
    r"(?P<thing>[^\W\d_][^,;:.!?()]{0,40}?)\s*(?:\s[-–—]+|:|=|\()\s*(?P<word>yes|yep|yeah|no|nope|none)\)?",
    re.IGNORECASE,
)
_ANSWERS_SOMETHING = re.compile(
    r"\w\s*(?:\s[-–—]+|:|=)\s*(?:yes|yep|yeah|no|nope|none)\s*(?:[,;.!]|$)", re.IGNORECASE
)
_BARE = re.compile(
    r"(?P<start>It is|I) (?P<quality>(?:(?:very|too|so|quite|rather|pretty|super|\w+ly) )?"
    r"(?!(?:an?|the|my|our|your|their|his|her|its|this|that|no|not|one|some|any|all)\b)[\w-]+) "
    r"(?P<thing>[\w-]+)\."
)
_STATES = frozenset(
    {"paid", "included", "heated", "furnished", "equipped", "renovated", "limited", "mixed", "tired"}
)
"""Participles that describe a thing, and are no deed of the writer: "paid parking"."""
_NO = frozenset({"no", "nope", "none"})
_REQUEST = re.compile(
    r"\W*(?:[\w'’-]+ ){0,3}?(?:improv\w*|suggest\w*|wish\w*|requests?|requested|recommendations?|missing|"
    r"lacking|wanted|needed|needs|better|changed?|fix(?:ed)?|add(?:ed)?|proposals?|ideas?|not included|"
    r"would like|would have liked|please)(?: [\w'’-]+){0,3}?(?::|\s[-–—]+)\s*\w",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:(?:nobody|no one|no-one|none|nowhere|nothing)(?: (?:else|other|at all|of \w+(?: \w+)?))?"
    r"|(?<![a-z] )(?:all|every\w*)"
    r"|(?:no|not an?|not one|not a single|never an?|hardly any|neither)(?: [\w'’-]+){1,3}?) but\b(?! "
    r"(?:also|it|they|we|i|he|she)\b)"
    r"|\b(?:no|nobody|no-one|none|nothing|nowhere|never|not|all|every\w*|hardly any\w*)\b[^,;:.]*? "
    r"(?:except|save for|other than|apart from|besides|bar)\b[^,;:.]*\b(?:and|or)\b"
    r"|\b(?:hardly|barely|scarcely) any\w*\b[^,;:.]* but\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bnothing but\b", re.IGNORECASE)
_SUBJECT_BEGINS = "|".join(sorted(DETERMINERS | PRONOUNS))
_NOR = re.compile(
    rf"(?P<before>^|[,;]? )(?:(?:and|but) )?(?:nor|neither(?= (?:{AUXILIARY}) (?:{_SUBJECT_BEGINS})\b)) "
    rf"(?P<verb>{AUXILIARY}) (?P<words>[^,;:.!?]+)",
    re.IGNORECASE,
)
"""An inverted negation. "Neither is heated." is none: there, "neither" is the subject."""
_NEGATED = re.compile(
    rf"\b(?P<verb>{AUXILIARY})(?:n['’]t| ?not) (?P<predicate>[^,;:.!?]+?)\s*$", re.IGNORECASE
)


def answers_of(sentence: str) -> list[str] | None:
    """Return the claims of a list of answers, such as "Pool - yes, gym - no.".

    Returns:
        "There is a pool.", but "Clean: no." for what is not known as an amenity; None for other sentences.
    """
    claims = []
    for part in filter(str.strip, re.split(r"[.,;!]+(?:\s|$)", sentence)):
        answer = _ANSWERED.fullmatch(part.strip())
        if answer is None:
            return None
        thing, is_there = answer["thing"].strip(), answer["word"].lower() not in _NO
        kept = thing[0].upper() + thing[1:] + (": yes." if is_there else ": no.")
        claims.append(there_is(thing, is_there=is_there) or kept)
    return list(dict.fromkeys(claims)) or None


def complete(claim: str, sentence: str) -> str:
    """Return "The battery is weak." for "It is weak battery.", the claim of the fragment "Weak battery."."""
    bare = _BARE.fullmatch(claim)
    if bare is None or sentence.lower().split() != f"{bare['quality']} {bare['thing']}.".lower().split():
        return claim
    quality, thing = bare["quality"].lower(), bare["thing"]
    if bare["start"] == "I" and quality not in _STATES:
        return claim
    verb = "are" if re.search(r"[^sui]s$", thing) else "is"
    return f"The {thing} {verb} {quality}."


def reason_of(sentence: str, before: str = "") -> str | None:
    """Return why a sentence stays whole (a request, an exception, a negation), or None.

    ``before`` is the sentence before it, which may say what an inverted negation denies.
    """
    if is_request(sentence):
        return "a request"
    if _NOR.search(without_nor(sentence, before)):
        return "an inverted negation"
    return "an exception" if has_exception(sentence) else None


def is_request(sentence: str) -> bool:
    """Return whether a sentence lists what should be there, after a label: "To improve: more towels."."""
    return _REQUEST.match(sentence) is not None or _ANSWERS_SOMETHING.search(sentence) is not None


def has_exception(sentence: str) -> bool:
    """Return whether a sentence excepts something from a negation: "No room but ours had a balcony."."""
    is_first = re.match("nothing but", sentence, re.IGNORECASE)
    return _EXCEPTION.search(sentence if is_first else _ONLY.sub("only", sentence)) is not None


def without_nor(sentence: str, before: str = "") -> str:
    """Return a sentence with ", and I would not return" for ", nor would I return".

    Where only the subject is said, the predicate is that of the negation before, in the sentence or in the
    one before it: "The room wasn't clean, and the pool was not clean." for "The room wasn't clean, and
    neither was the pool.", "The bar was not open." for "Nor was the bar." after "The pool was not open.".
    """

    def plain(match: re.Match[str]) -> str:
        verb, words = match["verb"].lower(), match["words"].split()
        size = subject_of(verb, words)
        if size is not None and not _may_be_subject(words, size):
            subject, predicate = words[:size], " ".join(words[size:])
        else:
            subject = ["and" if word == "or" else word for word in words]
            clauses = match.string[: match.start()] or before.rstrip(" .!")
            predicate = _predicate_before(clauses, verb)
        if not predicate:
            return match.group()
        said = f"{' '.join(subject)} {verb} not {predicate}"
        return f"{match['before'].rstrip()} and {said}" if match["before"] else said[0].upper() + said[1:]

    return _NOR.sub(plain, sentence)


def _may_be_subject(words: Sequence[str], size: int) -> bool:
    """Return whether the word behind a subject may be its last noun, as in "nor was the front desk"."""
    last = words[-1].lower()
    is_single = len(words) == size + 1 and words[0].lower() not in PRONOUNS
    return is_single and last not in adjectives() and not last.endswith(("ed", "ing", "ly"))


def _predicate_before(clauses: str, verb: str) -> str:
    """Return the predicate that the last clause denies with the same kind of verb; empty if there is none."""
    negated = _NEGATED.search(clauses)
    if negated is None:
        return ""
    other = negated["verb"].lower()
    is_alike = other == verb or any({other, verb} <= kind for kind in (BE, DO))
    return negated["predicate"] if is_alike else ""
