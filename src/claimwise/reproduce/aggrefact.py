"""How well does a judge tell grounded claims from others? Files like those of LLM-AggreFact.

Tang et al. 2024, "MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents", collect eleven sets of
documents and claims with labels (1 = the document supports the claim). The leaderboard
(https://llm-aggrefact.github.io/) gives balanced accuracy for each, and their plain mean: a claim counts as
supported above 0.5, in every set (so the authors' benchmark_evaluation_demo.ipynb, which gives the 77.4 of
Bespoke-MiniCheck-7B). Others tune a threshold for each set on its rows for that, as Tang et al. 2023 do for
AggreFact and Lei et al. 2025 for FactCG; such a mean is another number and stands apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.metrics import SummacZs
from claimwise.reproduce.factuality import balanced_accuracy, best_threshold
from claimwise.tables import read_columns, writing

ELEVEN = (
    "AggreFact-CNN",
    "AggreFact-XSum",
    "TofuEval-MediaS",
    "TofuEval-MeetB",
    "Wice",
    "Reveal",
    "ClaimVerify",
    "FactCheck-GPT",
    "ExpertQA",
    "Lfqa",
    "RAGTruth",
)
"""The sets whose mean the leaderboard gives."""

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
"""A file is for tuning thresholds if its name holds one of these."""

THRESHOLD = 0.5
"""Of the leaderboard: a claim counts as supported above it."""

Rows = dict[str, tuple[list[str], list[str], npt.NDArray[np.int64]]]
"""By set: documents, claims, labels."""


def read_aggrefact(folder: Path) -> tuple[Rows, Rows]:
    """Read the files of a folder: rows to measure, and rows to tune thresholds on, by set.

    Raises:
        ClaimwiseError: for a folder without files, one without rows to measure, or a label that is neither
            0 nor 1.
    """
    paths = sorted(path for path in folder.glob("*") if path.suffix.lower() in SUFFIXES)
    if not paths:
        raise ClaimwiseError(
            f"{folder} holds no {', '.join(SUFFIXES)} file.",
            "Give with --data a folder of files with the columns dataset, doc, claim and label.",
        )
    parts: tuple[dict[str, list[tuple[str, str, int]]], ...] = ({}, {})
    for path in paths:
        of_kind = parts[any(word in path.stem.lower() for word in TUNING)]
        columns = read_columns(path, [["dataset"], ["doc"], ["claim"], ["label"]])
        for row, (dataset, doc, claim, label) in enumerate(zip(*columns, strict=True)):
            of_kind.setdefault(str(dataset), []).append((doc, claim, _label(label, path, row)))
    if not parts[0]:
        raise ClaimwiseError(
            f"{folder} holds rows for tuning alone (names with {' or '.join(TUNING)}).",
            "Add a file to be measured.",
        )
    measured, tuning = (
        {
            name: ([r[0] for r in rows], [r[1] for r in rows], np.array([r[2] for r in rows]))
            for name, rows in part.items()
        }
        for part in parts
    )
    for name, (_, _, labels) in measured.items():
        if len(set(labels.tolist())) < 2:
            raise ClaimwiseError(
                f"The set {name!r} has one label alone, so that balanced accuracy means nothing.",
                "Give rows of both labels.",
            )
    return measured, tuning


def reproduce_aggrefact(data: Path, out: Path, **options: Any) -> dict[str, Any]:
    """Measure a judge on every set: the summac_zs score of a claim against its document, above 0.5 or not.

    Where a set has rows to tune a threshold on, the accuracy with that one is given too.

    Args:
        data: the folder with the files.
        out: folder for ``results.json``, ``results.md`` and ``scores.sqlite`` (a killed run goes on with it).
        **options: of ``summac_zs``, such as ``nli_model`` or ``premise_granularity``.

    Returns:
        ``{"sets": {set: {"balanced_accuracy", "rows"}}, "mean", "signature"}``, accuracies in percent; a set
        with rows to tune on has ``"threshold"`` and ``"balanced_accuracy_tuned"`` as well, and where all
        have, there is ``"mean_tuned"``; ``"published"`` where all eleven sets are there.

    Raises:
        ClaimwiseError: for data that is missing or an output that cannot be written.
    """
    measured, tuning = read_aggrefact(data)
    options.setdefault("score_cache", out / "scores.sqlite")
    metric = SummacZs(**options)

    def scores(docs: list[str], claims: list[str]) -> npt.NDArray[np.float64]:
        return np.array(metric.compute(predictions=claims, references=docs)["summac_zs_scores"])

    sets: dict[str, dict[str, Any]] = {}
    with writing(out / "results.json") as results_json, writing(out / "results.md") as results_md:
        for name, (docs, claims, labels) in measured.items():
            found = scores(docs, claims)
            above = float(np.nextafter(THRESHOLD, 1))
            sets[name] = {
                "balanced_accuracy": 100 * balanced_accuracy(labels, found, above),
                "rows": len(labels),
            }
            if name in tuning and len(set(tuning[name][2].tolist())) == 2:
                threshold = best_threshold(tuning[name][2], scores(*tuning[name][:2]))
                accuracy = 100 * balanced_accuracy(labels, found, threshold)
                sets[name] |= {"threshold": threshold, "balanced_accuracy_tuned": accuracy}
        results: dict[str, Any] = {
            "sets": sets,
            "mean": _mean(sets, "balanced_accuracy"),
            "signature": metric.signature(),
        }
        if all("threshold" in one for one in sets.values()):
            results["mean_tuned"] = _mean(sets, "balanced_accuracy_tuned")
        if set(sets) == set(ELEVEN):
            results["published"] = PUBLISHED
        json.dump(results, results_json, indent=1)
        results_md.write(aggrefact_table(results))
    return results


def aggrefact_table(results: dict[str, Any]) -> str:
    """Return the results as Markdown tables."""
    lines = ["| set | claims | balanced accuracy | with a tuned threshold |", "|---|---|---|---|"]
    for name, one in results["sets"].items():
        tuned = (
            f"{one['balanced_accuracy_tuned']:.1f} (from {one['threshold']:.3f})"
            if "threshold" in one
            else "–"
        )
        lines.append(f"| {name} | {one['rows']} | {one['balanced_accuracy']:.1f} | {tuned} |")
    mean_tuned = f"{results['mean_tuned']:.1f}" if "mean_tuned" in results else "–"
    lines.append(f"| mean | | {results['mean']:.1f} | {mean_tuned} |")
    if "published" in results:
        rows = {**results["published"], "this judge": results["mean"]}
        lines += ["", "| over the eleven sets | mean |", "|---|---|"]
        lines += [f"| {name} | {value:.1f} |" for name, value in sorted(rows.items(), key=lambda row: row[1])]
    return "\n".join(lines) + f"\n\n`{results['signature']}`\n"


def _mean(sets: dict[str, dict[str, Any]], key: str) -> float:
    return float(np.mean([one[key] for one in sets.values()]))


def _label(label: object, path: Path, row: int) -> int:
    text = str(label).strip().lower().removesuffix(".0")
    if text not in ("0", "1", "true", "false"):
        raise ClaimwiseError(f"must be 0 or 1; got {label!r}.", path=path, column="label", row=row)
    return int(text in ("1", "true"))
