"""Comparing two systems: the difference of their means over the rows scored in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claimwise.errors import ClaimwiseError, at_place, warn
from claimwise.metrics.rows import Result
from claimwise.report.results import SystemResult
from claimwise.signature import differing_parts
from claimwise.stats import Difference, TestMethod, mean_difference, size_of_difference

IDS_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The comparison of two systems.

    Attributes:
        difference: weighted mean of the first − weighted mean of the second.
        p_value: p-value of the two-sided paired test of that difference.
        method: method of the test.
        compared: number of rows with a score in both.
        rows: number of rows in both.
        left_out: ids only in the first, and ids only in the second.
        warnings: limitations of the comparison with remedies, as sentences.
        size: confidence interval of the difference and effect size, if a level was given.
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
    """Test whether the mean scores of two systems on the same rows differ.

    Rows are paired by their ids, in any order, if both results have ids; else by their position, which is an
    error if the hashes of their inputs differ. Rows keep their weights. Limitations of the comparison are
    reported as warnings.

    Args:
        first: result of ``compute`` for one system.
        second: result for the other system.
        score: the metric, or a further score such as ``"caspr_strongest"``; the default is the metric.
        method: ``"permutation"`` swaps the systems' scores of a row (``scipy.stats.permutation_test``);
            ``"bootstrap"`` resamples rows and counts how often the difference of the means changes sign.
        resamples: number of permutations or resamples, at least 2.
        seed: random seed; ``None`` draws a fresh one.

    Raises:
        ClaimwiseError: for anything but results of a metric, rows with different inputs, fewer than two rows
            with a score in both, or an unknown method.
    """
    results = _parsed("first", first, score), _parsed("second", second, score)
    comparison = compare(*results, method, resamples, seed)
    for sentence in comparison.warnings:
        warn(sentence)
    return comparison


def _parsed(system: str, result: Result | Mapping[str, Any], score: str | None) -> SystemResult:
    try:
        return SystemResult.of(system, score, result.as_dict() if isinstance(result, Result) else result)
    except ClaimwiseError as error:
        raise error.at(problem=at_place(system, error.problem)) from None


def compare(
    first: SystemResult,
    second: SystemResult,
    method: TestMethod = "permutation",
    resamples: int = 10_000,
    seed: int | None = 0,
    confidence_level: float | None = None,
) -> Comparison:
    """Test whether two systems differ, like ``paired_test``, but return the warnings without issuing them."""
    scored, rows = scored_pairs(first, second)
    left_out = _missing_from_others(first.ids, second.ids), _missing_from_others(second.ids, first.ids)
    columns: Any = tuple(zip(*scored, strict=True))
    test = mean_difference(*columns, method=method, resamples=resamples, seed=seed)
    size = None
    if confidence_level is not None:
        size = size_of_difference(*columns, confidence_level=confidence_level, resamples=resamples, seed=seed)
    return Comparison(
        difference=test.difference,
        p_value=test.p_value,
        method=method,
        compared=len(scored),
        rows=rows,
        left_out=left_out,
        warnings=tuple(_limits(first, second, left_out)),
        size=size,
    )


def scored_pairs(
    first: SystemResult, second: SystemResult
) -> tuple[list[tuple[float, float, float, float]], int]:
    """Return both scores and weights of each row with both scores, and the number of rows in both."""
    if first.score != second.score:
        raise ClaimwiseError(
            f"{first.system} was scored with {first.score}, {second.system} with {second.score}.",
            "Compare results of the same metric.",
        )
    pairs = _pairs(first, second)
    scored = [
        (score, other_score, first.weight(row), second.weight(other))
        for row, other in pairs
        if (score := first.scores[row]) is not None and (other_score := second.scores[other]) is not None
    ]
    if len(scored) < 2:
        have = "has" if len(scored) == 1 else "have"
        common = f"Of the {len(pairs)} common rows, {len(scored)} {have} both."
        if len(pairs) == 1:
            common = "The systems have one row in common."
        raise ClaimwiseError(
            f"A paired test needs at least two rows with a score in both systems. {common}",
            "Score more rows of both systems.",
        )
    return scored, len(pairs)


def _limits(
    first: SystemResult, second: SystemResult, left_out: tuple[tuple[str, ...], tuple[str, ...]]
) -> list[str]:
    names = f"{first.system} and {second.system}"
    warnings = []
    if differing := differing_parts([first.signature, second.signature]):
        warnings.append(
            f"{names} are not comparable: their signatures differ in {', '.join(differing)}. "
            f"Score both with the same options and versions."
        )
    if None in (first.ids, second.ids) and None in (first.input_hashes, second.input_hashes):
        warnings.append(
            f"{names}: rows are paired by position, without a check that they belong together. Score both "
            f"again with ids=COLUMN."
        )
    for system, ids in zip((first.system, second.system), left_out, strict=True):
        if ids:
            warnings.append(f"{len(ids)} of the rows are only in {system} and are left out: {listed(ids)}.")
    return warnings


def _pairs(first: SystemResult, second: SystemResult) -> list[tuple[int, int]]:
    """Return the indices of both rows of each pair; the two rows have the same input."""
    names = f"{first.system} and {second.system}"
    remedy = "Score both on the same rows in the same order, or again with ids=COLUMN."
    if first.ids is not None and second.ids is not None:
        here, there = ({row_id: row for row, row_id in enumerate(ids)} for ids in (first.ids, second.ids))
        # In the order of the ids, so that resampling does not depend on the order of the rows.
        pairs = [(here[row_id], there[row_id]) for row_id in sorted(here.keys() & there.keys())]
        if not pairs:
            raise ClaimwiseError(
                f"{names} have no ids in common; their first ids are `{first.ids[0]}` and `{second.ids[0]}`.",
                "Score both with ids from the same column.",
            )
    else:
        if len(first.scores) != len(second.scores):
            counts = f"{len(first.scores)} and {len(second.scores)}"
            raise ClaimwiseError(f"{names} have different numbers of rows: {counts}.", remedy)
        pairs = [(row, row) for row in range(len(first.scores))]
    if first.input_hashes is not None and second.input_hashes is not None:
        for row, other in sorted(pairs):
            if first.input_hashes[row] != second.input_hashes[other]:
                which = "" if first.ids is None else f" for the id `{first.ids[row]}`"
                raise ClaimwiseError(f"{names} have different inputs{which}.", remedy, row=row)
    return pairs


def listed(ids: Sequence[str]) -> str:
    """Return the first ids, separated by commas."""
    return ", ".join(ids[:IDS_NAMED]) + (", …" if len(ids) > IDS_NAMED else "")


def _missing_from_others(ids: Sequence[str] | None, others: Sequence[str] | None) -> tuple[str, ...]:
    if ids is None or others is None:
        return ()
    known = set(others)
    return tuple(row_id for row_id in ids if row_id not in known)
