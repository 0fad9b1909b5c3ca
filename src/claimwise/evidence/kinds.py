"""Further kinds of evidence: contrast, content units, style and features, a few frozen types each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import Evidence, Probabilities
from claimwise.evidence.support import EntailedHypothesis, SourcePremise
from claimwise.labels import CONTRADICTION, LABELS

UnitVerdict = Literal["found", "contradicted", "missing"]
CONTRAST_VERDICTS = ("contradicts", "agrees", "stands alone")


# Contrast: claims of two summaries ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A claim of the other summary that a claim is not neutral to.

    Attributes:
        index: its number in the other summary.
        claim: its text.
        label: ``"entailment"`` or ``"contradiction"``, of the two claims.
        as_premise: the probabilities with the own claim as the premise.
        as_hypothesis: those with it as the hypothesis.
    """

    index: int
    claim: str
    label: str
    as_premise: Probabilities
    as_hypothesis: Probabilities

    @property
    def probability(self) -> float:
        """The higher probability of the label of the two directions."""
        label = LABELS.index(self.label)
        return max(self.as_premise[label], self.as_hypothesis[label])


@dataclass(frozen=True, kw_only=True)
class ContrastClaim:
    """A claim of a summary, how it stands to the other summary, and why.

    Attributes:
        claim: its text.
        sentence: the sentence it was made of.
        score: 1 = it contrasts, −1 = it does not.
        verdict: ``"contradicts"``, ``"agrees"`` or ``"stands alone"``.
        decided_by: the claims that it is not neutral to.
        surest: the number of that claim among them whose comparison is the surest; None where there is none.
    """

    claim: str
    sentence: str
    score: int
    verdict: str
    decided_by: tuple[Comparison, ...]
    surest: int | None = None

    @property
    def verdict_by_strength(self) -> str:
        """The verdict if the surest comparison decides."""
        label = next((reason.label for reason in self.decided_by if reason.index == self.surest), None)
        return {"contradiction": "contradicts", "entailment": "agrees"}.get(label or "", "stands alone")


@dataclass(frozen=True, kw_only=True)
class ContrastEvidence(Evidence):
    """The claims of two summaries against each other.

    Attributes:
        claims_a: of the first.
        claims_b: of the second.
        labels: ``[claims of A, claims of B]``, names of labels.
        strongest: the score if the surest comparison decides a claim; None in results of before.
        vacuous_a: claims of A that say nothing.
        vacuous_b: those of B.
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
        labels = {label for row in self.labels for label in row}
        labels |= {reason.label for claim in claims for reason in claim.decided_by}
        if unknown := labels - set(LABELS):
            raise ClaimwiseError(f"{min(unknown)!r} is not a label.", f"Labels are {', '.join(LABELS)}.")
        if unknown := {claim.verdict for claim in claims} - set(CONTRAST_VERDICTS):
            raise ClaimwiseError(
                f"{min(unknown)!r} is not a verdict.", f"Verdicts are {', '.join(CONTRAST_VERDICTS)}."
            )
        if [len(row) for row in self.labels] != [len(self.claims_b)] * len(self.claims_a):
            raise ClaimwiseError(
                "The labels must form a matrix of the claims of A by the claims of B.",
                f"Give {len(self.claims_a)} rows of {len(self.claims_b)}.",
            )

    @property
    def decided(self) -> dict[tuple[int, int], Comparison]:
        """The comparisons that are not neutral, by the numbers of the claims of A and B."""
        return {
            (row, reason.index): reason
            for row, claim in enumerate(self.claims_a)
            for reason in claim.decided_by
        }


# Coverage: content units of references and a summary ----------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ContentUnit:
    """A content unit of the references, and whether a summary has it.

    Attributes:
        unit: its text.
        weight: how much it counts, such as the number of references behind it.
        presence: how far the summary has it, in [0, 1]; what the score is made of.
        found: whether it counts as found where one has to say yes or no.
        premises: the parts of the summary that it is found in or comes closest to, the best first.
        probabilities: those of all these parts together as its premise.
        references: the numbers of the references behind it; none where the units were given.
        wordings: what other references say for it.
        sentence: the sentence of a reference that it was made of, unless the units were given.
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
        """Found, or missing; contradicted, if that is the most probable label of one that is missing."""
        if self.found:
            return "found"
        label = max(range(3), key=lambda index: self.probabilities[index])
        return "contradicted" if label == CONTRADICTION else "missing"


