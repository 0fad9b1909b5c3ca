"""Who said it: "guests said that ...", "some found the staff rude"."""

from __future__ import annotations

from claimwise.text.rules.recognise import (
    MAX_SUBJECT,
    agree,
    describes,
    find_verb,
    is_adverb,
    is_clause,
    is_description,
    is_finite,
    is_negated,
)
from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.verbs import AUXILIARIES, NAMING_VERBS, REPORTING_VERBS, is_past, past_of
from claimwise.text.rules.words import (
    ADVERBS,
    BREAKS,
    COORDINATORS,
    LISTABLE,
    PREPOSITIONS,
    REPORTERS,
    word_set,
)

CONSENSUS = word_set("consensus impression opinion complaint feeling")


def strip_attribution(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """Drop who said it, where what was said is complete in itself.

    Args:
        tokens: one sentence or clause.

    Returns:
        The dropped source ("some guests"; empty if nothing was dropped) and what it said. Negated
        attributions ("nobody said that ...") are kept whole.
    """
    verb = find_verb(tokens)
    if not verb or verb > MAX_SUBJECT:
        return [], tokens
    words = lower(tokens)
    subject = words[:verb]
    impersonal = subject == ["it"] and words[verb] in {"is", "was", "has"}
    if words[verb : verb + 2] in (["is", "that"], ["was", "that"]) and subject[-1] in CONSENSUS:
        rest = tokens[verb + 2 :]
        return (tokens[:verb], rest) if is_clause(rest, strict=False) else ([], tokens)
    if not impersonal and ((REPORTERS | {"they"}).isdisjoint(subject) or subject[0] in PREPOSITIONS):
        return [], tokens
    said = verb
    while said + 1 < len(words) and (words[said] in AUXILIARIES or is_adverb(words[said])):
        said += 1
    helpers = words[verb:said]
    if words[said] not in REPORTING_VERBS | NAMING_VERBS or is_negated(subject + helpers):
        return [], tokens
    if not impersonal and not set(helpers) <= ADVERBS | {"has", "have", "had", "do", "did"}:
        return [], tokens
    rest = tokens[said + 1 :]
    if words[said + 1 : said + 2] == ["that"]:
        rest = rest[1:]
    elif impersonal:
        return [], tokens
    elif words[said] in NAMING_VERBS and (named := complete(words[said], rest)):
        return tokens[:verb], named
    if is_clause(rest, strict=False):
        return tokens[:verb], rest
    return [], tokens


def complete(verb: str, tokens: Tokens) -> Tokens | None:
    """Give the object of a naming verb a verb of its own.

    "(found) the staff rude", "(found) the staff to be rude" and "(described) the staff as rude" all
    become "the staff were rude"; "(found) them to run small" becomes "they ran small".
    """
    words, describing = lower(tokens), verb.startswith("describe")
    for i in range(1, min(len(words), MAX_SUBJECT)):
        if words[i] in BREAKS or is_finite(words, i):
            return None
        subject = ["they"] if words[:i] == ["them"] else tokens[:i]
        copula = agree("were" if is_past(verb) else "are", subject)
        if words[i : i + 2] == ["to", "be"]:
            return [*subject, copula, *tokens[i + 2 :]]
        if words[i] == "to":
            past = past_of(words[i + 1]) if i + 1 < len(words) and is_past(verb) else None
            return [*subject, past, *tokens[i + 2 :]] if past else None
        if describing and words[i] == "as":
            return [*subject, copula, *tokens[i + 1 :]]
        before = words[i - 1]
        in_noun_phrase = before in LISTABLE or before in COORDINATORS or describes(before)
        if not describing and not in_noun_phrase and is_description(words[i:]):
            return [*subject, copula, *tokens[i:]]
    return None
