"""Common parts of the adapters: scoring rows one by one or together, each with a score or an error."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import CorpusMetric, Metric, RowScore
from claimwise.metrics.registry import load
from claimwise.metrics.spec import MetricSpec
from claimwise.runners import local
from claimwise.runners.file_rows import added_cells, added_columns, read_names
from claimwise.runners.parts import OnError, with_lists
from claimwise.tables import Repeated
from claimwise.text.inputs import cells_of

NOTHING_TO_SCORE = "there is nothing to score."
THE_TABLE = Path("the table")


def load_metric(
    metric: str | Metric,
    config_name: str = "default",
    options: Mapping[str, Any] | None = None,
    *,
    part_by_part: str = "",
) -> Metric:
    """Return a metric for an adapter.

    Args:
        metric: name of a metric, or a loaded one.
        config_name: one of its configurations.
        options: override the configuration.
        part_by_part: description of a tool that passes rows in parts, such as ``"inspect-ai scores sample by
            sample"``; metrics that compare all rows with each other are then rejected. Empty = all rows.

    Raises:
        ClaimwiseError: for an unknown metric, configuration or option, or a metric that cannot be used.
    """
    if isinstance(metric, Metric):
        if options or config_name != "default":
            raise ClaimwiseError(
                f"{metric.name} is already loaded, so a configuration and options have no effect.",
                "Pass them to claimwise.load, or pass the name of the metric here.",
            )
        loaded = metric
    else:
        loaded = load(metric, config_name, **(options or {}))
    if part_by_part and isinstance(loaded, CorpusMetric):
        raise ClaimwiseError(
            f"{loaded.name} compares all summaries with each other, but {part_by_part}.",
            f"Score them together: claimwise.load({loaded.name!r}).compute(predictions=…).",
        )
    return loaded


def score_row(metric: Metric, cells: Mapping[str, Any]) -> RowScore:
    """Return the score of one row, with its evidence.

    Args:
        metric: a metric that scores rows independently.
        cells: cells by column; columns that the metric does not read are ignored.

    Raises:
        ClaimwiseError: for an invalid row, or one with nothing to score.
    """
    try:
        rows = metric.rows({name: [cell] for name, cell in _read(metric.spec, cells).items()})
        (scored,) = metric.score_rows(rows, details=True)
    except ClaimwiseError as error:
        raise error.at(row=None) from error
    value_of(scored)
    return scored


def value_of(scored: RowScore) -> float:
    """Return the score of a row.

    Raises:
        ClaimwiseError: if it has none; there is no default.
    """
    if scored.score is None:
        raise ClaimwiseError(NOTHING_TO_SCORE)
    return float(scored.score)


def score_rows(
    metric: Metric, rows: Sequence[Mapping[str, Any]], *, details: bool = False
) -> list[RowScore | ClaimwiseError]:
    """Return the score or the error of each row; valid rows are scored together.

    Args:
        metric: the metric.
        rows: cells by column.
        details: add the evidence.
    """
    given = [_read(metric.spec, cells) for cells in rows]
    names = dict.fromkeys(name for cells in given for name in cells)
    columns = {name: [cells.get(name) for cells in given] for name in names}
    found = local(on_error="row").score_rows(metric, columns, details=details) if rows else []
    nothing = ClaimwiseError(NOTHING_TO_SCORE)
    return [
        nothing.at(row=number) if isinstance(one, RowScore) and one.score is None else one
        for number, one in enumerate(found)
    ]


def score_table(
    metric: Metric,
    columns: Mapping[str, Iterable[Any]],
    names: Sequence[str],
    given: Mapping[str, str],
    on_error: OnError,
    *,
    details: bool = False,
    used: dict[str, int] | None = None,
) -> tuple[dict[str, list[Any]], list[RowScore], list[str]]:
    """Score the rows of a table in memory.

    Args:
        metric: the metric.
        columns: looks up a column of the table by its name.
        names: column names of the table.
        given: column of the metric → column of the table, for columns without a usual name.
        on_error: ``"stop"`` raises an error for an invalid row; ``"row"`` stores the error.
        details: add the evidence of each row.
        used: receives the usage of a judge that costs money.

    Returns:
        The added columns, with the names used by ``claimwise score``; the scores of the rows that have one;
        and the columns that their signature names.

    Raises:
        ClaimwiseError: for a missing column or an invalid row, naming the table's column.
    """
    spec = metric.spec
    chosen = read_names(THE_TABLE, names, spec, given, optional=True)
    cells, _ = with_lists(spec, {own: cells_of(columns[name], str(name)) for own, name in chosen.items()})

    if spec.references_are == "sources":
        Repeated("summary").add(cells["predictions"], cells["references"])

    def of_table(error: ClaimwiseError, **where: Any) -> ClaimwiseError:
        return error.at(column=chosen.get(error.column or "", error.column), **where)

    try:
        found = local(on_error=on_error).score_rows(metric, cells, details=details, used=used)
    except ClaimwiseError as error:
        raise of_table(error) from error
    found = [of_table(one, row=None) if isinstance(one, ClaimwiseError) else one for one in found]
    rows = [added_cells(spec, one, None) for one in found]
    added = list(added_columns(metric, (), details))
    if on_error == "stop":
        added.remove(f"{spec.name}_error")
    scored = [one for one in found if isinstance(one, RowScore)]
    return {name: [row.get(name) for row in rows] for name in added}, scored, spec.named(cells)


def found(spec: MetricSpec, column: str, *places: Mapping[str, Any], key: str | None = None) -> Any:
    """Return a cell by the name of its column or a usual one; None if no place has it.

    Args:
        spec: specification of the metric.
        column: one of its columns.
        *places: mappings to search, in this order.
        key: the only name to look for.
    """
    usual = {declared.name: declared.usual for declared in spec.columns}.get(column, ())
    for name in (key,) if key else (column, *usual):
        for place in places:
            if place.get(name) is not None:
                return place[name]
    return None


def further_columns(spec: MetricSpec) -> list[str]:
    """Return the columns that a metric reads besides predictions and references."""
    return [column.name for column in spec.columns if column.name not in ("predictions", "references")]


def explained(spec: MetricSpec, scored: RowScore, width: int = 100) -> str:
    """Return the evidence of a row as plain text."""
    from rich.console import Console

    from claimwise.evidence.terminal import print_evidence

    if scored.evidence is None:
        return f"{spec.title} {shown(spec, scored.score)}"
    console = Console(file=io.StringIO(), width=width, no_color=True, force_terminal=False)
    print_evidence(console, scored.evidence, f"{spec.title} {shown(spec, scored.score)}")
    return console.file.getvalue().rstrip()  # type: ignore[attr-defined, no-any-return]


def shown(spec: MetricSpec, score: float | None) -> str:
    """Return a formatted score: one decimal for scores up to 100, else three."""
    if score is None:
        return "–"
    high = spec.bounds[1]
    return f"{score:z.1f}" if math.isfinite(high) and high > 10 else f"{score:z.3f}"


class SampleScorer:
    """A metric for a tool that passes one sample at a time.

    Args:
        metric: name of a metric, or a loaded one.
        config_name: one of its configurations.
        options: options of the metric.
        handed_over: description of the tool, such as ``"MLflow scores row by row"``.

    Raises:
        ClaimwiseError: for an unknown metric or option, or a metric that compares all rows with each other.
    """

    def __init__(
        self, metric: str | Metric, config_name: str, options: Mapping[str, Any], handed_over: str
    ) -> None:
        self.metric = load_metric(metric, config_name, options, part_by_part=handed_over)
        self.spec = self.metric.spec

    def cells(self, prediction: Any, references: Any, *places: Mapping[str, Any]) -> dict[str, Any]:
        """Return a sample by column, with further columns from the first of ``places`` that has them."""
        further = {column: found(self.spec, column, *places) for column in further_columns(self.spec)}
        return {"predictions": prediction, "references": references, **further}

    def score(self, cells: Mapping[str, Any]) -> tuple[RowScore, str, dict[str, Any]]:
        """Score a sample.

        Returns:
            Its score, the evidence as plain text, and the rest: weight, further scores, counts other than 0,
            and the signature.

        Raises:
            ClaimwiseError: for an invalid sample; its ``column`` is the metric's.
        """
        row = score_row(self.metric, cells)
        further = {name: score for name, score in row.further.items() if score is not None}
        counts = {name: count for name, count in row.counts.items() if count}
        named = self.spec.named({name: [cell] for name, cell in _read(self.spec, cells).items()})
        signature = self.metric.signature(*named)
        facts = {"weight": row.weight, **further, **counts, "signature": signature}
        return row, explained(self.spec, row), facts


def known_scores(scores: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the (score, weight) of the samples that have a score."""
    return [(score, weight) for score, weight in scores if not math.isnan(score)]


def weighted_mean(scores: Iterable[tuple[float, float]]) -> float:
    """Return the weighted mean of (score, weight) pairs; NaN if there are none."""
    known = known_scores(scores)
    if not known:
        return math.nan
    return sum(score * weight for score, weight in known) / sum(weight for _, weight in known)


def _read(spec: MetricSpec, cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of the columns that a metric reads; a missing required cell is None."""
    return {
        column.name: cells.get(column.name)
        for column in spec.columns
        if column.required or cells.get(column.name) is not None
    }
