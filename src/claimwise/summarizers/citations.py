"""Citations: the review sentences that, according to the judge, support the claims of a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from claimwise.evidence.support import SourcePremise, SupportEvidence
from claimwise.metrics import SupportCounts
from claimwise.metrics.base import Row
from claimwise.summarizers.rows import Line


def sentences_of(sentences: Sequence[str], extract: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the sentences of a summary in the format of rows; an extracted sentence cites itself."""
    of_texts: dict[str, list[Line]] = {}
    for line in extract:
        of_texts.setdefault(line.text.rstrip("."), []).append(line)
    return [
        {"sentence": one, "citations": [line.as_dict() for line in of_texts.get(one.rstrip("."), ())]}
        for one in sentences
    ]


def cite(metric: SupportCounts, row: Mapping[str, Any]) -> SupportEvidence:
    """Add citations to each sentence of a summary, strongest support first; return the evidence.

    Each sentence receives its ``citations`` (each with its ``sentence``, the index of its ``review``, its
    ``position`` in the review, and the ``score``, e − c) and ``reviews``, the number of cited reviews; 0
    marks an unsupported sentence.

    Args:
        metric: the metric that provides the evidence.
        row: a drafted row with ``summary``, ``reviews`` and ``sentences``.
    """
    checked = Row(number=0, prediction=row["summary"], reference=tuple(row["reviews"]))
    (scored,) = metric.score_rows([checked], details=True)
    evidence = scored.evidence
    assert isinstance(evidence, SupportEvidence)
    for sentence in row["sentences"]:
        of_sentence = (claim for claim in evidence.claims if claim.sentence == sentence["sentence"])
        best: dict[tuple[int, int], SourcePremise] = {}
        supporting = chain(*(claim.supporting for claim in of_sentence))
        for one in sorted(supporting, key=lambda one: -(one.score or 0)):
            best.setdefault((one.review, one.position), one)
        sentence["citations"] = [
            {"sentence": one.premise, "review": one.review, "position": one.position, "score": one.score}
            for one in best.values()
        ]
        sentence["reviews"] = len({review for review, _ in best})
    return evidence
