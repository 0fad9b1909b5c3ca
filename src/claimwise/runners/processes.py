"""The local runner: this process alone, or worker processes that share one copy of the judge's weights."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import Metric
from claimwise.runners.base import Runner
from claimwise.runners.parts import ROWS_IN_PART, Job, OnError, Part, ScoredPart
from claimwise.runners.worker import receive, send

MOST_DEATHS = 3
"""So many workers in a row may die of one part; then it is taken for the part's fault."""


class LocalRunner(Runner):
    """Scores parts on this machine.

    Args:
        workers: 1 = this process; more = so many processes beside it. They share the cores, and on the CPU
            one copy of the judge's weights, which are memory-mapped.
        on_error: see ``Runner``.
        rows_in_part: see ``Runner``.

    Raises:
        ClaimwiseError: for an option that is wrong.
    """

    def __init__(
        self, workers: int = 1, *, on_error: OnError = "stop", rows_in_part: int = ROWS_IN_PART
    ) -> None:
        super().__init__(on_error=on_error, rows_in_part=rows_in_part)
        if workers < 1:
            raise ClaimwiseError(f"workers must be at least 1; got {workers}.", option="workers")
        self.workers = workers

    def check(self, metric: Metric) -> None:
        """Refuse a limit of requests that each of several workers would count for itself."""
        if self.workers > 1 and getattr(metric.options, "max_requests", None) is not None:
            raise ClaimwiseError(
                "max_requests: several workers would each have that many.",
                "Use one worker; judge_concurrency sets how many requests it has under way.",
                option="max_requests",
            )

    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield what is found for each part, as it is done."""
        if self.workers == 1:
            yield from map(job.score, parts)
            return
        job.metric.load()
        with tempfile.TemporaryDirectory(prefix="claimwise-") as folder:
            yield from _in_processes(job, parts, self.workers, _shared_weights(Path(folder)))


def _shared_weights(folder: Path) -> list[Any]:
    """Return the weights that this process holds as files that workers map; none if no model was loaded."""
    if "claimwise.nli.local" not in sys.modules:
        return []
    from claimwise.nli.local import share_weights

    return share_weights(folder)


class _Worker:
    """A worker process; it gets its job with the first part."""

    def __init__(self, start: bytes, workers: int) -> None:
        self._start: bytes | None = start
        threads = str(max(1, _cores() // workers))
        environment = {
            "OMP_NUM_THREADS": threads,
            "RAYON_NUM_THREADS": threads,
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        program = "from claimwise.runners.worker import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def score(self, part: bytes) -> ScoredPart:
        """Return what is found for a part.

        Raises:
            EOFError: if the process is gone.
            ClaimwiseError: what the process raised.
        """
        if self._start is not None:
            self._ask(self._start)
            self._start = None
        scored: ScoredPart = self._ask(part)
        return scored

    def _ask(self, message: bytes) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            send(self.process.stdin, message)
            is_answer, answer = pickle.loads(receive(self.process.stdout))
        except OSError as error:
            raise EOFError from error
        if not is_answer:
            raise answer
        return answer

    def end(self) -> str:
        """End the process, and return how it ended if it had already."""
        code = self.process.poll()
        if code is None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was still to be written
                pass
        code = self.process.wait()
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_processes(job: Job, parts: Iterable[Part], workers: int, weights: list[Any]) -> Iterator[ScoredPart]:
    try:
        start = pickle.dumps({"weights": weights, "job": pickle.dumps(job)})
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ClaimwiseError(
            f"The metric cannot be handed to worker processes ({error}).",
            "Use one worker, or define its judge, decomposer and functions in a module.",
        ) from error
    running: set[_Worker] = set()
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    stopping = threading.Event()

    def score(part: Part) -> ScoredPart:
        message = pickle.dumps(part)
        said = ""
        for _ in range(MOST_DEATHS):
            worker = _taken(idle) or _Worker(start, workers)
            running.add(worker)
            try:
                if stopping.is_set():
                    raise EOFError
                return worker.score(message)
            except EOFError:  # the worker is gone; another one takes the part
                running.discard(worker)
                said = worker.end()
                if stopping.is_set():
                    raise
            finally:
                if worker in running:
                    idle.put(worker)
        last = part.first_row + len(part) - 1
        raise ClaimwiseError(
            f"rows {part.first_row} to {last}: {MOST_DEATHS} worker processes ended on them, one after the "
            f"other ({said}).",
            "If memory ran out, use fewer workers, or smaller max_tokens_per_batch.",
        )

    waiting = iter(parts)
    under_way: set[Future[ScoredPart]] = set()
    with ThreadPoolExecutor(workers) as pool:
        try:
            while True:
                while len(under_way) < 2 * workers and (part := next(waiting, None)) is not None:
                    under_way.add(pool.submit(score, part))
                if not under_way:
                    return
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for one in done:
                    yield one.result()
        finally:
            stopping.set()
            for one in under_way:
                one.cancel()
            for worker in list(running):
                worker.end()


def _taken(idle: queue.SimpleQueue[_Worker]) -> _Worker | None:
    try:
        return idle.get_nowait()
    except queue.Empty:
        return None
