"""What the network learns from: sentences as words, their claims as places of these words and own words."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from align import ENDINGS, Item, align

from claimwise.text.writer.decomposer import NEEDS_CONTEXT, is_open
from claimwise.text.writer.network import MOST_WORDS
from claimwise.text.writer.words import Source, Written, default_case, words_of

NOT_THE_FIRST, LATER = 0.6, 0.05  # what a wording other than the best costs
LOWER, TITLE = "<lower>", "<title>"
"""Changes of the capital letter of the word before."""
CHANGES = frozenset({LOWER, TITLE, *ENDINGS})
UNKNOWN = 1.0  # what a word costs that the network cannot put in
MOST_OF_WORD, MOST_OF_ALL = 0.35, 0.5  # a claim that costs more has too little of its sentence
_STOPS = frozenset({".", "!", "…", ".."})
FUNCTION_WORDS = frozenset({"the", "is", "was", "are", "were", "it", "i", "there", "a", "has", "have"})
SHORT = {
    **{"and": ["&", "n", "+"], "with": ["w/"], "you": ["u"], "though": ["tho"], "because": ["cos", "bc"]},
    **{
        "please": ["pls"],
        "are": ["r"],
        "very": ["v"],
        "without": ["w/o"],
        "love": ["luv"],
        "thanks": ["thx"],
    },
}


@dataclass(frozen=True)
class Example:
    """A sentence and its claims.

    Attributes:
        words: of the sentence, and in front of them those of the sentence before.
        claims: each a list of places and own words.
        is_messy: whether it was written in haste.
        context: how many of the words are of the sentence before.
        strip: whether attributions are stripped in the claims; None if that makes no difference.
    """

    words: list[str]
    claims: list[list[Item]]
    is_messy: bool
    context: int = 0
    strip: bool | None = None


def example_of(
    sentence: str,
    claims: Sequence[Sequence[str]],
    *,
    is_messy: bool,
    context: str = "",
    known: Collection[str] | None = None,
    strip: bool | None = None,
) -> Example | None:
    """Return the example of a sentence and its claims, each with acceptable wordings, the best first.

    None where too little of a claim is of the sentence. ``known`` are the network's own words: wordings that
    need others are avoided.
    """
    source = words_of(sentence)
    if context:
        source = source.behind(words_of(context))
    before = source.words[: source.context]
    words = list(source.words)
    if not 2 <= len(words) <= MOST_WORDS:
        return None
    low = [_plain(word) for word in words]
    aligned = []
    for wordings in claims:
        offers = []
        for number, wording in enumerate(wordings[:6]):
            written = list(words_of(wording).words)
            while written and written[-1] in _STOPS:
                written.pop()
            claim = [_plain(word) for word in written]
            cost, items = align(low, claim, len(before))
            items = with_case(items, written, source)
            if known is not None:
                cost += UNKNOWN * sum(
                    isinstance(item, str) and item not in known and item not in CHANGES for item in items
                )
            offers.append((cost + NOT_THE_FIRST * (number > 0) + LATER * number, items, len(claim)))
        cost, items, length = min(offers, key=lambda offer: offer[0])
        if cost > MOST_OF_WORD * length + MOST_OF_ALL:
            return None
        aligned.append(items)
    return Example(words, aligned, is_messy, len(before), strip)


def with_case(items: Sequence[Item], claim: Sequence[str], source: Source) -> list[Item]:
    """Return what a claim is made of, with the changes of capital letters that its words ask for."""
    result: list[Item] = []
    number = -1
    for place, item in enumerate(items):
        result.append(item)
        if item in ENDINGS:
            continue
        number += 1
        if isinstance(item, int):
            following = items[place + 1] if place + 1 < len(items) else None
            has_ending = following in ENDINGS
            word = source.words[item]
            shown = default_case(Written(word, item), source, is_first=number == 0)
            wanted = claim[number]
            case = None
            if shown[:1].isupper() and wanted[:1].islower() and number:
                case = LOWER
            elif shown[:1].islower() and wanted[:1].isupper() and number:
                case = TITLE
            elif len(shown) > 1 and shown.isupper() and not wanted.isupper() and len(wanted) > 1:
                case = LOWER if wanted[:1].islower() or not number else None
            if case:
                if has_ending:
                    continue
                result.append(case)
    return result


def actions(claim: Sequence[Item]) -> list[tuple[str, int] | tuple[int, int]]:
    """Return a claim as steps: an own word or change (with −1), or the first and last word of a span."""
    steps: list[tuple[str, int] | tuple[int, int]] = []
    for item in claim:
        if isinstance(item, str):
            steps.append((item, -1))
        elif steps and isinstance(steps[-1][0], int) and steps[-1][1] + 1 == item:
            steps[-1] = steps[-1][0], item
        else:
            steps.append((item, item))
    return steps


def _plain(word: str) -> str:
    return word.lower().replace("’", "'")


def vocabulary_of(examples: Iterable[Example], least: int = 5) -> list[str]:
    """Return the own words that claims need at least so often, behind the two ends and the endings."""
    counts = Counter(
        item
        for example in examples
        for claim in example.claims
        for item in claim
        if isinstance(item, str) and item not in CHANGES
    )
    return [
        "<end>",
        "<next>",
        LOWER,
        TITLE,
        *ENDINGS,
        *(word for word, count in counts.most_common() if count >= least),
    ]


class Augmentation:
    """Other sentences of the same claims: hasty copies, and several sentences joined.

    Args:
        known: the network's own words: a word that is left out of a sentence is put into its claims as one.
        generator: of random numbers.
    """

    def __init__(self, known: Iterable[str], generator: random.Random) -> None:
        self._known = frozenset(known)
        self._random = generator

    def epoch(
        self, examples: Sequence[Example], *, hasty: float, joined: float, behind: float
    ) -> list[Example]:
        """Return the examples, a share of the plain ones made hasty, and a share more of joined ones.

        A share of those whose pronouns stand for something in the sentence, or for nothing, is put behind
        another sentence.
        """
        chance = self._random
        found = [
            self.hasty(example) if not example.is_messy and chance.random() < hasty else example
            for example in examples
        ]
        alone = [example for example in examples if not example.context and example.strip is None]
        short = [example for example in alone if not example.is_messy and len(example.words) <= 22]
        messy = [example for example in alone if example.is_messy and len(example.words) <= 18]
        found = [
            behind_another(example, chance.choice(short))
            if chance.random() < behind and explains_itself(example)
            else example
            for example in found
        ]
        for _ in range(int(joined * len(examples))):
            if chance.random() < 0.5:
                found.append(self._joined(chance.sample(short, chance.choice([2, 2, 3])), is_messy=False))
            else:
                parts = [self.hasty(example) for example in chance.sample(short, 2)]
                if messy and chance.random() < 0.5:
                    parts.append(chance.choice(messy))
                found.append(self._joined(parts, is_messy=True))
        return [example for example in found if 2 <= len(example.words) <= MOST_WORDS and example.claims]

    def hasty(self, example: Example) -> Example:
        """Return it as written in haste: words left out, small letters, slips, short spellings, no stops."""
        chance = self._random
        for _ in range(chance.choice([0, 0, 1, 2, 3])):
            places = [place for place, word in enumerate(example.words) if word.lower() in FUNCTION_WORDS]
            if places:
                place = places[0] if chance.random() < 0.5 else chance.choice(places)
                if example.words[place].lower() in self._known:
                    example = without(example, place)
        is_small = chance.random() < 0.75
        slips = chance.choice([0, 0.03, 0.08])
        is_short = chance.random() < 0.4
        words = []
        for word in example.words:
            if is_short and word.lower() in SHORT:
                word = chance.choice(SHORT[word.lower()])
            elif chance.random() < slips:
                word = self._slip(word)
            if word.lower() in ("n't", "n’t") and chance.random() < 0.5:
                word = "nt"
            words.append(word.lower() if is_small else word)
        example = replace(example, words=words)
        if words[-1] in (".", "!") and chance.random() < 0.7:
            example = without(example, len(words) - 1)
        if chance.random() < 0.4:
            for place in reversed([place for place, word in enumerate(example.words) if word == ","]):
                if chance.random() < 0.6:
                    example = without(example, place)
        return example

    def _slip(self, word: str) -> str:
        chance = self._random
        if len(word) < 4 or not word.isalpha():
            return word
        place, kind = chance.randrange(1, len(word) - 1), chance.random()
        if kind < 0.4:
            return word[:place] + word[place + 1 :]
        if kind < 0.7:
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        if kind < 0.85:
            return word[:place] + word[place] + word[place:]
        return word[:place] + chance.choice("aeiourstln") + word[place + 1 :]

    def _joined(self, examples: Sequence[Example], *, is_messy: bool) -> Example:
        chance = self._random
        words: list[str] = []
        claims: list[list[Item]] = []
        hasty = ([","], ["-"], ["..."], ["and"], ["but"], [",", "but"], [",", "and"], ["."], [";"], [], ["!"])
        neat = ([",", "but"], [",", "and"], [";"], [",", "while"], [",", "although"], ["and"], [",", "yet"])
        for number, example in enumerate(examples):
            if number < len(examples) - 1 and example.words[-1] in (".", "!", "…"):
                example = without(example, len(example.words) - 1)
            added = list(example.words)
            if words:
                between = chance.choice(hasty if is_messy else neat)
                words += between
                if between != ["."] and added[0].lower() in _STARTS and added[0] != "I":
                    added[0] = added[0].lower()
            start = len(words)
            words += added
            claims += moved(example.claims, start)
        return Example(words, claims, is_messy)


_STARTS = frozenset(
    {"the", "it", "they", "we", "my", "our", "a", "an", "this", "there", "these", "some", "many", "most"}
    | {"several", "guests", "no", "nobody", "its", "their", "you", "he", "she"}
)


def explains_itself(example: Example) -> bool:
    """Whether the sentence has pronouns, and all of them stand for something in it, or for nothing."""
    if example.context or not NEEDS_CONTEXT.search(" ".join(example.words)):
        return False
    spelt = (
        " ".join(item if isinstance(item, str) else example.words[item] for item in claim)
        for claim in example.claims
    )
    return not any(map(is_open, spelt))


def behind_another(example: Example, other: Example) -> Example:
    """Return it with the words of another sentence in front, which say nothing about it."""
    start = len(other.words)
    words = [*other.words, *example.words]
    return replace(example, words=words, claims=moved(example.claims, start), context=start)


def moved(claims: Sequence[Sequence[Item]], start: int) -> list[list[Item]]:
    """Return claims whose words lie so many places further on."""
    return [[item + start if isinstance(item, int) else item for item in claim] for claim in claims]


def without(example: Example, place: int) -> Example:
    """Return it without a word; claims that have it keep it as an own word, marks go from them, too."""
    word = example.words[place]
    is_mark = not any(character.isalnum() for character in word)

    def rest(claim: list[Item]) -> Iterable[Item]:
        for item in claim:
            if isinstance(item, str) or item < place:
                yield item
            elif item > place:
                yield item - 1
            elif not is_mark:
                yield word.lower()

    words = [*example.words[:place], *example.words[place + 1 :]]
    return replace(
        example,
        words=words,
        claims=[list(rest(claim)) for claim in example.claims],
        context=example.context - (place < example.context),
    )
