"""What a new process pays before its first score: time and memory, beside plain transformers.

``python -m benchmarks.speed.first_score`` starts every step several times in a new process and writes
first_score.md and first_score.json. It needs no data and no network. Give it an idle machine, or read the
processor seconds, which hardly depend on what else runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import describe, machine_markdown, markdown_table, show, use_threads, write_report

PAIR = '"The rooms are clean."', '"The rooms are not clean."'
SCORE = (
    f"import claimwise; claimwise.load({{name!r}}).compute(predictions=[{PAIR[0]}], references=[{PAIR[1]}])"
)
WEIGHTS = str(Path(__file__).parents[2] / "training" / "judge" / "checkpoint")
PLAIN = f"""
from transformers import AutoModelForSequenceClassification, AutoTokenizer
model = AutoModelForSequenceClassification.from_pretrained({WEIGHTS!r})
tokenizer = AutoTokenizer.from_pretrained({WEIGHTS!r})
model(**tokenizer({PAIR[0]}, {PAIR[1]}, return_tensors="pt"))
"""
HELP = "`claimwise --help`"
FIRST = "`claimwise explain caspr … --decomposer sentences`"
EXPLAIN = (
    f"from claimwise.apps.cli import main; main(['explain', 'caspr', {PAIR[0]}, {PAIR[1]}, *{{further!r}}])"
)
BASE = "the same checkpoint in plain transformers, one pair"
STEPS = {
    "Python alone": "",
    "`import claimwise`": "import claimwise",
    HELP: "from claimwise.apps.cli import main; main(['--help'])",
    "`import torch`": "import torch",
    BASE: PLAIN,
    FIRST: EXPLAIN.format(further=["--decomposer", "sentences"]),
    "`claimwise explain caspr …`": EXPLAIN.format(further=[]),
    "first score of `distinctiveness_score`": SCORE.format(name="distinctiveness_score"),
}


class Cost(NamedTuple):
    """What a process took."""

    seconds: float
    processor_seconds: float
    mib: float


def cost(program: str) -> Cost:
    """Run a program in a new process."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(said.decode())
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main() -> None:
    """Measure every step and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each step (default: 5)")
    parser.add_argument("--threads", type=int, default=2, help="of torch and of the tokenizers (default: 2)")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent / "first_score", help="without suffix"
    )
    options = parser.parse_args()
    use_threads(options.threads)
    machine = describe(options.threads)
    runs: dict[str, list[Cost]] = {name: [] for name in STEPS}
    for _ in range(options.rounds):
        for name, program in STEPS.items():
            runs[name].append(cost(program))

    best = {name: Cost(*map(min, zip(*found, strict=True))) for name, found in runs.items()}
    base = best[BASE]
    rows = [
        (
            name,
            "–" if machine["load_at_start"] > 1 else f"{found.seconds:.2f}",
            f"{found.processor_seconds:.2f}",
            f"{found.processor_seconds / base.processor_seconds:.2f}",
            f"{found.mib:.0f}",
            f"{found.mib / base.mib:.2f}",
        )
        for name, found in best.items()
    ]
    ratio = best[FIRST].processor_seconds / base.processor_seconds
    of_rounds = [
        own.processor_seconds / plain.processor_seconds
        for own, plain in zip(runs[FIRST], runs[BASE], strict=True)
    ]
    header = ("a new process", "seconds", "processor seconds", "× plain", "peak MiB", "× plain")
    show("The first score", header, rows)
    write_report(
        options.output,
        {"machine": machine, "rounds": options.rounds, "runs": runs},
        [
            "# Start-up and memory of the first score",
            "Written by `python -m benchmarks.speed.first_score`: every row is a new process, from start "
            f"to end. Numbers are the best of {options.rounds} rounds. The files are in the system's cache. "
            "Memory is the peak resident set size. *× plain* is the ratio to "
            f"{BASE}, in processor seconds and in memory. Processor seconds are summed over threads and "
            "hardly depend on other load on the machine. Wall-clock seconds do, and are left out if the "
            "load was above 1 at the start of the run.",
            f"A first score on the command line ({FIRST}) takes {ratio:.2f} times the processor seconds of "
            f"plain transformers (round by round {min(of_rounds):.2f} to {max(of_rounds):.2f}), and "
            f"{HELP} {best[HELP].processor_seconds:.2f} s.",
            machine_markdown(machine),
            markdown_table(header, rows),
        ],
    )


if __name__ == "__main__":
    main()
