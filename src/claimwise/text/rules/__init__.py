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

from claimwise.text.claims import BaseDecomposer, Decomposed
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


class RulesDecomposer(BaseDecomposer):
    """Splits sentences into claims offline, with the rules of this package."""

    english_only = True

    def __init__(self) -> None:
        self.signature = {"decomposer": "rules", "rules": RULES_VERSION}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the claims of each sentence, and why a sentence was left whole where a rule says so.

        Questions, sentences of more than ``MAX_WORDS`` words, and what a condition or a negation spans stay
        whole. A sentence that no rule takes apart has no reason.
        """
        return [_decompose(sentence) for sentence in sentences]


def _decompose(sentence: str) -> Decomposed:
    """Return the claims of one sentence, in order and without repeats."""
    if not sentence:
        return Decomposed([])
    body = sentence.strip().rstrip(STOPS)
    if sentence.rstrip().endswith("?"):
        return Decomposed([finish(sentence)], "a question")
    if len(body.split(None, MAX_WORDS)) > MAX_WORDS:
        return Decomposed([finish(sentence)], f"more than {MAX_WORDS} words")
    tokens = pair_not_only(tokenize(body))
    if len(tokens) > 2 * MAX_WORDS:
        return Decomposed([finish(sentence)], f"more than {2 * MAX_WORDS} words and commas")
    claims: list[str] = []
    spanned = None
    people = next((w for w in body.lower().split() if w in REPORTERS and w not in INDEFINITE), "")
    for segment in split_at_semicolons(tokens):
        source, said = strip_attribution(strip_openers(segment))
        clauses = [said] if _spanned_by(said) else split_clauses(said, source)
        before: Tokens = []
        for clause in clauses:
            clause_source, said = strip_attribution(strip_openers(clause))
            said = before = resolve_pronoun(said, before, bool(source or clause_source))
            spanned = _spanned_by(said)
            parts = [said] if spanned else distribute_lists(said)
            claims += [finish(join(name_people(part, people))) for part in parts]
    claims = list(dict.fromkeys(claims)) or [finish(sentence)]
    return Decomposed(claims, spanned if len(claims) == 1 else None)


def _spanned_by(tokens: Tokens) -> str | None:
    """Return what spans the whole clause, so that no part of it can be claimed alone."""
    words = lower(tokens)
    if not CONDITIONALS.isdisjoint(words):
        return "a condition"
    if words[:2] in (["not", "only"], ["the", "more"]):
        return f'"{" ".join(words[:2])}" at its start'
    verb = find_verb(tokens) or 0
    embeds = "that" in words[verb : verb + 5] or not REPORTING_VERBS.isdisjoint(words[verb:][:4])
    return "a negation" if embeds and is_negated(words[: verb + 3]) else None
