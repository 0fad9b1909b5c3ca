"""What the items of a list share: in "a large and quiet room" the article and the noun."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from claimwise.text.rules.recognise import (
    describes,
    find_verb,
    is_adjective,
    is_description,
    is_finite,
    is_negated,
    is_plural,
    opens_with_adjective,
)
from claimwise.text.rules.tokens import Tokens, lower
from claimwise.text.rules.verbs import BASE_VERBS, base_of
from claimwise.text.rules.words import (
    COORDINATORS,
    DEFINITE,
    DETERMINERS,
    EMBEDDERS,
    INDEFINITE,
    LISTABLE,
    PREPOSITIONS,
    RELATIVES,
    word_set,
)

POSITIVE_FORMS = {verb + "n't": verb for verb in ("is", "are", "was", "were", "has", "have", "had")}
STRANDED = word_set("at of with for from to into")  # seldom end a claim
NEVER_OPEN_ITEMS = (EMBEDDERS - PREPOSITIONS) | {"then", "rather", "instead"}


def attach(
    head: Tokens,
    items: list[Tokens],
    copular: bool,
    positive: bool = False,
    pair_only: bool = False,
) -> list[Tokens] | None:
    """Return ``head`` with each item in turn, every item where the first one's parallel word is.

    Args:
        head: the subject and verb group (empty when the list is itself the subject).
        items: the list items; the first may open with words that all share.
        copular: whether the verb group describes its subject.
        positive: whether the later items are free of the head's negation ("not new but clean").
        pair_only: split stacked adjectives ("a clean, quiet room") and nothing else.
    """
    first, last = items[0], items[-1]
    if not first:  # "neither or also"
        return None
    first_words, last_words = lower(first), lower(last)
    stacked = is_adjective(first_words[-1]) and not (copular and is_description(first_words))
    if stacked and opens_with_adjective(last_words):
        noun = next((i for i, w in enumerate(last_words) if not describes(w)), len(last))
        if noun == len(last) or not all(describes(w) for i in items[1:-1] for w in lower(i)):
            return None
        begin = len(first)
        while begin and describes(first_words[begin - 1]):
            begin -= 1
        shared = [*head, *first[:begin]]
        each = [first[begin:], *items[1:-1], last[:noun]]
        return [_fix_article([*shared, *adjectives, *last[noun:]]) for adjectives in each]
    if pair_only and not (copular and all(is_description(lower(item)) for item in items)):
        return None
    result = [[*head, *first]]
    tail: Tokens = []
    bare = first_words[0] in DEFINITE and last_words[0] not in LISTABLE
    if bare and "of" in last_words[1:] and PREPOSITIONS.isdisjoint(first_words):
        tail = last[last_words.index("of") :]
    for i, item in enumerate(items):
        if i:
            previous = items[i - 1] if i > 1 and _nests(items[i - 1], item) else first
            stem = _stem(head, previous, item, copular, positive)
            if stem is None:
                return None
            result.append(_fix_article([*stem, *item]))
        if tail and i < len(items) - 1:
            result[-1] = [*result[-1], *tail]
    ends = {item[-1].lower() for item in items}
    if any(_is_torn(lower(claim), ends) for claim in result):
        return None
    return result


def _is_torn(words: Sequence[str], ends: Collection[str]) -> bool:
    """Whether a claim lacks a noun: "on the and its van", or "ate at" where no list item ends so."""
    article = any(a in {"a", "an", "the"} and (b in COORDINATORS or not b) for a, b in pairwise([*words, ""]))
    return article or (words[-1] in STRANDED and words[-1] not in ends)


def _nests(outer: Tokens, item: Tokens) -> bool:
    """Whether an item belongs into the one before: "..., close to the beach and the bars"."""
    words, opening = lower(outer), lower(item)
    phrase = words[0] in PREPOSITIONS or is_description(words)
    own = opening[0] in PREPOSITIONS or is_description(opening)
    return phrase and not own and not PREPOSITIONS.isdisjoint(words)


def _stem(head: Tokens, first: Tokens, item: Tokens, copular: bool, positive: bool) -> Tokens | None:
    """Return what of ``head`` and ``first`` an item shares, or None if that is not clear."""
    words, opening = lower(first), lower(item)
    word = opening[0]
    if positive:
        head = [POSITIVE_FORMS.get(w.lower(), w) for w in head if w.lower() not in {"not", "never"}]
        if is_negated(lower(head)):
            return None
    # "there are few lots, but finding one is easy"
    if positive and head[:1] and head[0].lower() == "there" and word.endswith("ing"):
        return None
    if word in NEVER_OPEN_ITEMS or (find_verb(item) is not None and RELATIVES.isdisjoint(opening)):
        return None
    infinitive = any(a == "to" and b in BASE_VERBS for a, b in pairwise(words))
    described = is_description(opening) and not (infinitive and opening[-1] in BASE_VERBS)
    if word in {"not", "never"} or (copular and described):
        described_as = len(words) - words[::-1].index("as") if "as" in words else 0
        return [*head, *first[:described_as]] if copular else None
    if positive and copular:
        return head
    cut = _cut(words, opening, copular)
    return None if cut is None else [*head, *first[:cut]]


def _cut(words: Sequence[str], item: Sequence[str], copular: bool) -> int | None:
    """Return where in ``words``, the first item, stands what is parallel to another item."""

    def places(kind: Iterable[str]) -> list[int]:
        return [i for i, word in enumerate(words) if word in kind]

    word = item[0]
    relative = next((i for i in range(1, len(words)) if words[i] in RELATIVES), None)
    if relative and not RELATIVES.isdisjoint(item[1:]):  # "acts that …, and bars that …"
        words = words[:relative]
    prepositions = places(PREPOSITIONS)
    if word in PREPOSITIONS or word == "to":
        same = places([word])
        return same[-1] if same else prepositions[0] if prepositions else 0 if copular else None
    if word in DETERMINERS:
        alike = places(DEFINITE if word in DEFINITE else INDEFINITE)
        others = places(DETERMINERS)
        after_preposition = [i + 1 for i in places(PREPOSITIONS | {"to"})] if copular else []
        return alike[0] if alike else [0, *after_preposition, *others[-1:]][-1]
    gerunds = [i for i, other in enumerate(words) if other.endswith("ing")]
    if word.endswith("ing") and gerunds:
        return gerunds[-1]
    if word.endswith("ing") and base_of(word) and item[1:2] and item[1] in DETERMINERS:
        return None
    if word in BASE_VERBS and "to" in words:
        return places(["to"])[-1] + 1
    adverbs = [i for i, other in enumerate(words) if other.endswith("ly")]
    if word.endswith("ly") and len(item) == 1 and adverbs:
        return adverbs[-1]
    anchors = [
        i
        for i, other in enumerate(words)
        if other in LISTABLE or other == "being" or other.endswith("'s") or is_finite(words, i)
    ]
    if not anchors:
        return 0
    anchor = anchors[-1]
    in_phrase = anchor > 1 and words[anchor - 1] in PREPOSITIONS and words[anchor] in DETERMINERS
    if in_phrase and not copular and is_adjective(word):
        return 0
    uncountable = is_adjective(word) or is_plural(item) or item[-1].endswith(("ing", "fi"))
    return anchor if words[anchor] in {"a", "an"} and uncountable else anchor + 1


def _fix_article(tokens: Tokens) -> Tokens:
    """Write "an elegant room" where the list said "a clean and elegant room", and back."""
    fixed = list(tokens)
    for i, (word, after) in enumerate(pairwise(tokens)):
        if word.lower() in {"a", "an"} and after[0].isalpha():
            article = "an" if after[0].lower() in "aeiou" else "a"
            silent = after.lower().startswith(("hour", "honest", "uni", "use", "one", "euro"))
            fixed[i] = fixed[i] if silent else article
    return fixed
