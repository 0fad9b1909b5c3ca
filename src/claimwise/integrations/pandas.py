"""``df.claimwise.score("caspr", …)``: importing this module adds the accessor to pandas DataFrames."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from claimwise.errors import ClaimwiseError, TextError
from claimwise.integrations.base import load_metric, score_table
from claimwise.metrics.base import Metric
from claimwise.runners.parts import OnError
from claimwise.tables import REVIEWS, Layout, chosen_name, joined, values_of


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
        reviews: pd.DataFrame | None = None,
        by: str | None = None,
        system: str | None = None,
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
            reviews: a table with one review per row, whose reviews are joined to the rows by ``by``.
            by: the column that says what is reviewed; without ``reviews``, the table itself has one review
                per row, and the scores are those of the first row of each value.
            system: the column that says which system wrote a summary; each system is scored by itself.
            **options: options of the metric.

        Returns:
            A table with the columns ``<metric>``, ``<metric>_weight`` if rows have different weights in the
            mean, and further scores. Its ``attrs`` contain ``"mean"`` (with ``system`` a dict of the mean of
            each), ``"signature"``, the fallback ``"counts"``, and ``"judge_used"`` (requests and tokens) if
            the judge counts its usage.

        Raises:
            ClaimwiseError: for a missing column or an invalid text.
        """
        loaded = load_metric(metric, config_name, options)
        if system is not None:
            column = chosen_name("the table", list(self._frame.columns), [system])
            values_of(self._frame[[column]].to_dict("records"), column, "the table")  # which are all known
            parts = {
                name: ClaimwiseAccessor(frame).score(
                    loaded, columns=columns, on_error=on_error, details=details, reviews=reviews, by=by
                )
                for name, frame in self._frame.groupby(column, sort=False)
            }
            together = pd.concat(parts.values())
            order = [label for label in self._frame.index if label in together.index]
            together = together.loc[order] if together.index.is_unique else together
            signatures = {part.attrs["signature"] for part in parts.values()}
            means = {name: part.attrs["mean"] for name, part in parts.items()}
            together.attrs = {"mean": means, "signature": " ".join(sorted(signatures))}
            for kind in ("counts", "judge_used"):
                summed: Counter[str] = sum(
                    (Counter(part.attrs.get(kind, {})) for part in parts.values()), Counter()
                )
                together.attrs |= {kind: dict(summed)} if kind in next(iter(parts.values())).attrs else {}
            return together
        frame, given = self._joined(loaded, dict(columns or {}), reviews, by)
        return _scored(loaded, frame, given, on_error, details=details)

    def _joined(
        self, metric: Metric, columns: dict[str, str], reviews: pd.DataFrame | None, by: str | None
    ) -> tuple[pd.DataFrame, dict[str, str]]:
        """Return the table with a list of reviews in each row, and the given columns."""
        frame = self._frame
        Layout(reviews=None if reviews is None else "reviews", by=by)  # which checks them
        if by is None:
            return frame, columns
        predictions = next(column for column in metric.spec.columns if column.name == "predictions")
        pairs = joined(
            frame.to_dict("records"),
            None if reviews is None else reviews.to_dict("records"),
            by=by,
            place="the table",
            of_reviews="the reviews",
            text=columns.pop("references", None),
            same=[columns.get("predictions", "predictions"), *predictions.usual],
        )
        index = frame.index[[place for place, _ in pairs]]
        if metric.references_are == "sources":
            columns["references"] = REVIEWS
        return pd.DataFrame([row for _, row in pairs], index=index), columns


def _scored(
    loaded: Metric, frame: pd.DataFrame, columns: dict[str, str], on_error: OnError, *, details: bool
) -> pd.DataFrame:
    """Return the score of every row of a table; see ``ClaimwiseAccessor.score``."""
    name, used = loaded.name, dict[str, int]()
    try:
        added, scored, named = score_table(
            loaded, frame, list(frame.columns), columns, on_error, details=details, used=used
        )
    except ClaimwiseError as error:
        if error.row is None:
            raise
        label = frame.index[error.row]  # the row's label in the index of the table
        problem = error.problem if label == error.row else f"(index {label!r}) {error.problem}"
        located = error.at(problem=problem)
        if isinstance(error, TextError):
            located = located.with_choice("Or pass on_error='row'.")
        raise located from error
    if all(row.weight == 1 for row in scored):
        del added[f"{name}_weight"]
    of_texts = {f"{name}_error", f"{name}_details"}
    table = pd.DataFrame(
        {
            column: pd.Series(cells, frame.index, dtype=object if column in of_texts else float)
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
