"""Time every metric on real summaries: hotel summaries of SPACE against each other or their reviews.

Each metric is loaded first; a round scores summaries that no round before has seen: nothing is reused.

    python -m benchmarks.speed.metrics [--data /path/to/data]   # default: $CLAIMWISE_DATA
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks.machine import describe, machine_markdown, markdown_table, parse, show, write_report

REPEATS = 5
CONTRAST = ("caspr", "distinctiveness_score", "inverted_bertscore")
WITH_REFERENCES = ("pyramid", "ssas")
WITH_REVIEWS = ("summac_zs", "summac_conv", "support_counts", "abstractiveness")
ALONE = ("genericity", "complexity")
HEADER = ("metric", "row", "rows per round", "seconds per row (median)", "rows per second")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=4, help="summaries a round (default: 4)")
    parser.add_argument("--reviews", type=int, default=10, help="reviews of a summary (default: 10)")
    options = parse(parser, "metrics")

    from benchmarks.papers import zs_summ
    from claimwise import load

    folder = Path(options.data) / "zs_summ"
    reviews = {
        entity: list(found.reviews[: options.reviews])
        for entity, found in zs_summ.read_reviews(folder, "space").items()
        if len(found.reviews) >= options.reviews
    }
    summaries = [s for s in zs_summ.read_system(folder, "space", "qg") if s.entity in reviews]
    rows = options.rows
    if len(summaries) < rows * (REPEATS + 1):
        parser.error(f"--rows must be at most {len(summaries) // (REPEATS + 1)}.")

    results: dict[str, Any] = {"machine": describe(options.threads)}
    table = []
    for name in (*CONTRAST, *WITH_REFERENCES, *WITH_REVIEWS, *ALONE):
        metric = load(name)
        metric.load()
        seconds = []
        for repeat in range(REPEATS + 1):
            drawn = summaries[repeat * rows : (repeat + 1) * rows]
            columns: dict[str, Any] = {"predictions": [s.summary for s in drawn]}
            if name in (*CONTRAST, *WITH_REFERENCES):
                columns["references"] = columns["predictions"][1:] + columns["predictions"][:1]
            elif name in WITH_REVIEWS:
                columns["references"] = [reviews[s.entity] for s in drawn]
            started = time.perf_counter()
            metric.compute(**columns)
            seconds.append((time.perf_counter() - started) / rows)
        median = statistics.median(seconds[1:])  # the first round warms up
        unit = "pair of summaries" if name in CONTRAST else "summary"
        if name in WITH_REFERENCES:
            unit += " and reference"
        elif name in WITH_REVIEWS:
            unit += f" and {options.reviews} reviews"
        results[name] = {"row": unit, "seconds": seconds[1:], "median": median}
        table.append((name, unit, str(rows), f"{median:.4f}", f"{1 / median:,.1f}"))
    show("Speed of the metrics", HEADER, table)
    paragraphs = [
        "# Speed of the metrics",
        "SPACE summaries (system `qg`), the embedded model (already loaded), the default configurations; "
        f"median of {REPEATS} rounds of {rows} summaries that had not been scored before. `genericity` "
        f"compares every summary with the {rows - 1} other summaries of its round; its cost grows with their "
        "number.",
        markdown_table(HEADER, table),
        machine_markdown(results["machine"]),
    ]
    write_report(options.output, results, paragraphs)


if __name__ == "__main__":
    main()
