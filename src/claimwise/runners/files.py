"""A run over a file: what is planned before rows are scored, and what is written afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence import Details, maps_html
from claimwise.metrics.base import Metric
from claimwise.metrics.rows import Result, RowScore
from claimwise.runners.file_rows import FileRows, added_columns
from claimwise.runners.kept import KeptParts
from claimwise.runners.parts import Outcome
from claimwise.runners.results import FileResult, aggregate, suffix_of, whole_result, without_rows
from claimwise.signature import unsigned
from claimwise.stats import Interval
from claimwise.tables import (
    SUFFIXES,
    Holds,
    Writer,
    cannot_be_written,
    is_special,
    metadata_path,
    placing,
    write_json,
)


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The files that a run writes: ``target`` is the output as the user named it.

    ``rows``, ``metadata`` and ``page`` are temporary files, which become the output, the metadata beside a
    table, and the page of maps.
    """

    target: Path | None
    suffix: str
    rows: Path | None
    metadata: Path | None
    page: Path | None

    @property
    def is_table(self) -> bool:
        """Whether the output has one row per input row; else it holds a whole result."""
        return self.suffix in SUFFIXES


@contextmanager
def open_outputs(output: str | Path | None, maps: str | Path | None) -> Iterator[Outputs]:
    """Give the temporary files of the outputs, which appear when the block ends without an error."""
    if maps is not None and Path(maps).suffix.lower() not in (".html", ".htm", ""):
        raise ClaimwiseError("is no HTML file, as a map is.", "Use a name that ends in .html.", path=maps)
    target = None if output is None else Path(output)
    suffix = suffix_of(target)
    has_metadata = target is not None and suffix in SUFFIXES and suffix != ".parquet"
    with ExitStack() as opened:
        rows, metadata, page = (
            None if path is None else opened.enter_context(placing(Path(path)))
            for path in (target, metadata_path(target) if target and has_metadata else None, maps)
        )
        yield Outputs(target=target, suffix=suffix, rows=rows, metadata=metadata, page=page)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run scores and writes; with ``signed``, each row of a table has the signature."""

    metric: Metric
    rows: FileRows
    outputs: Outputs
    details: bool
    signed: bool

    @property
    def needs_evidence(self) -> bool:
        """Whether the evidence of each row is kept."""
        return self.details or self.outputs.page is not None

    @property
    def added(self) -> dict[str, Holds]:
        """The columns that are added to the rows, with their types."""
        columns = added_columns(self.metric, self.rows.names, self.details)
        return columns | ({f"{self.metric.name}_signature": "text"} if self.signed else {})

    @property
    def named(self) -> list[str]:
        """The columns that the signature names."""
        return self.metric.spec.named(self.rows.names, self.rows.claims)

    def kept_parts(self, on_error: str) -> KeptParts:
        """Return the store of finished parts, from which a later run of the same plan resumes."""
        target = self.outputs.target
        resumes = target is not None and not is_special(target) and not unsigned(self.metric.options)
        identity = {
            "signature": self.metric.signature(*self.named),
            "rows": self.rows.digest,
            "columns": self.rows.names,
            "details": self.needs_evidence,
            "on_error": on_error,
        }
        return KeptParts(target if resumes else None, identity, len(self.rows.costs))

    def finish(self, kept: KeptParts, used: Mapping[str, int], interval: Interval) -> FileResult:
        """Write the outputs from the scores of all parts, and return what the caller of the run receives.

        Raises:
            ClaimwiseError: if no row has a score, writing fails, or the input has changed.
        """
        outcomes = kept.outcomes()
        aggregated = aggregate(self.metric, outcomes, self.named, interval)
        whole = whole_result(self._with_rows(aggregated, outcomes, kept), outcomes, used)
        result = FileResult(
            output=self.outputs.target,
            rows=len(outcomes),
            mean=aggregated.mean,
            scores=whole[f"{self.metric.name}_scores"],
            failures={
                row: str(error) for row, error in enumerate(outcomes) if isinstance(error, ClaimwiseError)
            },
            counts=aggregated.counts,
            signature=aggregated.signature,
            result=without_rows(self.metric, whole) if self.outputs.is_table else whole,
        )
        self._write(result, outcomes, whole, kept)
        return result

    def _with_rows(self, aggregated: Result, outcomes: Sequence[Outcome], kept: KeptParts) -> Result:
        """Return a result with the inputs, ids and evidence of its rows, unless only a table needs them."""
        if self.outputs.is_table and self.outputs.page is None:
            return aggregated
        inputs = [self.metric.input_hashes(part.columns) for part in self.rows.parts()]
        rows = zip(kept.evidence(), outcomes, strict=True)
        evidence = [own for own, outcome in rows if isinstance(outcome, RowScore)]
        return replace(
            aggregated,
            input_hashes=None if None in inputs else list(chain.from_iterable(filter(None, inputs))),
            ids=self.rows.ids,
            details=None if None in evidence else Details(self.metric.name, evidence),
        )

    def _write(
        self, result: FileResult, outcomes: Sequence[Outcome], whole: dict[str, Any], kept: KeptParts
    ) -> None:
        outputs = self.outputs
        try:
            if outputs.page is not None:
                outputs.page.write_text(maps_html(whole), encoding="utf-8")
            if not self.details:
                whole.pop(f"{self.metric.name}_details", None)
            if outputs.rows is not None and outputs.is_table:
                self._write_table(outputs.rows, result, outcomes, kept)
            elif outputs.rows is not None:
                write_json(outputs.rows, whole)
        except OSError as error:
            raise cannot_be_written(outputs.target or self.rows.path, error) from error
        self.rows.check_unchanged()

    def _write_table(
        self, path: Path, result: FileResult, outcomes: Sequence[Outcome], kept: KeptParts
    ) -> None:
        metadata = {
            "metric": self.metric.name,
            "rows": result.rows,
            "scored": result.scored,
            "errors": len(result.failures),
            "ids": self.rows.id_column,
            "result": result.result,
        }
        signature = {f"{self.metric.name}_signature": result.signature}
        evidence = kept.evidence() if self.details else repeat(None)
        suffix, beside = self.outputs.suffix, self.outputs.metadata
        with Writer(path, suffix, self.rows.table, self.added, metadata, beside) as writer:
            for batch, cells in self.rows.cells(outcomes, evidence):
                writer.write(batch, [own | signature for own in cells])
