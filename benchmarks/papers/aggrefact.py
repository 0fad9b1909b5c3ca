"""How well does a judge recognise supported claims? Experiment on files in the format of LLM-AggreFact.

Tang et al. 2024, "MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents", collect eleven sets of
documents and claims with labels (1 = the document supports the claim). The leaderboard
(https://llm-aggrefact.github.io/) reports the balanced accuracy on each set and the unweighted mean; in every
set, a claim counts as supported if its score exceeds 0.5 (as in the authors' benchmark_evaluation_demo.ipynb,
which yields the 77.4 of Bespoke-MiniCheck-7B). Other papers tune a threshold for each set on its tuning rows,
as Tang et al. 2023 do for AggreFact and Lei et al. 2025 for FactCG; that mean is not comparable and is
reported separately.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import rich_click as click

from benchmarks.papers.command import RESULTS, output_flag, paper_command, run, show
from benchmarks.papers.experiment import outputs, scores, table, with_cache
from benchmarks.papers.factuality import balanced_accuracy, best_threshold
from claimwise.apps.cli.options import PATH
from claimwise.errors import ClaimwiseError
from claimwise.judges.options import JudgeOptions
from claimwise.metrics import SummacZs
from claimwise.tables import read_columns

ELEVEN = (
    *("AggreFact-CNN", "AggreFact-XSum", "TofuEval-MediaS", "TofuEval-MeetB", "Wice", "Reveal"),
    *("ClaimVerify", "FactCheck-GPT", "ExpertQA", "Lfqa", "RAGTruth"),
)
"""The sets averaged by the leaderboard."""

PUBLISHED = {
    "SummaC-Conv": 61.0,
    "SummaC-ZS": 67.7,
    "AlignScore": 70.5,
    "MiniCheck-RoBERTa": 73.5,
    "MiniCheck-FlanT5": 75.0,
    "GPT-4o": 75.9,
    "Bespoke-MiniCheck-7B": 77.4,
}
"""Means over the eleven sets, as published on the leaderboard."""

SUFFIXES = (".csv", ".jsonl", ".ndjson", ".parquet")
TUNING = ("dev", "val")
"""Files with one of these in their names are for tuning thresholds."""

THRESHOLD = 0.5
"""The leaderboard's threshold: a claim counts as supported above it."""

Rows = dict[str, tuple[list[str], list[str], list[int]]]
"""By set: documents, claims, labels."""


