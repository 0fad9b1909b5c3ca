"""Rerun the experiments of the papers with the weights that ship; what the documents print comes from here.

Each experiment is ``python -m benchmarks.papers.NAME``; its results become ``NAME.json`` in this folder,
with the command, the machine and the versions. Judgements are cached, so that a killed run resumes.

    python -m benchmarks.papers [cocotrip factuality prevalence pyramid summaries]   # default: all
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from benchmarks.machine import describe

EXPERIMENTS = ("cocotrip", "factuality", "prevalence", "pyramid", "summaries")
OPTIONS = {
    "factuality": ("--variant", "two sentences"),  # the default of SummaC-ZS, which the documents print
    "summaries": ("--summaries", "12", "--pairs", "likely"),
}
HERE = Path(__file__).parent


def main() -> None:
    """Run the experiments that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiments", nargs="*", choices=EXPERIMENTS, default=EXPERIMENTS)
    parser.add_argument("--data", default=os.environ.get("CLAIMWISE_DATA"), help="$CLAIMWISE_DATA")
    parser.add_argument("--state", type=Path, default=Path("~/.cache/claimwise/papers").expanduser())
    options = parser.parse_args()
    if options.data is None:
        parser.error(
            "set CLAIMWISE_DATA, or pass --data: the folder with cocotrip/, factuality/, human/, pyramid/, "
            "zs_summ/."
        )
    machine = describe(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    for name in options.experiments:
        out = options.state / name
        command = ["-m", f"benchmarks.papers.{name}", "--data", "DATA", "--output", "OUT"]
        command += OPTIONS.get(name, ())
        given = {"DATA": options.data, "OUT": str(out)}
        subprocess.run([sys.executable, *(given.get(word, word) for word in command)], check=True)
        content = {
            "machine": machine,
            "command": f"python {shlex.join(command)}",
            "results": json.loads((out / "results.json").read_text(encoding="utf-8")),
        }
        (HERE / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
