"""Citations: the review sentences that, according to the judge, support the claims of a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claimwise.evidence.support import SupportEvidence
from claimwise.metrics.support_counts import SupportCounts
from claimwise_summarize.rows import Line


def sentences_of(sentences: Sequence[str], extract: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the sentences of a summary in the format of rows; an extracted sentence cites itself."""
    by_text: dict[str, list[Line]] = {}
    for line in extract:
        by_text.setdefault(line.text.rstrip("."), []).append(line)
    return [
        {"sentence": text, "citations": [line.as_dict() for line in by_text.get(text.rstrip("."), ())]}
        for text in sentences
    ]


def cite(metric: SupportCounts, row: Mapping[str, Any]) -> SupportEvidence:
    """Add citations to each sentence of a summary; return the evidence.

    Each sentence receives its ``claims``, each with the number of ``reviews`` that support it, and its
    ``citations``, by claim and strongest support first: the ``claim``, the supporting ``sentence``, the index
    of its ``review``, its ``position`` in the review, and the ``score``, e − c. ``reviews`` of a sentence is
    the number of its least supported claim; 0 marks a sentence with an unsupported claim. The drafted row
    has ``summary``, ``reviews`` and ``sentences``.
    """
    rows = metric.rows({"predictions": [row["summary"]], "references": [row["reviews"]]})
    (scored,) = metric.score_rows(rows, details=True)
    evidence = scored.evidence
    assert isinstance(evidence, SupportEvidence)
    for sentence in row["sentences"]:
        own = (claim for claim in evidence.claims if claim.sentence == sentence["sentence"])
        claims = list({claim.claim: claim for claim in own}.values())  # once, if a sentence is repeated
        sentence["claims"] = [
            {"claim": claim.claim, "reviews": len({premise.review for premise in claim.supporting})}
            for claim in claims
        ]
        sentence["citations"] = [
            {
                "claim": claim.claim,
                "sentence": premise.premise,
                "review": premise.review,
                "position": premise.position,
                "score": premise.score,
            }
            for claim in claims
            for premise in claim.supporting
        ]
        sentence["reviews"] = min((claim["reviews"] for claim in sentence["claims"]), default=0)
    return evidence
