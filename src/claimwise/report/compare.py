"""Comparing two systems: the difference of their means, over the rows that have a score in both."""

from __future__ import annotations

from dataclasses import dataclass

from claimwise.errors import ClaimwiseError
from claimwise.report.results import SystemResult
from claimwise.signature import differing_parts
from claimwise.stats import TestMethod, paired_test


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How two systems differ.

    Attributes:
        difference: the mean of the first − that of the second, each by its weights.
        p_value: of the paired test of that difference, two-sided.
        method: of the test.
        compared: how many rows have a score in both.
        rows: how many there are.
        lacks_weights: the systems whose weights are not known: the difference is of unweighted means.
        differing: the parts in which the signatures differ; such scores cannot be compared as they are.
    """

    difference: float
    p_value: float
    method: str
    compared: int
    rows: int
    lacks_weights: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()


def compare(first: SystemResult, second: SystemResult, method: TestMethod = "permutation") -> Comparison:
    """Test whether two systems, scored on the same rows, differ in the mean that their metric gives.

    Rows count as they do in the two means. Where the weights of one system are not known, rows count alike in
    both.

    Raises:
        ClaimwiseError: for unequal numbers of rows, fewer than two rows with a score in both, or an unknown
            method.
    """
    lacking = tuple(result.system for result in (first, second) if result.lacks_weights)
    if len(first.scores) != len(second.scores):
        raise ClaimwiseError(
            f"The systems were scored on other rows: {len(first.scores)} and {len(second.scores)}.",
            "Score both on the same rows, in the same order.",
        )
    weighted = [_weights(result, alike=bool(lacking)) for result in (first, second)]
    scored = [
        (score, other, weight, other_weight)
        for score, other, weight, other_weight in zip(first.scores, second.scores, *weighted, strict=True)
        if score is not None and other is not None
    ]
    if len(scored) < 2:
        raise ClaimwiseError(
            f"A paired test needs at least two scores in both systems; of {len(first.scores)} rows "
            f"{len(scored)} have one.",
            "Score more rows, or a larger sample of them.",
        )
    scores, others, weights, other_weights = zip(*scored, strict=True)
    test = paired_test(scores, others, weights=weights, second_weights=other_weights, method=method)
    return Comparison(
        difference=test.difference,
        p_value=test.p_value,
        method=test.method,
        compared=len(scored),
        rows=len(first.scores),
        lacks_weights=lacking,
        differing=tuple(differing_parts([first.signature, second.signature])),
    )


def _weights(result: SystemResult, *, alike: bool) -> list[float]:
    return [1.0] * len(result.scores) if alike or result.weights is None else list(result.weights)
