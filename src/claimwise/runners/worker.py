"""A worker process: it gets a job and then parts on its standard input, and answers on its standard output.

It is started as a program of its own, not forked: threads and CUDA survive that, and a script needs no
``if __name__ == "__main__"``. Messages are pickles between a process and its own child.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import IO

from claimwise.errors import ClaimwiseError
from claimwise.runners.parts import Job


def main() -> None:
    """Answer until the other end closes the pipe, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between answers
    asked: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    job = None
    while True:
        message = asked.get()
        try:
            if job is None:
                start = pickle.loads(message)
                if start["weights"]:  # which the processes share
                    from claimwise.nli.checkpoints import take_weights

                    take_weights(start["weights"])
                job = load_job(start["job"])
                reply = pickle.dumps((True, None))
            else:
                reply = pickle.dumps((True, job.score(pickle.loads(message))))
        except Exception as error:
            reply = pickle.dumps((False, failure(error)))
        answers.write(reply)
        answers.flush()


def dump_job(job: Job, dumps: Callable[[Job], bytes] = pickle.dumps) -> bytes:
    """Return a job as ``load_job`` takes it in another process.

    Raises:
        ClaimwiseError: if it holds what cannot be handed over.
    """
    try:
        return dumps(job)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ClaimwiseError(
            f"The metric cannot be handed to worker processes ({error}).",
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
            "Define its judge, decomposer and functions in a module that can be imported.",
        ) from error
    job.metric.load()
    return job


def failure(error: Exception) -> Exception:
    """Return an error as it is handed to another process: whatever was not expected, as text."""
    if isinstance(error, ClaimwiseError):
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def _listen(file: IO[bytes], asked: queue.Queue[bytes]) -> None:
    """Put what is asked in line; a parent that is gone, however it ended, ends this process at once."""
    try:
        while True:
            asked.put(pickle.load(file))  # only bytes, which are taken apart where an error is answered
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)
