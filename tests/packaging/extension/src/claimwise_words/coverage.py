"""Coverage: how much of a reference summary does a summary say?"""

from dataclasses import dataclass

from claimwise.evidence import Evidence
from claimwise.labels import ENTAILMENT
from claimwise.metrics import MetricSpec, RowScore
from claimwise.metrics.spec import OTHER_SUMMARIES, SUMMARIES
from claimwise.metrics.steps import NLIMetric, NLIOptions
from claimwise.options import option


@dataclass(frozen=True, kw_only=True)
class CoverageOptions(NLIOptions):
    """The options of every metric with a judge, and one more."""

    at_least: float = option(
        0.5, "the probability of entailment from which on a claim is covered, 0 to 1", between=(0, 1)
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
        question="how much of the reference does the summary say?",
        bounds=(0, 1),
        ends=("nothing of it", "all of it"),
        better="higher",
        columns=(SUMMARIES, OTHER_SUMMARIES),
        rows="pair",
        mean_over="claims",
        source="docs/extend.md",
        citation="",
    )

    def examples(self, reading):
        """Return what the judge is asked: each claim of the summary with each claim of the reference."""
        summary, reference = reading.claims
        return [(summary.claims, reference.claims)]

    def score_row(self, reading, details):
        """Return the score of a row; with ``details`` also which claims are covered."""
        (matrix,), claims = reading.matrices, reading.claims[1].claims
        best = matrix[:, :, ENTAILMENT].max(axis=0)  # of every premise, for each claim of the reference
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
