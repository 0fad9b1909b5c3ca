"""What a word is, and where the verb stands: word lists, endings and neighbours, no parser.

Functions of ``words`` expect them in lower case (``lower``), those of ``tokens`` as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from claimwise.text.rules.tokens import lower
from claimwise.text.rules.verbs import (
    AUXILIARIES,
    BASE_VERBS,
    BE,
    HELPERS,
    LINKING,
    MODALS,
    NOUN_LIKE,
    PAST_VERBS,
    PERFECT,
    PLURAL_FORMS,
    PRESENT_VERBS,
    SINGULAR_FORMS,
    SPEECH_VERBS,
)
from claimwise.text.rules.words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    BREAKS,
    CLOSING,
    COMMON_PLURALS,
    CONTRASTS,
    COORDINATORS,
    DETERMINERS,
    EMBEDDERS,
    FREQUENCY,
    INDEFINITE,
    LISTABLE,
    NEGATORS,
    OBJECTS,
    PLURAL_NOUNS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    REPORTERS,
    TEMPORALS,
    word_set,
)

MAX_SUBJECT = 10  # a longer run of words before a verb is not trusted to be its subject
NEVER_BEFORE_VERBS = (LISTABLE | COORDINATORS | BREAKS | {"to", "than"}) - word_set("this that these those")

# Words ---------------------------------------------------------------------------------------------


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb, judged by itself."""
    return word in ADVERBS or (word.endswith("ly") and word not in ADJECTIVES)


def is_adjective(word: str) -> bool:
    """Whether a word is an adjective, judged by itself."""
    last = word.rsplit("-", 1)[-1]
    if word.startswith("well-") or word in ADJECTIVES:
        return True
    return last in ADJECTIVES or (len(last) > 5 and last.endswith(ADJECTIVE_ENDINGS))


def describes(word: str) -> bool:
    """Whether a word is an adjective or an adverb."""
    return is_adjective(word) or is_adverb(word)


def is_amount(word: str) -> bool:
    """Whether a word is a number or a sum of money."""
    return word.lstrip("$€£")[:1].isdigit()


def is_plural(words: Sequence[str]) -> bool:
    """Whether a subject (lower-cased) is plural, judged by its last word before a preposition."""
    head = next((i for i, word in enumerate(words) if i and word in PREPOSITIONS), len(words))
    word = words[head - 1] if words else ""
    if word in PLURAL_NOUNS or word in REPORTERS or not COORDINATORS.isdisjoint(words[:head]):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))


def is_negated(words: Iterable[str]) -> bool:
    """Whether any of the words negates."""
    return any(word in NEGATORS or word.endswith("n't") for word in words)


def is_description(words: Sequence[str]) -> bool:
    """Whether words open with a predicative adjective: "very clean", not "clean rooms"."""
    i = 0
    while i < len(words) - 1 and is_adverb(words[i]):
        i += 1
    if i >= len(words) or not is_adjective(words[i]):
        return False
    after = words[i + 1] if i + 1 < len(words) else ","
    stops = PREPOSITIONS | COORDINATORS | BREAKS | CONTRASTS | {"to", "or", "enough", "when", "than"}
    return after in stops or is_adverb(after)


def opens_with_adjective(words: Sequence[str]) -> bool:
    """Whether words open with an adjective that a noun follows: "clean rooms"."""
    opening = next((word for word in words if not is_adverb(word)), "")
    return is_adjective(opening) and not is_description(words)


def agree(verb: str, subject: Sequence[str]) -> str:
    """Return the copula or helper ``verb`` in the number of ``subject``."""
    words = lower(subject)
    if words == ["i"] or words == ["you"]:
        return verb
    forms = PLURAL_FORMS if is_plural(words) else SINGULAR_FORMS
    return forms.get(verb.lower(), verb)


# Verbs and clauses ---------------------------------------------------------------------------------


