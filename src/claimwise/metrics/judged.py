"""Judged examples, and what results count of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from claimwise.judges.protocol import Example, Judgements, Matrix, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What results count of judged pairs; can be added.

    Attributes:
        truncated: number of truncated pairs.
        skipped: number of pairs that were not asked.
        unjudged: pairs without a verdict.
    """

    truncated: int = 0
    skipped: int = 0
    unjudged: tuple[Pair, ...] = ()

    def __add__(self, other: Marks) -> Marks:
        return Marks(
            truncated=self.truncated + other.truncated,
            skipped=self.skipped + other.skipped,
            unjudged=self.unjudged + other.unjudged,
        )

    @classmethod
    def of(cls, premises: Sequence[str], hypotheses: Sequence[str], judgements: Judgements) -> Self:
        """Return the marks of judgements ``[premises, hypotheses]``."""
        return cls(
            truncated=int(judgements.truncated.sum()),
            skipped=int(judgements.skipped.sum()),
            unjudged=tuple(
                (premises[row], hypotheses[column])
                for row, column in np.argwhere(judgements.unjudged).tolist()
            ),
        )


class Judged(NamedTuple):
    """An example with its judgements ``[premises, hypotheses]``, and their marks."""

    judgements: Judgements
    marks: Marks

    @property
    def probabilities(self) -> Matrix:
        """Probabilities ``[premises, hypotheses, 3]``."""
        return self.judgements.probabilities


Cross = Callable[[list[Example]], list[Judged]]
"""Judges every premise against every hypothesis of each example, as ``NLIMetric.cross`` does."""
