"""The local runner: only this process, or worker processes that share one copy of the judge's weights.

A worker receives a job and then parts on its standard input, and answers on its standard output. It is
started as a new program, not forked: threads and CUDA survive that, and a script needs no
``if __name__ == "__main__"``. Messages are pickles between a process and its child.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import IO, Any

from claimwise.runners.base import Runner
from claimwise.runners.parts import Job, Part, ScoredPart
from claimwise.runners.pool import Scorer, WorkerEnded, dump_job, failure, load_job, score_parts


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
        with tempfile.TemporaryDirectory(prefix="claimwise-") as folder:
            weights: list[Any] = []
            if "claimwise.nli.checkpoints" in sys.modules:  # else no model was loaded
                from claimwise.nli.checkpoints import share_weights

                weights = share_weights(Path(folder))
            start = weights, dump_job(job)
            yield from score_parts(lambda: _Process(start, self.workers), parts, self.workers)


class _Process:
    """A worker process on this machine."""

    def __init__(self, start: tuple[list[Any], bytes], workers: int) -> None:
        self._start = start
        has_affinity = hasattr(os, "sched_getaffinity")
        cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
        threads = str(max(1, cores // workers))
        environment = {
            "OMP_NUM_THREADS": threads,
            "RAYON_NUM_THREADS": threads,
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        program = "from claimwise.runners.processes import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def end(self) -> None:
        """End the process, and release its resources."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # unwritten data
                pass
        self._process.wait()

    def ask(self, part: Part | None) -> tuple[bool, Any]:
        """Send the job or a part, and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(pickle.dumps(self._start if part is None else part), self._process.stdin)
            self._process.stdin.flush()
            answer: tuple[bool, Any] = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:  # or a closed pipe
            self.end()
            code = self._process.returncode
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            raise WorkerEnded(how) from error
        return answer


def main() -> None:
    """Run a worker: answer requests until the other end closes the pipe or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with answers
    asked: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    scorer = Scorer(_loaded)
    while True:
        message = asked.get()
        try:
            reply = pickle.dumps(scorer.answer(pickle.loads(message)))
        except Exception as error:  # something cannot be sent
            reply = pickle.dumps((False, failure(error)))
        answers.write(reply)
        answers.flush()


def _loaded(start: tuple[list[Any], bytes]) -> Job:
    """Return the job, loaded in this process with the shared weights."""
    weights, job = start
    if weights:
        from claimwise.nli.checkpoints import take_weights

        take_weights(weights)
    return load_job(job)


def _listen(file: IO[bytes], asked: queue.Queue[bytes]) -> None:
    """Queue requests; when the parent ends for any reason, this process ends at once."""
    try:
        while True:
            asked.put(pickle.load(file))  # only bytes; they are unpickled where errors become answers
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)
