"""Reading what ``claimwise score … --output`` wrote: a result as JSON, or the rows with their metadata."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.metrics.registry import METRICS, metric_class, spec_of
from claimwise.metrics.spec import MetricSpec
from claimwise.text.inputs import check_ids

METADATA = "claimwise"
"""The key under which a file of rows holds what is said of all: the metric, its mean, its signature."""


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """What a metric found for one system.

    Attributes:
        system: its name.
        score: the name of the metric, or of a further score such as ``"top_score"``.
        mean: of the scores, by their weights.
        scores: one a row; None where a row has none.
        weights: how much each row counts in the mean; None = all alike.
        interval: of the mean, if there is one.
        details: the evidence of each row, if it was asked for.
        inputs: a hash of what each row was made from, see ``Result``.
        ids: of the rows, if they were given.
        signature: everything that the scores depend on.
    """

    system: str
    score: str
    mean: float
    scores: Sequence[float | None]
    weights: Sequence[float] | None = None
    interval: tuple[float, float] | None = None
    details: Sequence[Mapping[str, Any]] | None = None
    inputs: Sequence[str | None] | None = None
    ids: Sequence[str] | None = None
    signature: str = ""

    @classmethod
    def of(cls, system: str, score: str | None, result: Mapping[str, Any]) -> SystemResult:
        """Return a result in its parts.

        Args:
            system: the name of the system.
            score: the metric's name, or that of a further score (default: the metric of the result).
            result: what ``compute`` returned.

        Raises:
            ClaimwiseError: for something that no metric returns.
        """
        signed = [key.removesuffix("_signature") for key in result if key.endswith("_signature")]
        if score is None:
            if len(signed) != 1:
                raise ClaimwiseError("is not the result of a metric.")
            (score,) = signed
        metric, counts_by_weight = spec_of(score) or (score, True)
        scores = _scores(result, score)
        weights = _weights(result, metric, scores) if counts_by_weight else None
        found = _mean(scores, weights)
        mean = _number(result.get(score, found), f"the mean of {score}")
        if not math.isclose(mean, found, rel_tol=1e-6, abs_tol=1e-6):
            raise ClaimwiseError(f"the mean of {score} is {mean:g}; its scores and weights give {found:g}.")
        details = result.get(f"{score}_details")
        ids = _one_a_row(result, f"{metric}_ids", scores)
        signatures = [f"{name}_signature" for name in (metric, *signed) if name in signed]
        return cls(
            system=system,
            score=score,
            mean=mean,
            scores=scores,
            weights=weights,
            interval=_interval(result, score),
            details=details if isinstance(details, list) else None,
            inputs=_one_a_row(result, f"{metric}_inputs", scores),
            ids=None if ids is None else check_ids(ids, len(ids)),
            signature=str(result[signatures[0]]) if signatures else "",
        )

    @property
    def spec(self) -> MetricSpec | None:
        """What the metric says of itself; None for a further score, or a metric that is not installed."""
        return METRICS[self.score].spec if self.score in METRICS else None

    def row_name(self, place: int) -> int | str:
        """Return the id of a row, or else its number."""
        return place if self.ids is None else self.ids[place]

    def weight(self, place: int) -> float:
        """Return how much a row counts in the mean."""
        return 1.0 if self.weights is None else self.weights[place]

    @property
    def known_scores(self) -> list[float]:
        """The scores of the rows that have one."""
        return [score for score in self.scores if score is not None]

    def rows_are_called(self, count: int) -> str:
        """Return ``"1 pair"``, ``"3 summaries"`` …; rows of an unknown metric are called rows."""
        found = spec_of(self.score)
        if found is None or found[0] not in METRICS:
            return f"{count} row{'' if count == 1 else 's'}"
        return METRICS[found[0]].spec.rows_are_called(count)


def read_results(paths: Sequence[Path]) -> list[SystemResult]:
    """Read the results of metrics; a system is called as its file.

    Args:
        paths: .json, .parquet or .jsonl files; where two of one metric have the same name, their folders are
            named too.

    Raises:
        ClaimwiseError: for a file that is not such a result.
    """
    read = [read_result(path) for path in paths]
    names = [(path.stem, result.score) for path, result in zip(paths, read, strict=True)]
    return [
        read_result(path, system=str(path.with_suffix(""))) if names.count(name) > 1 else result
        for path, name, result in zip(paths, names, read, strict=True)
    ]


def read_result(path: Path, score: str | None = None, system: str | None = None) -> SystemResult:
    """Read one result.

    Args:
        path: of a .json file, or of a .parquet or .jsonl file of rows.
        score: the metric, or the further score, that is wanted; by default the metric that wrote the file.
        system: what the system is called; by default as its file.

    Raises:
        ClaimwiseError: for a score of no metric, or a file without it.
    """
    readers: dict[str, Callable[[Path], Any]] = {
        ".parquet": _of_parquet,
        ".jsonl": _of_jsonl,
        ".ndjson": _of_jsonl,
    }
    reader = readers.get(path.suffix.lower(), _of_json)
    try:
        result = reader(path)
    except OSError as error:
        raise _refusal(path, score, f"cannot be read ({error.strerror or error}).") from error
    except ClaimwiseError as error:
        raise _refusal(path, score, error.problem) from error
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        kind = path.suffix.lower() if reader is not _of_json else "JSON"
        raise _refusal(path, score, f"is not a {kind} file{'' if kind == 'JSON' else ' of rows'}.") from error
    keys = list(result) if isinstance(result, dict) else []
    if not keys:
        raise _refusal(path, score, "is not the result of a metric.")
    if score is not None and f"{score}_scores" not in keys:
        held = [key.removesuffix("_scores") for key in keys if key.endswith("_scores")]
        but = f", but of {', '.join(held)}" if held else ""
        raise _refusal(path, score, f"holds no scores of {score}{but}.")
    try:
        return SystemResult.of(system or path.stem, score, result)
    except ClaimwiseError as error:
        raise _refusal(path, score, error.problem) from error


def _of_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _of_parquet(path: Path) -> dict[str, Any]:
    """Return the result that stands in the rows of a Parquet file and in its metadata."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        told = (file.schema_arrow.metadata or {}).get(METADATA.encode())
        if told is None:
            raise ClaimwiseError("was not written by claimwise score.")
        metadata = json.loads(told)
        names = [name for name in _keys(metadata) if name in file.schema_arrow.names]
        cells = file.read(columns=names).to_pydict()
    return _result(metadata, cells)


