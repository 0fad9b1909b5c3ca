"""Semantic genericity: would a claim fit other entities as well?

Bhaskar et al. 2022, "Zero-Shot Opinion Summarization with GPT-3", Section 5.5. A summary has the claims Z;
e(premise, claim) in [−1, 1] is the probability of entailment minus that of contradiction. The top score of a
claim against a set of claims is its best e with a premise of that set (Figure 4), and

    sim(Z, Z′)     = mean over the claims of Z of the top score against Z′
    frac(Z, Z′, τ) = share of the claims of Z whose top score against Z′ is greater than τ
    G  = mean of sim(Z, Z′) over all ordered pairs of different summaries        (Equation 2)
    Fτ = mean of frac(Z, Z′, τ) over them                                        (Equation 3)

These formulas are for the pool ``"pairs"``. In the pool ``"other_entities"``, as in the paper's Table 9, each
summary has one Z′, the claims of all summaries of other entities, and the means are over the system's claims.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError

Pool = Literal["other_entities", "pairs"]
Floats = npt.NDArray[np.floating]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class GenericityScore:
    """The genericity of one summary Z, compared with k sets Z′.

    Attributes:
        similarities: ``[k]``, sim(Z, Z′) in [−1, 1]; higher = more generic.
        fractions: ``[k]``, frac(Z, Z′, τ) in [0, 1].
        claims: number of claims of Z with a top score.
    """

    similarities: Floats
    fractions: Floats
    claims: int


def genericity_score(top_scores: Floats, threshold: float = 0.5) -> GenericityScore:
    """Return sim and frac of one summary (Section 5.5).

    Args:
        top_scores: ``[claims of Z, sets Z′]`` in [−1, 1]; NaN = no premise to compare with.
        threshold: τ.

    Raises:
        ClaimwiseError: if there is no top score.
    """
    known = ~np.isnan(top_scores)
    compared = known.any(axis=0)
    if not compared.any():
        raise ClaimwiseError(
            "the summary has no claim that can be compared with another claim.",
            "Use drop_identical=False, or add summaries.",
        )
    top_scores, known = top_scores[:, compared], known[:, compared]
    return GenericityScore(
        similarities=np.nanmean(top_scores, axis=0, dtype=np.float64),
        fractions=(top_scores > threshold).sum(axis=0) / known.sum(axis=0),
        claims=int(known.any(axis=1).sum()),
    )


def top_scores(scores: Floats, first_claims: Indices) -> Floats:
    """Return the top score of one claim against each summary (Figure 4).

    Args:
        scores: ``[premises]``, e of each claim of all summaries with the claim; −inf = not compared.
        first_claims: ``[summaries]``, index in ``scores`` of the first claim of each summary.

    Returns:
        ``[summaries]``; −inf = nothing was compared.
    """
    best: Floats = np.maximum.reduceat(scores, first_claims)
    return best


class OfOtherEntities(Mapping[int, Indices]):
    """Maps each of the ``scored`` summaries to all summaries of other entities, computed on access.

    Storing all pairs would take memory quadratic in the number of summaries.
    """

    def __init__(self, entities: npt.NDArray[np.int64], scored: Sequence[int]) -> None:
        self._entities, self._scored = entities, dict.fromkeys(scored)

    def __getitem__(self, summary: int) -> Indices:
        if summary not in self._scored:
            raise KeyError(summary)
        return np.flatnonzero(self._entities != self._entities[summary])

    def __iter__(self) -> Iterator[int]:
        return iter(self._scored)

    def __len__(self) -> int:
        return len(self._scored)

    def __contains__(self, summary: object) -> bool:
        return summary in self._scored


def ordered_pairs(
    entities: Sequence[Hashable], pool: Pool = "other_entities", max_pairs: int | None = None, seed: int = 0
) -> Mapping[int, Indices]:
    """Return the ordered pairs (Z, Z′) of summaries to be compared (Equation 1), or a random sample of them.

    With the pool ``"pairs"`` a sample has the same number of Z′ for every summary Z. With
    ``"other_entities"`` a top score needs the whole pool, so summaries Z are sampled, each with every Z′.

    Args:
        entities: the entity of each summary.
        pool: ``"other_entities"`` (all summaries of other entities) or ``"pairs"`` (all other summaries).
        max_pairs: maximum number of pairs; None = all.
        seed: random seed of the sample.

    Returns:
        Each scored summary Z → the summaries Z′ to compare it with, in order.

    Raises:
        ClaimwiseError: if there is nothing to compare a summary with, or ``max_pairs`` is too small for an
            estimate.
    """
    count = len(entities)
    if count < 2:
        raise ClaimwiseError(
            "Genericity compares the summaries of a system with each other, so it needs at least two; "
            f"got {count}."
        )
    numbers = {entity: number for number, entity in enumerate(dict.fromkeys(entities))}
    codes = np.array([numbers[entity] for entity in entities])
    if pool == "other_entities" and len(numbers) < 2:
        raise ClaimwiseError(
            f"All {count} summaries are of one entity, “{entities[0]}”, so there is nothing to compare.",
            "Add summaries of other entities, or use pool='pairs'.",
        )
    if pool == "pairs":
        codes = np.arange(count)
    others = OfOtherEntities(codes, range(count))
    sizes = count - np.bincount(codes)[codes]
    if max_pairs is None or max_pairs >= sizes.sum():
        return others
    generator = np.random.default_rng(seed)
    if pool == "pairs":
        size = max_pairs // count
        least = 2 * count
        chosen: Mapping[int, Indices] = {
            summary: np.sort(generator.choice(compared, size, replace=False))
            for summary, compared in others.items()
        }
    else:
        order = generator.permutation(count)
        size = int(np.searchsorted(np.cumsum(sizes[order]), max_pairs, side="right"))
        least = int(sizes[order[:2]].sum())
        chosen = OfOtherEntities(codes, np.sort(order[:size]).tolist())
    if size < 2:
        raise ClaimwiseError(f"max_pairs={max_pairs} is too small a sample.", f"Use at least {least}.")
    return chosen


def sampling_interval(
    values: Sequence[Floats],
    weights: Sequence[float],
    population: int,
    pool: Pool = "other_entities",
    confidence_level: float = 0.95,
) -> tuple[float, float]:
    """Return the confidence interval of a mean estimated from a sample of ``ordered_pairs``.

    It is the normal interval for sampling without replacement from the given summaries: stratified by Z for
    ``"pairs"``, and of the ratio of two means (Σ weight · value / Σ weight) for ``"other_entities"``. Unlike
    the bootstrap interval, it does not cover other summaries that the system might write.

    Args:
        values: for each scored summary Z, sim or frac with each sampled Z′.
        weights: for each scored summary, its weight in the mean.
        population: number of Z′ for every Z (``"pairs"``), or of summaries Z (``"other_entities"``).
        pool: as in ``ordered_pairs``.
        confidence_level: in (0, 1).
    """
    means, shares = np.array([value.mean() for value in values]), np.array(weights) / np.sum(weights)
    mean = float(means @ shares)
    if pool == "pairs":
        variances = [
            (1 - value.size / population) * value.var(ddof=1) / value.size if value.size > 1 else 0.0
            for value in values
        ]
        variance = float(shares**2 @ np.array(variances))
    else:
        size = len(values)
        residuals = size * shares * (means - mean)
        variance = (1 - size / population) * float(residuals @ residuals) / (size * (size - 1))
    width = NormalDist().inv_cdf((1 + confidence_level) / 2) * math.sqrt(variance)
    return mean - width, mean + width
