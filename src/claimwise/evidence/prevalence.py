"""Evidence of prevalence: the sentences of a summary, and the reviews that imply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from claimwise.evidence.base import Evidence, check_names
from claimwise.evidence.support import SourcePremise

PrevalenceVerdict = Literal["shared", "in no review", "trivial", "redundant"]
Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, kw_only=True)
class ImplyingText:
    """The text that makes a sentence trivial or redundant.

    Attributes:
        text: the trivial text, or an earlier sentence of the summary.
        entailment: its probability of entailment.
    """

    text: str
    entailment: float


@dataclass(frozen=True, kw_only=True)
class PrevalentSentence:
    """A sentence of a summary with the reviews that imply it.

    Attributes:
        verdict: ``"trivial"`` or ``"redundant"`` if it counts 0 whatever the reviews say; else ``"shared"``
            if a review implies it, and ``"in no review"`` otherwise.
        counts: its term of the mean: the share of the reviews that imply it, or 0.
        reviews: the reviews that imply it, the best first, each with its best premise; the score of a premise
            is its probability of entailment.
        closest: the premise with the highest score.
        implied_by: what makes it trivial or redundant.
    """

    sentence: str
    verdict: PrevalenceVerdict
    counts: float
    reviews: tuple[SourcePremise, ...]
    closest: SourcePremise
    implied_by: ImplyingText | None = None

    def __post_init__(self) -> None:
        check_names("verdict", [self.verdict], get_args(PrevalenceVerdict))


@dataclass(frozen=True, kw_only=True)
class PrevalenceEvidence(Evidence):
    """The sentences of a summary with the reviews that imply them.

    Attributes:
        number_of_reviews: number of reviews with content.
        threshold: minimum entailment of a text that implies a sentence.
    """

    kind, title = "prevalence", "Prevalence map"
    sentences: tuple[PrevalentSentence, ...]
    number_of_reviews: int
    threshold: float


def prevalent(
    sentences: Sequence[str],
    premises: Sequence[SourcePremise],
    entailment: Floats,
    counts: Sequence[float],
    by_sentences: Floats,
    by_trivial: Floats,
    trivial: str,
    threshold: float,
) -> PrevalenceEvidence:
    """Return the evidence of one summary.

    Args:
        sentences: its sentences.
        premises: whole reviews, or windows of long ones.
        entailment: ``[premises, sentences]``.
        counts: what each sentence counts.
        by_sentences: ``[sentences, sentences]``, entailment of the columns by the rows.
        by_trivial: ``[1 or 0 rows, sentences]``, entailment by the ``trivial`` text.
        trivial: a text that says next to nothing.
        threshold: minimum entailment of a text that implies a sentence.
    """
    rated = []
    for number, sentence in enumerate(sentences):
        implied_by = _implied_by(number, sentences, by_sentences, by_trivial, trivial, threshold)
        scores = entailment[:, number]
        best: dict[int, int] = {}  # premise of each review
        for index in np.argsort(-scores, kind="stable").tolist():
            best.setdefault(premises[index].review, index)
        scored = [replace(premises[i], score=round(float(scores[i]), 4)) for i in best.values()]
        reviews = scored[: int(np.sum(scores[list(best.values())] >= threshold))]
        verdict: PrevalenceVerdict = "shared" if reviews else "in no review"
        if implied_by is not None:
            verdict = "trivial" if implied_by.text == trivial else "redundant"
        rated.append(
            PrevalentSentence(
                sentence=sentence,
                verdict=verdict,
                counts=counts[number],
                reviews=tuple(reviews),
                closest=scored[0],
                implied_by=implied_by,
            )
        )
    return PrevalenceEvidence(
        score=float(np.mean(counts)),
        sentences=tuple(rated),
        number_of_reviews=len({premise.review for premise in premises}),
        threshold=threshold,
    )


def _implied_by(
    number: int,
    sentences: Sequence[str],
    by_sentences: Floats,
    by_trivial: Floats,
    trivial: str,
    threshold: float,
) -> ImplyingText | None:
    """Return the trivial text, or else the earlier sentence, that most clearly implies a sentence."""
    for texts, scores in (([trivial], by_trivial[:, number]), (sentences, by_sentences[:number, number])):
        if scores.size and scores.max() >= threshold:
            best = int(scores.argmax())
            return ImplyingText(text=texts[best], entailment=round(float(scores[best]), 4))
    return None
