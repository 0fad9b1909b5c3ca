"""``df.claimwise.score("caspr", …)``: importing this module adds the accessor to pandas DataFrames."""

from __future__ import annotations

from typing import Any

import pandas as pd

from claimwise.apps.integrations.rows import load_metric, score_table
from claimwise.errors import ClaimwiseError, TextError
from claimwise.metrics.base import Metric
from claimwise.runners.parts import OnError


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
        on_error: OnError = "stop",
        details: bool = False,
        **options: Any,
    ) -> pd.DataFrame:
        """Return the score of every row, with the index of the table: ``df.join(df.claimwise.score(…))``.

        Args:
            metric: name of a metric, or a loaded one.
            config_name: one of its configurations.
            columns: column of the metric → column of the table, such as
                ``{"predictions": "mine", "references": "theirs"}``; default: the usual names, such as
                ``summary_a`` and ``summary_b``, or ``summary`` and ``reviews``.
            on_error: ``"stop"`` raises an error for an invalid text; ``"row"`` leaves such rows without a
                score (NaN, never 0) and writes the reason to the column ``<metric>_error``.
            details: add a column with the evidence of each row.
            **options: options of the metric.

        Returns:
            A table with the columns ``<metric>``, ``<metric>_weight`` if rows have different weights in the
            mean, and further scores. Its ``attrs`` contain ``"mean"``, ``"signature"``, the fallback
            ``"counts"``, and ``"judge_used"`` (requests and tokens) if the judge counts its usage.

        Raises:
            ClaimwiseError: for a missing column or an invalid text.
        """
        loaded = load_metric(metric, config_name, options)
        name, used = loaded.name, dict[str, int]()
        try:
            added, scored, named = score_table(
                loaded,
                self._frame,
                list(self._frame.columns),
                columns or {},
                on_error,
                details=details,
                used=used,
            )
        except ClaimwiseError as error:
            if error.row is None:
                raise
            label = self._frame.index[error.row]  # the row's label in the index of the table
            problem = error.problem if label == error.row else f"(index {label!r}) {error.problem}"
            otherwise = " Or pass on_error='row'." if isinstance(error, TextError) else ""
            raise error.at(problem=problem, remedy=f"{error.remedy}{otherwise}") from error
        if all(row.weight == 1 for row in scored):
            del added[f"{name}_weight"]
        of_texts = {f"{name}_error", f"{name}_details"}
        table = pd.DataFrame(
            {
                column: pd.Series(cells, self._frame.index, dtype=object if column in of_texts else float)
                for column, cells in added.items()
            }
        )
        table.attrs |= {"mean": float("nan"), "signature": loaded.signature(*named)}
        if scored:
            result = loaded.aggregate(scored, columns=named)
            table.attrs |= {"mean": result.mean, "counts": dict(result.counts)}
        if used:
            table.attrs["judge_used"] = used
        return table
