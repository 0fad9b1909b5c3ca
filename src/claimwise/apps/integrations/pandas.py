"""``df.claimwise.score("caspr", …)``: importing this module gives every pandas DataFrame the accessor."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd

from claimwise.apps.integrations.rows import load_metric, score_rows
from claimwise.errors import ClaimwiseError, TextError
from claimwise.metrics.base import Metric, RowScore
from claimwise.metrics.spec import Column


@pd.api.extensions.register_dataframe_accessor("claimwise")
class ClaimwiseAccessor:
    """The metrics of claimwise over the rows of a table.

    Args:
        frame: the table.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def score(
        self,
        metric: str | Metric,
        config_name: str = "default",
        *,
        columns: dict[str, str] | None = None,
        unscored: Literal["raise", "keep"] = "raise",
        details: bool = False,
        **options: Any,
    ) -> pd.DataFrame:
        """Return the score of every row, with the index of the table: ``df.join(df.claimwise.score(…))``.

        Args:
            metric: name of the metric, or one that is made already.
            config_name: one of its configurations.
            columns: what the metric reads → the name of the column of the table, such as
                ``{"predictions": "mine", "references": "theirs"}``. By default the usual names, such as
                ``summary_a`` and ``summary_b``, or ``summary`` and ``reviews``.
            unscored: ``"raise"`` refuses a text that cannot be scored; ``"keep"`` leaves such rows without a
                score (NaN, never 0) and gives the reason in the column ``<metric>_unscored``.
            details: add a column of the evidence of each row.
            **options: of the metric.

        Returns:
            A table with the columns ``<metric>``, ``<metric>_weight`` where rows count differently in the
            mean, and further scores. Its ``attrs`` hold ``"mean"`` and ``"signature"``.

        Raises:
            ClaimwiseError: for a missing column, or a text that cannot be scored.
        """
        if unscored not in ("raise", "keep"):
            raise ClaimwiseError(
                f"Unknown value {unscored!r}.", "Choose 'raise' or 'keep'.", option="unscored"
            )
        loaded = load_metric(metric, config_name, options)
        name, spec = loaded.name, loaded.spec
        chosen = self._columns(loaded, columns or {})
        cells = {column: self._frame[of_frame].tolist() for column, of_frame in chosen.items()}
        outcomes: list[RowScore | ClaimwiseError]
        if unscored == "raise":
            try:
                outcomes = list(loaded.score_rows(loaded.rows(cells), details=details))
            except ClaimwiseError as error:
                raise self._at_index(error, chosen) from error
        else:
            outcomes = score_rows(
                loaded,
                [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)],
                details=details,
            )
        scored = [one if isinstance(one, RowScore) else None for one in outcomes]
        table = pd.DataFrame({name: _floats(one and one.score for one in scored)}, index=self._frame.index)
        if any(one is not None and one.weight != 1 for one in scored):
            table[f"{name}_weight"] = _floats(one and one.weight for one in scored)
        for further in spec.further:
            table[further] = _floats(one and one.further.get(further) for one in scored)
        if unscored == "keep":
            table[f"{name}_unscored"] = pd.Series(
                [str(one.at(row=None)) if isinstance(one, ClaimwiseError) else None for one in outcomes],
                index=self._frame.index,
                dtype=object,
            )
        if details:
            table[f"{name}_details"] = pd.Series(
                [one.evidence.as_dict() if one and one.evidence else None for one in scored],
                index=self._frame.index,
                dtype=object,
            )
        kept = [one for one in scored if one is not None]
        mean = loaded.aggregate(kept).mean if kept else float("nan")
        table.attrs |= {"mean": mean, "signature": loaded.signature(*_further(chosen))}
        return table

    def _columns(self, metric: Metric, given: dict[str, str]) -> dict[str, str]:
        """Return the column of the table for each that the metric reads."""
        known = {column.name for column in metric.spec.columns}
        if unknown := sorted(set(given) - known):
            raise ClaimwiseError(
                f"{metric.name} reads no column {', '.join(unknown)}.",
                f"It reads {', '.join(sorted(known))}.",
                option="columns",
            )
        chosen = {column: self._column(column, given.get(column.name)) for column in metric.spec.columns}
        return {column.name: of_frame for column, of_frame in chosen.items() if of_frame is not None}

    def _column(self, column: Column, given: str | None) -> str | None:
        names = [given] if given is not None else [column.name, *column.usual]
        there = [name for name in names if name in self._frame.columns]
        if not there and (column.required or given is not None):
            raise ClaimwiseError(
                f"The table has no column {' or '.join(map(repr, names))} for {column.name} "
                f"({column.meaning}).",
                f"Name one of {', '.join(map(str, self._frame.columns))}: columns={{{column.name!r}: …}}.",
                option="columns",
            )
        return there[0] if there else None

    def _at_index(self, error: ClaimwiseError, chosen: dict[str, str]) -> ClaimwiseError:
        """Return an error that names the column of the table, and the row as its index does."""
        where: dict[str, Any] = {"column": chosen.get(error.column or "", error.column)}
        problem = error.problem
        if error.row is not None:
            label = self._frame.index[error.row]
            if label != error.row:
                problem = f"(index {label!r}) {problem}"
        remedy = error.remedy
        if isinstance(error, TextError):
            remedy = f"{remedy} Or give unscored='keep'."
        return error.at(problem=problem, remedy=remedy, **where)


def _further(columns: dict[str, str]) -> list[str]:
    return [name for name in columns if name not in ("predictions", "references")]


def _floats(values: Any) -> list[float]:
    """Return numbers, NaN where there is none."""
    return [float("nan") if value is None else float(value) for value in values]
