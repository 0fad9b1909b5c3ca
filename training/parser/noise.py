"""Messy copies of sentences: reviews are written in a hurry, the tree stays what it was."""

from __future__ import annotations

import random
from dataclasses import replace

from treebank import Sentence

END = {".", "!", "?"}
CLITICS = {"n't": "nt", "'s": "s", "'m": "m", "'re": "re", "'ve": "ve", "'ll": "ll"}


def messy(sentence: Sentence, generator: random.Random) -> Sentence:
    """Return the sentence as a hurried writer would type it: one or more habits drawn at random.

    Small letters only, capitals only, no full stop at the end, no apostrophes, slips of the finger.
    """
    words, draw = list(sentence.words), generator.random
    if draw() < 0.35 and len(words) > 2 and words[-1] in END and len(words) - 1 not in sentence.heads[:-1]:
        sentence = _without_last(sentence)
        words = list(sentence.words)
    if draw() < 0.3:
        words = [CLITICS.get(word, word) for word in words]
    if draw() < 0.4:
        words = [word if len(word) < 4 or draw() > 0.12 else _slip(word, generator) for word in words]
    case = draw()
    if case < 0.45:
        words = [word.lower() for word in words]
    elif case < 0.53:
        words = [word.upper() for word in words]
    return replace(sentence, words=words)


def _without_last(sentence: Sentence) -> Sentence:
    columns = ("words", "spaces", "tags", "parts_of_speech", "heads", "labels", "enhanced")
    return replace(sentence, **{column: getattr(sentence, column)[:-1] for column in columns})


def _slip(word: str, generator: random.Random) -> str:
    """Return the word with two letters swapped, or one left out or typed twice."""
    place = generator.randrange(1, len(word) - 1)
    kind = generator.randrange(3)
    if kind == 0:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + word[place + 1 :] if kind == 1 else word[:place] + word[place] + word[place:]
