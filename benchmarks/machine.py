"""What benchmarks share: the machine in words, threads, the data folder, tables and reports."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "claimwise",
    "onnxruntime",
    "torch",
    "transformers",
    "tokenizers",
    "sentence-transformers",
    "numpy",
)
FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_tile", "amx_int8", "amx_bf16")


def parse(parser: argparse.ArgumentParser, report: str) -> argparse.Namespace:
    """Add the options that the benchmarks share, parse, and see to threads and offline work.

    Args:
        parser: with the benchmark's own options.
        report: the name of the report in the folder ``speed``, without suffix.
    """
    folder = Path(__file__).parent / "speed"
    parser.add_argument("--threads", type=int, default=2, help="of torch and of the tokenizers (default: 2)")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"), help="$CLAIMWISE_DATA")
    parser.add_argument(
        "--output",
        type=Path,
        default=folder / report,
        help="the report, without suffix (default: %(default)s)",
    )
    options = parser.parse_args()
    if options.data is None or not Path(options.data).is_dir():
        parser.error(
            "this benchmark measures on CoCoTrip and SPACE, which claimwise does not ship: set "
            "CLAIMWISE_DATA (or --data) to the folder that holds cocotrip/ and zs_summ/."
        )
    use_threads(options.threads)
    return options


def use_threads(threads: int) -> None:
    """Let torch and the tokenizers use so many threads, and nobody the network; call it before importing."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ["HF_HUB_OFFLINE"] = "1"


def describe(threads: int) -> dict[str, Any]:
    """Return the machine, the versions and the judge's weights that the numbers belong to."""
    from claimwise.judges.hub import embedded_fingerprint

    cpu, flags = platform.processor() or platform.machine(), set[str]()
    if (cpuinfo := Path("/proc/cpuinfo")).exists():
        fields = dict(line.split(":", 1) for line in cpuinfo.read_text().splitlines() if ":" in line)
        fields = {name.strip(): value.strip() for name, value in fields.items()}
        cpu, flags = fields.get("model name", cpu), set(fields.get("flags", "").split())
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "cpu": cpu,
        "flags": [flag for flag in FLAGS if flag in flags],
        "cores": os.cpu_count(),
        "threads": threads,
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_at_start": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "weights": embedded_fingerprint(),
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}},
    }


def machine_markdown(machine: dict[str, Any]) -> str:
    """Return the machine as a paragraph."""
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items() if number)
    return (
        f"Machine: {machine['cpu']} ({', '.join(machine['flags']) or 'no flags known'}), "
        f"{machine['cores']} cores, threads used: {machine['threads']}, {machine['memory_gib']} GiB, "
        f"{machine['system']}; load {machine['load_at_start']} at the start of the run, {machine['date']}. "
        f"Versions: {versions}."
    )


def show(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; the first column holds words, the others numbers."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column, name in enumerate(header):
        table.add_column(name, justify="right" if column else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 130).print(table)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the same table in Markdown."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_report(out: Path, results: dict[str, Any], markdown: Sequence[str]) -> None:
    """Write the results to ``out``.json and the paragraphs to ``out``.md."""
    out.parent.mkdir(parents=True, exist_ok=True)
    Path(f"{out}.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    Path(f"{out}.md").write_text("\n\n".join(markdown) + "\n", encoding="utf-8")
    print(f"Written: {out}.json, {out}.md")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
