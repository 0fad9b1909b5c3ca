"""Judged examples, and what results count of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, Self

import numpy as np

from claimwise.judges.pairs import Bools
from claimwise.judges.protocol import Example, Judgements, Matrix, Pair, concatenate


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

    def with_truncated(self, is_truncated: Bools) -> Judged:
        """Return the example with further pairs marked as truncated, ``[premises, hypotheses]`` or fewer."""
        judgements = replace(self.judgements, truncated=self.judgements.truncated | is_truncated)
        return Judged(judgements, replace(self.marks, truncated=int(judgements.truncated.sum())))


def cross_joined(
    cross: Callable[[list[Example]], list[Judged]],
    premises: Sequence[Sequence[str]],
    hypotheses: Sequence[Sequence[str]],
    chosen: Sequence[Sequence[Sequence[int]]],
) -> list[Judged]:
    """Judge each hypothesis against its chosen premises, joined into one.

    Args:
        cross: judges examples.
        premises: premises of each row.
        hypotheses: hypotheses of each row.
        chosen: for each row and hypothesis, the indices of the premises in the order of joining.

    Returns:
        Judgements of shape ``[1, hypotheses]`` per row.
    """
    examples: list[list[Example]] = [
        [
            ([" ".join(of_row[index] for index in indices)], [hypothesis])
            for hypothesis, indices in zip(of_texts, of_choice, strict=True)
        ]
        for of_row, of_texts, of_choice in zip(premises, hypotheses, chosen, strict=True)
    ]
    judged = iter(cross(list(chain.from_iterable(examples))))
    rows = [[next(judged) for _ in of_row] for of_row in examples]
    return [
        Judged(
            concatenate([one.judgements for one in row]).reshape(1, len(row)),
            sum((one.marks for one in row), Marks()),
        )
        for row in rows
    ]
