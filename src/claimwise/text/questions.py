"""Questions and their answers: "Is the pool heated? No." is one sentence, "The pool is not heated.".

A statement is made of a question only where its subject is certain; otherwise question and answer stay
together. A question that nobody answers states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files


def word_set(*lines: str) -> frozenset[str]:
    """Return the words of some lines as a set."""
    return frozenset(word for line in lines for word in line.split())


BE = word_set("is are was were am")
DO = word_set("do does did")
AUXILIARIES = BE | DO | word_set("have has had can could will would should shall may might must")
AUXILIARY = "|".join(sorted(AUXILIARIES))
PRONOUNS = word_set(
    "i we you they he she it there everything everyone everybody anyone anybody anything someone somebody"
)
DETERMINERS = word_set("the a an this that these those my our your their its his her")
_PREPOSITIONS = word_set(
    "in on at for with from near by to of under over behind inside outside during after before"
)
_AFTER_SUBJECT = word_set(
    "a an the very too so really quite rather always often ever never still just also actually well worth",
    "open closed close near far included includes allowed available heated ready big enough as not more less",
    "better here there",
)
"""Words that begin the predicate after a subject of at least one noun."""
_DEGREES = word_set("not very really so too quite rather pretty absolutely just simply a bit little")
_VERBS = word_set(
    "accept allow answer apologise apologize arrive be care change charge clean close come cost enjoy feel",
    "fit get give go have help include keep know last like listen live look make meet need offer open",
    "provide recommend respond return run seem serve smell smile speak stay stop take taste understand work",
)
_NOT_BEHIND_A_NOUN = word_set("free friendly proof")
"""Adjectives that also end a compound: "dog friendly"."""
_PLURALS = word_set("people staff toiletries")
_MASS = word_set(
    "wifi wi-fi internet parking breakfast lunch dinner heating air-conditioning aircon ac electricity soup",
    "furniture shade shampoo soap coffee tea water food housekeeping privacy noise luggage storage dessert",
    "bread laundry",
)
_COUNTED = word_set(
    "pool gym lift elevator kitchen balcony terrace garden sauna spa bar restaurant fridge kettle safe bath",
    "bathtub shower tv television desk hairdryer microwave oven dishwasher washer dryer playground beach",
    "garage patio view shuttle concierge reception minibar fireplace jacuzzi crib cot fan heater iron lounge",
    "lobby toaster freezer towel pillow blanket plug socket window bathrobe slipper bike bicycle table chair",
    "sofa",
)

_ENDS_AS_QUESTION = re.compile(r"\?[!?]*[\"'”’)]*$")
_ASKS = re.compile(
    rf"(?:(?:so|and|but|now|also|ok|okay|well|overall)\b,? )?"
    rf"(?:(?:{AUXILIARY})(?:n['’]t)?|who|what|when|where|why|how|which|whose|whom|any|anything|anyone|"
    rf"ever)\b",
    re.IGNORECASE,
)
_OPENER = re.compile(r"^(?:so|and|but|now|also|ok|okay|well|overall)\b,? ", re.IGNORECASE)
_TAG = re.compile(rf", (?:(?:{AUXILIARY})(?:n['’]t)? \w+|right|no|yes|eh|huh)\?+$", re.IGNORECASE)
_MOST_OF_FRAGMENT = 3
_MOST_OF_ANSWER = 5

_AGREES = (
    "yes|yep|yeah|yup|absolutely|definitely|certainly|of course|sure|totally|indeed|without a doubt|"
    "in a heartbeat|very much so|100%|i think so|i would say so|i guess so"
)
_DENIES = (
    "no|nope|nah|not at all|no way|no chance|absolutely not|definitely not|certainly not|of course not|"
    "surely not|sadly not|unfortunately not|not really|not quite|not always|not yet|not anymore|not exactly|"
    "not particularly|probably not|perhaps not|maybe not|i doubt it|i don['’]t think so|never again|"
    "never|hardly ever|hardly|barely|scarcely|rarely|seldom"
)
_HEDGES = "probably|perhaps|maybe|mostly|usually|sometimes|always|often|most of the time"
_REGRETS = word_set("sadly unfortunately alas sorry")
_NONE = "none at all|none whatsoever|none|nothing|nobody|no one"
_ANSWER = re.compile(
    rf"(?:(?P<denies>{_DENIES})|(?P<none>{_NONE})|(?P<agrees>{_AGREES})|(?P<hedges>{_HEDGES}))"
    r"(?:\s*[,;:–—-]\s*(?P<rest>\S.*?))?[.!…]*",
    re.IGNORECASE,
)
_ONLY = re.compile(r"(only (?:if|when|in|on|at|for|with|after|before|during) [^,;]+?)[.!…]*", re.IGNORECASE)
_ADDED = re.compile(
    rf"(?:but )?(?:only )?(?:if|unless|when|{'|'.join(sorted(_PREPOSITIONS))})\b[^,;.]*", re.IGNORECASE
)
_SHORT = re.compile(
    rf"(?:i|we|you|they|he|she|it|there|that)(?: (?:really|certainly|definitely|sure))? "
    rf"(?:{AUXILIARY}|wo|ca)(?P<denied>n['’]t| not|not)?(?: at all)?[.!…]*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(rf"(?:but )?((?:{'|'.join(sorted(PRONOUNS | DETERMINERS))})\b.*)", re.IGNORECASE)
_SPLIT_AFTER_NO = re.compile(r"(?:(?<=^no\.)|(?<=[-–—:,] no\.)) (?=[A-Z])", re.IGNORECASE)
_NEGATIVE = frozenset(
    [
        *("not really", "not quite", "not always", "not yet", "not exactly", "not particularly"),
        *("probably not", "perhaps not", "maybe not", "absolutely not", "definitely not", "certainly not"),
        *("never", "hardly ever", "hardly", "barely", "scarcely", "rarely", "seldom"),
    ]
)
"""Denials that a statement keeps; all others become "not"."""


def join_answers(sentences: Sequence[str]) -> list[str]:
    """Return sentences in which each question and its short answer are one, without unanswered questions.

    "Is the pool heated?", "No." becomes "The pool is not heated."; where no rule makes a statement, both stay
    together: "Is it a hotel for families?", "Hardly.". If all sentences are unanswered questions, they stay.
    """
    parts = [part for sentence in sentences for part in _SPLIT_AFTER_NO.split(sentence)]
    joined: list[str] = []
    asked: list[str] = []
    for part in parts:
        if _ENDS_AS_QUESTION.search(part):
            asked.append(part)
            continue
        if asked:
            if _is_answer(part, asked[-1]):
                joined += answered(asked[-1], part) if len(asked) == 1 else [" ".join([*asked, part])]
                asked = []
                continue
            joined += [question for question in asked if not is_question(question)]
            asked = []
        joined.append(part)
    joined += [question for question in asked if not is_question(question)]
    return joined or parts


def is_question(sentence: str) -> bool:
    """Return whether a sentence only asks; "The view is great, isn't it?" states something."""
    if not _ENDS_AS_QUESTION.search(sentence) or _TAG.search(sentence):
        return False
    return bool(_ASKS.match(sentence.lstrip("\"'“‘("))) or len(sentence.split()) <= _MOST_OF_FRAGMENT


def is_answered(sentence: str) -> bool:
    """Return whether a sentence consists of a question and its answer, as ``join_answers`` leaves them."""
    question, mark, answer = sentence.rpartition("? ")
    is_one = bool(mark) and not re.search(r"[.!:;]\s", question)
    return is_one and _is_answer(answer, f"{question}?")


def _is_answer(sentence: str, question: str) -> bool:
    """Return whether a sentence is a short answer, which states nothing without its question."""
    if any(pattern.fullmatch(sentence) for pattern in (_ANSWER, _ONLY, _SHORT)):
        return True
    words = [word.strip(".,;:!…").lower() for word in sentence.split()]
    if len(words) > _MOST_OF_ANSWER or "," in sentence or not is_question(question):
        return False
    return not any(word in AUXILIARIES | PRONOUNS or "n't" in word or "n’t" in word for word in words)


def answered(question: str, answer: str) -> list[str]:
    """Return the statements that a question and its answer make, or both together if no rule makes them."""
    asked = _OPENER.sub("", question.strip("\"'“”‘’() ")).rstrip("?! ").split()
    statement: str | None = None
    after: list[str] = []
    if asked and (only := _ONLY.fullmatch(answer)):
        statement = _statement(asked, "", only[1][0].lower() + only[1][1:])
    elif asked and (short := _SHORT.fullmatch(answer)):
        statement = _statement(asked, "not" if short["denied"] else "", "")
    elif asked and (match := _ANSWER.fullmatch(answer)):
        added, after = _what_follows(match)
        statement = None if added is None else _said(asked, match, added)
    elif asked:
        statement = _described(asked, answer)
    return [statement, *after] if statement else [f"{question} {answer}"]


def _what_follows(answer: re.Match[str]) -> tuple[str | None, list[str]]:
    """Return the end of the statement after "Yes, ", None if unclear, and a statement of its own."""
    rest = answer["rest"] or ""
    if not rest or _SHORT.fullmatch(rest) or rest.lower() in _REGRETS:
        return "", []
    clause = _CLAUSE.fullmatch(rest)
    if clause and len(clause[1].split()) > _MOST_OF_FRAGMENT:
        return "", [clause[1][0].upper() + clause[1][1:] + "."]
    agrees = answer["agrees"] or answer["hedges"]
    return (rest if agrees and _ADDED.fullmatch(rest) else None), []


def _said(asked: Sequence[str], answer: re.Match[str], added: str) -> str | None:
    """Return what "Yes.", "None." or "Hardly ever." answers to a question; ``added`` is its end."""
    denies, none, hedges = ((word or "").lower() for word in answer.group("denies", "none", "hedges"))
    if none:
        statement = _none(asked, none)
    elif denies:
        adverb = denies if denies in _NEGATIVE else "never" if denies.startswith("never") else "not"
        statement = _statement(asked, adverb, "")
        if statement is None and denies in ("no", "nope", "not at all"):
            statement = _none(asked, denies)
    else:
        statement = _statement(asked, hedges, added)
    if statement is None and not hedges:  # "Pool? No."
        statement = there_is(" ".join(asked), is_there=not denies)
    return statement


def _described(asked: Sequence[str], answer: str) -> str | None:
    """Return what "Terrible." answers to "How was the food?"."""
    words = answer.rstrip(".!… ").lower().split()
    described = [word for word in words if word not in _DEGREES]
    is_how = len(asked) > 2 and asked[0].lower() == "how" and asked[1].lower() in BE
    if not is_how or len(described) != 1 or described[0] not in adjectives():
        return None
    return " ".join([asked[2].capitalize(), *asked[3:], asked[1].lower(), *words]) + "."


def _none(asked: Sequence[str], word: str) -> str | None:
    """Return what "None." answers to "Any complaints?" or to "Were there any complaints?"."""
    low = [asked_word.lower() for asked_word in asked]
    if low[:1] == ["any"] and 1 < len(low) <= _MOST_OF_FRAGMENT + 1:
        verb = "were" if low[-1] in _PLURALS or low[-1].endswith("s") else "was"
        at_all = " at all" if word.endswith("at all") else ""
        return f"There {verb} no {' '.join(asked[1:])}{at_all}."
    if len(low) > 3 and low[0] in BE and low[1:3] == ["there", "any"]:
        return f"There {low[0]} no {' '.join(asked[3:])}."
    return None


def there_is(thing: str, *, is_there: bool) -> str | None:
    """Return "There is a pool." or "There is no pool." for the name of an amenity; None for other words."""
    low = thing.lower()
    single = low.removesuffix("s") if low not in _COUNTED else low
    if low not in _MASS and single not in _COUNTED:
        return None
    verb = "are" if single != low else "is"
    name = thing if thing.isupper() else low
    if not is_there:
        return f"There {verb} no {name}."
    article = "" if low in _MASS or single != low else "an " if low[0] in "aeiou" else "a "
    return f"There {verb} {article}{name}."


def _statement(asked: Sequence[str], adverb: str, added: str) -> str | None:
    """Return the statement with the words of a question, which begins with its verb; None if it is unclear.

    Args:
        asked: words of the question.
        adverb: "not", "never", "probably not" or another adverb; empty to agree.
        added: what the answer adds at the end.
    """
    verb, words = asked[0].lower(), list(asked[1:])
    low = [word.lower() for word in words]
    if verb not in AUXILIARIES or not words:
        return None
    # "Is it clean and quiet? No." denies one or both, and "Was it ever cleaned? Yes." needs other words.
    is_negative = adverb in _NEGATIVE or adverb == "not"
    if "and" in low if is_negative else any(re.match("any|ever|yet", word) for word in low):
        return None
    # "Did you like it?" asks the reader, but "Can you swim there?" asks what anybody can do.
    if low[0] == "you" and verb not in ("can", "could", "do", "must", "should"):
        return None
    size = subject_of(verb, words)
    if size is None:
        return None
    subject, rest = words[:size], words[size:]
    if low[0] == "there" and adverb == "not" and low[1:2] in (["a"], ["an"], ["any"]):
        adverb, rest = "no", rest[1:]
    first = subject[0] if subject[0] == "I" or not subject[0].islower() else subject[0].capitalize()
    said = [first, *subject[1:], verb, *([adverb] if adverb else []), *rest, *([added] if added else [])]
    return " ".join(said) + "."


def subject_of(verb: str, words: Sequence[str]) -> int | None:
    """Return how many of the words behind an inverted verb are its subject; None if that is unclear.

    "is", ["the", "front", "desk", "slow"] → 3; "did", ["the", "night", "porter", "wave", "back"] → None.
    """
    low = [word.lower() for word in words]
    if low[0] in PRONOUNS:
        return 1 if len(low) > 1 else None
    first = 1 if low[0] in DETERMINERS else 0
    rest = low[first:]
    if "or" in rest[:3] or "and" in rest[:3]:
        return None
    if len(rest) == 2:
        return first + 1
    is_be = verb in BE
    for place in range(1, len(rest)):
        word, behind = rest[place], rest[place + 1 :]
        if word in _PREPOSITIONS:
            # "Is the pool on the roof?", but not "Is the pool on the roof heated?".
            ends = 0 < len(behind) <= 3 and behind[-1] not in adjectives() and behind[-1][-2:] != "ed"
            return first + place if ends and is_be else None
        if word == "been" or word in (_AFTER_SUBJECT if is_be else _VERBS):
            return first + place
        is_predicate = not behind or behind[0] in _PREPOSITIONS | {"and", "or", "enough"}
        if is_be and word in adjectives() and is_predicate:
            return first + place if place == 1 or word not in _NOT_BEHIND_A_NOUN else None
    return None


@cache
def adjectives() -> frozenset[str]:
    """Return common adjectives of reviews, each of which is rarely a noun before another noun."""
    return word_set((files("claimwise.text") / "adjectives.txt").read_text(encoding="utf-8"))
