"""ROUGE: the overlap of two texts in words, n-grams or pairs of words.

Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries", Sections 2 (ROUGE-N), 5 (ROUGE-S) and 5.2
(ROUGE-SU). Every function takes the tokens of a candidate and of one reference: the tokenizer determines
case, stemming and stopwords.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from claimwise.scores.pyramid import f1_score

MAXIMUM_GAP = 4
"""Maximum number of words between the two words of a skip-bigram in ROUGE-S4 and ROUGE-SU4."""

Unit = tuple[str, ...]


class Overlap(NamedTuple):
    """The overlap of two texts, in [0, 1]; 0 if a text has no units.

    Attributes:
        recall: share of the reference's units.
        precision: share of the candidate's units.
    """

    recall: float
    precision: float

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        return f1_score(self.recall, self.precision)


def rouge_n(candidate: Sequence[str], reference: Sequence[str], n: int) -> Overlap:
    """Return the overlap in n-grams (Section 2); repeated n-grams count as often as in both texts."""
    return _shared(_ngrams(candidate, n), _ngrams(reference, n))


def rouge_s(candidate: Sequence[str], reference: Sequence[str], maximum_gap: int = MAXIMUM_GAP) -> Overlap:
    """Return the overlap in skip-bigrams (Section 5); see ``skip_bigrams``."""
    return _shared(skip_bigrams(candidate, maximum_gap), skip_bigrams(reference, maximum_gap))


def rouge_su(candidate: Sequence[str], reference: Sequence[str], maximum_gap: int = MAXIMUM_GAP) -> Overlap:
    """Return the overlap in skip-bigrams and words (Section 5.2): ROUGE-SU4 with the default gap."""
    return _shared(su_units(candidate, maximum_gap), su_units(reference, maximum_gap))


def su_units(tokens: Sequence[str], maximum_gap: int = MAXIMUM_GAP) -> Counter[Unit]:
    """Count the units of ROUGE-SU: skip-bigrams and single words."""
    return skip_bigrams(tokens, maximum_gap) + _ngrams(tokens, 1)


def skip_bigrams(tokens: Sequence[str], maximum_gap: int = MAXIMUM_GAP) -> Counter[Unit]:
    """Count the pairs of words in their order, with at most ``maximum_gap`` words between them.

    Neighbours have a gap of 0, so ``maximum_gap=0`` gives bigrams.
    """
    return Counter(
        (first, second)
        for place, first in enumerate(tokens)
        for second in tokens[place + 1 : place + maximum_gap + 2]
    )


def _ngrams(tokens: Sequence[str], n: int) -> Counter[Unit]:
    return Counter(tuple(tokens[place : place + n]) for place in range(len(tokens) - n + 1))


def _shared(candidate: Counter[Unit], reference: Counter[Unit]) -> Overlap:
    shared = (candidate & reference).total()
    return Overlap(_share(shared, reference.total()), _share(shared, candidate.total()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
