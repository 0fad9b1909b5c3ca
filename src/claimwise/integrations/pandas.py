"""``df.claimwise.score("caspr", …)``: importing this module adds the accessor to pandas DataFrames."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from claimwise.errors import ClaimwiseError, TextError
from claimwise.integrations.base import load_metric
from claimwise.integrations.tables import score_table
from claimwise.metrics.base import Metric
from claimwise.runners.file_rows import long_columns
from claimwise.runners.parts import OnError
from claimwise.tables import Layout, chosen_name, joined, values_of


@pd.api.extensions.register_dataframe_accessor("claimwise")
class ClaimwiseAccessor:
    """The metrics of claimwise over the rows of a table."""

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
        reviews: pd.DataFrame | None = None,
        by: str | None = None,
        system: str | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """Return the score of every row, with the index of the table: ``df.join(df.claimwise.score(…))``.

        Args:
            metric: a metric, by name or loaded.
            config_name: one of its configurations.
            columns: column of the metric → column of the table, such as ``{"predictions": "mine"}``; default:
                the usual names, such as ``summary_a`` and ``summary_b``, or ``summary`` and ``reviews``.
            on_error: ``"stop"`` raises an error for an invalid text; ``"row"`` leaves such rows without a
                score (NaN, never 0) and writes the reason to the column ``<metric>_error``.
            details: add a column with the evidence of each row.
            reviews: a table with one review per row, whose reviews are joined to the rows by ``by``.
            by: the column that says what is reviewed; without ``reviews``, the table itself has one review
                per row, and the scores are those of the first row of each value.
            system: the column that says which system wrote a summary; each system is scored by itself.
            **options: options of the metric.

        Returns:
            The columns ``<metric>``, ``<metric>_weight`` if rows have different weights in the mean, and
            further scores. Its ``attrs`` contain ``"mean"`` (with ``system`` that of each system),
            ``"signature"``, the fallback ``"counts"``, and ``"judge_used"`` (requests and tokens) if the
            judge counts its usage.

        Raises:
            ClaimwiseError: for a missing column or an invalid text.
        """
        loaded = load_metric(metric, config_name, options)
        if system is None:
            joined_frame, names = _with_reviews(loaded, self._frame, columns or {}, reviews, by)
            return _scored(loaded, joined_frame, names, on_error, details=details)
        column = chosen_name("the table", list(self._frame.columns), [system])
        values_of(self._frame[[column]].to_dict("records"), column, "the table")  # rejects an empty cell
        same: dict[str, Any] = {"columns": columns, "on_error": on_error, "details": details}
        tables = {
            name: ClaimwiseAccessor(frame).score(loaded, reviews=reviews, by=by, **same)
            for name, frame in self._frame.groupby(column, sort=False)
        }
        return _together(tables, self._frame.index)


def _with_reviews(
    metric: Metric, frame: pd.DataFrame, columns: dict[str, str], reviews: pd.DataFrame | None, by: str | None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the table with a list of reviews in each row, and the given columns that it has."""
    layout = Layout(reviews=None if reviews is None else "reviews", by=by)
    given, how = long_columns(metric.spec, columns, layout)
    if by is None:
        return frame, given
    review_rows = None if reviews is None else reviews.to_dict("records")
    places = {"place": "the table", "of_reviews": "the reviews"}
    rows = joined(frame.to_dict("records"), review_rows, by=by, **places, **how)
    index = frame.index[[number for number, _ in rows]]
    return pd.DataFrame([row for _, row in rows], index=index), given


def _scored(
    metric: Metric, frame: pd.DataFrame, columns: dict[str, str], on_error: OnError, *, details: bool
) -> pd.DataFrame:
    """Return the score of every row of a table; see ``ClaimwiseAccessor.score``."""
    try:
        scored = score_table(metric, frame, columns, on_error, details=details)
    except ClaimwiseError as error:
        if error.row is None:
            raise
        label = frame.index[error.row]  # the row's label in the index of the table
        problem = error.problem if label == error.row else f"(index {label}) {error.problem}"
        choice = "Or pass on_error='row'." if isinstance(error, TextError) else ""
        raise error.at(problem=problem).with_choice(choice) from error
    if all(row.weight == 1 for row in scored.rows):
        del scored.added[f"{metric.name}_weight"]
    texts = {f"{metric.name}_error", f"{metric.name}_details"}
    types = {name: object if name in texts else float for name in scored.added}
    table = pd.DataFrame(scored.added, frame.index, dtype=object).astype(types)
    table.attrs |= {"mean": float("nan"), "signature": metric.signature(*scored.columns)}
    if scored.rows:
        result = metric.aggregate(scored.rows, columns=scored.columns)
        table.attrs |= {"mean": result.mean, "counts": dict(result.counts)}
    if scored.used:
        table.attrs["judge_used"] = scored.used
    return table


def _together(tables: dict[Any, pd.DataFrame], index: pd.Index) -> pd.DataFrame:
    """Return the tables of several systems as one, its rows in the order of ``index``."""
    together = pd.concat(tables.values())
    if together.index.is_unique:
        together = together.loc[index[index.isin(together.index)]]
    attrs = [table.attrs for table in tables.values()]
    together.attrs = {
        "mean": {name: table.attrs["mean"] for name, table in tables.items()},
        "signature": " ".join(sorted({own["signature"] for own in attrs})),
    }
    for kind in attrs[0].keys() & {"counts", "judge_used"}:
        total: Counter[str] = sum((Counter(own.get(kind, {})) for own in attrs), Counter())
        together.attrs[kind] = dict(total)
    return together
