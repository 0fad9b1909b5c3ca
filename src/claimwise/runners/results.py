"""Progress of a run, and its result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.html import Details
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import Result, RowScore
from claimwise.runners.parts import Outcome
from claimwise.stats import Interval
from claimwise.tables import SUFFIXES, is_special


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Progress of a run: ``done`` of its ``rows`` are finished, ``resumed`` of these by an earlier run.

    ``seconds_left`` is approximate; None before anything is done.
    """

    rows: int
    done: int
    resumed: int
    seconds: float
    seconds_left: float | None


Watch = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class FileResult:
    """The result of scoring a file.

    Attributes:
        output: the output file, if any.
        rows: number of rows.
        mean: weighted mean of the scores.
        scores: per-row scores; None = no score.
        failures: errors of invalid rows, by row number (from 0).
        counts: fallback counts by name.
        signature: everything that the scores depend on.
        result: the flat dict of ``compute``; without per-row lists if they are in a table.
    """

    output: Path | None
    rows: int
    mean: float
    scores: Sequence[float | None]
    failures: Mapping[int, str]
    counts: Mapping[str, int]
    signature: str
    result: Mapping[str, Any]

    @property
    def scored(self) -> int:
        """Number of rows with a score."""
        return sum(score is not None for score in self.scores)


def suffix_of(output: Path | None) -> str:
    """Return the suffix of an output, which determines its format; a pipe or device gets JSON."""
    suffix = ".json" if output is None or is_special(output) else output.suffix.lower()
    if suffix != ".json" and suffix not in SUFFIXES:
        raise ClaimwiseError(
            "unknown output type.", f"Use a name that ends in .json, {', '.join(SUFFIXES)}.", path=output
        )
    return suffix


def aggregate(
    metric: Metric, outcomes: Sequence[Outcome], columns: Collection[str], interval: Interval
) -> Result:
    """Return the result of the rows that have a score; see ``Metric.aggregate``."""
    scored = [outcome for outcome in outcomes if isinstance(outcome, RowScore)]
    if not scored:
        first = f" The first: {outcomes[0]}" if outcomes else ""
        raise ClaimwiseError(f"No row has a score.{first}", "Provide at least one row that can be scored.")
    return metric.aggregate(scored, columns=columns, **interval)


def whole_result(aggregated: Result, outcomes: Sequence[Outcome], used: Mapping[str, int]) -> dict[str, Any]:
    """Return a result in the form of ``compute``, with an entry for each invalid row."""
    result = aggregated.as_dict()
    name = aggregated.name
    errors = [str(outcome) if isinstance(outcome, ClaimwiseError) else None for outcome in outcomes]
    if any(errors):
        for key, cells in result.items():
            if key.endswith("_scores") or key in (f"{name}_weights", f"{name}_details"):
                known = iter(cells)
                missing = 0.0 if key.endswith("_weights") else None
                every: list[Any] = [next(known) if error is None else missing for error in errors]
                result[key] = Details(name, every, aggregated.ids) if key.endswith("_details") else every
        result[f"{name}_errors"] = errors
    if used:
        result[f"{name}_judge_used"] = dict(used)
    return result


def without_rows(metric: Metric, whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without its per-row lists."""
    lists = {f"{name}_scores" for name in (metric.name, *metric.spec.further)}
    lists |= {f"{metric.name}_{what}" for what in ("weights", "errors", "details", "input_hashes", "ids")}
    return {key: value for key, value in whole.items() if key not in lists}
