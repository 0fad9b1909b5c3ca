"""A judge that is asked only about likely pairs; the others count as neutral."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.judges.crossing import JudgeInFront, batches
from claimwise.judges.filter import PairFilter, Vectors, filter_fingerprint, load_filter, odds
from claimwise.judges.pairs import Bools, Ints, Pairs
from claimwise.judges.protocol import Judge, Judgements

PAIRS_AT_ONCE = 16_384
"""Pairs filtered at a time; a pair needs some kilobytes."""

MOST_TEXTS_KEPT = 50_000
"""Texts whose vectors are kept between calls (about 200 MB)."""

NOTHING_KEPT: tuple[dict[str, int], Vectors | None] = ({}, None)


class FilteredJudge(JudgeInFront):
    """Any judge with a filter in front: pairs that are most probably neutral are not judged.

    These pairs get the probabilities 0, 1, 0 and are marked as skipped. Pairs with a text longer than any
    training text of the filter are always judged.

    Raises:
        ClaimwiseError: for a judge that answers many pairs in one request.
    """

    has_logits = False

    def __init__(self, judge: Judge) -> None:
        if hasattr(judge, "predict_blocks"):
            raise ClaimwiseError(
                "`pairs` has no effect, because the judge answers many pairs in one request.",
                "Leave it out, or ask a chat model pair by pair (ask=pairs).",
                option="pairs",
            )
        load_filter()  # so that it fails early
        super().__init__(judge)
        self._kept = NOTHING_KEPT

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": NOTHING_KEPT}

    @property
    def filter(self) -> PairFilter:
        """Predicts likely pairs."""
        return load_filter()

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the judge and the filter."""
        return f"{self.judge.fingerprint}-likely-{filter_fingerprint()}"

    @property
    def signature(self) -> Mapping[str, str]:
        """Signature of the judge, and the filter's fingerprint."""
        likely = f"likely,filter={filter_fingerprint()},threshold={self.filter.facts.threshold:.3f}"
        return {**self.judge.signature, "pairs": likely}

    def predict_batches(self, pairs: Pairs) -> Iterator[tuple[Ints, Judgements]]:
        """Yield the judgements of likely pairs, then the others as neutral."""
        likely = self.likely(pairs)
        if len(asked := np.flatnonzero(likely)):
            for rows, judgements in batches(self.judge, pairs.at(asked)):
                yield asked[rows], judgements
        if len(others := np.flatnonzero(~likely)):
            yield others, Judgements.neutral(len(others), asked=False)

    def likely(self, pairs: Pairs) -> Bools:
        """Return whether each pair is judged."""
        used, indices = np.unique(np.concatenate([pairs.premises, pairs.hypotheses]), return_inverse=True)
        texts = [pairs.texts[number] for number in used]
        too_long = self.filter.too_long(texts)[indices].reshape(2, -1)
        likely: Bools = too_long[0] | too_long[1]
        left = np.flatnonzero(~likely)
        # A text that has only partners that are too long is not encoded.
        used, indices = np.unique(indices.reshape(2, -1)[:, left], return_inverse=True)
        vectors = self.vectors([texts[number] for number in used])
        premises, hypotheses = indices.reshape(2, -1)
        for start in range(0, len(left), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            logits = self.filter.logits(
                vectors.premises[premises[part]], vectors.hypotheses[hypotheses[part]]
            )
            likely[left[part]] = odds(logits) >= self.filter.facts.threshold
        return likely

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of distinct texts, in their order; recent vectors are kept."""
        row_of, kept = self._kept  # another thread may replace them
        missing = [text for text in texts if text not in row_of]
        if kept is None or len(row_of) + len(missing) > MOST_TEXTS_KEPT:
            row_of, kept = {text: row for row, text in enumerate(texts)}, self.filter.encode(texts)
        elif missing:
            row_of = row_of | {text: row for row, text in enumerate(missing, len(row_of))}
            kept = kept.followed_by(self.filter.encode(missing))
        self._kept = row_of, kept
        rows = np.array([row_of[text] for text in texts], dtype=np.int64)
        return kept if np.array_equal(rows, np.arange(len(row_of))) else kept.at(rows)


def all_pairs(judge: Judge) -> Judge:
    """Return the judge without its filter, so that it judges all pairs."""
    return judge.judge if isinstance(judge, FilteredJudge) else judge
