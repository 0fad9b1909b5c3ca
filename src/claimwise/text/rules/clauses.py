"""From a sentence to its clauses: coordinated ("..., and the beds are hard"), contrasted, or an aside."""

from __future__ import annotations

from collections.abc import Sequence

from claimwise.text.rules.asides import making_clause, participle_clause, which_clause, with_clause
from claimwise.text.rules.attribution import complete
from claimwise.text.rules.recognise import (
    agree,
    describes,
    find_verb,
    is_adverb,
    is_amount,
    is_clause,
    is_description,
    is_negated,
    is_plural,
    main_verb,
    verb_end,
)
from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.verbs import (
    AUXILIARIES,
    BASE_VERBS,
    HELPERS,
    LINKING,
    MODALS,
    NOUN_LIKE,
    OPINION_VERBS,
    PAST_VERBS,
    PRESENT_VERBS,
    is_past,
)
from claimwise.text.rules.words import (
    ADVERBS,
    BREAKS,
    CONTRASTS,
    COORDINATORS,
    DEFINITE,
    DETERMINERS,
    FREQUENCY,
    LISTABLE,
    OBJECTS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    REPORTERS,
    TEMPORALS,
    word_set,
)

SUBORDINATORS = frozenset({"although", "though", "even though", "while", "whereas", "because"})
COMMA_CONTRASTS = frozenset({"so", "yet", "as", "since"})  # these join clauses only after a comma
ASIDES = frozenset({"which", "with"})
INTRANSITIVE = word_set("fit cost worked lasted ran arrived came went fell felt looked stopped failed")


def split_clauses(tokens: Tokens, source: Sequence[str] = (), main: Sequence[str] = ()) -> list[Tokens]:
    """Split coordinated and contrasted clauses, each with a subject and a verb of its own.

    Args:
        tokens: one sentence.
        source: the subject that ``strip_attribution`` dropped; verbs of opinion go back to it.
        main: the subject to return to when ``tokens`` was an aside (", which ...").

    Returns:
        The clauses in order; ``[tokens]`` where no split is safe.
    """
    for i in range(1, len(tokens) - 1):
        end = _connector_end(tokens, i)
        if end == i or end >= len(tokens):
            continue
        left = tokens[:i]
        right = _second_clause(left, lower(tokens[i:end]), tokens[end:], source, main)
        if right:
            if left[0].lower() in SUBORDINATORS:
                left = left[1:]
            main = left[: find_verb(left)] if tokens[end].lower() in ASIDES else []
            return [left, *split_clauses(right, source, main)]
    return [tokens]


def _connector_end(tokens: Sequence[str], start: int) -> int:
    """Return where the run of commas and conjunctions that begins at ``start`` ends."""
    end = start
    while end < len(tokens):
        word = tokens[end].lower()
        joins = word in BREAKS or word in CONTRASTS or word in {"and", "&"}
        if not joins and not (word in COMMA_CONTRASTS and end > start):
            break
        end += 1
    return end


def _second_clause(
    left: Tokens,
    connector: Sequence[str],
    right: Tokens,
    source: Sequence[str],
    main: Sequence[str],
) -> Tokens | None:
    """Return ``right`` as a full clause, or None if it is none."""
    if ";" in connector:
        return right
    if left[0].lower() in SUBORDINATORS:
        left = left[1:]
    if not left:
        return None
    verb = main_verb(left)
    excepting = "," not in connector and left[0].lower() in {"all", "every", "no"}  # "all seats but one"
    if verb is None and "but" in connector and len(left) <= 5 and not excepting and is_clause(right, True):
        return right
    if verb is None or left[-1].lower() in {"not", "only", "just"}:
        return None
    if left[0].lower() in TEMPORALS and "," not in left:
        return None
    subject = left[:verb]
    outer = left[: find_verb(left)]
    if not source and outer != subject and set(lower(outer)) & REPORTERS:
        source = outer
    plain = set(connector) <= BREAKS
    if plain and "," in connector:
        head = right[0].lower()
        build = {"which": which_clause, "with": with_clause, "making": making_clause}.get(head)
        if build:
            return build(left, subject, verb, right[1:])
        if head.endswith("ing"):
            return participle_clause(left, subject, verb, right)
    if source and right[0].lower() == "that" and is_clause(right[1:], strict=False):
        return right[1:]
    end, copular = verb_end(lower(left), verb)
    if (source or copular) and right[0].lower() in DEFINITE:
        named = complete("found" if source or is_past(left[verb]) else "find", right)
        if named:
            return named
    complement = lower(left[end:])
    adjective = is_description(complement) or (len(complement) == 1 and complement[0] not in LISTABLE)
    described = copular and adjective and (PREPOSITIONS | {"to"}).isdisjoint(complement)
    if described and _is_gapped(lower(right)):
        return [*right[:2], agree("were" if is_past(left[verb]) else "are", right[:2]), right[2]]
    coordinated = set(connector) & {"and", "&"} and CONTRASTS.isdisjoint(connector)
    if is_clause(right, strict=plain or bool(coordinated and "," not in connector)):
        return right
    if "," in connector and not plain and _opens_clause(lower(right), described):
        return right
    if main and "," in connector:
        subject = list(main)
    if is_negated(lower(subject)):
        return None
    return _second_predicate(left, subject, verb, right, source)


