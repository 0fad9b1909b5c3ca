"""Pools whose workers are killed, what they leave behind, and how often a file is read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from counting import Counting

from claimwise.errors import ClaimwiseError
from claimwise.runners import local
from claimwise.runners.parts import Part, ScoredPart
from claimwise.runners.processes import _resumed

PARTS = [Part(first_row=2 * n, columns={"predictions": ["a", "b"]}) for n in range(9)]


class Mortal:
    """Scores parts until one is reached that still has deaths left, which ends what is under way."""

    def __init__(self, deaths: dict[int, int]) -> None:
        self.deaths = deaths
        self.scored: list[int] = []

    def pooled(self, parts: Iterator[Part], at_once: int) -> Iterator[ScoredPart]:
        under_way: list[Part] = []
        for part in parts:
            under_way.append(part)
            if len(under_way) < at_once:
                continue
            for begun in under_way:
                if self.deaths.get(begun.first_row, 0):
                    self.deaths[begun.first_row] -= 1
                    return
            self.scored.append(under_way[0].first_row)
            yield ScoredPart(first_row=under_way.pop(0).first_row, rows=[])
        for part in under_way:
            self.scored.append(part.first_row)
            yield ScoredPart(first_row=part.first_row, rows=[])


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("deaths", [{}, {4: 1}, {4: 3, 8: 2}, {0: 1, 2: 1, 16: 1}])
def test_each_part_is_scored_once_however_many_workers_die(workers: int, deaths: dict[int, int]) -> None:
    pool = Mortal(dict(deaths))

    first_rows = [part.first_row for part in _resumed(pool.pooled, PARTS, workers)]

    assert sorted(first_rows) == [part.first_row for part in PARTS]
    assert sorted(pool.scored) == sorted(first_rows)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_part_on_which_workers_die_again_and_again_is_named_after_the_others_under_way(
    workers: int,
) -> None:
    scored = _resumed(Mortal({4: 99}).pooled, PARTS, workers)
    first_rows = [next(scored).first_row for _ in range(2)]

    with pytest.raises(ClaimwiseError) as refused:
        list(scored)

    assert first_rows == [0, 2]
    assert refused.value.problem.startswith("rows 5 to 6 (counted from 1): 3 successive worker processes")


SCRIPT = """
    import json, sys
    sys.path[:0] = json.loads(sys.argv[1])
    from counting import Counting
    from claimwise.runners import local

    def stop(progress):
        if progress.done:
            raise KeyboardInterrupt

    if __name__ == "__main__":
        metric, watch = Counting(log=sys.argv[3]), stop if sys.argv[4] == "stop" else None
        local(2, rows_in_part=4).score_file(metric, sys.argv[2], watch=watch)
    """


@pytest.mark.slow
@pytest.mark.parametrize("how", ["stop", "finish"])
def test_a_script_with_workers_leaves_no_process_behind(tmp_path: Path, how: str) -> None:
    script, rows, log = tmp_path / "run.py", tmp_path / "rows.jsonl", tmp_path / "log"
    script.write_text(textwrap.dedent(SCRIPT))
    rows.write_text("".join(json.dumps({"summary": f"Room {n} is warm."}) + "\n" for n in range(40)))

    command = [sys.executable, script, json.dumps(sys.path), rows, log, how]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)

    assert (done.returncode == 0) == (how == "finish"), done.stderr
    assert how == "stop" or done.stderr == ""
    workers = {int(line.split()[1]) for line in log.read_text().splitlines()}
    assert workers
    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
    assert os.getpid() not in workers


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="Linux counts what a process reads")
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("into", ["json", "jsonl", "parquet"])
def test_a_file_is_read_at_most_twice(tmp_path: Path, suffix: str, into: str) -> None:
    from tables import write_table

    texts = [f"Room {number} {os.urandom(2000).hex()}." for number in range(500)]
    source = write_table(tmp_path / f"rows.{suffix}", summary=texts)
    small = write_table(tmp_path / f"small.{suffix}", summary=texts[:2])
    local().score_file(Counting(), small, tmp_path / f"small.scores.{into}")  # which imports what is needed

    before, output = bytes_read(), tmp_path / f"scores.{into}"
    local().score_file(Counting(), source, output)

    digested = output.stat().st_size if into == "jsonl" else 0  # which is read for its digest
    assert bytes_read() - before <= 2 * source.stat().st_size + digested + 2**18


def bytes_read() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("rchar"))
