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
from claimwise.runners.worker import dump_job


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
            weights: list[Any] = []
            if "claimwise.nli.checkpoints" in sys.modules:  # else no model was loaded
                from claimwise.nli.checkpoints import share_weights

                weights = share_weights(Path(folder))
            start = pickle.dumps({"weights": weights, "job": dump_job(job)})
            yield from score_parts(lambda: _Process(start, self.workers), parts, self.workers)


class _Process:
    """A worker process on this machine."""

    def __init__(self, start: bytes, workers: int) -> None:
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
        program = "from claimwise.runners.worker import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )

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

    def ask(self, part: Part | None) -> tuple[bool, Any]:
        """Hand it the job or a part, and wait for what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(self._start if part is None else pickle.dumps(part), self._process.stdin)
            self._process.stdin.flush()
            answer: tuple[bool, Any] = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:  # or a pipe that was closed
            self.end()
            code = self._process.returncode
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            raise WorkerEnded(how) from error
        return answer