def is_finite(words: Sequence[str], i: int) -> bool:
    """Whether word ``i`` (lower-cased) is a finite verb, judged by itself and its neighbours."""
    word, before = words[i], words[i - 1] if i else ""
    after = words[i + 1] if i + 1 < len(words) else ""
    if word in AUXILIARIES:
        return before != "to"
    if word in SPEECH_VERBS and (before in REPORTERS or before in INDEFINITE):
        return True
    if not before or before in NEVER_BEFORE_VERBS:
        return False
    if before in PRONOUNS and (word in BASE_VERBS or word in PRESENT_VERBS):
        return True
    if before.endswith("'s") or (after in AUXILIARIES and word not in PAST_VERBS):
        return False
    if word in PAST_VERBS:
        return not (word in BASE_VERBS and is_adjective(before)) and not _is_reduced(words, i)
    if word in PRESENT_VERBS or word in LINKING:
        follows = after in DETERMINERS or describes(after) or is_amount(after)
        return not is_adjective(before) and (word not in NOUN_LIKE or follows)
    if word not in BASE_VERBS and word.endswith(("s", "ed")) and word.isalpha() and len(word) > 4:
        object_follows = after in OBJECTS or (after.endswith("ly") and word not in COMMON_PLURALS)
        closes = word.endswith("ed") and after in CLOSING and before not in LINKING | {"it", "them"}
        return (object_follows or closes or before in FREQUENCY) and not describes(before)
    if word in BASE_VERBS:
        if is_adverb(before) and i > 1:
            before = words[i - 2]
        people = before in REPORTERS or before in {"i", "you", "we", "they", "staff"}
        plural = before.endswith("s") and is_plural([before]) and before not in PRESENT_VERBS - NOUN_LIKE
        return people or (word != "like" and plural)
    return False


def _is_reduced(words: Sequence[str], i: int) -> bool:
    """Whether a past form opens a reduced relative: "the food *served* at the bar was good"."""
    if i + 1 == len(words) or words[i + 1] not in PREPOSITIONS:
        return False
    for word in words[i + 1 :]:
        if word in BREAKS or word in COORDINATORS or word in EMBEDDERS:
            return False
        if word in AUXILIARIES:
            return True
    return False


def find_verb(tokens: Sequence[str]) -> int | None:
    """Return the index of the first finite verb outside relative clauses."""
    words = lower(tokens)
    i, in_relative = 0, False
    while i < len(words):
        if i and words[i] in RELATIVES:
            in_relative = True
        elif is_finite(words, i):
            if not in_relative:
                return i
            in_relative = False
            i = verb_end(words, i)[0] - 1
        i += 1
    return None


def main_verb(tokens: Sequence[str]) -> int | None:
    """Return the verb of the predicate: "were" in "guests liked that the rooms were clean"."""
    verb = find_verb(tokens)
    if verb is None:
        return None
    words = lower(tokens)
    end, _ = verb_end(words, verb)
    if "that" in words[end : end + 3]:
        begin = words.index("that", end) + 1
        if is_clause(tokens[begin:], strict=False):
            return begin + (find_verb(tokens[begin:]) or 0)
    return verb


def verb_end(words: Sequence[str], verb: int) -> tuple[int, bool]:
    """Return where the verb group that starts at ``verb`` ends, and whether it is a copula."""
    last, end, i = words[verb], verb + 1, verb + 1
    while i < len(words):
        word = words[i]
        helped = last in MODALS or last in HELPERS
        if last in PERFECT:
            continues = word in PAST_VERBS or word in LINKING
        else:
            continues = helped and (word in BASE_VERBS or word in LINKING or word in HELPERS)
        if word in BE or continues:
            last, end = word, i + 1
        elif word in {"not", "never"}:
            end = i + 1
        elif not (is_adverb(word) and helped):
            break
        i += 1
    return end, last in BE or last in LINKING


def is_clause(tokens: Sequence[str], strict: bool) -> bool:
    """Whether tokens open with a subject of their own and its finite verb."""
    verb = find_verb(tokens)
    if not verb or verb > MAX_SUBJECT:
        return False
    subject = lower(tokens[:verb])
    joint = next((i for i, word in enumerate(subject) if word in COORDINATORS), 0)
    if joint and is_description(subject[:joint]):
        return False
    if strict and (subject[0] in PREPOSITIONS or not COORDINATORS.isdisjoint(subject)):
        return False
    return (
        subject[0] not in TEMPORALS
        and not all(is_adverb(word) and word not in REPORTERS | {"both", "all"} for word in subject)
        and (BREAKS | CONTRASTS).isdisjoint(subject)
        and (EMBEDDERS - {"that", "like"}).isdisjoint(subject)
        and (PRONOUNS | {"that", "to", "there"}).isdisjoint(subject[1:])
    )