def read_aggrefact(folder: Path) -> tuple[Rows, Rows]:
    """Read the files of a folder: test rows, and tuning rows for thresholds, by set.

    Raises:
        ClaimwiseError: for a folder without files or without test rows, or a label other than 0 and 1.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix.lower() in SUFFIXES)
    if not paths:
        raise ClaimwiseError(
            f"{folder} contains no {', '.join(SUFFIXES)} file.",
            "Set --data to a folder of files with the columns dataset, doc, claim and label.",
        )
    measured, tuning = Rows(), Rows()
    for path in paths:
        part = tuning if any(word in path.stem.lower() for word in TUNING) else measured
        columns = read_columns(path, [["dataset"], ["doc"], ["claim"], ["label"]])
        for row, (dataset, doc, claim, label) in enumerate(zip(*columns, strict=True)):
            docs, claims, labels = part.setdefault(str(dataset), ([], [], []))
            docs.append(doc)
            claims.append(claim)
            labels.append(_label(label, path, row))
    if not measured:
        raise ClaimwiseError(
            f"{folder} contains only tuning rows (names with {' or '.join(TUNING)}).",
            "Add a file with test rows.",
        )
    for name, (_, _, labels) in measured.items():
        if len(set(labels)) < 2:
            raise ClaimwiseError(
                f"The set {name!r} has only one label, so balanced accuracy is undefined.",
                "Include rows with both labels.",
            )
    return measured, tuning


def reproduce_aggrefact(data: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Measure a judge on every set; a claim counts as supported if its summac_zs score exceeds 0.5.

    If a set has tuning rows, the accuracy with a tuned threshold is reported as well.

    Args:
        data: the folder with the files.
        out: folder for ``results.json``, ``results.md`` and ``scores.sqlite`` (a killed run resumes from it).
        **options: options of ``summac_zs``, such as ``judge`` or ``premise_granularity``.

    Returns:
        ``{"sets": {set: {"balanced_accuracy", "rows"}}, "mean", "signature"}``, accuracies in percent; sets
        with tuning rows also have ``"threshold"`` and ``"balanced_accuracy_tuned"``, with ``"mean_tuned"``
        if all have them; ``"published"`` if all eleven sets are present.

    Raises:
        ClaimwiseError: for missing data or an output that cannot be written.
    """
    measured, tuning = read_aggrefact(data)
    metric = SummacZs(**with_cache(options, out))
    sets: dict[str, dict[str, Any]] = {}
    with outputs(out, "results.json", "results.md") as write:
        for name, (docs, claims, labels) in measured.items():
            found = scores(metric, claims, docs)
            gold = np.array(labels)
            accuracy = balanced_accuracy(gold, found, float(np.nextafter(THRESHOLD, 1)))
            sets[name] = {"balanced_accuracy": 100 * accuracy, "rows": len(labels)}
            if name in tuning and len(set(tuning[name][2])) == 2:
                docs, claims, of_tuning = tuning[name]
                threshold = best_threshold(np.array(of_tuning), scores(metric, claims, docs))
                accuracy = 100 * balanced_accuracy(gold, found, threshold)
                sets[name] |= {"threshold": threshold, "balanced_accuracy_tuned": accuracy}
        results: dict[str, Any] = {
            "sets": sets,
            "mean": float(np.mean([one["balanced_accuracy"] for one in sets.values()])),
            "signature": metric.signature(),
        }
        if all("threshold" in one for one in sets.values()):
            tuned = [one["balanced_accuracy_tuned"] for one in sets.values()]
            results["mean_tuned"] = float(np.mean(tuned))
        if set(sets) == set(ELEVEN):
            results["published"] = PUBLISHED
        write("results.json", results)
        write("results.md", aggrefact_table(results))
    return results


def aggrefact_table(results: dict[str, Any]) -> str:
    """Return the results as Markdown tables."""
    rows = []
    for name, one in results["sets"].items():
        tuned = "–"
        if "threshold" in one:
            tuned = f"{one['balanced_accuracy_tuned']:.1f} (from {one['threshold']:.3f})"
        rows.append([name, one["rows"], f"{one['balanced_accuracy']:.1f}", tuned])
    mean_tuned = f"{results['mean_tuned']:.1f}" if "mean_tuned" in results else "–"
    rows.append(["mean", "", f"{results['mean']:.1f}", mean_tuned])
    lines = table(["set", "claims", "balanced accuracy", "with a tuned threshold"], rows)
    if "published" in results:
        means = {**results["published"], "this judge": results["mean"]}
        ordered = sorted(means.items(), key=lambda row: row[1])
        lines += table(["over the eleven sets", "mean"], [(name, f"{mean:.1f}") for name, mean in ordered])
    return "\n".join(lines) + f"\n`{results['signature']}`\n"


def _label(label: object, path: Path, row: int) -> int:
    text = str(label).strip().lower().removesuffix(".0")
    if text not in ("0", "1", "true", "false"):
        raise ClaimwiseError(f"must be 0 or 1; got {label!r}.", path=path, column="label", row=row)
    return int(text in ("1", "true"))


@paper_command(groups=(JudgeOptions,), leave_out=("score_cache",), further=True)
@output_flag(f"{RESULTS}, scores.sqlite")
@click.option(
    "--data",
    type=PATH,
    required=True,
    help="Folder of files with the columns dataset, doc, claim and label (1 = supported).",
)
def main(out: Path, data: Path, options: dict[str, Any]) -> None:
    """Measure the balanced accuracy of a judge per set, on files in the format of LLM-AggreFact."""
    reproduce_aggrefact(data, out, **options)
    show(out, RESULTS)


if __name__ == "__main__":
    run(main)
