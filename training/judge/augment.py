"""New NLI pairs from old ones: deny a hypothesis, or swap one of its words, and the label follows.

A denied hypothesis turns entailment into contradiction and contradiction into entailment and leaves neutral
neutral, so that "not" is no sign of any label. Only plain short sentences are denied, where the scope of the
negation is beyond doubt.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from pairs import CAPTIONS, Pair, Sources

LEXICON = Path(__file__).parent / "lexicon.jsonl"
CONTRACTED = {
    "is": "isn't",
    "are": "aren't",
    "was": "wasn't",
    "were": "weren't",
    "can": "can't",
    "could": "couldn't",
    "will": "won't",
    "would": "wouldn't",
}
# Past forms that are nothing else, and what follows "did not".
PAST = {
    "arrived": "arrive", "ate": "eat", "became": "become", "began": "begin", "bought": "buy",
    "brought": "bring", "came": "come", "chose": "choose", "drank": "drink", "drove": "drive",
    "enjoyed": "enjoy", "flew": "fly", "forgot": "forget", "gave": "give", "got": "get", "grew": "grow",
    "had": "have", "heard": "hear", "kept": "keep", "knew": "know", "liked": "like", "lost": "lose",
    "made": "make", "met": "meet", "needed": "need", "paid": "pay", "ran": "run", "sang": "sing",
    "saw": "see", "sent": "send", "slept": "sleep", "sold": "sell", "spent": "spend", "spoke": "speak",
    "stayed": "stay", "stood": "stand", "swam": "swim", "taught": "teach", "threw": "throw",
    "told": "tell", "took": "take", "understood": "understand", "visited": "visit", "wanted": "want",
    "went": "go", "woke": "wake", "won": "win", "wore": "wear", "worked": "work", "wrote": "write",
}  # fmt: skip
# What makes the scope of a negation doubtful: other negations, quantifiers, clauses, coordination.
SCOPE = re.compile(
    r"\b(not|no|never|nothing|nobody|none|neither|nor|few|hardly|barely|rarely|only|just|even|some|any|several|"
    r"many|most|more|all|every|each|both|everyone|someone|somebody|something|everything|anyone|and|or|but|if|"
    r"whether|because|that|who|which|what|when|where|while|although|though|since|until|unless|than|as|so|"
    r"always|often|sometimes|also|too|still|already|probably|maybe|perhaps|there)\b|n't|[?;:\"(),]",
    re.IGNORECASE,
)

# A noun does not come next where one of these does.
FUNCTION_WORDS = frozenset({
    "a", "about", "above", "across", "after", "against", "along", "an", "and", "are", "at", "be",
    "before", "behind", "being", "below", "beside", "by", "during", "for", "from", "had", "has", "he",
    "her", "his", "in", "inside", "into", "is", "it", "its", "near", "of", "on", "one", "or", "outside",
    "over", "she", "that", "the", "their", "they", "this", "through", "to", "under", "was", "were",
    "while", "with",
})  # fmt: skip


def deny(sentence: str, generator: random.Random) -> str | None:
    """Return the plain negation of a short one-clause sentence, or None where its scope is in doubt."""
    words = sentence.split()
    if len(words) > 12 or SCOPE.search(sentence):
        return None
    verbs = [i for i, word in enumerate(words) if i > 0 and (word in CONTRACTED or word in PAST)]
    if len(verbs) != 1 or verbs[0] == len(words) - 1:
        return None
    verb = words[verbs[0]]
    contracted = generator.random() < 0.4
    if verb in PAST:
        negated = ["didn't" if contracted else "did not", PAST[verb]]
    else:
        negated = [CONTRACTED[verb]] if contracted else [verb, "not"]
    return " ".join([*words[: verbs[0]], *negated, *words[verbs[0] + 1 :]])


def denied(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield pairs of the public sets whose hypothesis can be denied, with the label that then holds."""
    for pair in sources.plain(*sources.public):
        hypothesis = deny(pair.hypothesis, generator)
        if hypothesis is None:
            continue
        if pair.label == "entailment":
            yield Pair(pair.premise, hypothesis, "contradiction", "denied")
        elif pair.label == "neutral" or pair.kind not in CAPTIONS:
            label = "entailment" if pair.label == "contradiction" else "neutral"
            yield Pair(pair.premise, hypothesis, label, "denied")
        if generator.random() < 0.5:
            yield Pair(*generator.sample([pair.hypothesis, hypothesis], 2), "contradiction", "denied")


def read_lexicon(path: Path = LEXICON) -> dict[str, dict[str, list[str]]]:
    """Return per word what may stand in its place: ``contradiction`` and ``entailment``, words each."""
    lexicon: dict[str, dict[str, list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for word in row.get("words", [row.get("word")]):
            swaps = lexicon.setdefault(word, {"contradiction": [], "entailment": []})
            if row["kind"] == "different":
                swaps["contradiction"] += [other for other in row["words"] if other != word]
            else:
                swaps["contradiction"] += row["opposites"]
                swaps["entailment"] += row["same"]
    return lexicon


def without_modifier(words: list[str], place: int) -> str | None:
    """Return the sentence without the word at ``place`` if that stands between an article and a noun."""
    if words[place - 1] not in ("a", "an", "the") or place + 1 == len(words):
        return None
    if words[place + 1] in FUNCTION_WORDS:
        return None
    article = words[place - 1]
    if article != "the":
        article = "an" if words[place + 1][0] in "aeiou" else "a"
    return " ".join([*words[: place - 1], article, *words[place + 1 :]])


def swapped(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield sentences beside themselves with one word swapped for another of the lexicon.

    Only words behind the verb are swapped for something else: what is said of two subjects ("The kitchen is
    clean", "The bathroom is clean") does not contradict.
    """
    lexicon = read_lexicon()
    sentences = {text for pair in sources.plain(*sources.public) for text in (pair.premise, pair.hypothesis)}
    for sentence in sorted(sentences):
        words = sentence.rstrip(".").split()
        verbs = [i for i, word in enumerate(words) if word in CONTRACTED or word in PAST]
        known = [i for i, word in enumerate(words) if word in lexicon and verbs and i > verbs[0]]
        if not known or len(words) > 16 or SCOPE.search(sentence):
            continue
        place = generator.choice(known)
        shorter = without_modifier(words, place)
        if shorter:
            yield Pair(" ".join(words) + ".", shorter + ".", "entailment", "swapped")
        for label, others in lexicon[words[place]].items():
            if not others:
                continue
            other = [*words[:place], generator.choice(others), *words[place + 1 :]]
            if other[place - 1] in ("a", "an"):
                other[place - 1] = "an" if other[place][0] in "aeiou" else "a"
            texts = generator.sample([" ".join(words) + ".", " ".join(other) + "."], 2)
            yield Pair(*texts, label, "swapped")
