"""Threads that each compute a separate batch on one core.

ONNX Runtime could split every product of one batch among the cores, and would then wait for the slowest,
dozens of times a batch. Threads with separate batches never wait for each other.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def cores() -> int:
    """Return how many calls are worth running at once: ``OMP_NUM_THREADS``, or the cores of this process."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdecimal() and int(told):
        return int(told)
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def compute_at_once(
    function: Callable[[_Task], _Result], tasks: Sequence[_Task], most: int | None = None
) -> Iterator[_Result]:
    """Yield the result of each task in order, ``most`` at once (None = as many as cores).

    Few results wait for their turn.
    """
    count = min(len(tasks), cores() if most is None else most)
    if count <= 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(count, "claimwise") as threads:
        running: deque[Future[_Result]] = deque()
        try:
            for task in tasks:
                running.append(threads.submit(function, task))
                if len(running) > count:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:  # an error, or a caller that wants no more
            for future in running:
                future.cancel()