@dataclass(frozen=True, kw_only=True)
class UnitsEvidence(Evidence):
    """Which content units of the references a summary has, and which of its claims the references have.

    Attributes:
        units: of the references.
        recall: the share of their weight that the summary has.
        normalization: what the score is a share of: ``"all"`` units, or ``"attainable"``, those of the best
            summary with as many units.
        claims: of the summary, each with the best parts of the references.
        precision: the mean of the claims' scores.
        f1: of recall and precision.
        vacuous: units and claims that say nothing.
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
        """How many units are found."""
        return sum(unit.found for unit in self.units)


# Style: genericity, words, sentences --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ClosestClaim:
    """The claim of another summary that most entails a claim.

    Attributes:
        row: of the other summary.
        claim: its text.
        score: e − c.
    """

    row: int
    claim: str
    score: float


@dataclass(frozen=True, kw_only=True)
class GenericClaim:
    """A claim with its top score against other summaries; None where there was nothing to compare with."""

    claim: str
    sentence: str
    score: float | None
    closest: ClosestClaim | None


@dataclass(frozen=True, kw_only=True)
class RatedSentence:
    """A sentence with the inverse document frequency of each of its terms."""

    sentence: str
    idf: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class GenericityEvidence(Evidence):
    """How well a summary would fit other entities.

    Attributes:
        fraction: share of the claims with a top score above the threshold.
        average_idf: of its words.
        claims: with the closest claim of other summaries.
        sentences: with the rarity of their terms.
    """

    kind = "genericity"
    fraction: float | None
    average_idf: float
    claims: tuple[GenericClaim, ...]
    sentences: tuple[RatedSentence, ...]


@dataclass(frozen=True, kw_only=True)
class TokenEvidence(Evidence):
    """Which distinct tokens two summaries share, and which only one of them has."""

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
    """Which n-grams of a summary stand in its source (copied) and which do not (novel), tokens joined."""

    kind = "n-grams"
    novel_3: tuple[str, ...]
    copied_3: tuple[str, ...]
    novel_4: tuple[str, ...]
    copied_4: tuple[str, ...]
    novel_5: tuple[str, ...]
    copied_5: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ContrastingSentence:
    """A sentence with the words that make it a contrasting one."""

    sentence: str
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SentenceEvidence(Evidence):
    """Which sentences of a summary contrast opinions."""

    kind = "sentences"
    sentences: tuple[ContrastingSentence, ...]


# Features: a weighted sum over two texts -----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DecidingPair:
    """The claim of another text that gave a claim its value.

    Attributes:
        premise: the claim.
        hypothesis: that of the other text.
        probability: what the two gave.
        reference: the number of the reference that one of them stands in.
    """

    premise: str
    hypothesis: str
    probability: float
    reference: int = 0


@dataclass(frozen=True, kw_only=True)
class WeightedFeature:
    """A feature of a weighted sum, and what it was made of.

    Attributes:
        name: its name.
        value: in [0, 1].
        weight: its weight in the sum.
        adds: what it adds to the score.
        pairs: the pairs of claims whose probabilities it is the mean of.
        shared: what two texts share, where it counts that: words, or pairs of them, each once.
    """

    name: str
    value: float
    weight: float
    adds: float
    pairs: tuple[DecidingPair, ...] = ()
    shared: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class FeatureEvidence(Evidence):
    """What each feature of a weighted sum was made of.

    Attributes:
        features: in the order of the sum.
    """

    kind = "features"
    features: tuple[WeightedFeature, ...]

    @property
    def largest(self) -> float:
        """The most that a feature adds or takes away."""
        return max((abs(feature.adds) for feature in self.features), default=0.0)

    @property
    def has_several_references(self) -> bool:
        """Whether there is a pair with a claim of another reference than the first."""
        return any(pair.reference for feature in self.features for pair in feature.pairs)
