"""The offline default decomposer: clause splitting with word lists, no parser, no model.

A sentence goes through these steps, one file each:

    tokens.py       tokenize, pair_not_only, split_at_semicolons
    openers.py      strip_openers        "However, ..."
    attribution.py  strip_attribution    "guests said that ..."
    clauses.py      split_clauses        "..., and the beds are hard"; asides.py: "..., which is great"
    openers.py, attribution.py           once more, for each clause
    subjects.py     resolve_pronoun      "but it is quiet"
    lists.py        distribute_lists     "small but clean"; parallels.py: what the items share
    subjects.py     name_people          "some complained"
    tokens.py       join, finish

All of them look words up in words.py and verbs.py and recognise them with recognise.py. Each step moves
tokens around and adds at most a copula, so no claim says what the sentence did not. Whenever a rule is not
sure, the sentence stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from claimwise.text.rules.attribution import strip_attribution
from claimwise.text.rules.clauses import split_clauses
from claimwise.text.rules.lists import distribute_lists
from claimwise.text.rules.openers import strip_openers
from claimwise.text.rules.recognise import find_verb, is_negated
from claimwise.text.rules.subjects import name_people, resolve_pronoun
from claimwise.text.rules.tokens import (
    STOPS,
    Tokens,
    finish,
    join,
    lower,
    pair_not_only,
    split_at_semicolons,
    tokenize,
)
from claimwise.text.rules.verbs import REPORTING_VERBS
from claimwise.text.rules.words import CONDITIONALS, INDEFINITE, REPORTERS

RULES_VERSION = "3"
MAX_WORDS = 150  # longer sentences are left whole


def decompose(sentence: str) -> list[str]:
    """Return the claims of one sentence, in order and without repeats.

    Args:
        sentence: any text; questions and sentences of more than ``MAX_WORDS`` words stay whole.
    """
    if not sentence:
        return []
    body = sentence.strip().rstrip(STOPS)
    if sentence.rstrip().endswith("?") or len(body.split(None, MAX_WORDS)) > MAX_WORDS:
        return [finish(sentence)]
    tokens = pair_not_only(tokenize(body))
    if len(tokens) > 2 * MAX_WORDS:
        return [finish(sentence)]
    claims: list[str] = []
    people = next((w for w in body.lower().split() if w in REPORTERS and w not in INDEFINITE), "")
    for segment in split_at_semicolons(tokens):
        source, said = strip_attribution(strip_openers(segment))
        clauses = split_clauses(said, source) if _is_splittable(said) else [said]
        before: Tokens = []
        for clause in clauses:
            clause_source, said = strip_attribution(strip_openers(clause))
            said = before = resolve_pronoun(said, before, bool(source or clause_source))
            parts = distribute_lists(said) if _is_splittable(said) else [said]
            claims += [finish(join(name_people(part, people))) for part in parts]
    return list(dict.fromkeys(claims)) or [finish(sentence)]


def _is_splittable(tokens: Tokens) -> bool:
    """Whether nothing scopes over the whole: a condition or a negated attribution."""
    words = lower(tokens)
    if not CONDITIONALS.isdisjoint(words) or words[:2] in (["not", "only"], ["the", "more"]):
        return False
    verb = find_verb(tokens) or 0
    embeds = "that" in words[verb : verb + 5] or not REPORTING_VERBS.isdisjoint(words[verb:][:4])
    return not (embeds and is_negated(words[: verb + 3]))


class RulesDecomposer:
    """Splits sentences into claims offline, with the rules of this module."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "rules", "rules": RULES_VERSION}
        self.fallbacks = 0

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return one list of claims per sentence, never empty for a non-empty sentence."""
        return [decompose(sentence) for sentence in sentences]
