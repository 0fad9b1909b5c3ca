"""The features of SSAS: summaries compared with references, and the evidence of each feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import DecidingPair, WeightedFeature
from claimwise.judges.protocol import Matrix, Pair
from claimwise.labels import ENTAILMENT
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Marks
from claimwise.metrics.nli import NLIMetric
from claimwise.metrics.rows import Row
from claimwise.scores.rouge import rouge_su, su_units
from claimwise.scores.ssas import FEATURES, PARAPHRASES, Floats, SsasFeatures, ssas_features
from claimwise.text.tokens import load_tokenizer

Paraphrase = Callable[[Sequence[Pair]], Any]
"""A function from pairs of texts to the probability that each pair are paraphrases."""


class ComparedReference(NamedTuple):
    """A reference compared with a summary.

    Attributes:
        reference: its claims.
        summary: claims of the summary.
        features: features of this reference alone.
        shared: the distinct words and skip-bigrams that both texts contain, words first.
        marks: marks of all judgements.
    """

    reference: Claims
    summary: Claims
    features: SsasFeatures
    shared: tuple[str, ...]
    marks: Marks


def compare(metric: NLIMetric, rows: Sequence[Row]) -> list[list[ComparedReference]]:
    """Return the comparison of each row's summary with each of its references."""
    claims = metric.claims_of_rows([(row.prediction, *(row.reference or ())) for row in rows])
    pairs = [(reference, summary) for summary, *references in claims for reference in references]
    judged = iter(metric.cross_both_ways(pairs))
    paraphrase, tokenize = _paraphrases(metric.options.paraphrase, pairs), load_tokenizer("words")
    compared = []
    for row, (summary, *references) in zip(rows, claims, strict=True):
        tokens, of_row = tokenize(row.text), []
        for text, reference in zip(row.reference or (), references, strict=True):
            forward, backward = next(judged)
            there, back, of_reference = forward.probabilities, backward.probabilities, tokenize(text)
            features = ssas_features(
                there,
                back,
                paraphrase(reference.claims, summary.claims, there, back),
                rouge_su(tokens, of_reference).recall,
            )
            units = sorted(su_units(of_reference) & su_units(tokens), key=len)
            shared = tuple(" … ".join(unit) for unit in units)
            marks = forward.marks + backward.marks
            of_row.append(ComparedReference(reference, summary, features, shared, marks))
        compared.append(of_row)
    return compared


def mean_features(compared: Sequence[ComparedReference]) -> Floats:
    """Return the mean features over the references, ``[9]``."""
    mean: Floats = np.mean([reference.features.values for reference in compared], axis=0)
    return mean


def feature_evidence(
    compared: Sequence[ComparedReference], weights: Floats, added: Floats
) -> tuple[WeightedFeature, ...]:
    """Return the evidence of each feature; ``added`` has their contributions to the score."""
    shared = tuple(dict.fromkeys(chain.from_iterable(reference.shared for reference in compared)))
    values = mean_features(compared)
    return tuple(
        WeightedFeature(
            name=name,
            value=float(values[number]),
            weight=float(weights[number]),
            adds=float(added[number]),
            pairs=() if name == "rouge_su4" else _deciding_pairs(compared, number),
            shared=shared if name == "rouge_su4" else None,
        )
        for number, name in enumerate(FEATURES)
    )


def _deciding_pairs(compared: Sequence[ComparedReference], feature: int) -> tuple[DecidingPair, ...]:
    """Return each claim of the side of a feature's premises with the best claim of the other side."""
    pairs = []
    for number, (reference, summary, features, *_) in enumerate(compared):
        # Features alternate: an even one takes its premises from the reference, an odd one from the summary.
        own, other = (reference, summary) if feature % 2 == 0 else (summary, reference)
        best, probabilities = features.best[feature].tolist(), features.probabilities[feature].tolist()
        for claim, hypothesis, probability in zip(own.claims, best, probabilities, strict=True):
            pairs.append(
                DecidingPair(
                    premise=claim,
                    hypothesis=other.claims[hypothesis],
                    probability=round(probability, 4),
                    reference=number,
                )
            )
    return tuple(pairs)


def _paraphrases(
    chosen: str | Paraphrase, pairs: Sequence[tuple[Claims, Claims]]
) -> Callable[[list[str], list[str], Matrix, Matrix], Floats]:
    """Return a function from the claims of two texts and their judgements to P(a, b) ``[n, m]``."""
    if not callable(chosen):
        of_both = PARAPHRASES[chosen]
        return lambda a, b, there, back: of_both(
            there[:, :, ENTAILMENT].astype(np.float64), back[:, :, ENTAILMENT].T.astype(np.float64)
        )
    distinct = list(dict.fromkeys(pair for a, b in pairs for pair in product(a.claims, b.claims)))
    values: npt.NDArray[Any] = np.asarray(chosen(distinct))
    is_number = values.dtype.kind in "fiu"
    if not is_number or values.shape != (len(distinct),) or not ((values >= 0) & (values <= 1)).all():
        raise ClaimwiseError(
            f"The paraphrase function must return one probability for each of {len(distinct)} pairs; it "
            f"returned an array of shape {values.shape} and type {values.dtype}, or numbers outside 0 to 1.",
            "Pass a function from a list of text pairs to one probability per pair.",
            option="paraphrase",
        )
    known = dict(zip(distinct, values.astype(np.float64).tolist(), strict=True))
    return lambda a, b, there, back: np.array([[known[x, y] for y in b] for x in a])