def _of_jsonl(path: Path) -> dict[str, Any]:
    """Return the result that stands in the lines of a file and in the file with its metadata."""
    beside = path.with_name(f"{path.name}.meta.json")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if not beside.exists():
        raise ClaimwiseError(f"lacks {beside.name}, which holds its mean and its signature.")
    told = json.loads(beside.read_text(encoding="utf-8"))
    if told["sha256"] != digest:
        raise ClaimwiseError("is another than the one it was written as.")
    metadata = told[METADATA]
    cells: dict[str, list[Any]] = {name: [] for name in _keys(metadata)}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            for name, of_name in cells.items():
                of_name.append(row.get(name))
    return _result(metadata, cells)


def _keys(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of a file of rows, each with the key of a result that holds it."""
    name = metadata["metric"]
    further = METRICS[name].spec.further if name in METRICS else {}
    keys = {f"{score}_score": f"{score}_scores" for score in (name, *further)}
    return keys | {f"{name}_weight": f"{name}_weights", f"{name}_details": f"{name}_details"}


def _result(metadata: Mapping[str, Any], cells: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return a flat dict such as ``compute`` returns it."""
    keys, name = _keys(metadata), metadata["metric"]
    result = dict(metadata["result"]) | {keys[column]: of_rows for column, of_rows in cells.items()}
    weights = [0.0 if weight is None else weight for weight in result.pop(f"{name}_weights")]
    if set(weights) - {0.0} != {1.0}:
        result[f"{name}_weights"] = weights
    if f"{name}_details" in result:
        details = [json.loads(one) if isinstance(one, str) else one for one in result[f"{name}_details"]]
        del result[f"{name}_details"]
        if any(one is not None for one in details):
            result[f"{name}_details"] = details
    return result


def _refusal(path: Path, score: str | None, problem: str) -> ClaimwiseError:
    """Return the error for a file without the score that is wanted.

    Raises:
        ClaimwiseError: for a score of no metric.
    """
    metric = "METRIC"
    if score is not None:
        found = spec_of(score)
        metric = found[0] if found is not None else metric_class(score).name
    remedy = f"Write it with claimwise score {metric} FILE --ci --details --output."
    return ClaimwiseError(problem, remedy, path=path)


def _scores(result: Mapping[str, Any], score: str) -> list[float | None]:
    scores = result.get(f"{score}_scores")
    if not isinstance(scores, list):
        raise ClaimwiseError(f"holds no scores of {score}.")
    read = [None if one is None else _number(one, f"a score of {score}") for one in scores]
    if all(one is None for one in read):
        raise ClaimwiseError(f"holds no scores of {score}.")
    return read


def _weights(result: Mapping[str, Any], metric: str, scores: Sequence[float | None]) -> list[float] | None:
    weights = _one_a_row(result, f"{metric}_weights", scores)
    if weights is None:
        return None
    read = [_number(one, f"a weight of {metric}") for one in weights]
    for score, weight in zip(scores, read, strict=True):
        if score is not None and weight <= 0:
            raise ClaimwiseError(f"a score of {metric} has the weight {weight:g}, which is not positive.")
    return read


def _one_a_row(result: Mapping[str, Any], key: str, scores: Sequence[float | None]) -> list[Any] | None:
    cells = result.get(key)
    if cells is not None and (not isinstance(cells, list) or len(cells) != len(scores)):
        raise ClaimwiseError(f"holds {key} that are not one a row.")
    return cells


def _interval(result: Mapping[str, Any], score: str) -> tuple[float, float] | None:
    interval = result.get(f"{score}_ci")
    if interval is None:
        return None
    if not isinstance(interval, list) or len(interval) != 2:
        raise ClaimwiseError(f"holds {score}_ci that is no interval.")
    low, high = (_number(one, f"an end of the interval of {score}") for one in interval)
    return low, high


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ClaimwiseError(f"{what} is {value!r}, not a finite number.")
    return float(value)


def _mean(scores: Sequence[float | None], weights: Sequence[float] | None) -> float:
    known = [place for place, score in enumerate(scores) if score is not None]
    return float(
        np.average(
            [scores[place] for place in known],
            weights=None if weights is None else [weights[place] for place in known],
        )
    )
