"""Measure what workers gain: one thread, two threads, two processes and two Ray actors of a thread each.

Each way scores the same file of pairs of summaries (caspr, four SPACE claims a summary) in a process of its
own, interleaved. What it takes to start is measured with a file of two rows. Ray is left out where it is not
installed.

    python -m benchmarks.speed.workers [--data /path/to/data]   # default: $CLAIMWISE_DATA
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import describe, machine_markdown, markdown_table, parse, show, write_report
from benchmarks.speed.scale import make_input


class Way(NamedTuple):
    """How the file is scored: by which runner, with how many workers of how many threads."""

    name: str
    runner: str
    workers: int
    threads: int


WAYS = (
    Way("one process, one thread", "local", 1, 1),
    Way("one process, two threads", "local", 1, 2),
    Way("two processes, one thread each", "local", 2, 1),
    Way("Ray, one worker of one thread", "ray", 1, 1),
    Way("Ray, two workers of one thread", "ray", 2, 1),
)
ROWS_TO_START, ROWS_IN_PART = 2, 64


def seconds_of(way: Way, rows: Path, folder: Path) -> float:
    """Return the wall time of a process that scores a file, from its start to its end."""
    output = folder / "scores.jsonl"
    program = (
        "import claimwise, sys; _, runner, workers, rows, scores = sys.argv; "
        f"run = getattr(claimwise.runners, runner)(int(workers), rows_in_part={ROWS_IN_PART}); "
        "run.score_file(claimwise.load('caspr'), rows, scores)"
    )
    command = [sys.executable, "-c", program, way.runner, str(way.workers), str(rows), str(output)]
    threads = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(threads, str(way.threads))}
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{way.name}\n{done.stderr}")
    output.unlink()
    return seconds


def measure(data: Path, rows: int, rounds: int) -> dict[str, Any]:
    """Return the seconds of each way: of the whole file and of two rows, one number a round."""
    columns = make_input("caspr", 2 * rows, data)
    pairs = zip(columns["predictions"], columns["references"], strict=True)
    lines = [json.dumps({"predictions": one, "references": other}) for one, other in pairs]
    ways = [way for way in WAYS if way.runner != "ray" or importlib.util.find_spec("ray")]
    found: dict[str, Any] = {way.name: {"whole": [], "start": []} for way in ways}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole, few = folder / "whole.jsonl", folder / "few.jsonl"
        whole.write_text("\n".join(lines) + "\n", encoding="utf-8")
        few.write_text("\n".join(lines[:ROWS_TO_START]) + "\n", encoding="utf-8")
        for number in range(rounds):
            for way in ways[number % len(ways) :] + ways[: number % len(ways)]:
                found[way.name]["start"].append(seconds_of(way, few, folder))
                found[way.name]["whole"].append(seconds_of(way, whole, folder))
                print(f"  round {number + 1}, {way.name}: {found[way.name]['whole'][-1]:.1f} s", flush=True)
    return found


def main() -> None:
    """Measure, print the table, write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=512, help="pairs of summaries (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(default: %(default)s)")
    options = parse(parser, "workers")
    results = {
        "machine": describe(options.threads),
        "rows": options.rows,
        "ways": measure(options.data, options.rows, options.rounds),
    }
    medians = {}
    for name, seconds in results["ways"].items():
        start = statistics.median(seconds["start"])
        medians[name] = (
            start,
            statistics.median(seconds["whole"]),
            statistics.median(seconds["whole"]) - start,
        )
    of_one = medians[WAYS[0].name]
    header = ["way", "start, s", "whole file, s", "rows/s once started", "× whole file", "× once started"]
    rows = [
        [
            name,
            f"{start:.1f}",
            f"{whole:.1f}",
            f"{options.rows / scoring:.1f}",
            f"{of_one[1] / whole:.2f}",
            f"{of_one[2] / scoring:.2f}",
        ]
        for name, (start, whole, scoring) in medians.items()
    ]
    title = "Workers"
    show(title, header, rows)
    write_report(
        options.output,
        results,
        [
            "# Speed-up from workers",
            f"Written by `benchmarks/speed/workers.py`: `caspr` of {options.rows} pairs of summaries (four "
            f"SPACE claims each) in parts of {ROWS_IN_PART}, medians of {options.rounds} interleaved rounds. "
            f"*Start*: time for a file of {ROWS_TO_START} rows; *×*: speed-up over one process with one "
            "thread.",
            machine_markdown(results["machine"]),
            markdown_table(header, rows),
        ],
    )


if __name__ == "__main__":
    main()
