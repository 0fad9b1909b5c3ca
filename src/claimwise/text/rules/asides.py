"""What follows a comma without a subject of its own: ", which ...", ", with ...", ", noting that ...".

Each function is given the clause on the left, its subject and verb, and returns the aside as a clause or
None if it is not sure.
"""

from __future__ import annotations

from claimwise.text.rules.recognise import (
    MAX_SUBJECT,
    agree,
    find_verb,
    is_adjective,
    is_adverb,
    is_clause,
    is_finite,
    is_negated,
    is_plural,
    verb_end,
)
from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.verbs import (
    NAMING_VERBS,
    OPINION_VERBS,
    PLURAL_FORMS,
    REPORTING_VERBS,
    base_of,
    inflect,
    is_past,
    past_of,
)
from claimwise.text.rules.words import BREAKS, DETERMINERS, LISTABLE, PRONOUNS, REPORTERS, word_set

REPORTING_BASES = word_set("say find think feel mention note report state believe add claim complain")
OFFERING_VERBS = word_set("offer provide feature include serve contain")


def which_clause(left: Tokens, subject: Tokens, verb: int, rest: Tokens) -> Tokens | None:
    """Turn ", which is great" into a clause about the noun before it, else about "this"."""
    words = lower(left)
    if not rest or not is_finite(["this", rest[0].lower(), *lower(rest[1:2])], 1):
        return None
    end, copular = verb_end(words, verb)
    begin = max((i for i in range(end, len(words)) if words[i] in LISTABLE), default=end - 1)
    noun = left[begin:] if words[begin] in DETERMINERS else left[begin + 1 :]
    if words[begin] in {"a", "an"}:
        noun[0] = "the"
    described = copular and begin == end - 1
    if not noun or described or is_adjective(words[-1]) or is_adverb(words[-1]):
        noun = ["this"]
    if rest[0].lower() != agree(rest[0], noun).lower():
        noun = ["this"] if rest[0].lower() in PLURAL_FORMS else []
    return [*noun, *rest] if noun else None


def with_clause(left: Tokens, subject: Tokens, verb: int, rest: Tokens) -> Tokens | None:
    """Turn ", with some saying X", ", with the staff being X", ", with a pool" into clauses."""
    words, past = lower(rest), is_past(left[verb])
    for i in range(1, min(len(words) - 1, MAX_SUBJECT)):
        if words[i] in BREAKS:
            break
        if words[i] == "being" and is_clause([*rest[:i], "is"], strict=False):
            copula = agree("were" if past else "are", rest[:i])
            return [*rest[:i], copula, *rest[i + 1 :]]
    reports = _finite_reports(rest)
    if reports != rest:
        return reports
    people = set(lower(subject)) & (REPORTERS | PRONOUNS | {"there"})
    if people or not subject or find_verb(rest) is not None or is_negated(lower(subject)):
        return None
    return [*subject, "had" if past else agree("have", subject), *rest]


def _finite_reports(tokens: Tokens) -> Tokens:
    """Write "some (guests) saying" as "some (guests) said", wherever it occurs."""
    words = lower(tokens)
    return [
        (past_of(base_of(word)) or token) if i and words[i - 1] in REPORTERS else token
        for i, (word, token) in enumerate(zip(words, tokens, strict=True))
    ]


def participle_clause(left: Tokens, subject: Tokens, verb: int, right: Tokens) -> Tokens | None:
    """Turn ", noting that X" into "(guests) noted that X", ", offering X" into "(it) offers X"."""
    word, names = right[0].lower(), lower(subject)
    base = base_of(word)
    past = past_of(base)
    if past is None or not subject or is_negated(names) or len(right) < 2:
        return None
    if past in REPORTING_VERBS | OPINION_VERBS | NAMING_VERBS:
        said = right[2:] if right[1].lower() == "that" else right[1:]
        if base in REPORTING_BASES and is_clause(said, strict=False):
            return said
        return [*subject, past, *right[1:]] if set(names) & (REPORTERS | {"they"}) else None
    if base not in OFFERING_VERBS or set(names) & REPORTERS:
        return None
    present = base if is_plural(names) else inflect(base, "s")
    return [*subject, past if is_past(left[verb]) else present, *right[1:]]


def making_clause(left: Tokens, subject: Tokens, verb: int, rest: Tokens) -> Tokens | None:
    """Turn ", making it ideal for families" into "the hotel is ideal for families"."""
    words = lower(rest)
    if len(words) < 2 or words[0] not in {"it", "them"} or set(lower(subject)) & REPORTERS:
        return None
    expletive = "to" in words[2:4] or is_negated(lower(left))
    who = ["it"] if expletive and words[0] == "it" else subject
    return [*who, agree("were" if is_past(left[verb]) else "are", who), *rest[1:]]
