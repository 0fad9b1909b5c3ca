"""Every metric against people's ratings on OpinSummEval and RoSE: ``people.json`` and ``people.md``.

The scores are kept in a folder, from which a stopped run resumes; the report is made from whatever has been
scored. Products 30 to 99 of OpinSummEval measure; the others are left for choices.

    python -m benchmarks.quality.people                # scores and reports; hours; $CLAIMWISE_DATA
    python -m benchmarks.quality.people --report       # only reports
    python -m benchmarks.quality.people --first 3      # three products and articles, to see that it works
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.machine import describe, write_report
from benchmarks.quality.people.report import report
from benchmarks.quality.people.tables import DIMENSIONS, PROMPTED, RECORDED, TABLES, Row, write

RESULTS = Path(__file__).parents[1] / "people"
FIRST_MEASURED = 30
"""Products of OpinSummEval before this one do not measure."""


SUMMARY = {"predictions": "summary"}
REVIEWS = SUMMARY | {"references": "reviews"}
ARTICLE = SUMMARY | {"references": "source"}
REFERENCE = SUMMARY | {"references": "reference"}
MEASURED = {
    "opinsummeval": {
        "summac_zs": REVIEWS,
        "support_counts": REVIEWS,
        "opinion_prevalence": REVIEWS,
        "abstractiveness": REVIEWS,
        "complexity": SUMMARY,
        "pyramid": REFERENCE,
        "ssas": REFERENCE,
        "summac_conv": REVIEWS,
    },
    "rose": {
        "pyramid": REFERENCE | {"units": "units"},
        "ssas": REFERENCE,
        "summac_zs": ARTICLE,
        "abstractiveness": ARTICLE,
        "complexity": SUMMARY,
    },
}
"""Set → metric → its columns → those of the table."""
OTHERS = {"opinsummeval": (*RECORDED.values(), "ROUGE-1", "ROUGE-L"), "rose": ("unigram recall",)}
"""Scores in the tables themselves."""
Scores = dict[str, list[float | None]]


def rated_by(name: str) -> dict[str, tuple[str, ...]]:
    """Return what people rated in a set → the columns of the annotators."""
    if name == "rose":
        return {"acu": ("acu",)}
    return {dimension: (f"{dimension}_1", f"{dimension}_2") for dimension in DIMENSIONS}


def score(
    name: str, rows: Sequence[Row], state: Path, *, only_read: bool = False
) -> tuple[Scores, list[str]]:
    """Score the rows of a set by every metric, or read what has been scored.

    Returns:
        The scores by title, None for a row without one, and the signatures.
    """
    from claimwise.metrics.registry import METRICS, load
    from claimwise.runners import local
    from claimwise.signature import file_digest, parts_fingerprint

    scores: Scores = {}
    signatures: list[str] = []
    file = write(rows, state / name / "rows.jsonl")
    for metric_name, columns in MEASURED[name].items():
        options: dict[str, Any] = {}
        if "score_cache" in METRICS[metric_name].Options.names():
            options["score_cache"] = state / "scores.sqlite"  # the metrics ask the judge many pairs in common
        metric = load(metric_name, **options)
        identity = parts_fingerprint([metric.signature(), file_digest(file), columns])
        scored = state / name / f"{metric_name}-{identity}.jsonl"
        if not scored.exists():
            if only_read:
                continue
            print(f"{name}: {metric_name}", flush=True)
            local(1, on_error="row").score_file(metric, file, scored, columns=columns)
        lines = [json.loads(line) for line in scored.read_text(encoding="utf-8").splitlines()]
        scores |= {key: [line[key] for line in lines] for key in (metric_name, *metric.spec.further)}
        signatures.append(metric.signature())
    return scores, signatures


def correlations_of(
    rows: Sequence[Row], scores: Scores, columns: Sequence[str], resamples: int
) -> list[dict[str, Any]]:
    """Return the correlations of scores with the annotators' mean rating, as ``claimwise study`` does.

    A score that some row lacks is left out: all are measured on the same rows.
    """
    from claimwise.report.human import Ratings, human_correlations
    from claimwise.report.results import SystemResult

    keys = [(row["id"], row["system"]) for row in rows]
    systems = list(dict.fromkeys(system for _, system in keys))
    results: dict[str, list[SystemResult]] = {}
    for title, values in scores.items():
        if None in values:
            print(f"{title} has no score for {values.count(None)} of {len(values)} summaries; left out")
            continue
        for system in systems:
            own = [number for number, key in enumerate(keys) if key[1] == system]
            ids, of_system = [keys[number][0] for number in own], [values[number] for number in own]
            result = SystemResult(system=system, score=title, mean=0.0, scores=of_system, ids=ids)
            results.setdefault(title, []).append(result)
    ratings = Ratings({of: dict(zip(keys, (row[of] for row in rows), strict=True)) for of in columns})
    words = {key: len(row["summary"].split()) for key, row in zip(keys, rows, strict=True)}
    lines = human_correlations(results, ratings.mean, words=words, labels=ratings.labels, resamples=resamples)
    return [asdict(line) for line in lines]


def measured(name: str, rows: Sequence[Row], scores: Scores, resamples: int) -> dict[str, Any]:
    """Return what people rated → correlations."""
    results = {}
    for rated, columns in rated_by(name).items():
        by_title = scores | {title: [row[title] for row in rows] for title in OTHERS[name]}
        if name == "opinsummeval":
            by_title |= {title: [row[f"{title} {rated}"] for row in rows] for title in PROMPTED.values()}
        results[rated] = correlations_of(rows, by_title, columns, resamples)
    return results


def main() -> None:
    """Score what is missing, and write the results and the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"), help="$CLAIMWISE_DATA")
    parser.add_argument("--state", type=Path, default=Path("~/.cache/claimwise/people").expanduser())
    parser.add_argument("--report", action="store_true", help="score nothing: report what has been scored")
    parser.add_argument("--first", type=int, help="a trial: score only so many products and articles")
    parser.add_argument("--output", type=Path, default=RESULTS, help="path of both files, without suffix")
    parser.add_argument("--resamples", type=int, default=1_000)
    options = parser.parse_args()
    if options.data is None:
        parser.error("set CLAIMWISE_DATA, or pass --data: the folder that holds human/.")
    if options.first is not None and options.output == RESULTS:
        parser.error("--first is a trial: pass --output, so that it does not replace the real results.")
    results: dict[str, Any] = {}
    signatures: dict[str, list[str]] = {}
    for name, table in TABLES.items():
        rows = table(options.data)
        ids = list(dict.fromkeys(row["id"] for row in rows))
        if name == "opinsummeval":
            ids = [product for product in ids if int(product) >= FIRST_MEASURED]
        ids = ids[: options.first]
        rows = [row for row in rows if row["id"] in ids]
        state = options.state if options.first is None else options.state / f"first-{options.first}"
        scores, signatures[name] = score(name, rows, state, only_read=options.report)
        results[name] = measured(name, rows, scores, options.resamples)
    machine = describe(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    content = {"machine": machine, "results": results, "signatures": signatures}
    write_report(options.output, content, report(content))


if __name__ == "__main__":
    main()
