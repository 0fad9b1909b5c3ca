"""What a run gives: how far it is, and in the end the result of all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.html import Details
from claimwise.metrics.base import Metric, Result
from claimwise.tables import SUFFIXES, is_special


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        rows: how many rows there are.
        done: how many of them are done.
        resumed: how many of these an earlier run did.
        seconds: how long the run has taken so far.
        seconds_left: about how long the rest takes; None before anything is done.
    """

    rows: int
    done: int
    resumed: int
    seconds: float
    seconds_left: float | None


Watch = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class FileResult:
    """What was found for the rows of a file.

    Attributes:
        output: the file that was written, if any.
        rows: how many rows there are.
        mean: of the scores, by their weights.
        scores: one for each row; None where it has none.
        failures: what is wrong with each row that could not be scored, by its number (from 0).
        counts: how often something was worked around, by name.
        signature: everything that the scores depend on.
        result: the flat dict of ``compute``; without what is one for each row if that stands in a table.
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
        """How many rows have a score."""
        return sum(score is not None for score in self.scores)


def suffix_of(output: Path | None) -> str:
    """Return the suffix of an output, which decides its format; a pipe or device gets JSON."""
    suffix = ".json" if output is None or is_special(output) else output.suffix.lower()
    if suffix != ".json" and suffix not in SUFFIXES:
        raise ClaimwiseError(
            "unknown output type.", f"Use a name that ends in .json, {', '.join(SUFFIXES)}.", path=output
        )
    return suffix


def whole_result(aggregated: Result, errors: Sequence[str | None], used: Mapping[str, int]) -> dict[str, Any]:
    """Return a result as ``compute`` gives it, with a place for each row that could not be scored."""
    result = aggregated.as_dict()
    name = aggregated.name
    if any(errors):
        for key, cells in result.items():
            if key.endswith("_scores") or key in (f"{name}_weights", f"{name}_details"):
                of_scored = iter(cells)
                nothing = 0.0 if key.endswith("_weights") else None
                spread: list[Any] = [next(of_scored) if error is None else nothing for error in errors]
                result[key] = Details(name, spread, aggregated.ids) if key.endswith("_details") else spread
        result[f"{name}_errors"] = list(errors)
    if used:
        result[f"{name}_judge_used"] = dict(used)
    return result


def without_rows(metric: Metric, whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result without the lists that have an entry for each row."""
    of_rows = {f"{name}_scores" for name in (metric.name, *metric.spec.further)}
    of_rows |= {f"{metric.name}_{what}" for what in ("weights", "errors", "details", "inputs", "ids")}
    return {key: value for key, value in whole.items() if key not in of_rows}
