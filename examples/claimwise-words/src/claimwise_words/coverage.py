"""Coverage: how much of a reference does a summary cover?"""

from dataclasses import dataclass

from claimwise.evidence import Evidence
from claimwise.labels import ENTAILMENT
from claimwise.metrics import MetricSpec, RowScore
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.spec import OTHER_SUMMARIES, SUMMARIES
from claimwise.options import option


@dataclass(frozen=True, kw_only=True)
class CoverageOptions(NLIOptions):
    """The options of every metric with a judge, and one more."""

    at_least: float = option(
        0.5, "minimum probability of entailment for a claim to count as covered", between=(0, 1)
    )


@dataclass(frozen=True, kw_only=True)
class CoverageEvidence(Evidence):
    """Which claims of the reference are covered, and which are missing."""

    kind = "coverage"
    covered: tuple[str, ...]
    missing: tuple[str, ...]


class Coverage(NLIMetric):
    """The share of the reference's claims that a claim of the summary entails, in [0, 1]."""

    Options = CoverageOptions
    spec = MetricSpec(
        name="coverage",
        title="Coverage",
        family="factuality",
        question="how much of the reference does the summary cover?",
        bounds=(0, 1),
        ends=("nothing", "everything"),
        better="higher",
        columns=(SUMMARIES, OTHER_SUMMARIES),
        rows="pair",
        mean_over="claims",
        source="examples/claimwise-words",
        citation="",
    )

    def score_rows(self, rows, *, details=False):
        """Return the score of each row; with ``details`` also which claims are covered."""
        self.load()
        claims = self.claims([text for row in rows for text in (row.prediction, row.reference)])
        pairs = list(zip(claims[::2], claims[1::2], strict=True))
        judged = self.cross([(summary.claims, reference.claims) for summary, reference in pairs])
        return [
            self.counted(self._score(pair[1].claims, of_row.probabilities, details), row, pair, of_row.marks)
            for row, pair, of_row in zip(rows, pairs, judged, strict=True)
        ]

    def _score(self, claims, matrix, details):
        best = matrix[:, :, ENTAILMENT].max(axis=0)  # best entailment over all premises, per claim
        is_covered = [bool(p >= self.options.at_least) for p in best]
        score = sum(is_covered) / len(claims)
        evidence = CoverageEvidence(
            score=score,
            covered=tuple(claim for claim, yes in zip(claims, is_covered, strict=True) if yes),
            missing=tuple(claim for claim, yes in zip(claims, is_covered, strict=True) if not yes),
        )
        return RowScore(score=score, weight=float(len(claims)), evidence=evidence if details else None)

    def _signature_parts(self):
        return {**super()._signature_parts(), "at_least": self.options.at_least}
