"""What a score was made of: a few frozen types, told apart by their own kind and never by a metric's name.

In Python a row score holds one of them; in a result, and in every file, they are plain dicts (``as_dict``),
from which ``from_dict`` makes them again. A field whose default is None is left out of the dict where it is
None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Literal, Self, Union, get_args, get_origin, get_type_hints

from claimwise.errors import ClaimwiseError
from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.scores.support import ENOUGH

Probabilities = tuple[float, float, float]
"""Of entailment, neutral and contradiction."""

SupportVerdict = Literal["supported", "thinly supported", "contradicted", "unsupported"]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the score of one row was made of.

    Attributes:
        kind: how it is drawn.
        score: of the row; None where it has none.
    """

    kind: ClassVar[str] = "evidence"
    score: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the evidence as dicts, lists, texts and numbers."""
        plain: dict[str, Any] = _plain(self)
        return plain

    @classmethod
    def from_dict(cls, evidence: Mapping[str, Any]) -> Self:
        """Return what ``as_dict`` gave such a dict.

        Raises:
            ClaimwiseError: for a dict of another form.
        """
        try:
            read: Self = _typed(cls, evidence)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
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
        probabilities = self.probabilities or self.premises[0].probabilities or (0.0, 1.0, 0.0)
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


# To and from dicts --------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: _plain(inner)
            for field, inner in given
            if inner is not None or field.default is not None
        }
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _typed(kind: Any, value: Any) -> Any:
    """Return ``value``, plain as JSON has it, as what the annotation ``kind`` says."""
    if get_origin(kind) in (Union, UnionType):
        if value is None:
            return None
        (kind,) = (option for option in get_args(kind) if option is not type(None))
    if get_origin(kind) is tuple:
        if not isinstance(value, list | tuple):
            raise TypeError(f"{value!r} is no list")
        inner = get_args(kind)[0]
        return tuple(_typed(inner, element) for element in value)
    if is_dataclass(kind):
        if not isinstance(value, Mapping):
            raise TypeError(f"{value!r} is no dict")
        hints = _hints(kind)  # type: ignore[arg-type]
        return kind(**{key: _typed(hints[key], element) for key, element in value.items()})  # type: ignore[operator]
    return value
