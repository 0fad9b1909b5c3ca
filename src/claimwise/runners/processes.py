"""The local runner: only this process, or worker processes that share one copy of the judge's weights.

Workers are spawned, not forked: threads and CUDA survive that.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

from claimwise.runners.base import Runner
from claimwise.runners.parts import MOST_DEATHS, Job, Part, ScoredPart, deadly, dump_job, failure, load_job


class LocalRunner(Runner):
    """Scores parts on this machine.

    Args:
        workers: number of worker processes; 1 = this process. They share the cores, and on the CPU one
            memory-mapped copy of the judge's weights.
        on_error: see ``Runner``.
        rows_in_part: see ``Runner``.

    Raises:
        ClaimwiseError: for an invalid option.
    """

    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield each scored part as it is done."""
        if self.workers == 1:
            yield from map(job.score, parts)
            return
        job.metric.load()
        with tempfile.TemporaryDirectory(prefix="claimwise-") as name:
            folder = Path(name)
            (folder / "job").write_bytes(dump_job(job))
            yield from _resumed(functools.partial(self._pooled, folder), parts, self.workers)

    def _pooled(self, folder: Path, parts: Iterator[Part], at_once: int) -> Generator[ScoredPart]:
        """Yield scored parts until all are done, or a worker is killed, which ends all workers of a pool."""
        spawn = multiprocessing.get_context("spawn")
        lifeline, our_end = spawn.Pipe(duplex=False)
        pool = ProcessPoolExecutor(at_once, spawn, _begin, (lifeline, max(1, _cores() // self.workers)))
        running: set[Future[ScoredPart]] = set()
        try:
            while True:
                # No more than the workers score, so that a killed worker casts suspicion on few parts.
                running |= {
                    pool.submit(_score, folder, part) for part in islice(parts, at_once - len(running))
                }
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda future: future.exception() is not None):
                    yield future.result()
        except BrokenProcessPool:
            return
        finally:
            if running:
                our_end.close()  # so that workers end at once, whatever they are doing
            pool.shutdown(cancel_futures=True)
            our_end.close()
            lifeline.close()


def _resumed(
    pooled: Callable[[Iterator[Part], int], Iterable[ScoredPart]], parts: Iterable[Part], workers: int
) -> Generator[ScoredPart]:
    """Yield each scored part; a new pool goes on with what a pool with a killed worker has left.

    The parts under way are then scored one at a time, so that the part at fault becomes known.

    Args:
        pooled: scores parts with the given number of workers until all are done or a worker is killed.
        parts: parts, consumed as needed.
        workers: number of workers.

    Raises:
        ClaimwiseError: if three successive workers die on one part.
    """
    left: dict[int, Part] = {}

    def handed_out(parts: Iterable[Part]) -> Iterator[Part]:
        for part in parts:
            left[part.first_row] = part
            yield part

    waiting, deaths = handed_out(parts), Counter[int]()
    while True:
        under_way = list(left.values())
        scored = pooled(handed_out(under_way), 1) if under_way else pooled(waiting, workers)
        for part in scored:
            del left[part.first_row]
            yield part
        if not left:
            if not under_way:
                return
        elif under_way:
            suspect = next(iter(left.values()))
            deaths[suspect.first_row] += 1
            if deaths[suspect.first_row] == MOST_DEATHS:
                raise deadly(suspect)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Code of a worker ---------------------------------------------------------------------------------


def _begin(lifeline: Connection, threads: int) -> None:
    """Prepare a worker process, before it loads anything that computes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, str(threads))
    threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()


def _end_with_parent(lifeline: Connection) -> None:
    """End this process when the other end of the pipe is closed, as it also is when the parent is killed."""
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)


@functools.cache
def _job(folder: Path) -> Job:
    """Return the job, loaded in this process."""
    return load_job((folder / "job").read_bytes())


def _score(folder: Path, part: Part) -> ScoredPart:
    """Score a part; see ``failure``."""
    try:
        return _job(folder).score(part)
    except Exception as error:
        raise failure(error) from None
