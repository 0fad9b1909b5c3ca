"""Rerunning Table 2, Table 5 and Figure 2 of the CASPR paper (Ananthamurugan et al. 2024) on CoCoTrip.

With the files that its authors recorded, the paper's numbers are reproduced exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.papers import experiment
from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from benchmarks.papers.correlation import coefficients
from benchmarks.papers.experiment import Floats, pyplot
from benchmarks.papers.recorded import METRICS, Scores, Verdicts, read_recorded
from claimwise.data import cocotrip
from claimwise.errors import ClaimwiseError
from claimwise.judges.crossing import cross
from claimwise.judges.options import JudgeOptions
from claimwise.judges.protocol import Judge
from claimwise.metrics import Caspr, DistinctivenessScore, InvertedBertscore
from claimwise.scores.caspr import CasprScore, caspr_score
from claimwise.stats import COEFFICIENTS
from claimwise.text.options import DecomposerOptions, SplitterOptions

FIGURE_2 = ("synthetic_low_contrast", "reference_similar", "reference_contrastive", "synthetic_high_contrast")
SETS = (*FIGURE_2, "synthetic_contrast")
CORRELATED = ("reference_contrastive", "synthetic_contrast")

PRINTED = {
    "caspr": ("84.3 ± 3.8", "98.1 ± 0.8", "83.7 ± 3.6", "0.66"),
    "distinctiveness_score": ("73.6 ± 0.9", "44.5 ± 1.6", "74.1 ± 0.8", "0.51"),
    "inverted_bertscore": ("72.5 ± 1.4", "50.6 ± 1.7", "73.4 ± 1.3", "0.86"),
}
"""Tables 2 and 5: mean and half-width of the 95 % interval for the last three sets, and the correlation that
the paper calls rank correlation; it is Pearson's, as the recorded scores show."""

SCORES = ("caspr", "caspr_strongest", *METRICS[1:])
COLUMNS = {
    "recorded": "recorded",
    "claimwise": "claimwise",
    "recorded_claims": "claimwise on recorded claims",
}
COLOURS = dict(zip(METRICS, ("#d55e00", "#0072b2", "#009e73"), strict=True))


def reproduce_cocotrip(data: Path | None, out: Path, **options: Any) -> dict[str, Any]:
    """Rerun Table 2, Table 5 and Figure 2 of the CASPR paper.

    Args:
        data: the folder with CoCoTrip's ``anno.json`` and ``caspr_synthetic_dataset.json``, and optionally
            the recorded files, or its parent folder; ``None`` downloads the first two.
        out: folder for ``results.json``, ``scores.json`` (per pair), ``results.md`` and ``figure2.png``.
        **options: options of CASPR, such as ``judge`` or ``decomposer``; ``device`` applies to all
            metrics.

    Returns:
        ``{"claimwise": {score: {set: {"mean", "half_width"}, "correlation": {"pearson", "spearman",
        "kendall"}}}, "signature": {metric: line}}``, with half-widths of 95 % intervals. With the recorded
        files also ``"recorded"`` (each set with ``"from"``, ``"verdicts"`` or ``"pair scores"``) and
        ``"recorded_claims"`` (CASPR of the recorded claims with claimwise's judge), and in ``"claimwise"``
        the correlation of a set's scores with the recorded ones as ``"pearson_with_recorded"``.

    Raises:
        ClaimwiseError: for missing or modified data, or an output that cannot be written.
    """
    pyplot()
    records = cocotrip.records(data)
    recorded = None if data is None else read_recorded(data, len(records))
    caspr = Caspr(**options)
    device = {"device": options["device"]} if "device" in options else {}
    metrics = (caspr, DistinctivenessScore(), InvertedBertscore(**device))
    columns = {
        name: [[row[side] for row in cocotrip.rows(records, name)] for side in ("summary_a", "summary_b")]
        for name in SETS
    }
    with experiment.outputs(out, "results.json", "scores.json", "results.md") as write:
        scores: dict[str, Scores] = {"claimwise": {score: {} for score in SCORES}}
        for metric, (name, (a, b)) in itertools.product(metrics, columns.items()):
            found = metric.compute(predictions=a, references=b)
            for score in (metric.name, *metric.spec.further):
                scores["claimwise"][score][name] = np.array(found[f"{score}_scores"])
        if recorded is not None:
            scores["recorded"], verdicts = recorded
            scores["recorded"]["caspr_strongest"] = {}
            scores["recorded_claims"] = {"caspr": {}, "caspr_strongest": {}}
            for name, of_set in verdicts.items():
                recomputed = [caspr_score(one.forward, one.backward) for one in of_set]
                by_source = {"recorded": recomputed, "recorded_claims": _judged(caspr.judge, of_set)}
                for source, of_pairs in by_source.items():
                    scores[source]["caspr"][name] = np.array([pair.score for pair in of_pairs])
                    scores[source]["caspr_strongest"][name] = np.array([pair.strongest for pair in of_pairs])
        results: dict[str, Any] = {
            source: {score: _summary(by_set) for score, by_set in by_score.items()}
            for source, by_score in scores.items()
        }
        if recorded is not None:
            for score, by_set in scores["recorded"].items():
                for name, theirs in by_set.items():
                    from_verdicts = score in scores["recorded_claims"] and name in verdicts
                    results["recorded"][score][name]["from"] = "verdicts" if from_verdicts else "pair scores"
                    pearson = coefficients(scores["claimwise"][score][name], theirs)["pearson"]
                    results["claimwise"][score][name]["pearson_with_recorded"] = pearson
        results["signature"] = {metric.name: metric.signature() for metric in metrics}
        write("results.json", results)
        write("scores.json", scores)
        write("results.md", cocotrip_table(results))
        _draw_figure2(results, out / "figure2.png")
    return results


