"""Content units of references, and their presence in a summary."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import ContentUnit, UnitsEvidence
from claimwise.evidence.support import (
    SourcePremise,
    rounded,
    with_probabilities,
)
from claimwise.judges.protocol import Matrix
from claimwise.labels import ENTAILMENT
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Cross, Marks
from claimwise.metrics.nli import NLIMetric, vacuous_of
from claimwise.metrics.retrieval import JudgedText, entailed_claims, judge_texts
from claimwise.metrics.rows import Row
from claimwise.metrics.spec import Column
from claimwise.scores.pyramid import Presence, same_units, unit_presence
from claimwise.scores.summac import retrieve
from claimwise.text.inputs import Summary, text_of

WholeBestOrTopk = Literal["document", "sentence", "topk"]
LABEL_OF: Mapping[Presence, Presence] = {"p3c": "l3c", "l3c": "l3c", "p2c": "l2c", "l2c": "l2c"}
"""The presence that says whether a unit is found."""

UNITS = Column(
    name="units",
    holds="units",
    meaning="given content units, a list per row, in place of the references' claims",
    required=False,
)
UNIT_WEIGHTS = Column(
    name="unit_weights",
    holds="weights",
    meaning="weights of the given content units, a list per row",
    required=False,
    one_per="units",
)


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


def units_of(
    cross: Cross, rows: Sequence[Row], references: Sequence[Sequence[Claims]]
) -> tuple[list[list[Unit]], list[Marks]]:
    """Return the units of each row, given or from its references, and the marks of their judgements.

    ``references`` has the claims of the references of each row, which a row with given units does not need.
    """
    distinct = {
        row.reference: claims
        for row, claims in zip(rows, references, strict=True)
        if "units" not in row.further
    }
    pairs = [list(itertools.permutations(claims, 2)) for claims in distinct.values()]
    judged = iter(cross([(a.claims, b.claims) for of_set in pairs for a, b in of_set]))
    made: dict[Summary | None, tuple[list[Unit], Marks]] = {}
    for (reference, claims), of_set in zip(distinct.items(), pairs, strict=True):
        blocks = [next(judged) for _ in of_set]
        units = _merged(claims, [block.probabilities for block in blocks])
        made[reference] = units, sum((block.marks for block in blocks), Marks())
    results = [(_given(row), Marks()) if "units" in row.further else made[row.reference] for row in rows]
    return [units for units, _ in results], [marks for _, marks in results]


def _given(row: Row) -> list[Unit]:
    texts = row.further["units"]
    weights = row.further.get("unit_weights") or [1.0] * len(texts)
    return [Unit(*unit) for unit in zip(texts, weights, strict=True)]


def _merged(references: Sequence[Claims], matrices: Sequence[Matrix]) -> list[Unit]:
    """Return the units of a set of references; claims that entail each other form one unit.

    ``matrices`` are ``[claims, claims, 3]``, for each of ``itertools.permutations(references, 2)``.
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
    metric: NLIMetric, texts: Sequence[Sequence[Summary]], hypotheses: Sequence[Sequence[str]]
) -> list[Presences]:
    """Return the presence of each row's hypotheses in its texts, as the options of the metric say."""
    options = metric.options
    if options.premise_granularity == "document":
        parts = [
            [SourcePremise(premise=text_of(text), review=i, position=0) for i, text in enumerate(of_row)]
            for of_row in texts
        ]
    else:
        parts = metric.premises(texts)
    topk = partial(retrieve, k=options.k) if options.premise_granularity == "topk" else None
    judged = judge_texts(metric.cross, parts, hypotheses, topk)
    return [_presences(text, of_text, options.presence) for text, of_text in zip(judged, parts, strict=True)]


def _presences(judged: JudgedText, parts: Sequence[SourcePremise], kind: Presence) -> Presences:
    """Return the presence of each hypothesis in its best part, or in its joined parts."""
    probabilities, logits = judged.deciding.probabilities, judged.deciding.logits
    presence = unit_presence(probabilities, kind, logits)
    labels = unit_presence(probabilities, LABEL_OF[kind], logits)
    # Ties in presence, which are common with labels, are broken by the probability of entailment.
    best = np.lexsort((-probabilities[..., ENTAILMENT], -presence), axis=0)[0]
    columns = np.arange(len(best))
    return Presences(
        presence=presence[best, columns],
        is_found=labels[best, columns] == 1,
        parts=parts,
        best=[[part] for part in best.tolist()] if judged.joined is None else judged.joined,
        probabilities=probabilities[best, columns],
        matrix=judged.matrix,
        marks=judged.marks,
    )


def needs_logits(presence: Presence, without: str, option: str) -> ClaimwiseError:
    """Return the error for a presence that is computed from logits, where there are none."""
    return ClaimwiseError(
        f"The presence `{presence}` is computed from logits, which {without}.",
        "Choose presence='p3c' or 'l3c', or one local judge without a score cache, with pairs='all'.",
        option=option,
    )


def units_evidence(
    options: Any,
    claims: Sequence[Claims],
    units: Sequence[Unit],
    in_summary: Presences,
    in_references: Presences | None,
    **scores: Any,
) -> UnitsEvidence:
    """Return units with their presence, and the claims of the summary with theirs in the references.

    The claims of the summary come first, and are looked for ``in_references`` unless precision was left out.
    """
    whole = options.premise_granularity == "document"  # no part of the summary is nearer than another
    shown = tuple(
        ContentUnit(
            **unit._asdict(),
            presence=float(in_summary.presence[number]),
            found=bool(in_summary.is_found[number]),
            premises=()
            if whole
            else with_probabilities(in_summary.parts, in_summary.matrix, number, in_summary.best[number]),
            probabilities=rounded(in_summary.probabilities[number]),
        )
        for number, unit in enumerate(units)
    )
    of_summary = None
    if in_references is not None:
        of_summary = entailed_claims(
            claims[0],
            in_references.presence,
            in_references.parts,
            in_references.matrix,
            in_references.best,
            probabilities=in_references.probabilities,
        )
    return UnitsEvidence(
        units=shown,
        claims=of_summary,
        normalization=options.normalization,
        vacuous=vacuous_of(claims),
        **scores,
    )
