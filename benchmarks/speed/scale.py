"""Measure how time and memory grow with the number of summaries: caspr, support_counts and genericity.

The summaries are put together from the claims of SPACE's recorded summaries; support_counts compares each
with the first sentences of a SPACE hotel's reviews. Every point is a process of its own; its peak memory
counts from what it holds once the model is loaded and warm. A size that would take longer than what is left
of --minutes for the metric is extrapolated from the smaller ones, and said to be. Everything is measured
twice: with all pairs judged, and with likely ones alone, up to 10,000 summaries (of FewSum's claims as well).

    python -m benchmarks.speed.scale [--data /path/to/data] [--quick]   # default: $CLAIMWISE_DATA
    python -m benchmarks.speed.scale --pairs likely --metrics genericity --sizes 30 100 300
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import describe, machine_markdown, markdown_table, parse, show, write_report

METRICS = ("caspr", "support_counts", "genericity")
WAYS = ("all", "likely")
SIZES = (10, 30, 100, 300, 1000)
QUICK_SIZES = (4, 8, 16)
BEYOND = (10_000,)
CLAIMS_OF_A_SUMMARY = 4
SENTENCES_OF_A_SOURCE = 25
MOST_PAIRS_OF_CACHED_RUN = 20_000
WARM_UP = ["The pool was warm. The staff never answered us.", "Nobody used the pool. Breakfast was late."]


# ---------------------------------------------------------------------------------------------
# One point, in a process of its own
# ---------------------------------------------------------------------------------------------


def make_input(metric: str, summaries: int, data: Path) -> dict[str, Any]:
    """Return the columns of ``compute`` with that many summaries in all."""
    from benchmarks.papers import zs_summ
    from claimwise.text.sentences import Splitter

    folder = data / "zs_summ"
    recorded = [s for name in ("tcg", "qg") for s in zs_summ.read_system(folder, "space", name)]
    claims = list(dict.fromkeys(claim.claim for summary in recorded for claim in summary.claims))
    random.Random(0).shuffle(claims)
    if summaries * CLAIMS_OF_A_SUMMARY > len(claims):
        names = [name for dataset, name in zs_summ.systems(folder) if dataset == "fewsum"]
        further = [s for name in names for s in zs_summ.read_system(folder, "fewsum", name)]
        claims = list(dict.fromkeys([*claims, *(claim.claim for s in further for claim in s.claims)]))
    endless = itertools.cycle(claims)
    texts = [" ".join(itertools.islice(endless, CLAIMS_OF_A_SUMMARY)) for _ in range(summaries)]
    if metric == "caspr":
        return {"predictions": texts[::2], "references": texts[1::2]}
    if metric == "genericity":
        return {"predictions": texts}
    split = Splitter("sentencex")
    hotels = [r.reviews for r in zs_summ.read_reviews(folder, "space").values() if r.complete]
    sources = []
    for reviews in hotels[:summaries]:
        sentences = (sentence for review in reviews for sentence in split(review))
        sources.append(" ".join(itertools.islice(sentences, SENTENCES_OF_A_SOURCE)))
    return {"predictions": texts, "references": list(itertools.islice(itertools.cycle(sources), summaries))}


def distinct_pairs(metric: Any, columns: dict[str, list[str]]) -> int:
    """Return how many distinct pairs of claims (or of sentence and claim) the metric has to score."""
    claims = [of_text.claims for of_text in metric.claims(columns["predictions"])]
    if metric.name == "genericity":
        # A pair is left out only if both claims stand in one and the same summary and nowhere else.
        rows: dict[str, set[int]] = {}
        for row, of_summary in enumerate(claims):
            for claim in of_summary:
                rows.setdefault(claim, set()).add(row)
        alone = [claim for claim, of_claim in rows.items() if len(of_claim) == 1]
        left_out = np.bincount([next(iter(rows[claim])) for claim in alone], minlength=1) ** 2
        return len(rows) ** 2 - int(left_out.sum())
    if metric.name == "support_counts":
        premises = metric.premises([[source] for source in columns["references"]])
        others = [[premise.premise for premise in source] for source in premises]
        examples = list(zip(others, claims, strict=True))
    else:
        others = [of_text.claims for of_text in metric.claims(columns["references"])]
        examples = [*zip(others, claims, strict=True), *zip(claims, others, strict=True)]
    return len({pair for example in examples for pair in itertools.product(*example)})


class CountingJudge:
    """A judge that counts how many pairs it is asked about."""

    def __init__(self, judge: Any) -> None:
        self.judge, self.asked = judge, 0

    def predict_batches(self, pairs: Any) -> Any:
        """Yield what the judge says, and count."""
        self.asked += len(pairs)
        return self.judge.predict_batches(pairs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.judge, name)


def measure_point(options: argparse.Namespace) -> dict[str, Any]:
    """Return the seconds, the peak memory above the loaded model and the distinct pairs of one point."""
    import torch

    from claimwise import load

    torch.set_num_threads(options.threads)
    columns = make_input(options.point, options.summaries, options.data)
    given = {"dtype": options.dtype, "show_progress": False, "pairs": options.pairs[0]}
    if options.point == "support_counts":
        given |= {"support": "sentences", "decomposer": "default"}
    metric = load(options.point, score_cache=options.score_cache, **given)
    metric.load()
    metric.judge.predict_pairs(list(itertools.permutations(WARM_UP, 2)))
    counting = CountingJudge(metric.judge)
    if options.pairs[0] == "likely":
        from claimwise.judges.filter.judge import FilteredJudge

        counting = CountingJudge(metric.judge.judge)
        metric.judge = FilteredJudge(counting)
    else:
        metric.judge = counting
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = _memory("VmRSS")
    start, start_of_cpu = time.perf_counter(), time.process_time()
    metric.compute(**columns)
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - start_of_cpu
    peak = _memory("VmHWM") - before
    return {
        "summaries": options.summaries,
        "distinct_pairs": distinct_pairs(metric, columns),
        "judged_pairs": counting.asked,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "loaded_mib": before,
        "peak_above_model_mib": peak,
        "dtype": metric.judge.signature["dtype"],
    }


def _memory(field: str) -> float:
    """Return a field of this process's status in MiB.

    ``resource.getrusage`` has a peak too, but it begins with that of the parent and of loading the model.
    """
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) / 1024


# ---------------------------------------------------------------------------------------------
# All points
# ---------------------------------------------------------------------------------------------


def run_point(
    metric: str, pairs: str, summaries: int, options: argparse.Namespace, cache: Path | None = None
) -> dict[str, Any]:
    """Measure one point in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.speed.scale", "--point", metric, "--pairs", pairs]
    command += ["--summaries", str(summaries), "--data", str(options.data)]
    command += ["--threads", str(options.threads), "--dtype", options.dtype]
    if cache is not None:
        command += ["--score-cache", str(cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{metric}, {summaries} summaries: failed.\n{done.stderr}")
    point: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(
        f"  {metric}, {pairs} pairs, {summaries} summaries: {point['distinct_pairs']} distinct pairs, "
        f"{point['judged_pairs']} judged, {point['seconds']:.2f} s, "
        f"{point['peak_above_model_mib']:.0f} MiB above the model",
        flush=True,
    )
    return point


def grow(
    metric: str, pairs: str, sizes: list[int], options: argparse.Namespace, left: float
) -> dict[str, Any]:
    """Measure sizes in the seconds that are ``left``, extrapolate the rest, and repeat one with a cache."""
    points: list[dict[str, Any]] = []
    for size in sizes:
        if len(points) >= 2 and left < _extrapolate(points, size)["seconds"]:
            break
        points.append(run_point(metric, pairs, size, options))
        left -= points[-1]["seconds"]
    measured = [point["summaries"] for point in points]
    repeated = max(
        (p for p in points if p["distinct_pairs"] <= MOST_PAIRS_OF_CACHED_RUN),
        key=lambda point: point["summaries"],
        default=points[0],
    )["summaries"]
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "scores.sqlite"
        first, second = (run_point(metric, pairs, repeated, options, cache) for _ in range(2))
    wanted = [size for size in (*sizes, *BEYOND) if size not in measured]
    return {
        "points": points,
        "exponent_of_time_against_distinct_pairs": _slope(points, "distinct_pairs", "seconds"),
        "exponent_of_time_against_summaries": _slope(points, "summaries", "seconds"),
        "exponent_of_distinct_pairs_against_summaries": _slope(points, "summaries", "distinct_pairs"),
        "pairs_per_s": points[-1]["judged_pairs"] / points[-1]["seconds"],
        "extrapolated": [_extrapolate(points, size) for size in wanted],
        "cache": {"first": first, "second": second, "speed_up": first["seconds"] / second["seconds"]},
    }


def _fit(points: list[dict[str, Any]], x: str, y: str) -> tuple[float, float]:
    """Return slope and intercept of the straight line through the logarithms."""
    logs = np.log([[point[x], point[y]] for point in points])
    slope, intercept = np.polyfit(logs[:, 0], logs[:, 1], 1)
    return float(slope), float(intercept)


def _slope(points: list[dict[str, Any]], x: str, y: str) -> float | None:
    return _fit(points, x, y)[0] if len(points) > 1 else None


def _extrapolate(points: list[dict[str, Any]], summaries: int) -> dict[str, Any]:
    """Return what the two largest points let expect: pairs as they grew last, time as the judged ones."""
    expected: dict[str, Any] = {"summaries": summaries}
    for name in ("distinct_pairs", "judged_pairs"):
        slope, intercept = _fit(points[-2:], "summaries", name)
        expected[name] = round(float(np.exp(intercept) * summaries**slope))
    last = points[-1]
    expected["seconds"] = expected["judged_pairs"] * last["seconds"] / last["judged_pairs"]
    return expected


# ---------------------------------------------------------------------------------------------
# Reporting
# ---------------------------------------------------------------------------------------------


def curves(results: dict[str, Any]) -> list[str]:
    """Return the names of what was measured: a metric, or ``"METRIC, likely"``."""
    return [name for name in results if name.partition(",")[0] in METRICS]


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw time against distinct pairs and peak memory against summaries."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (of_time, of_memory) = plt.subplots(1, 2, figsize=(9, 3.4), dpi=100, layout="constrained")
    colors = dict(zip(METRICS, ("#0072B2", "#D55E00", "#009E73"), strict=True))
    markers = dict(zip(METRICS, "os^", strict=True))
    for name in curves(results):
        points, metric = results[name]["points"], name.partition(",")[0]
        style = {"color": colors[metric], "marker": markers[metric], "label": name}
        style |= {"markerfacecolor": "none"} if name != metric else {}
        pairs, seconds, summaries, peaks = (
            [point[name] for point in points]
            for name in ("distinct_pairs", "seconds", "summaries", "peak_above_model_mib")
        )
        of_time.loglog(pairs, seconds, linestyle="none", **style)
        if len(points) > 1:
            slope, intercept = _fit(points, "distinct_pairs", "seconds")
            ends = np.array([pairs[0], pairs[-1]], dtype=float)
            of_time.loglog(ends, np.exp(intercept) * ends**slope, color=colors[metric], linewidth=1)
        of_memory.semilogx(summaries, peaks, **style)
    of_time.set(xlabel="distinct pairs", ylabel="seconds", title="Time (lines: log-log fits)")
    of_memory.set(xlabel="summaries", ylabel="MiB above the model", title="Peak memory", ylim=(0, None))
    for axes in (of_time, of_memory):
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path)
    print(f"Written: {path}")


def report(results: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the tables, and write the report."""
    header = [
        "metric",
        "summaries",
        "distinct pairs",
        "judged",
        "seconds",
        "judged/s",
        "peak above model, MiB",
    ]
    rows = []
    for metric in curves(results):
        for point in results[metric]["points"]:
            rate = point["judged_pairs"] / point["seconds"]
            counts = f"{point['distinct_pairs']:,}", f"{point['judged_pairs']:,}"
            peak = f"{point['peak_above_model_mib']:.0f}"
            numbers = *counts, f"{point['seconds']:.2f}", f"{rate:.0f}", peak
            rows.append([metric, f"{point['summaries']:,}", *numbers])
        for point in results[metric]["extrapolated"]:
            counts = f"{point['distinct_pairs']:,}", f"{point['judged_pairs']:,}"
            numbers = *counts, f"{point['seconds']:,.0f}", "", ""
            rows.append([f"{metric} (extrapolated)", f"{point['summaries']:,}", *numbers])
    growth_header = [
        "metric",
        "exponent of time against pairs",
        "against summaries",
        "pairs exponent",
        "largest peak, MiB",
        "cached run, pairs",
        "first, s",
        "repeated, s",
        "speed-up",
    ]
    growth_rows = []
    for metric in curves(results):
        of_metric, cache = results[metric], results[metric]["cache"]
        exponents = [
            of_metric["exponent_of_time_against_distinct_pairs"],
            of_metric["exponent_of_time_against_summaries"],
            of_metric["exponent_of_distinct_pairs_against_summaries"],
        ]
        growth_rows.append(
            [
                metric,
                *("" if exponent is None else f"{exponent:.2f}" for exponent in exponents),
                f"{max(point['peak_above_model_mib'] for point in of_metric['points']):.0f}",
                f"{cache['first']['distinct_pairs']:,}",
                f"{cache['first']['seconds']:.2f}",
                f"{cache['second']['seconds']:.3f}",
                f"{cache['speed_up']:.0f} ×",
            ]
        )
    show("Growth", header, rows)
    show("Exponents, memory, and a repeated run with the on-disk cache", growth_header, growth_rows)
    draw(results, Path(f"{options.output}.png"))
    dtype = results[curves(results)[0]]["points"][0]["dtype"]
    write_report(
        options.output,
        results,
        [
            "# How time and memory grow",
            f"Written by `benchmarks/speed/scale.py`: the embedded checkpoint in {dtype}, each point "
            f"measured once in its own process. Each summary is made of {CLAIMS_OF_A_SUMMARY} SPACE claims; "
            f"caspr compares pairs of summaries, support_counts each summary with {SENTENCES_OF_A_SOURCE} "
            "sentences of reviews, and genericity each summary with all others (its pairs grow with the "
            "square). Seconds: `compute` with the model loaded. Peak: resident memory in addition to the "
            "loaded, warm model.",
            machine_markdown(results["machine"]),
            markdown_table(header, rows),
            'A name followed by "likely" stands for `pairs="likely"`. Claims of FewSum are '
            "added when SPACE has no more. Extrapolated: pairs grow as between the two largest measured "
            "sizes, time in proportion to the judged pairs; genericity's pairs grow more slowly if summaries "
            "share claims.",
            markdown_table(growth_header, growth_rows),
            "Exponents, from log-log fits over all measured sizes: of time against distinct pairs and "
            "against summaries, and of distinct pairs against summaries. The repeated run with the on-disk "
            "cache is a second process with the same cache file.",
            f"![Time and peak memory]({options.output.name}.png)",
        ],
    )


def main() -> None:
    """Measure all points (or one, when started with ``--point``), and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", help=f"numbers of summaries (default: {SIZES})")
    parser.add_argument("--quick", action="store_true", help=f"sizes {QUICK_SIZES}")
    parser.add_argument("--minutes", type=float, default=7, help="of measuring (default: %(default)s)")
    parser.add_argument("--dtype", default="auto", help="of the model (default: auto)")
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=METRICS, help="(default: all three)")
    parser.add_argument("--pairs", nargs="+", choices=WAYS, default=WAYS, help="(default: both)")
    parser.add_argument("--point", choices=METRICS, help=argparse.SUPPRESS)
    parser.add_argument("--summaries", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--score-cache", type=Path, help=argparse.SUPPRESS)
    options = parse(parser, "scale")
    if options.point:
        from claimwise.errors import ClaimwiseError

        try:
            print(json.dumps(measure_point(options)))
        except ClaimwiseError as error:
            raise SystemExit(str(error)) from None
        return
    if not Path("/proc/self/clear_refs").exists():
        parser.error("this benchmark reads its memory from Linux's /proc, which is not here.")
    sizes = sorted(options.sizes or (QUICK_SIZES if options.quick else SIZES))
    if sizes[0] < 2:
        parser.error("--sizes: each must be at least 2, so that there is something to compare.")
    results: dict[str, Any] = {"machine": describe(options.threads)}
    left = options.minutes * 60
    wanted = [(pairs, metric) for pairs in options.pairs for metric in options.metrics]
    for number, (pairs, metric) in enumerate(wanted):
        name = metric if pairs == "all" else f"{metric}, likely"
        tried = sizes if pairs == "all" or options.sizes or options.quick else [*sizes, *BEYOND]
        results[name] = grow(metric, pairs, tried, options, left / (len(wanted) - number))
        left -= sum(point["seconds"] for point in results[name]["points"])
    report(results, options)


if __name__ == "__main__":
    main()
