"""A judge that knows no language: it compares words."""

import re

import numpy as np

from claimwise.judges import Judgements

NEGATIONS = {"no", "not", "never"}


class WordJudge:
    """A premise entails a hypothesis if it contains its words, and contradicts it if only one is negated.

    ``judge="words:0.8"`` passes ``"0.8"``: the share of the hypothesis's words that the premise must have.
    """

    def __init__(self, address=""):
        self.enough = float(address or 1)
        self.fingerprint = f"words-1-{self.enough}"  # changes whenever the probabilities would change
        self.signature = {"judge": "words", "judge_fingerprint": self.fingerprint}

    def predict_pairs(self, pairs):
        """Return probabilities of entailment, neutral and contradiction, one row per pair."""
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
