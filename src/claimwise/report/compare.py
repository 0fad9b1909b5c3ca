"""Comparing two systems: the difference of their means, over the rows that have a score in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.metrics.base import Result
from claimwise.report.results import SystemResult
from claimwise.signature import differing_parts
from claimwise.stats import Difference, TestMethod, mean_difference, size_of_difference

IDS_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How two systems differ.

    Attributes:
        difference: the mean of the first − that of the second, each by its weights.
        p_value: of the paired test of that difference, two-sided.
        method: of the test.
        compared: how many rows have a score in both.
        rows: how many rows both have.
        left_out: the ids that only the first has, and those that only the second has.
        warnings: what limits the comparison, and what to do about it, as sentences.
        size: the interval of the difference and its effect size, if a level was asked for.
    """

    difference: float
    p_value: float
    method: TestMethod
    compared: int
    rows: int
    left_out: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    warnings: tuple[str, ...] = ()
    size: Difference | None = None


def paired_test(
    first: Result | Mapping[str, Any],
    second: Result | Mapping[str, Any],
    score: str | None = None,
    *,
    method: TestMethod = "permutation",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> Comparison:
    """Test whether two systems, scored on the same rows, differ in the mean that a metric gives.

    Rows are paired by their ids where both results have them, in whatever order; else by their position,
    which is refused where the hashes of their inputs differ. A row counts as it does in the two means. What
    limits the comparison is a warning.

    Args:
        first: what ``compute`` returned for one system.
        second: what it returned for the other.
        score: the metric, or a further score such as ``"top_score"`` (default: the metric of the results).
        method: ``"permutation"`` swaps what the systems have for a row (``scipy.stats.permutation_test``);
            ``"bootstrap"`` resamples rows and counts how often the difference of the means changes sign.
        resamples: number of permutations or resamples, at least 2.
        seed: for the random generator; ``None`` draws a fresh one.

    Raises:
        ClaimwiseError: for something that is not the result of a metric, rows with other inputs, fewer than
            two rows with a score in both, or an unknown method.
    """
    results = []
    for system, result in (("first", first), ("second", second)):
        flat = result.as_dict() if isinstance(result, Result) else result
        try:
            results.append(SystemResult.of(system, score, flat))
        except ClaimwiseError as error:
            raise error.at(problem=f"{system}: {error.problem}") from None
    found = compare(results[0], results[1], method, resamples, seed)
    for sentence in found.warnings:
        warn(sentence)
    return found


def compare(
    first: SystemResult,
    second: SystemResult,
    method: TestMethod = "permutation",
    resamples: int = 10_000,
    seed: int | None = 0,
    confidence_level: float | None = None,
) -> Comparison:
    """Test whether two systems differ; see ``paired_test``, but nothing is warned of.

    Raises:
        ClaimwiseError: as ``paired_test``.
    """
    if first.score != second.score:
        raise ClaimwiseError(
            f"{first.system} was scored with {first.score}, {second.system} with {second.score}.",
            "Compare results of one metric.",
        )
    pairs = _pairs(first, second)
    left_out = _only(first.ids, second.ids), _only(second.ids, first.ids)
    scored = [
        (first.scores[one], second.scores[other], first.weight(one), second.weight(other))
        for one, other in pairs
        if first.scores[one] is not None and second.scores[other] is not None
    ]
    if len(scored) < 2:
        raise ClaimwiseError(
            f"A paired test needs at least two rows that both systems have scored; {len(scored)} of "
            f"{len(pairs)} rows have both scores.",
            "Score more rows, or a larger sample of them.",
        )
    columns: Any = tuple(zip(*scored, strict=True))
    test = mean_difference(*columns, method=method, resamples=resamples, seed=seed)
    size = None
    if confidence_level is not None:
        size = size_of_difference(*columns, confidence_level=confidence_level, resamples=resamples, seed=seed)
    names = f"{first.system} and {second.system}"
    warnings = []
    if differing := differing_parts([first.signature, second.signature]):
        warnings.append(
            f"{names} cannot be compared as they are: the signatures differ in {', '.join(differing)}. "
            f"Score both with the same options and versions."
        )
    if None in (first.ids, second.ids) and None in (first.inputs, second.inputs):
        warnings.append(
            f"{names}: rows are paired by position, and nothing shows that they belong together. Score both "
            f"with ids (claimwise score --id COLUMN, or ids= in Python)."
        )
    for system, ids in zip((first.system, second.system), left_out, strict=True):
        if ids:
            warnings.append(f"{len(ids)} of the rows are only in {system} and are left out: {listed(ids)}.")
    return Comparison(
        difference=test.difference,
        p_value=test.p_value,
        method=method,
        compared=len(scored),
        rows=len(pairs),
        left_out=left_out,
        warnings=tuple(warnings),
        size=size,
    )


def _pairs(first: SystemResult, second: SystemResult) -> list[tuple[int, int]]:
    """Return the places of both rows of each pair.

    Raises:
        ClaimwiseError: for results without a row in common, or two rows of a pair with other inputs.
    """
    names = f"{first.system} and {second.system}"
    remedy = "Score both on the same rows in the same order, or give ids (claimwise score --id COLUMN)."
    if first.ids is not None and second.ids is not None:
        here, there = ({one: place for place, one in enumerate(ids)} for ids in (first.ids, second.ids))
        # In the order of the ids, so that the resamples do not depend on that of the rows.
        pairs = [(here[one], there[one]) for one in sorted(here.keys() & there.keys())]
        if not pairs:
            raise ClaimwiseError(
                f"{names} have no id in common, such as {first.ids[0]!r} and {second.ids[0]!r}.",
                "Score both with ids from the same column.",
            )
    else:
        if len(first.scores) != len(second.scores):
            counts = f"{len(first.scores)} and {len(second.scores)}"
            raise ClaimwiseError(f"{names} were scored on other rows: {counts}.", remedy)
        pairs = [(place, place) for place in range(len(first.scores))]
    if first.inputs is not None and second.inputs is not None:
        for one, other in sorted(pairs):
            if first.inputs[one] != second.inputs[other]:
                which = "" if first.ids is None else f" (the id {first.ids[one]!r})"
                raise ClaimwiseError(f"{names} have other inputs there{which}.", remedy, row=one)
    return pairs


def listed(ids: Sequence[str]) -> str:
    """Return the first ids, as a sentence names them."""
    return ", ".join(ids[:IDS_NAMED]) + (", …" if len(ids) > IDS_NAMED else "")


def _only(ids: Sequence[str] | None, others: Sequence[str] | None) -> tuple[str, ...]:
    """Return the ids that are not among the others."""
    if ids is None or others is None:
        return ()
    known = set(others)
    return tuple(one for one in ids if one not in known)
