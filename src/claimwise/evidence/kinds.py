"""Frozen types of contrast, content unit, style and feature evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import Evidence, Probabilities, check_names
from claimwise.evidence.support import EntailedHypothesis, SourcePremise
from claimwise.labels import CONTRADICTION, LABELS

UnitVerdict = Literal["found", "contradicted", "missing"]
CONTRAST_VERDICTS = ("contradicts", "agrees", "stands alone")


# Contrast: claims of two summaries ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class RelatedClaim:
    """A claim of the other summary to which a claim is not neutral.

    Attributes:
        index: its index in the other summary.
        label: label of the two claims, ``"entailment"`` or ``"contradiction"``.
        as_premise: probabilities with the own claim as the premise.
        as_hypothesis: probabilities with the own claim as the hypothesis.
    """

    index: int
    claim: str
    label: str
    as_premise: Probabilities
    as_hypothesis: Probabilities

    @property
    def probability(self) -> float:
        """The probability of the label, the higher of both directions."""
        label = LABELS.index(self.label)
        return max(self.as_premise[label], self.as_hypothesis[label])


@dataclass(frozen=True, kw_only=True)
class ContrastClaim:
    """A claim of a summary with its verdict against the other summary.

    Attributes:
        sentence: its source sentence.
        score: 1 = it contrasts, −1 = it does not.
        verdict: ``"contradicts"``, ``"agrees"`` or ``"stands alone"``.
        related: the claims of the other summary to which it is not neutral.
        strongest: index in the other summary of the claim in the strongest comparison; None if there is none.
    """

    claim: str
    sentence: str
    score: int
    verdict: str
    related: tuple[RelatedClaim, ...]
    strongest: int | None = None

    @property
    def verdict_by_strength(self) -> str:
        """The verdict of the strongest comparison."""
        label = next((reason.label for reason in self.related if reason.index == self.strongest), None)
        return {"contradiction": "contradicts", "entailment": "agrees"}.get(label or "", "stands alone")

    @property
    def strongest_differs(self) -> bool:
        """Whether the verdict of the strongest comparison is another one."""
        return self.strongest is not None and self.verdict_by_strength != self.verdict


@dataclass(frozen=True, kw_only=True)
class ContrastEvidence(Evidence):
    """The claims of two summaries against each other.

    Attributes:
        claims_a: claims of the first summary, A.
        claims_b: claims of the second summary, B.
        labels: ``[claims of A, claims of B]``, names of labels.
        strongest: the score by the strongest comparison; None in older results.
        vacuous_a: vacuous claims of A; likewise ``vacuous_b``.
    """

    kind, title = "contrast", "Contrast map"
    claims_a: tuple[ContrastClaim, ...]
    claims_b: tuple[ContrastClaim, ...]
    labels: tuple[tuple[str, ...], ...]
    strongest: float | None = None
    vacuous_a: tuple[str, ...] = ()
    vacuous_b: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        claims = (*self.claims_a, *self.claims_b)
        labels = [label for row in self.labels for label in row]
        check_names("label", [*labels, *(r.label for claim in claims for r in claim.related)], LABELS)
        check_names("verdict", [claim.verdict for claim in claims], CONTRAST_VERDICTS)
        if [len(row) for row in self.labels] != [len(self.claims_b)] * len(self.claims_a):
            raise ClaimwiseError(
                "The labels must form a matrix of the claims of A by the claims of B.",
                f"Provide {len(self.claims_a)} rows of {len(self.claims_b)} labels.",
            )

    @property
    def strongest_differs(self) -> bool:
        """Whether the strongest comparison gives another score, or another verdict of any claim."""
        if self.strongest is None:
            return False
        claims = (*self.claims_a, *self.claims_b)
        return self.strongest != self.score or any(claim.strongest_differs for claim in claims)

    @property
    def decided(self) -> dict[tuple[int, int], RelatedClaim]:
        """The comparisons that are not neutral, by the indices of the claims of A and B."""
        return {
            (row, reason.index): reason for row, claim in enumerate(self.claims_a) for reason in claim.related
        }


# Coverage: content units of references and a summary ----------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ContentUnit:
    """A content unit of the references, and its presence in a summary.

    Attributes:
        weight: such as the number of references that contain it.
        presence: presence in the summary, in [0, 1], from which the score is computed.
        found: whether it counts as found in a yes-or-no decision.
        premises: the parts of the summary that contain it or come closest, the best first.
        probabilities: probabilities with all these parts as its premise.
        references: indices of the references that contain it; empty for given units.
        wordings: its wordings in other references.
        sentence: its source sentence in a reference, unless the units were given.
    """

    unit: str
    weight: float
    presence: float
    found: bool
    premises: tuple[SourcePremise, ...]
    probabilities: Probabilities
    references: tuple[int, ...] = ()
    wordings: tuple[str, ...] = ()
    sentence: str | None = None

    @property
    def verdict(self) -> UnitVerdict:
        """Found or missing; a missing unit is contradicted if contradiction is its most probable label."""
        if self.found:
            return "found"
        label = max(range(3), key=lambda index: self.probabilities[index])
        return "contradicted" if label == CONTRADICTION else "missing"


@dataclass(frozen=True, kw_only=True)
class UnitsEvidence(Evidence):
    """The content units of the references in a summary, and its claims in the references.

    Attributes:
        units: units of the references.
        recall: share of their weight that the summary contains.
        normalization: denominator of the score: ``"all"`` units, or ``"attainable"``, the units of the best
            summary with the same number of units.
        claims: claims of the summary, each with the best parts of the references.
        precision: mean of the claims' scores.
        f1: harmonic mean of recall and precision.
        vacuous: vacuous units and claims.
    """

    kind = "units"
    units: tuple[ContentUnit, ...]
    recall: float
    normalization: str
    claims: tuple[EntailedHypothesis, ...] | None = None
    precision: float | None = None
    f1: float | None = None
    vacuous: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """Number of found units."""
        return sum(unit.found for unit in self.units)


# Style: genericity, words, sentences --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ClosestClaim:
    """The claim of another summary that most entails a claim.

    Attributes:
        row: row of the other summary.
        score: e − c.
    """

    row: int
    claim: str
    score: float


@dataclass(frozen=True, kw_only=True)
class GenericClaim:
    """A claim with its top score against other summaries; None = nothing to compare with."""

    claim: str
    sentence: str
    score: float | None
    closest: ClosestClaim | None


@dataclass(frozen=True, kw_only=True)
class RatedSentence:
    """A sentence with the inverse document frequency (IDF) of each of its terms."""

    sentence: str
    idf: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class GenericityEvidence(Evidence):
    """How well a summary would fit other entities.

    Attributes:
        fraction: share of the claims with a top score above the threshold.
        average_idf: average IDF of its words.
    """

    kind = "genericity"
    fraction: float | None
    average_idf: float
    claims: tuple[GenericClaim, ...]
    sentences: tuple[RatedSentence, ...]


@dataclass(frozen=True, kw_only=True)
class TokenEvidence(Evidence):
    """The distinct tokens that two summaries share, and the tokens of only one of them."""

    kind = "tokens"
    shared: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EmbeddingEvidence(Evidence):
    """BERTScore of a pair: precision, recall and F1."""

    kind = "embeddings"
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, kw_only=True)
class NgramEvidence(Evidence):
    """The n-grams of a summary that occur in its source (copied) or do not (novel), tokens joined."""

    kind = "n-grams"
    novel_3: tuple[str, ...]
    copied_3: tuple[str, ...]
    novel_4: tuple[str, ...]
    copied_4: tuple[str, ...]
    novel_5: tuple[str, ...]
    copied_5: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ContrastingSentence:
    """A sentence with its contrasting words."""

    sentence: str
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SentenceEvidence(Evidence):
    """The sentences of a summary that contrast opinions."""

    kind = "sentences"
    sentences: tuple[ContrastingSentence, ...]


# Features: a weighted sum over two texts -----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DecidingPair:
    """The claim of another text that determined a claim's value.

    Attributes:
        reference: index of the reference that contains one of the two claims.
    """

    premise: str
    hypothesis: str
    probability: float
    reference: int = 0


@dataclass(frozen=True, kw_only=True)
class WeightedFeature:
    """A feature of a weighted sum, with its evidence.

    Attributes:
        value: its value in [0, 1].
        adds: its contribution to the score.
        pairs: the pairs of claims whose probabilities it averages.
        shared: distinct words or word pairs that both texts share, if the feature counts them.
    """

    name: str
    value: float
    weight: float
    adds: float
    pairs: tuple[DecidingPair, ...] = ()
    shared: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class FeatureEvidence(Evidence):
    """The features of a weighted sum, in its order."""

    kind = "features"
    features: tuple[WeightedFeature, ...]

    @property
    def has_several_references(self) -> bool:
        """Whether any pair has a claim of a reference other than the first."""
        return any(pair.reference for feature in self.features for pair in feature.pairs)
