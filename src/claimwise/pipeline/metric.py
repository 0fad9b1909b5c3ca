"""What every metric is: configured when made, given texts when computed, a flat dict out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from claimwise import __version__
from claimwise.errors import ClaimwiseError
from claimwise.signature import signature
from claimwise.stats import IntervalMethod, bootstrap_interval, check_interval
from claimwise.text.inputs import check_columns, check_lengths, check_sources, check_texts


class Scored(NamedTuple):
    """What a metric finds.

    Attributes:
        scores: one per summary.
        details: makes the evidence, one dict per summary; called only when it is asked for.
        counts: how often something was worked around, such as ``{"truncated": 2}``.
        weights: how much each summary counts in the mean (the number of its claims, where the mean goes
            over claims); all alike by default.
        further: other keys of the result, each named in full.
    """

    scores: list[float]
    details: Callable[[], list[dict[str, Any]]]
    counts: dict[str, int]
    weights: list[float] | None = None
    further: dict[str, Any] = {}  # noqa: RUF012 - never changed


@dataclass(frozen=True, kw_only=True)
class Options:
    """The keywords a metric takes when it is made."""


class Details(list[dict[str, Any]]):
    """The evidence of a result, one dict per summary: a list that notebooks show as maps.

    Attributes:
        metric: the name of the metric.
    """

    def __init__(self, metric: str, rows: Iterable[dict[str, Any]]) -> None:
        super().__init__(rows)
        self.metric = metric

    def _repr_html_(self) -> str:
        # Imported only when a notebook asks.
        from claimwise.evidence import details_html

        return details_html(self.metric, self)


class Metric(ABC):
    """A metric over pairs of texts.

    Args:
        config_name: one of ``configurations``.
        **options: override the configuration; the fields of ``Options`` of the metric.

    Raises:
        ClaimwiseError: for an unknown configuration or option.
    """

    name: ClassVar[str]
    Options: ClassVar[type[Options]]
    configurations: ClassVar[dict[str, dict[str, Any]]] = {"default": {}}
    references_are: ClassVar[Literal["summaries", "sources", "ignored"]] = "summaries"

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        if config_name not in self.configurations:
            raise ClaimwiseError(
                f"{self.name} has no configuration {config_name!r}. "
                f"Choose one of {', '.join(self.configurations)}."
            )
        known = {field.name for field in fields(self.Options)}
        if unknown := sorted(set(options) - known):
            raise ClaimwiseError(
                f"{self.name} takes no option {', '.join(unknown)}. It takes {', '.join(sorted(known))}."
            )
        self.config_name = config_name
        self.options: Any = self.Options(**(self.configurations[config_name] | options))

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        details: bool = False,
        confidence_level: float | None = None,
        confidence_method: IntervalMethod = "normal",
        resamples: int = 10_000,
        seed: int | None = 0,
        **columns: Sequence[str],
    ) -> dict[str, Any]:
        """Score prediction i against reference i.

        Args:
            predictions: summaries (A∖B, for a contrast metric).
            references: as many: summaries B∖A for a contrast metric; for a factuality metric the sources,
                each a string or a list of strings (reviews). Some metrics need none and ignore them.
            details: add the evidence of every pair.
            confidence_level: add a bootstrap confidence interval of the mean, for example 0.95.
            confidence_method: ``"normal"`` (as in the CASPR paper), ``"percentile"`` or ``"bca"``.
            resamples: of the bootstrap.
            seed: of the bootstrap.
            **columns: further columns that a metric can use, such as ``common`` (distinctiveness_score).

        Returns:
            A flat dict of plain Python values, with keys that begin with the metric's name: the mean,
            ``_scores`` (one per summary), ``_signature``, counts of what was worked around, and on request
            ``_ci`` and ``_details``. Some metrics add further keys.

        Raises:
            ClaimwiseError: for input that cannot be scored; the message names the row.
        """
        self._check_columns(columns)
        texts = self.check({"predictions": predictions, "references": references, **columns})
        if confidence_level is not None:  # before the work, not after it
            check_interval(len(texts["predictions"]), confidence_level, confidence_method, resamples)
        scored = self._score(**texts)
        result: dict[str, Any] = {
            self.name: float(np.average(scored.scores, weights=scored.weights)),
            f"{self.name}_scores": scored.scores,
            **scored.further,
        }
        if confidence_level is not None:
            interval = bootstrap_interval(
                scored.scores,
                confidence_level,
                weights=scored.weights,
                method=confidence_method,
                resamples=resamples,
                seed=seed,
            )
            result[f"{self.name}_ci"] = list(interval)
        if details:
            result[f"{self.name}_details"] = Details(self.name, scored.details())
        for count, value in scored.counts.items():
            result[f"{self.name}_{count}"] = value
        result[f"{self.name}_signature"] = self.signature(*columns)
        return result

    def check(self, columns: dict[str, Any], first_row: int = 0) -> dict[str, Any]:
        """Return the columns ready to be scored: texts, and sources as lists of texts.

        Raises:
            ClaimwiseError: for a text that cannot be scored, naming its row (counted from ``first_row``),
                or columns of unequal lengths.
        """
        if self.references_are == "summaries":
            return dict(check_columns(columns, first_row))
        checked: dict[str, Any] = {
            "predictions": check_texts(columns["predictions"], "predictions", first_row)
        }
        if self.references_are == "sources":
            checked["references"] = check_sources(columns["references"], "references", first_row)
        check_lengths(checked, first_row)
        return checked

    def signature(self, *columns: str) -> str:
        """Return the line that holds everything the scores depend on, further ``columns`` included."""
        return signature(
            self.name,
            {
                "version": __version__,
                "config": self.config_name,
                **self._signature_parts(),
                **dict.fromkeys(columns, "yes"),
            },
        )

    @abstractmethod
    def load(self) -> None:
        """Load whatever the metric needs (models, word lists), so that a failure shows early."""

    @abstractmethod
    def _score(self, *args: Any, **columns: Any) -> Scored:
        """Score what ``check`` returned: ``predictions``, and ``references`` unless they are ignored."""

    @abstractmethod
    def _signature_parts(self) -> dict[str, object]: ...

    def _check_columns(self, columns: dict[str, Any]) -> None:
        if columns:
            raise ClaimwiseError(
                f"{self.name} does not know {', '.join(sorted(columns))}: it scores predictions against "
                f"references, and takes details, confidence_level, confidence_method, resamples and seed."
            )
