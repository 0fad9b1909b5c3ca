"""What a score was made of: a few frozen types, told apart by their own kind and never by a metric's name.

In Python a row score holds one of them; in a result, and in every file, they are plain dicts (``as_dict``),
from which ``from_dict`` makes them again. A field whose default is None is left out of the dict where it is
None. ``kind_of`` tells of a dict which of them it is; who adds a subclass of ``Evidence`` adds a kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from numbers import Real
from typing import Any, ClassVar, Literal, Self, TypeVar, overload

from claimwise.errors import ClaimwiseError
from claimwise.evidence.plain import plain, typed
from claimwise.labels import CONTRADICTION, ENTAILMENT, LABELS
from claimwise.scores.support import ENOUGH

Probabilities = tuple[float, float, float]
"""Of entailment, neutral and contradiction."""

SupportVerdict = Literal["supported", "thinly supported", "contradicted", "unsupported"]
UnitVerdict = Literal["found", "contradicted", "missing"]
CONTRAST_VERDICTS = ("contradicts", "agrees", "stands alone")


@dataclass(frozen=True, kw_only=True)
class UnjudgedPair:
    """A pair that the judge could not judge, so that it counts as neutral.

    Attributes:
        premise: its text.
        hypothesis: its text.
    """

    premise: str
    hypothesis: str


@dataclass(frozen=True, kw_only=True)
class DisputedPair:
    """A pair of which several judges give different labels.

    Attributes:
        premise: its text.
        hypothesis: its text.
        by_judge: the probabilities of each judge, by its name.
    """

    premise: str
    hypothesis: str
    by_judge: dict[str, Probabilities]

    @property
    def verdicts(self) -> dict[str, str]:
        """The label that each judge finds most probable."""
        return {name: LABELS[given.index(max(given))] for name, given in self.by_judge.items()}


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How far several judges agree; where they do, their verdict is the one that is shown.

    Attributes:
        judges: their names.
        pairs: how many pairs they judged.
        disputed: those of which they give different labels.
    """

    judges: tuple[str, ...]
    pairs: int
    disputed: tuple[DisputedPair, ...]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the score of one row was made of.

    Attributes:
        kind: how it is drawn.
        score: of the row; None where it has none.
        agreement: how far the judges agree, where there are several.
        unjudged: pairs that the judge could not judge, where there are any.
        open_pronouns: claims that begin with a pronoun whose meaning stands elsewhere, where there are any.
    """

    kind: ClassVar[str] = "evidence"
    score: float | None
    agreement: Agreement | None = None
    unjudged: tuple[UnjudgedPair, ...] | None = None
    open_pronouns: tuple[str, ...] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the evidence as dicts, lists, texts and numbers."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return what ``as_dict`` gave such a dict.

        Raises:
            ClaimwiseError: for a dict of another form.
        """
        try:
            read: Self = typed(cls, evidence)
        except (TypeError, ValueError) as error:
            raise ClaimwiseError(
                f"This is not {cls.kind} evidence ({error}).", "Compute it again with details=True."
            ) from error
        return read


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
        score: 1 = it contrasts, 0 = it does not.
        verdict: ``"contradicts"``, ``"agrees"`` or ``"stands alone"``.
        decided_by: the claims that it is not neutral to.
    """

    claim: str
    sentence: str
    score: int
    verdict: str
    decided_by: tuple[Comparison, ...]


@dataclass(frozen=True, kw_only=True)
class ContrastEvidence(Evidence):
    """The claims of two summaries against each other.

    Attributes:
        claims_a: of the first.
        claims_b: of the second.
        labels: ``[claims of A, claims of B]``, names of labels.
        vacuous_a: claims of A that say nothing.
        vacuous_b: those of B.
    """

    kind = "contrast"
    claims_a: tuple[ContrastClaim, ...]
    claims_b: tuple[ContrastClaim, ...]
    labels: tuple[tuple[str, ...], ...]
    vacuous_a: tuple[str, ...] = ()
    vacuous_b: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        claims = (*self.claims_a, *self.claims_b)
        labels = {label for row in self.labels for label in row}
        labels |= {reason.label for claim in claims for reason in claim.decided_by}
        if unknown := labels - set(LABELS):
            raise ClaimwiseError(f"{min(unknown)!r} is no label.", f"Labels are {', '.join(LABELS)}.")
        if unknown := {claim.verdict for claim in claims} - set(CONTRAST_VERDICTS):
            raise ClaimwiseError(
                f"{min(unknown)!r} is no verdict.", f"Verdicts are {', '.join(CONTRAST_VERDICTS)}."
            )
        if [len(row) for row in self.labels] != [len(self.claims_b)] * len(self.claims_a):
            raise ClaimwiseError(
                "The labels are not one for each claim of A and each of B.",
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


# Support: claims of a summary and the sentences of its source -------------------------------------


@dataclass(frozen=True, kw_only=True)
class SourcePremise:
    """A part of a source.

    Attributes:
        premise: its text.
        review: the number of its review.
        position: the number of its first sentence therein.
        score: e − c for a claim.
        probabilities: for a claim.
    """

    premise: str
    review: int
    position: int
    score: float | None = None
    probabilities: Probabilities | None = None


@dataclass(frozen=True, kw_only=True)
class CountedClaim:
    """A claim with the sentences that support or weaken it.

    Attributes:
        claim: its text.
        sentence: the sentence it was made of.
        top_score: e − c of its best premise.
        scores: e − c of every premise.
        support: its support size.
        best_premise: the premise of the top score.
        supporting: the premises from the threshold on, the best first.
        weakening: those at or below minus the threshold, the lowest first.
    """

    claim: str
    sentence: str
    top_score: float
    support: int
    best_premise: SourcePremise
    supporting: tuple[SourcePremise, ...]
    weakening: tuple[SourcePremise, ...]
    scores: tuple[float, ...] | None = None

    @property
    def verdict(self) -> SupportVerdict:
        """Supported by three or more sentences (Bhaskar et al. 2022, Section 5.6), thinly by fewer.

        It is contradicted if none supports and some weaken it.
        """
        if self.support:
            return "supported" if self.support >= ENOUGH else "thinly supported"
        return "contradicted" if self.weakening else "unsupported"


@dataclass(frozen=True, kw_only=True)
class SupportEvidence(Evidence):
    """How many sentences of a source stand behind each claim of a summary.

    Attributes:
        claims: with their support.
        premises: the sentences of the source.
        top_score: mean of the top scores of the claims.
        threshold: the score from which on a sentence supports a claim.
        count_distinct_reviews: reviews were counted instead of sentences.
        drop_repeated_sentences: a repeated sentence was counted once.
        vacuous: claims that say nothing.
    """

    kind = "support"
    claims: tuple[CountedClaim, ...]
    top_score: float
    threshold: float | None = None
    premises: tuple[SourcePremise, ...] | None = None
    count_distinct_reviews: bool = False
    drop_repeated_sentences: bool = False
    vacuous: tuple[str, ...] = ()

    @property
    def enough(self) -> int:
        """How many claims have as many supports as a faithful one needs."""
        return sum(claim.support >= ENOUGH for claim in self.claims)

    @property
    def sizes(self) -> dict[str, int]:
        """How many claims have 0, 1, 2, 3, 4 and 5 or more supports."""
        counts = Counter(min(claim.support, 5) for claim in self.claims)
        return {("5+" if size == 5 else str(size)): counts[size] for size in range(6)}


@dataclass(frozen=True, kw_only=True)
class EntailedHypothesis:
    """A hypothesis with its best premises.

    Attributes:
        hypothesis: its text.
        sentence: the sentence it was made of.
        score: of the hypothesis.
        premises: the best ones, each with its probabilities.
        probabilities: those that the score was made of.
        histogram: how many premises fall into each bin of entailment.
    """

    hypothesis: str
    sentence: str
    score: float
    premises: tuple[SourcePremise, ...]
    probabilities: Probabilities | None = None
    histogram: tuple[int, ...] | None = None

    def verdict(self, threshold: float | None = None) -> SupportVerdict:
        """Return how it is supported: by its most probable label, or from the ``threshold`` on."""
        best = self.premises[0].probabilities if self.premises else None
        probabilities = self.probabilities or best or (0.0, 1.0, 0.0)
        label = max(range(3), key=lambda index: probabilities[index])
        if label == ENTAILMENT if threshold is None else self.score >= threshold:
            return "supported"
        return "contradicted" if label == CONTRADICTION else "unsupported"


@dataclass(frozen=True, kw_only=True)
class EntailmentEvidence(Evidence):
    """How firmly a source supports each hypothesis of a summary.

    Attributes:
        hypotheses: with their best premises.
        premises: the parts of the source.
        truncated: how many comparisons were cut to fit the judge.
        vacuous: hypotheses that say nothing.
    """

    kind = "entailment"
    hypotheses: tuple[EntailedHypothesis, ...]
    premises: tuple[SourcePremise, ...] | None = None
    truncated: int | None = None
    vacuous: tuple[str, ...] | None = None


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


# Which kind a dict is of --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OtherEvidence(Evidence):
    """Evidence of a kind that is not known here; it is drawn from its content as it stands."""

    kind = "other"
    content: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the content."""
        return dict(self.content)

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return any dict as evidence."""
        score = evidence.get("score")
        number = isinstance(score, Real) and not isinstance(score, bool)
        return cls(score=score if number else None, content=evidence)


Kind = TypeVar("Kind", bound=Evidence)


def kind_of(evidence: Mapping[str, Any]) -> type[Evidence]:
    """Return the kind of evidence that a dict of a result or a file holds.

    Args:
        evidence: one element of ``"<name>_details"``.

    Returns:
        The class that knows all its keys and has all it needs (of several the one that needs most, and of
        these the one made first); ``OtherEvidence`` where there is none.
    """

    def needed(kind: type[Evidence]) -> set[str]:
        return {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}

    keys = set(evidence)
    fitting = (kind for kind in _kinds(Evidence) if needed(kind) <= keys <= {f.name for f in fields(kind)})
    return max(fitting, key=lambda kind: len(needed(kind)), default=OtherEvidence)


@overload
def evidence_of(evidence: Evidence | Mapping[str, Any]) -> Evidence: ...
@overload
def evidence_of(evidence: Evidence | Mapping[str, Any], *kinds: type[Kind]) -> Kind: ...
def evidence_of(evidence: Evidence | Mapping[str, Any], *kinds: type[Evidence]) -> Evidence:
    """Return evidence, or a dict of it, as what it is.

    Args:
        evidence: typed, or one element of ``"<name>_details"``.
        *kinds: those that will do; every kind by default.

    Raises:
        ClaimwiseError: for something else.
    """
    if not isinstance(evidence, Evidence | Mapping):
        raise ClaimwiseError(f"{evidence!r} is no evidence.", "Give one element of the details of a result.")
    kind = type(evidence) if isinstance(evidence, Evidence) else kind_of(evidence)
    if kinds and not issubclass(kind, kinds):
        wanted = " or ".join(of.kind for of in kinds)
        raise ClaimwiseError(
            f"This is {kind.kind} evidence, not {wanted} evidence.", f"Give {wanted} evidence."
        )
    return evidence if isinstance(evidence, Evidence) else kind.from_dict(evidence)


def _kinds(of: type[Evidence]) -> Iterator[type[Evidence]]:
    for kind in of.__subclasses__():
        yield kind
        yield from _kinds(kind)
