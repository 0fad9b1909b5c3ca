"""CASPR: contrast between two summaries by natural language inference over single-claim sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from claimwise.errors import warn
from claimwise.evidence.kinds import ContrastClaim, ContrastEvidence, RelatedClaim
from claimwise.evidence.support import rounded
from claimwise.judges.protocol import Matrix
from claimwise.labels import ENTAILMENT, LABELS, NEUTRAL
from claimwise.metrics.claims import Claims
from claimwise.metrics.nli import NLIMetric, NLIOptions, VacuousOptions
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import (
    CLAIMS,
    JUDGE,
    JUDGED,
    OTHER_SUMMARIES,
    SUMMARIES,
    VACUOUS,
    Further,
    MetricSpec,
    bibtex,
)
from claimwise.scores.caspr import caspr_score

VERDICTS = {1: "contradicts", -1: "agrees"}


@dataclass(frozen=True, kw_only=True)
class CasprOptions(VacuousOptions, NLIOptions):
    """Options of CASPR."""


class Caspr(NLIMetric):
    """CASPR (Ananthamurugan et al.): contrast by NLI over single-claim sentences, in [0, 100].

    0 = both summaries make the same claims, 100 = every claim contrasts with the other summary.
    """

    Options = CasprOptions
    spec = MetricSpec(
        name="caspr",
        title="CASPR",
        family="contrast",
        question="do the claims contradict each other or cover different topics?",
        description=(
            "CASPR measures how much two summaries contrast. Each is split into single-claim sentences, and "
            "a judge compares every claim with every claim of the other summary in both directions. A claim "
            "contrasts if it contradicts the other summary or mentions something that the other does not. If "
            "it both contradicts and agrees with it, most of its comparisons decide, as in the paper; for "
            "caspr_strongest, the strongest comparison does. Use caspr_strongest when missing a "
            'contradiction would be costly. Only scores of the configuration "paper" are comparable with '
            "published scores."
        ),
        bounds=(0, 100),
        quality="contrasting",
        ends=("the same claims", "full contrast"),
        unit="%",
        columns=(SUMMARIES.or_claims, OTHER_SUMMARIES.or_claims),
        rows="pair",
        mean_over="pairs",
        further={"caspr_strongest": Further(title="CASPR by the strongest comparison", bounds=(0, 100))},
        counts=JUDGED | VACUOUS,
        configurations={
            "default": {},
            # Its other defaults are the paper's: temperature 0.5, at most 256 tokens.
            "paper": {"judge": "mnli", "decomposer": "openai:gpt-3.5-turbo"},
        },
        choices=(JUDGE, CLAIMS),
        beside={"distinctiveness_score": {}, "inverted_bertscore": {}},
        source="Ananthamurugan et al. 2024, Section 2.2",
        citation=bibtex("ananthamurugan2024caspr"),
        urls=("https://github.com/niru-umass-dev/caspr",),
    )

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each pair of summaries; with ``details`` also its evidence."""
        self.load()
        self._warn_of_reviews(rows)
        pairs = self.claims_of_rows([(row.prediction, row.reference or "") for row in rows])
        scored = []
        for row, (a, b), (forward, backward) in zip(rows, pairs, self.cross_both_ways(pairs), strict=True):
            score = self._score(a, b, forward.probabilities, backward.probabilities, details)
            scored.append(self.counted(score, row, [a, b], forward.marks + backward.marks))
        return scored

    def _score(self, a: Claims, b: Claims, forward: Matrix, backward: Matrix, details: bool) -> RowScore:
        """Return the score of a pair; with ``details`` also its claims and the claims that decided them."""
        if self.normalises:  # which the paper's judge decides
            forward, backward = _with_equal_claims(a.claims, b.claims, forward, backward)
        result = caspr_score(forward, backward)
        evidence, labels = None, result.pair_labels
        if details:
            evidence = ContrastEvidence(
                score=result.score,
                strongest=result.strongest,
                claims_a=_side(a, b, result.claim_scores_a, result.strongest_a, labels, forward, backward),
                claims_b=_side(b, a, result.claim_scores_b, result.strongest_b, labels.T, backward, forward),
                labels=tuple(tuple(LABELS[label] for label in row) for row in labels),
                vacuous_a=a.vacuous or (),
                vacuous_b=b.vacuous or (),
            )
        further = {"caspr_strongest": result.strongest}
        return RowScore(score=result.score, further=further, evidence=evidence)

    def _warn_of_reviews(self, rows: Sequence[Row]) -> None:
        """Warn of lists that seem to be reviews and not the claims of a summary."""
        for row in rows:
            if not isinstance(row.reference, tuple) or not isinstance(row.prediction, str):
                continue
            if claim := next((claim for claim in row.reference if len(self.splitter(claim)) > 1), None):
                warn(
                    f"{self.name}: the lists in references are read as claims, but “{claim[:80]}” has "
                    f"several sentences. If they are reviews, leave {self.name} out: it compares summaries."
                )
                return

    def _signature_parts(self) -> dict[str, object]:
        return {**super()._signature_parts(), "vacuous_claims": self.options.vacuous_claims}


def _with_equal_claims(
    a: Sequence[str], b: Sequence[str], forward: Matrix, backward: Matrix
) -> tuple[Matrix, Matrix]:
    """Return the judgements, with entailment between claims of the same text whatever the judge says."""
    equal = np.array(a)[:, None] == np.array(b)[None, :]
    misjudged = equal & ((forward.argmax(-1) != ENTAILMENT) | (backward.argmax(-1).T != ENTAILMENT))
    if not misjudged.any():
        return forward, backward
    certain = np.eye(len(LABELS), dtype=forward.dtype)[ENTAILMENT]
    return (
        np.where(misjudged[..., None], certain, forward),
        np.where(misjudged.T[..., None], certain, backward),
    )


def _side(
    own: Claims,
    other: Claims,
    scores: Sequence[int],
    strongest: Sequence[int | None],
    labels: Any,
    out: Matrix,
    back: Matrix,
) -> tuple[ContrastClaim, ...]:
    """Return the claims of one summary, each with the other summary's claims to which it is not neutral."""
    claims = []
    for i, (claim, sentence) in enumerate(zip(own.claims, own.sentences, strict=True)):
        related = tuple(
            RelatedClaim(
                index=j,
                claim=other.claims[j],
                label=LABELS[labels[i, j]],
                as_premise=rounded(out[i, j]),
                as_hypothesis=rounded(back[j, i]),
            )
            for j in np.flatnonzero(labels[i] != NEUTRAL).tolist()
        )
        claims.append(
            ContrastClaim(
                claim=claim,
                sentence=sentence,
                score=scores[i],
                verdict=VERDICTS[scores[i]] if related else "stands alone",
                related=related,
                strongest=strongest[i],
            )
        )
    return tuple(claims)
