"""Judges of one's own, as a user may write them: they count words, quickly and the same on every machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from claimwise.judges import Judgements
from claimwise.judges.pairs import Pairs
from claimwise.judges.protocol import Example, Pair

NEGATIONS = {"no", "not", "nobody", "never"}


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def probabilities(premise: str, hypothesis: str) -> tuple[float, float, float]:
    """Entailed as far as the words are the premise's; contradicted instead where only one side is negated."""
    of_premise, of_hypothesis = words(premise), words(hypothesis)
    shared = len(of_premise & of_hypothesis) / max(1, len(of_hypothesis))
    if bool(of_premise & NEGATIONS) != bool(of_hypothesis & NEGATIONS):
        return 0.0, 1 - shared, shared
    return shared, 1 - shared, 0.0


class WordJudge:
    """A judge that answers pairs, and counts those that it was asked.

    Args:
        longest: of a premise in words; a longer one counts as truncated.
    """

    def __init__(self, longest: int = 12) -> None:
        self.longest = longest
        self.asked = 0

    @property
    def fingerprint(self) -> str:
        return f"words-{self.longest}"

    @property
    def signature(self) -> dict[str, str]:
        return {"judge": "words", "longest": str(self.longest)}

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        self.asked += len(pairs)
        return self._predictions(list(pairs))

    def _predictions(self, pairs: list[Pair]) -> Judgements:
        scores = np.array([probabilities(*pair) for pair in pairs], dtype=np.float32).reshape(-1, 3)
        return Judgements(scores, np.array([len(p.split()) > self.longest for p, _ in pairs], dtype=np.bool_))


class BatchJudge(WordJudge):
    """The same, three pairs after the other, from the last to the first."""

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[npt.NDArray[np.int64], Judgements]]:
        rows = np.arange(len(pairs))[::-1]
        for start in range(0, len(rows), 3):
            yield rows[start : start + 3], self.predict_pairs(pairs.at(rows[start : start + 3]))


class BlockJudge(WordJudge):
    """The same, all premises of an example against all its hypotheses in one request."""

    def predict_blocks(self, examples: Sequence[Example]) -> list[Judgements]:
        blocks = []
        for premises, hypotheses in examples:
            self.asked += len(premises) * len(hypotheses)
            pairs = [(premise, hypothesis) for premise in premises for hypothesis in hypotheses]
            blocks.append(self._predictions(pairs).reshape(len(premises), len(hypotheses)))
        return blocks


def make_judge(address: str = "", longest: int = 12) -> WordJudge:
    """What an entry point of ``claimwise.judges`` names: ``"words:12"`` gives the address ``"12"``."""
    return WordJudge(int(address or longest))
