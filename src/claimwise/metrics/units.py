"""Content units of references, and their presence in a summary."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.evidence.kinds import ContentUnit
from claimwise.evidence.support import SourcePremise, rounded, with_probabilities
from claimwise.labels import ENTAILMENT
from claimwise.metrics.base import Row
from claimwise.metrics.readings import Reading
from claimwise.nli.protocol import Matrix
from claimwise.scores.pyramid import same_units


class Unit(NamedTuple):
    """A content unit; see ``ContentUnit``."""

    unit: str
    weight: float = 1.0
    references: tuple[int, ...] = ()
    wordings: tuple[str, ...] = ()
    sentence: str | None = None


class Found(NamedTuple):
    """The presence of each hypothesis in the parts of a text.

    Attributes:
        presence: ``[hypotheses]``, in [0, 1].
        is_found: bool ``[hypotheses]``.
        parts: parts of the text: whole texts or sentences.
        best: for each hypothesis, the indices of the parts that decided.
        probabilities: ``[hypotheses, 3]``, of these parts together.
        matrix: ``[parts, hypotheses, 3]``, of each part.
    """

    presence: npt.NDArray[np.float64]
    is_found: npt.NDArray[np.bool_]
    parts: Sequence[SourcePremise]
    best: list[list[int]]
    probabilities: npt.NDArray[np.float32]
    matrix: Matrix


def given_units(row: Row) -> list[Unit] | None:
    """Return the given units of a row; None if its references are to be split into units."""
    if "units" not in row.further:
        return None
    texts = row.further["units"]
    weights = row.further.get("unit_weights") or [1.0] * len(texts)
    return [Unit(*unit) for unit in zip(texts, weights, strict=True)]


def same_claims(reading: Reading) -> list[Unit]:
    """Return the units of a set of references; claims that entail each other form one unit."""
    ends = np.cumsum([0, *(len(one.claims) for one in reading.claims)])
    entails = np.zeros((ends[-1], ends[-1]), dtype=np.bool_)
    pairs = itertools.permutations(range(len(reading.claims)), 2)
    for (a, b), matrix in zip(pairs, reading.matrices, strict=True):
        entails[ends[a] : ends[a + 1], ends[b] : ends[b + 1]] = matrix.argmax(axis=-1) == ENTAILMENT
    numbers = [number for number, one in enumerate(reading.claims) for _ in one.claims]
    texts = [claim for one in reading.claims for claim in one.claims]
    sentences = [sentence for one in reading.claims for sentence in one.sentences]
    return [
        Unit(
            unit=texts[same[0]],
            weight=float(len(same)),
            references=tuple(numbers[claim] for claim in same),
            wordings=tuple(texts[claim] for claim in same[1:]),
            sentence=sentences[same[0]],
        )
        for same in same_units(numbers, entails)
    ]


def unit_evidence(units: Sequence[Unit], found: Found, whole: bool) -> tuple[ContentUnit, ...]:
    """Return units with their presence, and with parts of the summary unless it was read as a ``whole``."""
    return tuple(
        ContentUnit(
            **unit._asdict(),
            presence=float(found.presence[number]),
            found=bool(found.is_found[number]),
            premises=()
            if whole
            else with_probabilities(found.parts, found.matrix, number, found.best[number]),
            probabilities=rounded(found.probabilities[number]),
        )
        for number, unit in enumerate(units)
    )
