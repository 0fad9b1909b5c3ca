"""Threads that each compute a separate batch on one core.

Torch splits every product among its threads and waits for the slowest one, dozens of times per batch, and
operations between the products run on one thread. Threads with separate batches never wait for each other.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import torch

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_starting = threading.Lock()


class Workers:
    """Runs functions in threads, or in the caller's thread.

    Attributes:
        count: number of functions that run at once.
    """

    def __init__(self, count: int, threads: ThreadPoolExecutor | None) -> None:
        self.count, self._threads = count, threads

    def start(
        self, function: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> Callable[[], _Result]:
        """Start a function, and return one that waits for its result; without threads, it runs then."""
        if self._threads is None:
            return functools.partial(function, *args, **kwargs)
        return self._threads.submit(function, *args, **kwargs).result


@contextmanager
def workers(most: int) -> Iterator[Workers]:
    """Distribute torch's threads among workers.

    Args:
        most: maximum number of workers; there are never more than torch has threads. A single worker runs in
            the caller's thread, and torch splits each product among all of its threads.
    """
    with _starting:  # the number of threads set here briefly applies to new threads elsewhere, too
        threads = torch.get_num_threads()
        count = max(1, min(most, threads))
        if count == 1:
            executor = None
        else:
            started = threading.Barrier(count + 1)

            def start() -> None:
                torch.set_num_threads(threads // count)  # of this thread
                started.wait()

            executor = ThreadPoolExecutor(count, "claimwise", start)
            for _ in range(count):
                executor.submit(int)
            started.wait()
            torch.set_num_threads(threads)
    try:
        yield Workers(count, executor)
    finally:
        if executor is not None:
            executor.shutdown(cancel_futures=True)
