"""Reading the output of ``claimwise score``: a result as JSON, or scored rows with their metadata."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.metrics.registry import METRICS, metric_class, spec_of
from claimwise.metrics.spec import Further, MetricSpec
from claimwise.tables import SUFFIXES, read_scored
from claimwise.text.inputs import check_ids


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """The result of a metric for one system.

    Attributes:
        system: its name.
        score: the name of the metric, or of a further score such as ``"caspr_strongest"``.
        mean: weighted mean of the scores.
        scores: per-row scores; None = no score.
        weights: per-row weights; None = equal weights.
        interval: confidence interval of the mean, if any.
        details: evidence of each row, if requested.
        input_hashes: per-row hashes of the shared input, see ``Result``.
        ids: ids of the rows, if given.
        signature: everything that the scores depend on.
    """

    system: str
    score: str
    mean: float
    scores: Sequence[float | None]
    weights: Sequence[float] | None = None
    interval: tuple[float, float] | None = None
    details: Sequence[Mapping[str, Any]] | None = None
    input_hashes: Sequence[str | None] | None = None
    ids: Sequence[str] | None = None
    signature: str = ""

    @classmethod
    def of(cls, system: str, score: str | None, result: Mapping[str, Any]) -> SystemResult:
        """Parse a result of ``compute``; by default, ``score`` is its metric.

        Raises:
            ClaimwiseError: for anything but the result of a metric.
        """
        if not isinstance(result, Mapping):
            raise ClaimwiseError("is not the result of a metric.", "Pass a result of `compute`.")
        signed = [key.removesuffix("_signature") for key in result if str(key).endswith("_signature")]
        if score is None:
            if len(signed) != 1:
                raise ClaimwiseError("is not the result of a metric.")
            (score,) = signed
        spec, further = spec_of(score)
        metric = score if spec is None else spec.name
        scores = _scores(result, score)
        weights, inputs, ids = (
            _cell_of_each_row(result, f"{metric}_{what}", len(scores))
            for what in ("weights", "input_hashes", "ids")
        )
        if weights is not None:
            weights = _weights(weights, metric, scores) if further is None or further.weighted else None
        interval = result.get(f"{score}_ci")
        if interval is not None and (not isinstance(interval, list) or len(interval) != 2):
            raise ClaimwiseError(f"contains a {score}_ci that is not an interval.")
        ends = [_number(end, f"an end of the interval of {score}") for end in interval or ()]
        details = result.get(f"{metric}_details")
        parsed = cls(
            system=system,
            score=score,
            mean=math.nan,
            scores=scores,
            weights=weights,
            interval=(ends[0], ends[1]) if ends else None,
            details=details if isinstance(details, list) else None,
            input_hashes=inputs,
            ids=None if ids is None else check_ids(ids, len(ids)),
            signature=str(result[f"{metric if metric in signed else signed[0]}_signature"]) if signed else "",
        )
        own = float(np.average(parsed.known_scores, weights=parsed.known_weights))
        mean = _number(result.get(score, own), f"the mean of {score}")
        if not math.isclose(mean, own, rel_tol=1e-6, abs_tol=1e-6):
            raise ClaimwiseError(
                f"the mean of {score} is {mean:g}, but its scores and weights average to {own:g}: the result "
                f"has been edited.",
                "Score it again.",
            )
        return replace(parsed, mean=mean)

    @property
    def spec(self) -> MetricSpec | None:
        """The specification of the metric of the score; None if it is not installed."""
        return spec_of(self.score)[0]

    @property
    def further(self) -> Further | None:
        """The specification of a further score; None for the metric's own score."""
        return spec_of(self.score)[1]

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest possible score; infinite if unbounded or unknown."""
        spec = self.further or self.spec
        return (-math.inf, math.inf) if spec is None else spec.bounds

    def row_name(self, row: int) -> int | str:
        """Return the id of a row, or else its index."""
        return row if self.ids is None else self.ids[row]

    def weight(self, row: int) -> float:
        """Return the weight of a row in the mean."""
        return 1.0 if self.weights is None else self.weights[row]

    @property
    def known_scores(self) -> list[float]:
        """The scores of the scored rows."""
        return [score for score in self.scores if score is not None]

    @property
    def known_weights(self) -> list[float]:
        """The weights of the scored rows."""
        return [self.weight(row) for row, score in enumerate(self.scores) if score is not None]

    def rows_are_called(self, count: int) -> str:
        """Return a count with its unit, such as ``"3 summaries"``; the unit of an unknown metric is rows."""
        spec = self.spec
        return f"{count} row{'' if count == 1 else 's'}" if spec is None else spec.rows_are_called(count)


def system_names(paths: Sequence[Path], metrics: Sequence[str] = ()) -> list[str]:
    """Return the names of systems: their file names, with the folder if two file names are equal.

    Results of different ``metrics`` may have the same name. Two files that differ only in their suffix are an
    error, as is a repeated file.
    """
    metric_names = list(metrics) or [""] * len(paths)
    stems = [(path.stem, metric) for path, metric in zip(paths, metric_names, strict=True)]
    names = [
        str(path.with_suffix("")) if stems.count(stem) > 1 else path.stem
        for path, stem in zip(paths, stems, strict=True)
    ]
    keys = list(zip(names, metric_names, strict=True))
    for path, key in zip(paths, keys, strict=True):
        if keys.count(key) > 1:
            raise ClaimwiseError(
                f"another file is also named {key[0]}.",
                "Pass each system once, in a file with a unique name.",
                path=path,
            )
    return names


def read_results(paths: Sequence[Path], score: str | None = None) -> list[SystemResult]:
    """Read the results of metrics; see ``read_result``, and ``system_names`` for the names of systems."""
    read = [read_result(path, score) for path in paths]
    names = system_names(paths, [result.score for result in read])
    return [replace(result, system=name) for result, name in zip(read, names, strict=True)]


def read_result(path: Path, score: str | None = None) -> SystemResult:
    """Read one result; its system has the name of the path.

    Args:
        path: a .json file, or a .parquet, .jsonl or .csv file of rows.
        score: a metric or a further score; by default the metric that wrote the file.

    Raises:
        ClaimwiseError: for an unknown score, or a file without it.
    """
    metric = "METRIC"
    if score is not None:
        spec, _ = spec_of(score)
        metric = metric_class(score).name if spec is None else spec.name
    kind = path.suffix.lower() if path.suffix.lower() in SUFFIXES else "JSON"
    try:
        result = json.loads(path.read_text("utf-8")) if kind == "JSON" else _result_of_rows(path)
        return SystemResult.of(str(path), score, result)
    except Exception as error:
        match error:
            case ClaimwiseError():
                problem = error.problem
            case OSError():
                problem = f"cannot be read ({error.strerror or error})."
            case ValueError() | RecursionError() | KeyError() | TypeError() | AttributeError():
                problem = f"is not a {kind} file written by claimwise score."
            case _:
                raise
        remedy = f"Write it with claimwise score {metric} FILE --ci --details --output RESULT.json."
        raise ClaimwiseError(problem, remedy, path=path) from error


def _result_of_rows(path: Path) -> dict[str, Any]:
    """Return a result in the form of ``compute`` from the rows of a table and its metadata."""
    metadata, table = read_scored(path)
    name = metadata["metric"]
    result = dict(metadata["result"])
    further = METRICS[name].spec.further if name in METRICS else {}
    keys = {score: f"{score}_scores" for score in (name, *further)}
    keys |= {f"{name}_weight": f"{name}_weights", f"{name}_input_hash": f"{name}_input_hashes"}
    keys |= {f"{name}_details": f"{name}_details"}
    keys |= {metadata["ids"]: f"{name}_ids"} if metadata.get("ids") else {}
    columns: dict[str, list[Any]] = {column: [] for column in keys}
    for batch in table.batches(names=list(keys)):
        for column, cells in columns.items():
            cells += batch.cells(column)
    texts = (f"{name}_input_hashes", f"{name}_ids")
    for column, key in keys.items():
        cells = [None if cell == "" else cell for cell in columns[column]]
        if key not in texts:  # in a .csv file, numbers and evidence are texts
            cells = [json.loads(cell) if isinstance(cell, str) else cell for cell in cells]
        if any(cell is not None for cell in cells):
            result[key] = cells
    weights = [0.0 if weight is None else weight for weight in result.pop(f"{name}_weights", ())]
    return result | ({f"{name}_weights": weights} if set(weights) - {0.0} != {1.0} else {})


def _cell_of_each_row(result: Mapping[str, Any], key: str, count: int) -> list[Any] | None:
    cells = result.get(key)
    if cells is not None and (not isinstance(cells, list) or len(cells) != count):
        raise ClaimwiseError(f"does not contain {key} for each row.")
    return cells


def _scores(result: Mapping[str, Any], score: str) -> list[float | None]:
    scores = result.get(f"{score}_scores")
    if isinstance(scores, list) and any(value is not None for value in scores):
        return [None if value is None else _number(value, f"a score of {score}") for value in scores]
    others = [key.removesuffix("_scores") for key in result if str(key).endswith("_scores")]
    but = f", but scores of {', '.join(others)}" if others and score not in others else ""
    raise ClaimwiseError(f"contains no scores of {score}{but}.")


def _weights(weights: Sequence[Any], metric: str, scores: Sequence[float | None]) -> list[float]:
    read = [_number(weight, f"a weight of {metric}") for weight in weights]
    for score, weight in zip(scores, read, strict=True):
        if score is not None and weight <= 0:
            raise ClaimwiseError(f"a score of {metric} has the weight {weight:g}, which is not positive.")
    return read


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ClaimwiseError(f"{what} is {json.dumps(value, default=str)}, not a finite number.")
    return float(value)
