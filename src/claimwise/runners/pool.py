"""Parts are scored by workers that may end at any time: each part until a worker has scored it."""

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
"""So many workers in a row may end on one part; then it is taken for the part's fault."""


class WorkerEnded(Exception):  # noqa: N818 - it is no error: another worker takes the part
    """A worker is gone; the message says how it ended."""


class Worker(Protocol):
    """A process of its own, here or elsewhere."""

    def ask(self, part: Part | None) -> tuple[bool, Any]:
        """Return True and what it finds for a part, or False and what it raised; None first: load the job.

        Raises:
            WorkerEnded: if it is gone.
        """

    def end(self) -> None:
        """End it, whatever it is doing: ``ask`` raises WorkerEnded then. It may have ended."""


def score_parts(start: Callable[[], Worker], parts: Iterable[Part], workers: int) -> Generator[ScoredPart]:
    """Yield what workers find for each part, as it is done.

    A part goes to a worker that is ready, so that one for which there is no room yet holds nothing up. At
    most two parts a worker are under way, and there are no more workers than parts.

    Args:
        start: starts a worker.
        parts: taken as needed.
        workers: so many score side by side.

    Raises:
        ClaimwiseError: if three workers in a row end on one part, or before they have one; and what a worker
            raises.
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
    """Threads that have a worker each, the parts that they are asked for, and what they answer."""

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
        """Return what was found for the next part that is done."""
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
        """Score parts with one worker after the other, until there is nothing more to do."""
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
                        f"rows {part.first_row + 1} to {last} (from 1): {MOST_DEATHS} successive "
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


# What a worker runs, wherever it is --------------------------------------------------------------


class Scorer:
    """What answers in a worker: it is asked for the job first, then for parts; an error is an answer too.

    Args:
        load: makes the job of what is asked first.
    """

    def __init__(self, load: Callable[[Any], Job]) -> None:
        self._load = load
        self._job: Job | None = None

    def answer(self, asked: Any) -> tuple[bool, Any]:
        """Return True and what is found, or False and what was raised; see ``failure``."""
        try:
            if self._job is None:
                self._job = self._load(asked)
                return True, None
            return True, self._job.score(asked)
        except Exception as error:
            return False, failure(error)


def failure(error: Exception) -> Exception:
    """Return an error as it is handed to another process: whatever was not expected, as text."""
    if isinstance(error, ClaimwiseError):
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def dump_job(job: Job, dumps: Callable[[Job], bytes] = pickle.dumps) -> bytes:
    """Return a job as ``load_job`` takes it in another process.

    Raises:
        ClaimwiseError: if it holds what cannot be handed over.
    """
    try:
        return dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ClaimwiseError(
            f"The metric cannot be sent to worker processes ({error}).",
            "Use one local worker, or define its judge, decomposer and functions in a module.",
        ) from error


def load_job(dumped: bytes) -> Job:
    """Return a job of another process, with what it needs loaded.

    Raises:
        ClaimwiseError: if something cannot be imported or loaded here.
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
