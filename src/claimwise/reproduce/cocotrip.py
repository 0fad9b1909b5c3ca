"""Rerunning Table 2, Table 5 and Figure 2 of the CASPR paper (Ananthamurugan et al. 2023/24) on CoCoTrip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from claimwise.data import cocotrip
from claimwise.errors import ClaimwiseError
from claimwise.metrics import load
from claimwise.reproduce.experiment import outputs, pyplot, save, table, with_interval

COLOURS = {"caspr": "#d55e00", "distinctiveness_score": "#0072b2", "inverted_bertscore": "#009e73"}
PAPER_METRICS = tuple(COLOURS)

# Figure 2 goes from low to high contrast; the paraphrased set is Table 5's.
SETS = {
    "synthetic_low_contrast": "low contrast (paraphrase of A)",
    "reference_similar": "similar (two annotators on A)",
    "reference_contrastive": "contrastive (A and B)",
    "synthetic_high_contrast": "high contrast (negation of A)",
    "synthetic_contrast": "contrastive, paraphrased",
}

# Ananthamurugan et al., Tables 2 and 5: mean and half the width of the 95 % interval.
PAPER_MEANS = {
    "caspr": {
        "reference_contrastive": (84.3, 3.8),
        "synthetic_high_contrast": (98.1, 0.8),
        "synthetic_contrast": (83.7, 3.6),
    },
    "distinctiveness_score": {
        "reference_contrastive": (73.6, 0.9),
        "synthetic_high_contrast": (44.5, 1.6),
        "synthetic_contrast": (74.1, 0.8),
    },
    "inverted_bertscore": {
        "reference_contrastive": (72.5, 1.4),
        "synthetic_high_contrast": (50.6, 1.7),
        "synthetic_contrast": (73.4, 1.3),
    },
}
RANKED = ("reference_contrastive", "synthetic_contrast")
PAPER_RANK_CORRELATION = {"caspr": 0.66, "distinctiveness_score": 0.51, "inverted_bertscore": 0.86}


def reproduce_cocotrip(data: Path | None, out: Path, **options: Any) -> dict[str, Any]:
    """Rerun Table 2, Table 5 and Figure 2 of the CASPR paper.

    Args:
        data: the folder with CoCoTrip's ``anno.json`` and ``caspr_synthetic_dataset.json``, or the
            folder above it; ``None`` downloads them.
        out: folder for ``results.json``, ``scores.json`` (per pair), ``results.md`` and ``figure2.png``.
        **options: for CASPR, such as ``nli_model`` or ``decomposer``; ``device`` is for all.

    Returns:
        ``{set: {metric: {"mean", "ci"}}, "rank_correlation": {metric: rho}, "signature": {metric: line}}``.

    Raises:
        ClaimwiseError: for data that is missing or not the published one, or an output that
            cannot be written.
    """
    pyplot()
    records = cocotrip.records(data)
    pairs = {name: cocotrip.rows(records, name) for name in SETS}
    device = {"device": options["device"]} if "device" in options else {}
    options_of = {"caspr": options, "distinctiveness_score": {}, "inverted_bertscore": device}
    results: dict[str, Any] = {name: {} for name in SETS}
    results |= {"rank_correlation": {}, "signature": {}}
    scores: dict[str, dict[str, list[float]]] = {}
    with outputs(out, "results.json", "scores.json", "results.md") as write:
        for metric_name in PAPER_METRICS:
            metric = load(metric_name, **options_of[metric_name])
            scores[metric_name] = {}
            for name, rows in pairs.items():
                result = metric.compute(
                    predictions=[row["summary_a"] for row in rows],
                    references=[row["summary_b"] for row in rows],
                    confidence_level=0.95,
                    confidence_method="normal",
                )
                scores[metric_name][name] = result[f"{metric_name}_scores"]
                found = {"mean": result[metric_name], "ci": result[f"{metric_name}_ci"]}
                results[name][metric_name] = found
            correlation = spearmanr(*(scores[metric_name][name] for name in RANKED))
            if not np.isfinite(correlation.statistic):
                raise ClaimwiseError(f"{metric_name} scores all pairs of a set alike: no rank correlation.")
            results["rank_correlation"][metric_name] = float(correlation.statistic)
            results["signature"][metric_name] = metric.signature()
        write("results.json", results)
        write("scores.json", scores)
        write("results.md", cocotrip_table(results))
        _draw_figure2(results, out / "figure2.png")
    return results


def cocotrip_table(results: dict[str, Any]) -> str:
    """Return the results as a Markdown table, the paper's values beside ours."""
    rows = []
    for name, description in SETS.items():
        cells = [description]
        for metric in PAPER_METRICS:
            found, paper = results[name][metric], PAPER_MEANS[metric].get(name)
            cells.append(with_interval(found["mean"], found["ci"], digits=1))
            cells.append(f"{paper[0]} ± {paper[1]}" if paper else "—")
        rows.append(cells)
    rows.append(["Spearman, contrastive with paraphrased"])
    for metric in PAPER_METRICS:
        correlations = results["rank_correlation"][metric], PAPER_RANK_CORRELATION[metric]
        rows[-1] += [f"{one:.2f}" for one in correlations]
    lines = [
        "CoCoTrip, 48 pairs a set: mean [95 % interval, the paper's: normal, so it may leave the scale]. "
        "The paper's values are from its Tables 2 and 5 (its Figure 2 gives no numbers).",
        "",
        *table(["set", *(title for name in PAPER_METRICS for title in (name, "paper"))], rows),
        *(f"- `{line}`" for line in results["signature"].values()),
    ]
    return "\n".join(lines) + "\n"


def _draw_figure2(results: dict[str, Any], path: Path) -> None:
    """Draw Figure 2: the mean scores of the four sets from low to high contrast."""
    names = list(SETS)[:4]
    figure, axes = pyplot().subplots(figsize=(7, 4), layout="constrained")
    for shift, (metric, colour) in enumerate(COLOURS.items()):
        means = [results[name][metric]["mean"] for name in names]
        widths = [results[name][metric]["ci"][1] - results[name][metric]["mean"] for name in names]
        places = [place + 0.26 * (shift - 1) for place in range(len(names))]
        bars = axes.bar(places, means, 0.24, yerr=widths, label=metric, color=colour, capsize=3)
        axes.bar_label(bars, fmt="%.0f", padding=4, fontsize=8)
    axes.set_xticks(range(len(names)), [SETS[name].replace(" (", "\n(") for name in names], fontsize=8)
    axes.set_ylabel("mean score, 95 % interval")
    axes.set_ylim(0, 110)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    save(figure, path)