def _judged(judge: Judge, verdicts: Sequence[Verdicts]) -> list[CasprScore]:
    """Return CASPR of recorded claims, with the verdicts of another judge."""
    claims = [(one.claims_a, one.claims_b) for one in verdicts]
    there, back = cross(judge, claims), cross(judge, [(b, a) for a, b in claims])
    both = zip(there, back, strict=True)
    return [caspr_score(one.probabilities, other.probabilities) for one, other in both]


def _summary(scores: Mapping[str, Floats]) -> dict[str, Any]:
    """Return mean and interval of each set, and the correlation of the contrastive and the paraphrased set.

    The interval is a normal interval with the standard error of the mean, which the paper estimates by
    bootstrapping; unlike a bootstrap interval, it does not depend on a random seed.
    """
    summary: dict[str, Any] = {
        name: {"mean": float(of_set.mean()), "half_width": float(stats.norm.ppf(0.975) * stats.sem(of_set))}
        for name, of_set in scores.items()
    }
    if all(name in scores for name in CORRELATED):
        if not all(np.ptp(scores[name]) for name in CORRELATED):
            raise ClaimwiseError("All pairs of a set have the same score, so there is no correlation.")
        summary["correlation"] = coefficients(*(scores[name] for name in CORRELATED))
    return summary


def cocotrip_table(results: Mapping[str, Any]) -> str:
    """Return the results as Markdown tables, beside the paper's numbers."""
    lines = [
        "CoCoTrip, 48 pairs per set: mean ± half the width of the 95 % normal interval; correlations of "
        f"`{CORRELATED[0]}` with `{CORRELATED[1]}`; the paper reports Pearson's as rank correlation. "
        "r: Pearson's correlation with the recorded scores over the pairs of a set.",
        "",
    ]
    if "recorded" not in results:
        lines[0] += " The recorded files are missing (benchmarks/papers/recorded.md says where they are)."
    for score in SCORES:
        found = {COLUMNS[one]: results[one][score] for one in COLUMNS if score in results.get(one, ())}
        columns, printed = found.values(), dict.fromkeys(SETS, "–")
        if score in PRINTED:
            printed = dict.fromkeys(SETS, "a bar of Figure 2")
            printed |= zip((*SETS[2:], "pearson"), PRINTED[score], strict=True)
        rows = [[f"`{name}`", printed[name], *(_cell(of.get(name)) for of in columns)] for name in SETS]
        for one in COEFFICIENTS:
            values = (of.get("correlation", {}).get(one) for of in columns)
            cells = ("–" if value is None else f"{value:.3f}" for value in values)
            rows.append([one.capitalize(), printed.get(one, "–"), *cells])
        lines += [f"## {score}", "", *experiment.table(["", "printed in the paper", *found], rows)]
    return "\n".join([*lines, *(f"- `{line}`" for line in results["signature"].values())]) + "\n"


def _cell(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "–"
    note = f" (from {found['from']})" if "from" in found else ""
    note += f", r {found['pearson_with_recorded']:.2f}" if "pearson_with_recorded" in found else ""
    return f"{found['mean']:.1f} ± {found['half_width']:.1f}{note}"


def _draw_figure2(results: Mapping[str, Any], path: Path) -> None:
    """Draw Figure 2, from recorded and recomputed scores: mean scores of four sets, in order of contrast."""
    sources = [source for source in ("recorded", "claimwise") if source in results]
    size = (7 * len(sources), 4)
    figure, panels = pyplot().subplots(1, len(sources), figsize=size, layout="constrained", squeeze=False)
    for axes, source in zip(panels[0], sources, strict=True):
        for shift, (metric, colour) in enumerate(COLOURS.items()):
            of_sets = [results[source][metric][name] for name in FIGURE_2]
            means, widths = ([of[key] for of in of_sets] for key in ("mean", "half_width"))
            places = [place + 0.26 * (shift - 1) for place in range(4)]
            bars = axes.bar(places, means, 0.24, yerr=widths, label=metric, color=colour, capsize=3)
            axes.bar_label(bars, fmt="%.0f", padding=4, fontsize=8)
        axes.set_xticks(range(4), [name.replace("_", "\n", 1) for name in FIGURE_2], fontsize=8)
        axes.set_ylabel(f"{source}: mean score, 95 % interval")
        axes.set_ylim(0, 110)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8, loc="upper left")
    experiment.save(figure, path)


FILES = f"{RESULTS}, scores.json, figure2.png"


@paper_command(groups=(JudgeOptions, SplitterOptions, DecomposerOptions))
@output_flag(FILES)
@data_flag("with the CoCoTrip files (default: download)", required=False)
def main(out: Path, data: Path | None, options: dict[str, Any]) -> None:
    """Rerun Table 2, Table 5 and Figure 2 of the CASPR paper on CoCoTrip."""
    reproduce_cocotrip(data, out, **options)
    show(out, FILES)


if __name__ == "__main__":
    run(main)
