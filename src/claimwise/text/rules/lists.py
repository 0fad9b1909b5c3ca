"""From a clause to one claim per list item: where the list stands, what its items are, whether it is safe."""

from __future__ import annotations

from collections.abc import Sequence

from claimwise.text.rules.parallels import attach
from claimwise.text.rules.recognise import (
    agree,
    describes,
    find_verb,
    is_adjective,
    is_finite,
    is_negated,
    main_verb,
    opens_with_adjective,
    verb_end,
)
from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.verbs import BASE_VERBS, BE, PAST_VERBS
from claimwise.text.rules.words import (
    CONDITIONALS,
    CONTRASTS,
    COORDINATORS,
    DEFINITE,
    DETERMINERS,
    EMBEDDERS,
    PREPOSITIONS,
    TEMPORALS,
    word_set,
)

JOINERS = COORDINATORS | {"or", "nor"}
MAX_ITEMS = 12  # a longer list is not trusted to be one
COLLECTIVE = word_set(
    "same similar different together combination mix match both each identical alike separate "
    "connected equal opposite apart"
)


def distribute_lists(tokens: Tokens) -> list[Tokens]:
    """Repeat what list items share: "the rooms were small but clean" makes two claims.

    Args:
        tokens: one clause.

    Returns:
        One token list per claim; ``[tokens]`` where distributing is not safe.
    """
    parts = _distribute_once(tokens)
    if parts is None:
        return [tokens]
    return [claim for part in parts for claim in distribute_lists(part)]


def _distribute_once(tokens: Tokens) -> list[Tokens] | None:
    words = lower(tokens)
    if not CONDITIONALS.isdisjoint(words):
        return None
    verb = main_verb(tokens)
    if verb is None:
        return _split_headline(tokens)
    if verb == find_verb(tokens) and not COORDINATORS.isdisjoint(words[:verb]):
        return _distribute_subject(tokens, verb)
    start, copular = verb_end(words, verb)
    separated = _separate(tokens[start:])
    if separated is None:
        return None
    items, conjunction = separated
    head = tokens[:start]
    if conjunction == "but":
        if not copular and is_negated(lower([*head, *items[0], *items[1]])):
            return None
        return attach(head, items, copular, positive=True)
    if "than" in words or words.count("as") > 1:
        return None
    if _is_clause_like_pair(words[start:], items):
        return None
    shared = lower([*head, *items[0]])
    if items[0][0].lower() == "neither" and copular and conjunction == "or":
        return attach([*head, "not"], [items[0][1:], *items[1:]], copular)
    if "neither" in shared:
        return None
    if is_negated(shared) != (conjunction == "or"):
        return None
    if "both" in shared[start:]:
        both = shared.index("both", start) - start
        items[0] = items[0][:both] + items[0][both + 1 :]
    if ({"too", "from"} & set(lower(items[0]))) and "to" in lower([*items[0], *items[-1]]):
        return None
    if not items[0] or len(items) > MAX_ITEMS:
        return None
    claims = attach(head, items, copular, pair_only=conjunction == ",")
    if claims and conjunction == "or" and not all(is_negated(lower(claim)) for claim in claims):
        return None
    return claims


def _is_clause_like_pair(words: Sequence[str], items: Sequence[Tokens]) -> bool:
    """Whether two items joined by ", and" look like two clauses: the second has a verb of its own."""
    last = lower(items[-1])
    comma = "and" in words and words[words.index("and") - 1] == ","
    return len(items) == 2 and comma and any(is_finite(last, i) for i in range(1, len(last)))


def _split_headline(tokens: Tokens) -> list[Tokens] | None:
    """Split "great location, friendly staff and clean rooms", which has no verb."""
    separated = _separate(tokens)
    if separated is None or separated[1] not in {"and", ","} or is_negated(lower(tokens)):
        return None
    items = separated[0]
    opening = EMBEDDERS | PREPOSITIONS | DEFINITE
    safe = all(len(item) <= 5 and item[0].lower() not in opening for item in items)
    ends_in_noun = not any(describes(item[-1].lower()) for item in items)
    return items if safe and ends_in_noun else None


def _distribute_subject(tokens: Tokens, verb: int) -> list[Tokens] | None:
    """Turn "the beds and pillows were soft" into one clause per item of the subject."""
    words = lower(tokens)
    subject, predicate = words[:verb], words[verb:]
    separated = _separate(tokens[:verb])
    present = predicate[0] in BASE_VERBS and predicate[0] not in PAST_VERBS
    unsafe = present or not COLLECTIVE.isdisjoint(predicate) or not EMBEDDERS.isdisjoint(subject)
    nominal = predicate[0] in BE and predicate[1:2] and predicate[1] in DETERMINERS
    if separated is None or separated[1] != "and" or unsafe or nominal or is_negated(subject):
        return None
    items = separated[0]
    if "&" in subject and tokens[subject.index("&") + 1][0].isupper():  # "the Food & Drug Administration"
        return None
    # "the beds groan, and parking costs"; "as well as" joins too
    if len(items) == 2 and "and" in subject and subject[subject.index("and") - 1] == ",":
        return None
    if items[0][0].lower() == "both":
        items[0] = items[0][1:]
    if not items[0] or items[0][0].lower() in PREPOSITIONS | TEMPORALS:
        return None
    subjects = attach([], items, copular=False)
    if subjects is None:
        return None
    return [[*item, agree(tokens[verb], item), *tokens[verb + 1 :]] for item in subjects]


def _separate(tokens: Tokens) -> tuple[list[Tokens], str] | None:
    """Return the items of the outermost list and what joins them: "and", "or", "but" or ","."""
    words = lower(tokens)
    for i in range(1, len(words) - 1):
        if words[i] in CONTRASTS - {"because", "while"} or words[i] == "yet":
            left = tokens[: i - 1] if words[i - 1] == "," else tokens[:i]
            return ([left, tokens[i + 1 :]], "but") if left else None
    marks = [word for word in words if word in JOINERS]
    conjunction = "," if not marks else "or" if marks[-1] in {"or", "nor"} else "and"
    if len({mark in {"or", "nor"} for mark in marks}) > 1:
        return None
    joints = [i for i, word in enumerate(words) if word == "," or word in JOINERS]
    joints = [i for i in joints if not _is_stacked(words, i)] or joints
    items: list[Tokens] = [[]]
    last_comma = max((i for i in joints if words[i] == ","), default=-1)
    if last_comma >= 0 and words[last_comma + 1 : last_comma + 2] in ([w] for w in JOINERS):
        joints = [i for i in joints if i <= last_comma + 1]
    for i, token in enumerate(tokens):
        if i not in joints or (i < last_comma and words[i] != ","):
            items[-1].append(token)
        elif items[-1]:
            items.append([])
    if len(items) < 2 or not all(items):
        return None
    return items, conjunction


def _is_stacked(words: Sequence[str], i: int) -> bool:
    """Whether joint ``i`` only joins adjectives of one noun: "clean, modern rooms"."""
    rest = words[i + 1 :]
    size = next((j for j, word in enumerate(rest) if word == "," or word in JOINERS), len(rest))
    return i > 0 and is_adjective(words[i - 1]) and opens_with_adjective(rest[:size])
