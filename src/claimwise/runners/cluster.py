"""The Ray runner: parts as rows of a Ray Data dataset, scored by a pool of actors with a judge each."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import CorpusMetric, Metric
from claimwise.runners.base import Runner, further_cells, further_columns
from claimwise.runners.parts import ROWS_IN_PART, Job, OnError, Part, ScoredPart, silent
from claimwise.runners.processes import MOST_DEATHS, check_no_limit, check_workers

if TYPE_CHECKING:
    from ray.data import Dataset


class RayRunner(Runner):
    """Scores parts on a Ray cluster.

    Parts go through Ray's object store, so that the nodes need no common disk. What is finished is kept by
    this process, as with the local runner: a run that was stopped goes on, with either runner.

    Args:
        workers: how many actors; each has a judge of its own.
        address: of a cluster, such as ``"auto"`` or ``"ray://host:10001"``; None = the one that this process
            is connected to already, else one on this machine, for as long as the run takes.
        cpus: that each actor takes.
        gpus: that each actor takes.
        on_error: see ``Runner``.
        rows_in_part: see ``Runner``.

    Raises:
        ClaimwiseError: for an option that is wrong, or if Ray is not installed.
    """

    def __init__(
        self,
        workers: int = 1,
        *,
        address: str | None = None,
        cpus: float = 1,
        gpus: float = 0,
        on_error: OnError = "stop",
        rows_in_part: int = ROWS_IN_PART,
    ) -> None:
        super().__init__(on_error=on_error, rows_in_part=rows_in_part)
        check_workers(workers)
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # else it calls home
        try:
            import ray.data  # noqa: F401
        except ImportError as error:
            raise ClaimwiseError(
                "The Ray runner needs Ray Data.", "Install it: pip install 'claimwise[ray]'."
            ) from error
        self.workers, self.address, self.cpus, self.gpus = workers, address, cpus, gpus

    def check(self, metric: Metric) -> None:
        """Refuse a limit of requests that each of several actors would count for itself."""
        if self.workers > 1:
            check_no_limit(metric)

    def scored(self, job: Job, parts: Iterable[Part]) -> Iterator[ScoredPart]:
        """Yield what is found for each part, as it is done."""
        import pyarrow
        import ray

        with self._connected():
            # Put one after the other: the store spills to the disk what its memory does not hold.
            stored = [ray.put(pyarrow.table({"part": [pickle.dumps(part)]})) for part in parts]
            if not stored:
                return
            dataset = ray.data.from_arrow_refs(stored).map_batches(
                _Actor,
                batch_size=1,
                batch_format="pyarrow",
                fn_constructor_args=(pickle.dumps(job),),
                **self._pool(),
            )
            for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
                for answer in batch.column("answer"):
                    is_found, found = pickle.loads(answer.as_py())
                    if not is_found:
                        raise found
                    yield found

    def score_dataset(
        self,
        metric: Metric,
        dataset: Dataset,
        *,
        columns: Mapping[str, str] | None = None,
        details: bool = False,
    ) -> Dataset:
        """Return a dataset with the columns of another, and what a metric finds for each row.

        It is computed when it is consumed, on the cluster that this process is connected to. Ray Data does
        not keep the order of rows unless it is told to: carry an id.

        Args:
            metric: any but one that compares rows with each other.
            dataset: its batches become parts.
            columns: column of the metric → column of the dataset; by default the metric's own names.
            details: add the evidence, as JSON.

        Raises:
            ClaimwiseError: for a corpus metric, or columns that it does not know. A row that cannot be scored
                stops the consumer, unless ``on_error="row"``.
        """
        self.check(metric)
        metric._check_known(columns or {})
        if isinstance(metric, CorpusMetric):
            raise ClaimwiseError(
                f"{metric.name} compares rows with each other, and the rows of a dataset have no numbers.",
                "Score a file, or the columns: claimwise.runners.ray().score_file or .compute.",
            )
        required = {column.name: column.name for column in metric.spec.columns if column.required}
        job = Job(metric=silent(metric), details=details, on_error=self.on_error)
        return dataset.map_batches(
            _RowsActor,
            batch_size=self.rows_in_part,
            batch_format="pyarrow",
            fn_constructor_args=(pickle.dumps(job), required | dict(columns or {})),
            **self._pool(),
        )

    def _pool(self) -> dict[str, Any]:
        from ray.data import ActorPoolStrategy

        return {
            "compute": ActorPoolStrategy(size=self.workers),
            "num_cpus": self.cpus,
            "num_gpus": self.gpus or None,
            "max_restarts": -1,
            "max_task_retries": MOST_DEATHS,
        }

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Connect to the cluster, and leave it as it was found."""
        import ray

        if ray.is_initialized():
            yield
            return
        try:
            if self.address is None:
                ray.init(
                    num_cpus=max(1, round(self.workers * self.cpus)),
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level="error",
                )
            else:
                ray.init(address=self.address, log_to_driver=False, logging_level="error")
        except Exception as error:  # Ray has an exception for every way in which that fails
            reason = " ".join(str(error).split())[:300]
            raise ClaimwiseError(
                f"There is no Ray cluster at {self.address!r} ({reason}).",
                "Start one (ray start --head), or leave the address out.",
                option="address",
            ) from error
        ray.data.DataContext.get_current().enable_progress_bars = False
        try:
            yield
        finally:
            ray.shutdown()


class _Actor:
    """Scores parts, given one a row; an error is an answer too, so that it arrives as it is."""

    def __init__(self, job: bytes) -> None:
        self._given = job
        self._job: Job | None = None

    def __call__(self, batch: Any) -> Any:
        import pyarrow

        answers = [self._answer(part.as_py()) for part in batch.column("part")]
        return pyarrow.table({"answer": pyarrow.array(answers, type=pyarrow.binary())})

    def _answer(self, part: bytes) -> bytes:
        try:
            if self._job is None:
                job: Job = pickle.loads(self._given)
                job.metric.load()
                self._job = job
            return pickle.dumps((True, self._job.score(pickle.loads(part))))
        except ClaimwiseError as error:
            return pickle.dumps((False, error))


class _RowsActor:
    """Scores the rows of batches."""

    def __init__(self, job: bytes, columns: Mapping[str, str]) -> None:
        self._job: Job = pickle.loads(job)
        self._columns = columns
        self._job.metric.load()

    def __call__(self, batch: Any) -> Any:
        import pyarrow

        cells = {own: batch.column(name).to_pylist() for own, name in self._columns.items()}
        scored = self._job.score(Part(number=0, first_row=0, columns=cells))
        spec, details = self._job.metric.spec, self._job.details
        found = [further_cells(row, spec, details) for row in scored.rows]
        for name, kind in further_columns(spec, details).items():
            values = [row.get(name) for row in found]
            is_number = kind == "number"
            one = pyarrow.array(values, type=pyarrow.float64() if is_number else pyarrow.string())
            batch = batch.append_column(name, one)
        return batch
