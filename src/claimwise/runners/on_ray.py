"""The Ray runner: rows are scored by Ray Data; files are read here, datasets on the cluster."""

from __future__ import annotations

import math
import os
import pickle
import platform
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import Row, RowScore
from claimwise.options import check
from claimwise.runners.base import Runner, usable
from claimwise.runners.cluster import connected, ray_data
from claimwise.runners.file_rows import added_cells, added_columns, check_new, read_names
from claimwise.runners.parts import (
    MOST_DEATHS,
    PAIRS_IN_PART,
    ROWS_IN_PART,
    Job,
    OnError,
    Part,
    ScoredPart,
    deadly,
    dump_job,
    failure,
    load_job,
    with_lists,
)
from claimwise.tables import Holds, with_columns

if TYPE_CHECKING:
    import pyarrow

NUMBER = "__claimwise_row__"
"""The column of row numbers while a dataset is scored."""
PART = "part"
"""The column of pickled parts while a file is scored, and of their scores."""
PIECES_OF_WORKER = 16
"""Approximate number of pieces of a dataset per worker: waiting for the last one costs at most 1/16."""
THE_DATASET = Path("the dataset")


class RayRunner(Runner):
    """Scores parts in workers on a Ray cluster, each with its own judge.

    If this process is already connected to Ray (``ray.init``), that cluster is used.

    Args:
        workers: number of actors.
        address: address of a cluster: ``"auto"`` (the cluster of this machine) or ``"host:port"``; None = a
            cluster on this machine, started for each run and shut down after it.
        num_cpus: CPUs that an actor reserves, and its number of threads.
        num_gpus: GPUs that an actor reserves; a fraction if several share one. 0 = the actor uses the CPU.
        on_error: see ``Runner``.
        rows_in_part: see ``Runner``.

    Raises:
        ClaimwiseError: for an invalid option, or if Ray is not installed.
    """

    first_pairs = PAIRS_IN_PART  # all parts are cut before the first is scored

    def __init__(
        self,
        workers: int = 1,
        *,
        address: str | None = None,
        num_cpus: int = 1,
        num_gpus: float = 0,
        on_error: OnError = "stop",
        rows_in_part: int = ROWS_IN_PART,
    ) -> None:
        super().__init__(workers, on_error=on_error, rows_in_part=rows_in_part)
        check("num_cpus", num_cpus, at_least=1)
        if num_gpus < 0 or (num_gpus > 1 and num_gpus != int(num_gpus)):
            raise ClaimwiseError(
                f"num_gpus must be a whole number or a fraction below 1; got {num_gpus}.", option="num_gpus"
            )
        self.address = address
        self.num_cpus = num_cpus
        self.num_gpus = num_gpus
        ray_data()

    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield each scored part as it is done; all parts are first put into the object store of Ray."""
        import pyarrow

        ray = ray_data()
        with connected(self.address, self.workers, self.num_cpus, self.num_gpus):
            blocks = [ray.put(pyarrow.table({PART: [pickle.dumps(part)]})) for part in parts]
            if not blocks:
                return
            workers = min(self.workers, len(blocks))
            dataset = ray.data.from_arrow_refs(blocks)
            scored, ledger = self._mapped(dataset, job, _PickledParts(), 1, workers)
            for block in scored.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
                yield from map(pickle.loads, block.column(PART).to_pylist())
            _notes(ledger)

    def score_dataset(
        self,
        metric: Metric,
        dataset: Any,
        *,
        columns: Mapping[str, str] | None = None,
        details: bool = False,
        counts: dict[str, int] | None = None,
        used: dict[str, int] | None = None,
    ) -> Any:
        """Score every row of a ``ray.data.Dataset`` on its cluster.

        The rows stay on the cluster, except with a metric that compares rows with each other: this process
        then reads them once. Warnings of the workers are given here, each once.

        Args:
            metric: such as ``claimwise.load("caspr")``.
            dataset: rows of texts.
            columns: column of the metric → column of the dataset; default: the usual names.
            details: add the evidence of every row.
            counts: receives the fallback counts over all rows.
            used: receives the usage of a judge that costs money.

        Returns:
            A materialized dataset with the same rows in the same order, each with the columns that
            ``score_file`` adds.

        Raises:
            ClaimwiseError: for an invalid dataset, row or option.
        """
        self.check(metric)
        names_of_dataset = list(dataset.columns() or [])
        names = read_names(THE_DATASET, names_of_dataset, metric.spec, columns or {})
        added = added_columns(metric, names, details)
        check_new(THE_DATASET, names_of_dataset, added)
        numbered = _numbered(dataset, self.rows_in_part, self.workers)
        first = numbered.take_batch(self.rows_in_part, batch_format="pyarrow")
        reader = _NumberedRows(names, added)
        reader = replace(reader, claims=reader.part(first, metric).claims)
        corpus: list[Row] = []
        if isinstance(metric, CorpusMetric):
            batches = numbered.iter_batches(batch_size=self.rows_in_part, batch_format="pyarrow")
            parts = (reader.part(batch, metric) for batch in batches)
            corpus = [row for part in parts for row in usable(metric, part, self.on_error)]
        job = self._job(metric, details, corpus)
        scored, ledger = self._mapped(numbered, job, reader, self.rows_in_part, self.workers)
        materialized = scored.materialize()
        _tell(metric, _notes(ledger), metric.spec.named(names, reader.claims), counts, used)
        return materialized

    def _mapped(
        self, dataset: Any, job: Job, rows: _PickledParts | _NumberedRows, batch_size: int, workers: int
    ) -> tuple[Any, Any]:
        """Return a dataset of scored batches, not yet scored, and the ledger that its workers keep."""
        ray = ray_data()
        ledger = ray.remote(num_cpus=0)(_Ledger).remote()
        dataset.context.enable_progress_bars = False
        scored = dataset.map_batches(
            _Scorer,
            batch_size=batch_size,
            batch_format="pyarrow",
            # A worker has one part at a time, so that a killed one delays no other part.
            compute=ray.data.ActorPoolStrategy(
                min_size=1, max_size=workers, initial_size=workers, max_tasks_in_flight_per_actor=1
            ),
            fn_constructor_args=([ray.put(_start(job))], rows, ledger, self.num_cpus),
            num_cpus=self.num_cpus,
            num_gpus=self.num_gpus,
        )
        return scored, ledger


def _start(job: Job) -> dict[str, Any]:
    """Return the data that starts an actor: the job, and the versions that its scores depend on."""
    from ray import cloudpickle

    job.metric.load()
    return {
        "job": dump_job(job, cloudpickle.dumps),
        "signature": job.metric.signature(),
        "path": [folder for folder in sys.path if folder],
    }


def _loaded(start: Mapping[str, Any], threads: int) -> Job:
    """Return the job, loaded in this actor, if its scores are those of the process that started the run."""
    os.environ["RAYON_NUM_THREADS"] = str(threads)  # Ray itself sets OpenMP's
    sys.path += [folder for folder in start["path"] if folder not in sys.path]  # where they exist here
    job = load_job(start["job"])
    own = job.metric.signature()
    if own != start["signature"]:
        theirs = dict.fromkeys(start["signature"].split("|"))
        differs = [field for field in own.split("|") if field not in theirs]
        expected = [field for field in theirs if field not in own.split("|")]
        raise ClaimwiseError(
            f"A worker on {platform.node()} would compute different scores: it has {', '.join(differs)}, "
            f"but the process that started the run has {', '.join(expected)}.",
            "Install the same versions on all nodes. Set `dtype` explicitly, for example to float32.",
        )
    return job


def _numbered(dataset: Any, rows_in_part: int, workers: int) -> Any:
    """Return a dataset with its rows in order and numbered, in pieces for all workers."""
    ray, options = ray_data(), dataset.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        blocks = dataset.to_arrow_refs()
    finally:
        options.preserve_order = before
    sizes = ray.get([ray.remote(_length).remote(block) for block in blocks])
    if not sum(sizes):
        raise ClaimwiseError("has no rows to score.", path=THE_DATASET)
    rows = max(rows_in_part, math.ceil(sum(sizes) / (PIECES_OF_WORKER * workers)))
    pieces: list[Any] = []
    first_row = 0
    for block, size in zip(blocks, sizes, strict=True):
        if count := math.ceil(size / rows):
            cut = ray.remote(num_returns=count)(_cut).remote(block, first_row, rows)
            pieces += [cut] if count == 1 else cut
        first_row += size
    numbered = ray.data.from_arrow_refs(pieces)
    numbered.context.execution_options.preserve_order = True
    return numbered


def _notes(ledger: Any) -> list[ScoredPart]:
    """Return the notes of a ledger, and end it; the error of a worker is raised here."""
    notes, error = ray_data().get([ledger.notes.remote(), ledger.error.remote()])
    ray_data().kill(ledger)
    if error is not None:
        raise error
    return list(notes)


def _tell(
    metric: Metric,
    parts: Sequence[ScoredPart],
    named: Sequence[str],
    counts: dict[str, int] | None,
    used: dict[str, int] | None,
) -> None:
    """Give the warnings of all parts, and add up their counts and usage."""
    for message in dict.fromkeys(message for part in parts for message in part.warnings):
        warn(message)
    counted = dict.fromkeys(metric.spec.counts, 0) | _counts(parts)
    metric.warn_of(counted, named)
    if counts is not None:
        counts.update(counted)
    if used is not None:
        for what, count in chain.from_iterable(part.used.items() for part in parts):
            used[what] = used.get(what, 0) + count


def _counts(parts: Iterable[ScoredPart]) -> Counter[str]:
    """Return the counts over all rows."""
    counts: Counter[str] = Counter()
    for row in chain.from_iterable(part.rows for part in parts):
        counts.update(row.counts if isinstance(row, RowScore) else {})
    return counts


# What runs on the cluster --------------------------------------------------------------------------


def _length(block: pyarrow.Table) -> int:
    return len(block)


def _cut(block: pyarrow.Table, first_row: int, rows: int) -> Any:
    """Return a block in numbered pieces of ``rows`` rows."""
    import pyarrow

    numbers = pyarrow.array(range(first_row, first_row + len(block)), type=pyarrow.int64())
    numbered = block.append_column(NUMBER, numbers)
    pieces = [numbered.slice(start, rows) for start in range(0, len(block), rows)]
    return pieces[0] if len(pieces) == 1 else pieces


class _PickledParts:
    """Batches of one part each, of which only the scores come back."""

    def part(self, batch: pyarrow.Table, metric: Metric) -> Part:
        part: Part = pickle.loads(batch[PART][0].as_py())
        return part

    def scored(self, batch: pyarrow.Table, part: Part, scored: ScoredPart, metric: Metric) -> pyarrow.Table:
        import pyarrow

        return pyarrow.table({PART: [pickle.dumps(scored)]})


@dataclass(frozen=True)
class _NumberedRows:
    """Batches of rows with consecutive numbers, which get further columns.

    Attributes:
        names: column of the metric → column of the rows.
        added: columns that are added.
        claims: see ``Part``.
    """

    names: Mapping[str, str]
    added: Mapping[str, Holds]
    claims: frozenset[str] | None = None

    def part(self, batch: pyarrow.Table, metric: Metric) -> Part:
        cells = {own: batch.column(name).to_pylist() for own, name in self.names.items()}
        columns, _ = with_lists(metric.spec, cells)
        claims = metric.spec.claims_in(columns) if self.claims is None else self.claims
        return Part(first_row=batch[NUMBER][0].as_py(), columns=columns, claims=claims)

    def scored(self, batch: pyarrow.Table, part: Part, scored: ScoredPart, metric: Metric) -> pyarrow.Table:
        inputs = metric.input_hashes(part.columns) or repeat(None)
        rows = zip(scored.rows, inputs, strict=False)
        cells = [added_cells(metric.spec, outcome, input_hash) for outcome, input_hash in rows]
        return with_columns(batch.drop_columns([NUMBER]), self.added, cells)


class _Ledger:
    """Runs in an actor: what Ray Data does not tell of the parts, by their first row.

    A part that is scored again, because its worker has died, counts once.
    """

    def __init__(self) -> None:
        self._begun: Counter[int] = Counter()
        self._notes: dict[int, ScoredPart] = {}
        self._error: Exception | None = None

    def begin(self, first_row: int) -> int | None:
        """Return how often a part was begun before; None = the run has failed, and nothing more is scored."""
        self._begun[first_row] += 1
        return None if self._error else self._begun[first_row] - 1

    def note(self, part: ScoredPart) -> None:
        """Keep the warnings and the usage of a part; its only row has the counts of all rows."""
        self._notes[part.first_row] = part

    def fail(self, error: Exception) -> None:
        """Keep the first error."""
        self._error = self._error or error

    def notes(self) -> list[ScoredPart]:
        """Return all parts in their order."""
        return [self._notes[first_row] for first_row in sorted(self._notes)]

    def error(self) -> Exception | None:
        """Return the first error."""
        return self._error


class _Scorer:
    """Runs in an actor of Ray Data: batches in, their scores out; each batch is a part.

    An error goes to the ledger, not to Ray Data, which would keep its workers for a while.
    """

    def __init__(
        self, start: list[Any], rows: _PickledParts | _NumberedRows, ledger: Any, threads: int
    ) -> None:
        self._start, self._rows, self._ledger, self._threads = start, rows, ledger, threads

    @cached_property
    def _job(self) -> Job:
        return _loaded(ray_data().get(self._start[0]), self._threads)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Score a batch; after an error, no rows are left of it."""
        try:
            return self._scored(batch)
        except Exception as error:
            ray_data().get(self._ledger.fail.remote(failure(error)))
            return batch.slice(0, 0)

    def _scored(self, batch: pyarrow.Table) -> pyarrow.Table:
        ray, metric = ray_data(), self._job.metric
        part = self._rows.part(batch, metric)
        begun = ray.get(self._ledger.begin.remote(part.first_row))
        if begun is None:
            return batch.slice(0, 0)
        if begun >= MOST_DEATHS:
            raise deadly(part)
        scored = self._job.score(part)
        note = replace(scored, rows=[RowScore(score=None, counts=_counts([scored]))])
        ray.get(self._ledger.note.remote(note))
        return self._rows.scored(batch, part, scored, metric)
