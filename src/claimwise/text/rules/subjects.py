"""Whom a claim is about, once it stands alone: pronouns and "some" get the noun that they stand for."""

from __future__ import annotations

from collections.abc import Sequence

from claimwise.text.rules.recognise import find_verb, is_adverb, is_plural, verb_end
from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.verbs import BASE_VERBS
from claimwise.text.rules.words import BREAKS, COORDINATORS, EMBEDDERS, PREPOSITIONS, PRONOUNS, word_set

QUANTIFIERS = word_set("some many most several") | {"a few"}
UNRESOLVABLE = EMBEDDERS | word_set("this that there these those some many most several others")
TOUGH = word_set("hard easy difficult impossible possible nice good great")  # "it is hard to ..."


def resolve_pronoun(tokens: Tokens, before: Tokens, said: bool) -> Tokens:
    """Put the subject of the copular clause before in place of the pronoun that opens this one."""
    verb = find_verb(before)
    if not verb or not verb_end(lower(before), verb)[1]:
        return tokens
    words = lower(before[:verb])
    if len(words) > 6 or "," in words or words[-1] in PRONOUNS or words[0] in UNRESOLVABLE:
        return tokens
    wanted = "it" if not is_plural(words) else "" if said else "they"
    if tokens[0].lower() != wanted or _is_expletive(lower(tokens)):
        return tokens
    return [*before[:verb], *tokens[1:]]


def _is_expletive(words: Sequence[str]) -> bool:
    """Whether "it" stands for what follows: "it is hard to find a table", not "it is hard to find"."""
    for i in range(2, len(words) - 3):
        if words[i] in TOUGH and words[i + 1] == "to" and words[i + 2] in BASE_VERBS:
            after = words[i + 3]
            no_object = PREPOSITIONS | COORDINATORS | BREAKS | {"all", "every"}
            return after not in no_object and not is_adverb(after)
    return False


def name_people(tokens: Tokens, people: str) -> Tokens:
    """Write "some guests complained" where the clause only says "some complained"."""
    if people.endswith("s") and tokens[0].lower() in QUANTIFIERS and find_verb(tokens) == 1:
        return [tokens[0], people, *tokens[1:]]
    return tokens
