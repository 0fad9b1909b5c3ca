"""The local runner: this process alone, or worker processes that share one copy of the judge's weights."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from claimwise.runners.base import Runner
from claimwise.runners.parts import Job, Part, ScoredPart
from claimwise.runners.pool import WorkerEnded, score_parts
from claimwise.runners.worker import dump_job, receive, send


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

    def scored(self, job: Job, parts: Iterable[Part]) -> Generator[ScoredPart]:
        """Yield what is found for each part, as it is done."""
        if self.workers == 1:
            yield from map(job.score, parts)
            return
        job.metric.load()
        with tempfile.TemporaryDirectory(prefix="claimwise-") as folder:
            start = pickle.dumps({"weights": _shared_weights(Path(folder)), "job": dump_job(job)})
            yield from score_parts(lambda: _Process(start, self.workers), parts, self.workers)


def _shared_weights(folder: Path) -> list[Any]:
    """Return the weights that this process holds as files that workers map; none if no model was loaded."""
    if "claimwise.nli.checkpoints" not in sys.modules:
        return []
    from claimwise.nli.checkpoints import share_weights

    return share_weights(folder)


class _Process:
    """A worker process on this machine."""

    def __init__(self, start: bytes, workers: int) -> None:
        self._start = start
        threads = str(max(1, _cores() // workers))
        environment = {
            "OMP_NUM_THREADS": threads,
            "RAYON_NUM_THREADS": threads,
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
        program = "from claimwise.runners.worker import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

    def wait(self) -> None:
        """Hand it the job, and wait until that is loaded."""
        self._ask(self._start)

    def score(self, part: Part) -> ScoredPart:
        """Return what is found for a part."""
        scored: ScoredPart = self._ask(pickle.dumps(part))
        return scored

    def end(self) -> None:
        """End the process, and let go of what is left of it."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was still to be written
                pass
        self._process.wait()

    def _ask(self, message: bytes) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, message)
            is_answer, answer = pickle.loads(receive(self._process.stdout))
        except (EOFError, OSError, ValueError) as error:  # ValueError: a pipe that was closed
            self.end()
            code = self._process.returncode
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            raise WorkerEnded(how) from error
        if not is_answer:
            raise answer
        return answer


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
