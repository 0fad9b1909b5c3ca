"""The Ray runner: actors with a judge each; files are read here, datasets of Ray Data on the cluster."""

from __future__ import annotations

import logging
import math
import os
import platform
import socket
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError, warn
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.metrics.rows import RowScore
from claimwise.options import check
from claimwise.runners.base import Runner, usable
from claimwise.runners.file_rows import added_cells, added_columns, check_new, read_names
from claimwise.runners.parts import ROWS_IN_PART, Job, OnError, Part, ScoredPart, with_lists
from claimwise.runners.pool import Scorer, WorkerEnded, dump_job, load_job, score_parts
from claimwise.tables import Holds, with_columns

if TYPE_CHECKING:
    import pyarrow

NUMBER = "__claimwise_row__"
"""The column of row numbers while a dataset is scored."""
PIECES_OF_WORKER = 16
"""Approximate number of pieces of a dataset per worker: waiting for the last one costs at most 1/16."""
SECONDS_TO_ANSWER = 20
THE_DATASET = Path("the dataset")


class RayRunner(Runner):
    """Scores parts in actors of a Ray cluster, each with its own judge.

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
        _ray()

    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield each scored part as it is done."""
        ray = _ray()
        start = _start(job)
        with self._connected():
            handed = ray.put(start)  # once per node, however many actors it has
            actor = ray.remote(num_cpus=self.num_cpus, num_gpus=self.num_gpus)(Scorer)
            load = partial(_loaded, threads=self.num_cpus)
            yield from score_parts(lambda: _Actor(actor.remote(load), handed), parts, self.workers)

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
        import ray.data

        self.check(metric)
        names_of_dataset = list(dataset.columns() or [])
        names = read_names(THE_DATASET, names_of_dataset, metric.spec, columns or {})
        further = added_columns(metric, names, details)
        check_new(THE_DATASET, names_of_dataset, further)
        pieces = self._numbered(dataset)
        claims = _part(ray.get(pieces[0]), metric, names).claims
        part_of = partial(_part, names=names, claims=claims)
        parts = (part_of(ray.get(piece), metric) for piece in pieces)
        is_corpus = isinstance(metric, CorpusMetric)
        rows = [row for part in parts for row in usable(metric, part, self.on_error)] if is_corpus else []
        job = self._job(metric, details, rows)
        start = ray.put(_start(job))
        told = ray.remote(num_cpus=0)(_Told).remote()
        numbered = ray.data.from_arrow_refs(pieces)
        numbered.context.execution_options.preserve_order = True
        numbered.context.raise_original_map_exception = True
        scored = numbered.map_batches(
            _BatchScorer,
            batch_size=self.rows_in_part,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=self.workers),
            fn_constructor_args=([start], told, part_of, further, self.num_cpus),
            num_cpus=self.num_cpus,
            num_gpus=self.num_gpus,
        )
        materialized = _materialized(scored)
        _tell(metric, ray.get(told.all.remote()), metric.spec.named(names, claims), counts, used)
        return materialized

    def _numbered(self, dataset: Any) -> list[Any]:
        """Return references to pieces of a dataset, in order and with numbered rows."""
        ray = _ray()
        options = dataset.context.execution_options
        before, options.preserve_order = options.preserve_order, True
        try:
            blocks = dataset.to_arrow_refs()
        finally:
            options.preserve_order = before
        sizes = ray.get([ray.remote(_length).remote(block) for block in blocks])
        if not sum(sizes):
            raise ClaimwiseError("has no rows to score.", path=THE_DATASET)
        rows = max(self.rows_in_part, math.ceil(sum(sizes) / (PIECES_OF_WORKER * self.workers)))
        pieces: list[Any] = []
        first_row = 0
        for block, size in zip(blocks, sizes, strict=True):
            if count := math.ceil(size / rows):
                cut = ray.remote(num_returns=count)(_cut).remote(block, first_row, rows)
                pieces += [cut] if count == 1 else cut
            first_row += size
        return pieces

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Connect to the cluster, or start one; an existing connection stays open."""
        ray = _ray()
        if ray.is_initialized():
            if self.address not in (None, "auto", ray.get_runtime_context().gcs_address):
                raise ClaimwiseError(
                    f"address: this process is already connected to a cluster other than {self.address}.",
                    "Leave address out, or call ray.shutdown() first.",
                    option="address",
                )
            self._check_room(is_own=False)
            yield
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if self.address is None:
            options |= {"num_cpus": self.workers * self.num_cpus, "include_dashboard": False}
        try:
            host, _, port = (self.address or "").rpartition(":")
            if host and port.isdigit() and "/" not in host:  # without an answer, Ray tries for minutes
                socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER).close()
            ray.init(self.address or "local", **options)
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            if self.address is None:
                problem = f"Ray did not start on this machine ({reason})."
                raise ClaimwiseError(problem, "See the logs in /tmp/ray.") from error
            raise ClaimwiseError(
                f"address: the Ray cluster {self.address!r} cannot be reached ({reason}).",
                "Start one with ray start --head, or omit address to start one on this machine.",
                option="address",
            ) from error
        try:
            self._check_room(is_own=self.address is None)
            yield
        finally:
            ray.shutdown()

    def _check_room(self, *, is_own: bool) -> None:
        """Report that no node has room for an actor: an error on this machine, a warning on a cluster."""
        ray = _ray()
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        asked = {"CPU": self.num_cpus, "GPU": self.num_gpus}
        if any(all(node.get(name, 0) >= count for name, count in asked.items()) for node in nodes):
            return
        has = ", ".join(f"{max(node.get(name, 0) for node in nodes):g} {name}" for name in asked)
        wants = ", ".join(f"{count:g} {name}" for name, count in asked.items())
        if is_own:
            raise ClaimwiseError(
                f"num_gpus: a worker needs {wants}, but this machine has {has}.",
                "Request fewer CPUs or GPUs, or specify the address of a cluster.",
                option="num_gpus",
            )
        warn(f"A worker needs {wants}, but no node of the cluster has more than {has}: the run waits.")


def _ray() -> Any:
    try:
        import ray.data
    except ImportError as error:
        raise ClaimwiseError(
            "The Ray runner needs Ray Data.", "Install it: pip install '.[ray]' in a clone."
        ) from error
    return ray


def _start(job: Job) -> dict[str, Any]:
    """Return the data that starts an actor: the job, and the versions that its scores depend on."""
    from ray import cloudpickle

    job.metric.load()
    return {
        "job": dump_job(job, cloudpickle.dumps),
        "signature": job.metric.signature(),
        "path": [place for place in sys.path if place],
    }


def _loaded(start: Mapping[str, Any], threads: int) -> Job:
    """Return the job, loaded in this actor.

    Raises:
        ClaimwiseError: if its scores would differ from those of the process that started the run.
    """
    os.environ["RAYON_NUM_THREADS"] = str(threads)  # Ray itself sets OpenMP's
    sys.path += [place for place in start["path"] if place not in sys.path]  # where they exist here
    job = load_job(start["job"])
    own = job.metric.signature()
    if own != start["signature"]:
        theirs = dict.fromkeys(start["signature"].split("|"))
        differs = [field for field in own.split("|") if field not in theirs]
        expected = [field for field in theirs if field not in own.split("|")]
        raise ClaimwiseError(
            f"A worker on {platform.node()} would compute different scores: it has {', '.join(differs)}, "
            f"but the process that started the run has {', '.join(expected)}.",
            "Install the same versions on all nodes; set the dtype explicitly, for example dtype='float32'.",
        )
    return job


class _Actor:
    """A worker in an actor. Ray does not restart it, so that parts on which workers die are detected."""

    def __init__(self, actor: Any, start: Any) -> None:
        self._actor, self._start = actor, start

    def end(self) -> None:
        """End it, wherever it runs."""
        _ray().kill(self._actor)

    def ask(self, part: Part | None) -> tuple[bool, Any]:
        """Send the job, which waits for room on the cluster, or a part; return the answer."""
        from ray.exceptions import RayError, RayTaskError

        try:
            asked = self._start if part is None else part
            answer: tuple[bool, Any] = _ray().get(self._actor.answer.remote(asked))
        except RayTaskError:  # not a fault of the cluster
            raise
        except RayError as error:
            self.end()
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            raise WorkerEnded(lines[-1][:300] if lines else type(error).__name__) from error
        return answer


def _materialized(dataset: Any) -> Any:
    """Run a dataset, and raise the error of a worker as its own."""
    try:
        return dataset.materialize()
    except Exception as error:
        cause = getattr(error, "cause", None)
        raise (cause if isinstance(cause, ClaimwiseError) else error) from error


class _Told:
    """Runs in an actor: collects what a dataset has no column for, by the first row of each part.

    A part that Ray scores again, because its worker has died, counts once.
    """

    def __init__(self) -> None:
        self._parts: dict[int, ScoredPart] = {}

    def add(self, part: ScoredPart) -> None:
        """Note the warnings and the usage of a part; its only row has the counts of all rows."""
        self._parts[part.first_row] = part

    def all(self) -> list[ScoredPart]:
        """Return all parts in their order."""
        return [self._parts[first_row] for first_row in sorted(self._parts)]


def _counts(parts: Iterable[ScoredPart]) -> Counter[str]:
    """Return the counts over all rows."""
    counts: Counter[str] = Counter()
    for row in chain.from_iterable(part.rows for part in parts):
        counts.update(row.counts if isinstance(row, RowScore) else {})
    return counts


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


class _BatchScorer:
    """Runs in an actor of Ray Data: batches of numbered rows in, the same rows with added columns out."""

    def __init__(
        self,
        start: list[Any],
        told: Any,
        part_of: Callable[[pyarrow.Table, Metric], Part],
        further: Mapping[str, Holds],
        threads: int,
    ) -> None:
        self._job = _loaded(_ray().get(start[0]), threads)
        self._told, self._part_of, self._further = told, part_of, further

    def __call__(self, rows: pyarrow.Table) -> pyarrow.Table:
        """Score rows with consecutive numbers."""
        metric = self._job.metric
        part = self._part_of(rows, metric)
        scored = self._job.score(part)
        told = replace(scored, rows=[RowScore(score=None, counts=_counts([scored]))])
        _ray().get(self._told.add.remote(told))
        inputs = metric.input_hashes(part.columns) or repeat(None)
        cells = [
            added_cells(metric.spec, row, of_input)
            for row, of_input in zip(scored.rows, inputs, strict=False)
        ]
        return with_columns(rows.drop_columns([NUMBER]), self._further, cells)


def _part(
    rows: pyarrow.Table, metric: Metric, names: Mapping[str, str], claims: frozenset[str] | None = None
) -> Part:
    cells = {own: rows.column(name).to_pylist() for own, name in names.items()}
    columns, _ = with_lists(metric.spec, cells)
    claims = metric.spec.claims_in(columns) if claims is None else claims
    return Part(first_row=rows[NUMBER][0].as_py(), columns=columns, claims=claims)


def _length(block: pyarrow.Table) -> int:
    return len(block)


def _cut(block: pyarrow.Table, first_row: int, rows: int) -> Any:
    """Return a block in numbered pieces of ``rows`` rows."""
    import pyarrow

    numbers = pyarrow.array(range(first_row, first_row + len(block)), type=pyarrow.int64())
    numbered = block.append_column(NUMBER, numbers)
    pieces = [numbered.slice(start, rows) for start in range(0, len(block), rows)]
    return pieces[0] if len(pieces) == 1 else pieces
