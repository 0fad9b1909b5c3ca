"""A pool of workers that may die at any time: each part is retried until a worker has scored it."""

from __future__ import annotations

import itertools
import pickle
import queue
import threading
import traceback
from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol

from claimwise.errors import ClaimwiseError
from claimwise.runners.parts import Job, Part, ScoredPart

MOST_DEATHS = 3
"""Number of workers that may die on a part before the part counts as the cause."""


class WorkerEnded(Exception):  # noqa: N818 - it is no error: another worker takes the part
    """A worker has ended; the message says how."""


class Worker(Protocol):
    """A separate process, here or elsewhere."""

    def ask(self, part: Part | None) -> tuple[bool, Any]:
        """Return True and the scored part, or False and the exception; None, sent first, loads the job.

        Raises:
            WorkerEnded: if the worker has ended.
        """

    def end(self) -> None:
        """End the worker, whatever it is doing: ``ask`` then raises WorkerEnded. It may have ended before."""


def score_parts(start: Callable[[], Worker], parts: Iterable[Part], workers: int) -> Generator[ScoredPart]:
    """Yield each scored part as it is done.

    Parts go to workers that are ready, so that a worker that waits for resources delays nothing. At most two
    parts per worker are in progress, and there are no more workers than parts.

    Args:
        start: starts a worker.
        parts: parts, consumed as needed.
        workers: maximum number of workers.

    Raises:
        ClaimwiseError: if three successive workers die on one part, or before they have one; and any error of
            a worker.
    """
    waiting = iter(parts)
    first = list(itertools.islice(waiting, workers))
    pool = _Pool(start, len(first))
    under_way = 0
    try:
        for part in itertools.chain(first, waiting):
            pool.asked.put((part, 0))
            under_way += 1
            if under_way == 2 * workers:
                yield pool.answer()
                under_way -= 1
        for _ in range(under_way):
            yield pool.answer()
    finally:
        pool.stop()


class _Pool:
    """Threads with one worker each, the queue of parts, and the queue of answers."""

    def __init__(self, start: Callable[[], Worker], threads: int) -> None:
        self.asked: queue.SimpleQueue[tuple[Part, int] | None] = queue.SimpleQueue()
        self._start = start
        self._answers: queue.SimpleQueue[ScoredPart | BaseException] = queue.SimpleQueue()
        self._running: set[Worker] = set()
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def answer(self) -> ScoredPart:
        """Return the next scored part."""
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def stop(self) -> None:
        """End all workers and threads."""
        self._stopping.set()
        for worker in list(self._running):
            worker.end()
        for _ in self._threads:
            self.asked.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        """Score parts, replacing workers that die, until nothing is left to do."""
        try:
            never_ready = 0
            while never_ready < MOST_DEATHS:
                worker, part, deaths = self._start(), None, 0
                self._running.add(worker)
                try:
                    if self._stopping.is_set():
                        return
                    _asked_of(worker, None)
                    never_ready = 0
                    while (asked := self.asked.get()) is not None:
                        part, deaths = asked
                        self._answers.put(_asked_of(worker, part))
                    return
                except WorkerEnded as end:
                    said = str(end)
                finally:
                    self._running.discard(worker)
                    worker.end()
                if self._stopping.is_set():
                    return
                if part is None:
                    never_ready += 1
                elif deaths + 1 < MOST_DEATHS:
                    self.asked.put((part, deaths + 1))
                else:
                    last = part.first_row + len(part)
                    raise ClaimwiseError(
                        f"rows {part.first_row + 1} to {last} (counted from 1): {MOST_DEATHS} successive "
                        f"worker processes died while scoring them ({said}).",
                        "If memory ran out, use fewer workers or a smaller max_tokens_per_batch.",
                    )
            raise ClaimwiseError(
                f"{MOST_DEATHS} successive worker processes died before they received any rows ({said}).",
                "If memory ran out, use fewer workers.",
            )
        except BaseException as error:
            self._answers.put(error)


def _asked_of(worker: Worker, part: Part | None) -> Any:
    is_answer, answer = worker.ask(part)
    if not is_answer:
        raise answer
    return answer


# Code of a worker, wherever it runs --------------------------------------------------------------


class Scorer:
    """Answers in a worker: the first request loads the job, all others score parts; errors are answers, too.

    Args:
        load: loads the job from the first request.
    """

    def __init__(self, load: Callable[[Any], Job]) -> None:
        self._load = load
        self._job: Job | None = None

    def answer(self, asked: Any) -> tuple[bool, Any]:
        """Return True and the scored part, or False and the exception; see ``failure``."""
        try:
            if self._job is None:
                self._job = self._load(asked)
                return True, None
            return True, self._job.score(asked)
        except Exception as error:
            return False, failure(error)


def failure(error: Exception) -> Exception:
    """Return an exception that can be sent to another process; unexpected ones become text."""
    if isinstance(error, ClaimwiseError):
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def dump_job(job: Job, dumps: Callable[[Job], bytes] = pickle.dumps) -> bytes:
    """Return a pickled job for ``load_job`` in another process.

    Raises:
        ClaimwiseError: if it cannot be pickled.
    """
    try:
        return dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ClaimwiseError(
            f"The metric cannot be sent to worker processes ({error}).",
            "Use one local worker, or define its judge, decomposer and functions in a module.",
        ) from error


def load_job(dumped: bytes) -> Job:
    """Return the job of another process, with its metric loaded.

    Raises:
        ClaimwiseError: if anything cannot be imported or loaded here.
    """
    try:
        job: Job = pickle.loads(dumped)
    except (AttributeError, ImportError) as error:
        raise ClaimwiseError(
            f"A worker process cannot load the metric ({error}).",
            "Define its judge, decomposer and functions in an importable module.",
        ) from error
    job.metric.load()
    return job
