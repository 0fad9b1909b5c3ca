"""A metric is a function of one row, followed by an aggregate."""

from __future__ import annotations

import reprlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, ClassVar, Unpack

import numpy as np

from claimwise import __version__
from claimwise.errors import (
    ClaimwiseError,
    RowsError,
    TextError,
    did_you_mean,
    warn,
    without_credentials,
)
from claimwise.evidence.html import STYLE, Details, rendered
from claimwise.metrics.reading import PlainForm, check_columns, rows_of
from claimwise.metrics.rows import Result, Row, RowScore
from claimwise.metrics.spec import MetricSpec, ReferencesAre
from claimwise.options import OptionGroup
from claimwise.signature import input_hash, signature
from claimwise.stats import Interval, IntervalMethod, check_interval, interval_of_mean
from claimwise.text.inputs import check_ids, kept_reviews
from claimwise.text.normalise import VERSION as NORMALISED


class Metric(ABC):
    """A metric over rows of texts.

    Args:
        config_name: one of the configurations.
        **options: override the configuration; the fields of the metric's ``Options``.

    Raises:
        ClaimwiseError: for an unknown configuration or option.
    """

    spec: ClassVar[MetricSpec]
    Options: ClassVar[type[OptionGroup]]
    makes_sentences: ClassVar[bool] = False
    """Whether texts are split into sentences, so that their layout matters and not only their characters."""

    # Parts of the specification, under the names that users know.
    name: ClassVar[str]
    configurations: ClassVar[Mapping[str, Mapping[str, Any]]]
    references_are: ClassVar[ReferencesAre]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "spec" in vars(cls):
            cls.name, cls.configurations = cls.spec.name, cls.spec.configurations
            cls.references_are = cls.spec.references_are

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        if config_name not in self.configurations:
            raise ClaimwiseError(
                f"{self.name} has no configuration `{config_name}`.",
                f"{did_you_mean(config_name, self.configurations)}"
                f"Choose one of {', '.join(self.configurations)}.",
            )
        known = self.Options.names()
        if unknown := sorted(set(options) - set(known)):
            raise ClaimwiseError(
                f"{self.name} has no option {_named(unknown)}.",
                f"{did_you_mean(unknown[0], known)}Its options are {', '.join(sorted(known))}.",
                option=unknown[0],
            )
        self.config_name = config_name
        self._used_by_loading: Mapping[str, int] = {}
        self.options: Any = self.Options(**{**self.configurations[config_name], **options})

    def __repr__(self) -> str:
        changed = "".join(f", {name}={value}" for name, value in self._changed().items())
        return f"{type(self).__name__}({self.config_name!r}{changed})"

    def _repr_html_(self) -> str:
        options = {"configuration": self.config_name, **self._changed()}
        return rendered("metric", spec=self.spec, options=options, style=STYLE)

    def _changed(self) -> dict[str, str]:
        """Return the options that differ from their defaults, without secrets, as short texts."""
        shown = {field.name for field in fields(self.options) if field.repr}
        changed = self.options.changed(self.Options)
        return {name: _shown(value) for name, value in changed.items() if name in shown}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out loaded parts, which are loaded again on use."""
        loaded = {
            name
            for kind in type(self).__mro__
            for name, value in vars(kind).items()
            if isinstance(value, cached_property)
        }
        return {name: value for name, value in self.__dict__.items() if name not in loaded}

    def compute(
        self,
        *,
        predictions: Sequence[str | Sequence[str]],
        references: Sequence[str | Sequence[str]] | None = None,
        ids: Sequence[str | int] | None = None,
        details: bool = False,
        confidence_level: float | None = None,
        confidence_method: IntervalMethod = "percentile",
        resamples: int = 10_000,
        seed: int | None = 0,
        **columns: Sequence[Any] | None,
    ) -> dict[str, Any]:
        """Score prediction i against reference i.

        Args:
            predictions: summaries (A∖B for a contrast metric), each a string; a metric that decomposes
                summaries also accepts lists of claims, which are used unchanged.
            references: one per prediction: summaries B∖A for a contrast metric, as strings or lists of
                claims; for a factuality metric the sources, each a string or a list of strings (reviews); for
                a coverage metric the reference summaries, each a string or a list of several. Metrics that
                need no references ignore them.
            ids: distinct ids of the rows, to compare the results of several systems; shown with the evidence.
            details: add the evidence of every row.
            confidence_level: add a bootstrap confidence interval of the mean, for example 0.95.
            confidence_method: ``"percentile"``, ``"bca"``, or ``"normal"`` (as in the CASPR paper; it can
                exceed the metric's range, the others cannot).
            resamples: number of bootstrap resamples.
            seed: random seed of the bootstrap.
            **columns: further columns that the metric reads, such as ``common`` or ``entities``.

        Returns:
            A flat dict of plain Python values, with keys that begin with the metric's name: the mean,
            ``_scores`` (per row), ``_weights`` unless every row counts once in the mean, ``_input_hashes``
            (a hash of each row's source or references, if any), ``_ids`` if given, ``_signature``, counts,
            ``_judge_used`` (requests and tokens of this call) if judge or decomposer count, and on request
            ``_ci`` and ``_details``. Some metrics have further scores, each with its mean, ``_scores`` and
            ``_ci`` under its own name, and further keys.

        Raises:
            ClaimwiseError: for invalid input; the message names the row.
        """
        self._check_known(columns)
        checked = self._checked({"predictions": predictions, "references": references, **columns})
        rows = self._rows_of(checked)
        names = None if ids is None else check_ids(ids, len(rows))
        interval = Interval(
            confidence_level=confidence_level,
            confidence_method=confidence_method,
            resamples=resamples,
            seed=seed,
        )
        check_interval(len(rows), **interval)  # before any work
        before = self.usage_before()
        scores = self.score_rows(rows, details=details)
        result = self.aggregate(scores, columns=self.spec.named(checked), **interval)
        entries = replace(result, input_hashes=self.input_hashes(checked), ids=names).as_dict()
        if used := self.used_since(before):
            entries[f"{self.name}_judge_used"] = used
        return entries

    def _checked(self, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
        try:
            return self.check(columns)
        except (TextError, RowsError) as error:
            remaining = "Or score the other rows: claimwise.runners.local(on_error='row').compute(metric, …)."
            raise error.with_choice(remaining) from error

    @property
    def judge_used(self) -> Mapping[str, int]:
        """Usage of the judge and the decomposer since they were loaded; empty unless one counts its usage.

        For callers of ``score_rows``; ``compute`` returns the usage of each call.
        """
        return {}

    def usage_before(self) -> Mapping[str, int]:
        """Return the usage so far, less the requests of loading, which the next call counts as its own."""
        uncounted, self._used_by_loading = self._used_by_loading, {}
        return used_beyond(uncounted, self.judge_used)

    def used_since(self, before: Mapping[str, int]) -> dict[str, int]:
        """Return the usage since ``usage_before``."""
        self._used_by_loading = {}
        return used_beyond(before, self.judge_used)

    def check(
        self, columns: Mapping[str, Any], first_row: int = 0, claims: Collection[str] | None = None
    ) -> dict[str, list[Any]]:
        """Return the checked columns; see ``check_columns``."""
        return check_columns(self.spec, columns, first_row, claims)

    def rows(
        self, columns: Mapping[str, Any], first_row: int = 0, claims: Collection[str] | None = None
    ) -> list[Row]:
        """Return columns as checked rows; see ``check_columns``."""
        return self._rows_of(self.check(columns, first_row, claims), first_row)

    def _rows_of(self, checked: Mapping[str, Sequence[Any]], first_row: int = 0) -> list[Row]:
        english_only = bool(self.english_only(self.spec.claims_in(checked)))
        return rows_of(self.spec, checked, self._form, first_row=first_row, english_only=english_only)

    def english_only(self, columns: Collection[str] = ()) -> tuple[str, ...]:
        """Return the options whose parts read only English, given the columns that the signature names."""
        return ()

    def input_hashes(self, columns: Mapping[str, Sequence[Any] | None]) -> list[str] | None:
        """Return for each row a hash of the input that all systems share.

        This is the cell of the first given column of ``MetricSpec.shared``, without blank reviews; None if
        none is given.
        """
        for name in self.spec.shared:
            if (cells := columns.get(name)) is not None:
                is_source = name == "references" and self.spec.references_are == "sources"
                return [input_hash(kept_reviews(cell) if is_source else cell) for cell in cells]
        return None

    @abstractmethod
    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each row; with ``details`` also its evidence."""

    def aggregate(
        self,
        row_scores: Sequence[RowScore],
        *,
        columns: Collection[str] = (),
        **interval: Unpack[Interval],
    ) -> Result:
        """Return the result of all rows, computed only from their scores.

        Args:
            row_scores: results of ``score_rows``, in the order of the rows; iterated several times.
            columns: the columns that the signature names; see ``MetricSpec.named``.
            **interval: ``confidence_level`` and the other arguments of ``compute`` for the interval.

        Raises:
            ClaimwiseError: if no row has a score, or too few rows have a score for an interval.
        """
        every_score = [row.score for row in row_scores]
        every_weight = [row.weight for row in row_scores]
        scores, weights = _scored(every_score, every_weight)
        if not scores:
            raise ClaimwiseError("No row has a score.", "Provide at least one row that can be scored.")
        details = None
        if all(row.evidence is not None for row in row_scores):
            details = Details(self.name, [row.evidence.as_dict() for row in row_scores if row.evidence])
        counts = {
            count: sum(row.counts.get(count, 0) for row in row_scores)
            for count in dict.fromkeys([*self.spec.counts, *(c for row in row_scores for c in row.counts)])
        }
        self.warn_of(counts, columns)
        return Result(
            name=self.name,
            mean=float(np.average(np.asarray(scores, dtype=np.float64), weights=weights)),
            scores=every_score,
            weights=None if set(every_weight) == {1.0} else every_weight,
            further={
                **self._further(row_scores, interval),
                **self._of_all(row_scores, interval.get("confidence_level")),
            },
            interval=interval_of_mean(scores, weights, **interval),
            details=details,
            counts=counts,
            signature=self.signature(*columns),
        )

    def warn_of(self, counts: Mapping[str, int], columns: Collection[str] = ()) -> None:
        """Warn once of what the metric cannot read; see ``remarks``."""
        for problem, remedy in self.remarks(counts, columns):
            warn(f"{self.name}: {problem} {remedy}")

    def remarks(self, counts: Mapping[str, int], columns: Collection[str] = ()) -> list[tuple[str, str]]:
        """Return what warnings and pages say about texts that the metric cannot read: problem and remedy."""
        remarks = []
        if texts := counts.get("not_english"):
            parts = " and ".join(self.english_only(columns))
            look = "does not look" if texts == 1 else "do not look"
            problem = (
                f"{texts} of the texts {look} English, but {parts} can read only English. Their scores "
                "are unreliable."
            )
            remedy = (
                "Translate the texts, or choose components that support their language, such as "
                "decomposer='sentences' with judge='openai:MODEL'."
            )
            remarks.append((problem, remedy))
        if emoji := counts.get("emoji"):
            problem = f"a judge cannot read {emoji} emoji in the texts, which have no known meaning."
            remarks.append((problem, "Write in words what matters."))
        if texts := counts.get("markup"):
            contain = "contains" if texts == 1 else "contain"
            problem = f"{texts} of the texts {contain} HTML tags or entities, which are scored as words."
            remarks.append((problem, "Remove them first."))
        return remarks

    def signature(self, *columns: str) -> str:
        """Return the signature: everything the scores depend on, with columns as in ``aggregate``."""
        parts = {
            "version": __version__,
            "config": self.config_name,
            **({"texts": f"{self._form}-{NORMALISED}"} if self.normalises else {}),
            **self._parts_with(columns),
        }
        return signature(self.name, parts)

    @property
    def normalises(self) -> bool:
        """Whether texts are brought into plain form; the configuration ``paper`` reads them as given."""
        return self.config_name != "paper"

    @property
    def _form(self) -> PlainForm:
        """What happens to texts before they are read."""
        if not self.normalises:
            return "as given"
        return "plain" if self.makes_sentences else "repaired"

    @abstractmethod
    def load(self) -> None:
        """Load the parts of the metric (models, word lists), so that failures show early."""

    @abstractmethod
    def _signature_parts(self) -> dict[str, object]: ...

    def _parts_with(self, columns: Collection[str]) -> dict[str, object]:
        """Return the parts of the signature, including the given columns."""
        return {**self._signature_parts(), **dict.fromkeys(columns, "yes")}

    def _of_all(self, row_scores: Sequence[RowScore], confidence_level: float | None) -> Mapping[str, Any]:
        """Return further entries of the result, by full name, that are not per-row scores."""
        return {}

    def _further(self, row_scores: Sequence[RowScore], interval: Interval) -> dict[str, Any]:
        """Return the mean, the list and the interval of each further score."""
        results: dict[str, Any] = {}
        for name, further in self.spec.further.items():
            every_score = [row.further.get(name) for row in row_scores]
            every_weight = [row.weight if further.weighted else 1.0 for row in row_scores]
            scores, weights = _scored(every_score, every_weight)
            if not scores:
                continue
            results[name] = float(np.average(scores, weights=weights))
            results[f"{name}_scores"] = every_score
            if len(scores) > 1 and (ends := interval_of_mean(scores, weights, **interval)):
                results[f"{name}_ci"] = list(ends)
        return results

    def _check_known(self, columns: Collection[str]) -> None:
        own = [column.name for column in self.spec.columns]
        options = ("ids", "details", "confidence_level", "confidence_method", "resamples", "seed")
        if unknown := sorted(set(columns) - set(own)):
            raise ClaimwiseError(
                f"{self.name} has no column or option {_named(unknown)} in compute.",
                f"{did_you_mean(unknown[0], (*own, *options))}Its columns are {', '.join(own)}; its options "
                f"are {', '.join(options[:-1])} and {options[-1]}.",
            )


def used_beyond(before: Mapping[str, int], now: Mapping[str, int]) -> dict[str, int]:
    """Return what was used ``now`` beyond what was used ``before``."""
    return {what: count - before.get(what, 0) for what, count in now.items()}


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _scored(scores: Sequence[float | None], weights: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the scores of the rows that have one, and their weights."""
    known = [(score, weight) for score, weight in zip(scores, weights, strict=True) if score is not None]
    return [score for score, _ in known], [weight for _, weight in known]


def _shown(value: Any) -> str:
    """Return the value of an option in a few words; an object, which may hold a key, only by its type."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, str | int | float | PurePath):
        return without_credentials(reprlib.repr(str(value) if isinstance(value, PurePath) else value))
    return getattr(value, "__name__", f"<{type(value).__name__}>")


class CorpusMetric(Metric):
    """A metric whose rows are compared with each other, using a state prepared once.

    ``prepare(rows)`` returns a small, picklable state, which a runner sends to its workers; ``score_rows``
    then scores any part of the rows.
    """

    @abstractmethod
    def prepare(self, rows: Sequence[Row]) -> Any:
        """Return the state of all ``rows`` that scoring a row needs; row numbers may have gaps."""

    @abstractmethod
    def score_rows(self, rows: Sequence[Row], *, details: bool = False, state: Any = None) -> list[RowScore]:
        """Return the score of each row, given the ``state`` of all rows (default: of ``rows`` only)."""
