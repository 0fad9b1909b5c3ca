"""A judge that knows no language: it compares words."""

import re

import numpy as np

from claimwise.nli import Judgements

NEGATIONS = {"no", "not", "never"}


class WordJudge:
    """A premise entails a hypothesis whose words it has, and contradicts it if only one of them is negated.

    ``nli_model="words"`` makes it with no address, ``nli_model="words:0.8"`` with the address ``"0.8"``:
    here the share of the words that is enough.
    """

    def __init__(self, address=""):
        self.enough = float(address or 1)
        self.fingerprint = f"words-1-{self.enough}"  # another one, other probabilities
        self.signature = {"nli_model": "words", "nli_fingerprint": self.fingerprint}

    def predict_pairs(self, pairs):
        """Return probabilities of entailment, neutral and contradiction, one row a pair."""
        probabilities = np.array([self._judged(*pair) for pair in pairs], dtype=np.float32).reshape(-1, 3)
        return Judgements(probabilities, truncated=np.zeros(len(pairs), dtype=bool))

    def _judged(self, premise, hypothesis):
        there, wanted = words_of(premise), words_of(hypothesis)
        content = wanted - NEGATIONS
        if len(content & there) < self.enough * len(content):
            return 0.1, 0.8, 0.1
        same = bool(there & NEGATIONS) == bool(wanted & NEGATIONS)
        return (0.9, 0.08, 0.02) if same else (0.02, 0.08, 0.9)


def words_of(text):
    """Return the distinct words of a text, lower-cased."""
    return set(re.findall(r"\w+", text.lower()))
