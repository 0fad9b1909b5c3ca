"""Content units of references, and their presence in a summary."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.evidence.kinds import ContentUnit
from claimwise.evidence.support import SourcePremise, rounded, with_probabilities
from claimwise.judges.protocol import Judgements, Matrix
from claimwise.labels import ENTAILMENT
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Marks, cross_joined
from claimwise.metrics.nli import NLIMetric
from claimwise.metrics.premises import texts_of
from claimwise.metrics.rows import Row
from claimwise.scores.pyramid import Presence, same_units, unit_presence
from claimwise.scores.summac import retrieve
from claimwise.text.inputs import Summary, text_of

WholeBestOrTopk = Literal["document", "sentence", "topk"]
LABEL_OF: Mapping[Presence, Presence] = {"p3c": "l3c", "l3c": "l3c", "p2c": "l2c", "l2c": "l2c"}
"""The presence that says whether a unit is found."""


class Unit(NamedTuple):
    """A content unit; see ``ContentUnit``."""

    unit: str
    weight: float = 1.0
    references: tuple[int, ...] = ()
    wordings: tuple[str, ...] = ()
    sentence: str | None = None


class Presences(NamedTuple):
    """The presence of each hypothesis in the parts of a text.

    Attributes:
        presence: ``[hypotheses]``, in [0, 1].
        is_found: bool ``[hypotheses]``.
        parts: parts of the text: whole texts or sentences.
        best: for each hypothesis, the indices of the parts that decided.
        probabilities: ``[hypotheses, 3]``, of these parts together.
        matrix: ``[parts, hypotheses, 3]``, of each part.
        marks: marks of all judgements.
    """

    presence: npt.NDArray[np.float64]
    is_found: npt.NDArray[np.bool_]
    parts: Sequence[SourcePremise]
    best: list[list[int]]
    probabilities: npt.NDArray[np.float32]
    matrix: Matrix
    marks: Marks


def given_units(row: Row) -> list[Unit]:
    """Return the given units of a row."""
    texts = row.further["units"]
    weights = row.further.get("unit_weights") or [1.0] * len(texts)
    return [Unit(*unit) for unit in zip(texts, weights, strict=True)]


def same_claims(references: Sequence[Claims], matrices: Sequence[Matrix]) -> list[Unit]:
    """Return the units of a set of references; claims that entail each other form one unit.

    Args:
        references: claims of each reference.
        matrices: ``[claims, claims, 3]`` for each ordered pair of references, in the order of
            ``itertools.permutations``.
    """
    ends = np.cumsum([0, *(len(reference.claims) for reference in references)])
    entails = np.zeros((ends[-1], ends[-1]), dtype=np.bool_)
    pairs = itertools.permutations(range(len(references)), 2)
    for (a, b), matrix in zip(pairs, matrices, strict=True):
        entails[ends[a] : ends[a + 1], ends[b] : ends[b + 1]] = matrix.argmax(axis=-1) == ENTAILMENT
    numbers = [number for number, reference in enumerate(references) for _ in reference.claims]
    texts = [claim for reference in references for claim in reference.claims]
    sentences = [sentence for reference in references for sentence in reference.sentences]
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


def find(
    metric: NLIMetric,
    texts: Sequence[Sequence[Summary]],
    hypotheses: Sequence[Sequence[str]],
    *,
    presence: Presence,
    granularity: WholeBestOrTopk,
    k: int,
) -> list[Presences]:
    """Return the presence of each row's hypotheses in its texts.

    Args:
        metric: splits and judges.
        texts: texts of each row.
        hypotheses: hypotheses of each row.
        presence: the kind of presence.
        granularity: parts of the texts that are premises.
        k: number of sentences that ``"topk"`` joins.
    """
    if granularity == "document":
        parts = [
            [SourcePremise(premise=text_of(t), review=i, position=0) for i, t in enumerate(of_row)]
            for of_row in texts
        ]
    else:
        parts = metric.premises(texts)
    premises = list(map(texts_of, parts))
    judged = metric.cross(list(zip(premises, hypotheses, strict=True)))
    if granularity != "topk":
        return [
            _decided(of_row.judgements, of_row.probabilities, of_text, None, presence, of_row.marks)
            for of_row, of_text in zip(judged, parts, strict=True)
        ]
    chosen = [retrieve(of_row.probabilities, k) for of_row in judged]
    joined = cross_joined(metric.cross, premises, hypotheses, chosen)
    return [
        _decided(again.judgements, first.probabilities, of_text, best, presence, first.marks + again.marks)
        for again, first, of_text, best in zip(joined, judged, parts, chosen, strict=True)
    ]


def _decided(
    judgements: Judgements,
    matrix: Matrix,
    parts: Sequence[SourcePremise],
    joined: list[list[int]] | None,
    wanted: Presence,
    marks: Marks,
) -> Presences:
    """Return the presence of each hypothesis in its best premise, or in its ``joined`` parts."""
    presence = unit_presence(judgements.probabilities, wanted, judgements.logits)
    labels = unit_presence(judgements.probabilities, LABEL_OF[wanted], judgements.logits)
    # Ties in presence, which are common with labels, are broken by the probability of entailment.
    best = np.lexsort((-judgements.probabilities[..., ENTAILMENT], -presence), axis=0)[0]
    columns = np.arange(len(best))
    return Presences(
        presence=presence[best, columns],
        is_found=labels[best, columns] == 1,
        parts=parts,
        best=[[row] for row in best.tolist()] if joined is None else joined,
        probabilities=judgements.probabilities[best, columns],
        matrix=matrix,
        marks=marks,
    )


def unit_evidence(units: Sequence[Unit], found: Presences, whole: bool) -> tuple[ContentUnit, ...]:
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