def _is_gapped(words: Sequence[str]) -> bool:
    """Whether words are a plural and what must be its adjective: "the portions skimpy"."""
    if len(words) != 3 or words[0] not in DEFINITE or not is_plural(words[:2]):
        return False
    return words[2].isalpha() and not words[2].endswith("s") and words[2] not in ADVERBS | PREPOSITIONS


def _opens_clause(words: Sequence[str], described: bool) -> bool:
    """Whether what follows ", and" must be a clause, though the rules do not know its verb.

    Args:
        words: "it traps steam", "the windows face a wall".
        described: whether the clause before ends in a mere adjective, which no noun phrase continues.
    """
    if len(words) < 3:
        return False
    if words[0] in PRONOUNS:
        return words[1] not in RELATIVES | LISTABLE
    nominal = describes(words[1]) or words[1].endswith("est")  # "the best in town"
    if not described or nominal or words[0] not in DEFINITE - {"this", "that", "these", "those"}:
        return False

    def may_be_verb(word: str) -> bool:
        return word.isalpha() and word not in LISTABLE | COORDINATORS and not describes(word)

    inner = range(2, len(words) - 1)
    return any(
        may_be_verb(words[i]) and (i == 2 or may_be_verb(words[i - 1]) or is_adverb(words[i - 1]))
        for i in inner
    )


def _second_predicate(
    left: Tokens, subject: Tokens, verb: int, right: Tokens, source: Sequence[str]
) -> Tokens | None:
    """Give "(the hotel has a pool and) offers breakfast" its subject, or return None."""
    words, left_words = lower(right), lower(left)
    i = 0
    while i < len(words) - 1 and is_adverb(words[i]):
        i += 1
    word, after = words[i], words[i + 1] if i + 1 < len(words) else ","
    end, copular = verb_end(left_words, verb)
    if source and word in OPINION_VERBS:
        subject, copular = list(source), False
    if word in AUXILIARIES:
        return [*subject, *right]
    if after in AUXILIARIES or after in BREAKS or after in COORDINATORS or after == "of":
        return None
    if word in PAST_VERBS and (is_past(left[verb]) or left_words[verb] in HELPERS or source):
        passive = word not in INTRANSITIVE and (
            is_adverb(after) or after in PREPOSITIONS or after in {",", "to"}
        )
        return [*subject, *right] if not (copular and passive) else None
    if word in PRESENT_VERBS or (word in LINKING and word.endswith("s")):
        clear = word not in NOUN_LIKE or after in DETERMINERS or is_amount(after)
        return [*subject, *right] if clear else None
    if (word.endswith("s") and after in OBJECTS) or (i and words[i - 1] in FREQUENCY):
        return [*subject, *right]
    if word in BASE_VERBS - {"like"} and not is_negated(left_words[verb:end]):
        if left_words[verb] in MODALS and "to" not in left_words[verb:]:
            return [*subject, left[verb], *right]
        if left_words[verb] in BASE_VERBS and "to" not in left_words[verb:]:
            return [*subject, *right]
    return None
