"""One report on the summaries of several systems: are they supported, generic, abstractive, complex?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.metrics import Abstractiveness, Complexity, Genericity, Metric, SupportCounts
from claimwise.report.compare import compare
from claimwise.report.results import SystemResult
from claimwise.reproduce.experiment import outputs, pyplot, save, table
from claimwise.stats import bootstrap_interval
from claimwise.text.inputs import check_lengths

MEASURES = {
    "top_score": "top score, −1 to 1",
    "support_counts": "claims with 3+ supports, share",
    "genericity": "genericity (semantic), −1 to 1",
    "average_idf": "average IDF",
    "abstractiveness": "novel 3-grams, share",
    "complexity": "contrasting sentences, %",
    "length": "words a summary",
}


def profile_summaries(
    systems: Mapping[str, Sequence[str]],
    sources: Sequence[str | Sequence[str]],
    *,
    entities: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    **options: Any,
) -> dict[str, Any]:
    """Measure the summaries that systems wrote of the same sources.

    Args:
        systems: the summaries of each system by its name, one per source, in the same order.
        sources: what was summarized: each a string or a list of strings (reviews). At least two.
        entities: the entity of each source, for genericity (default: each is an entity of its own).
        confidence_level: of the percentile bootstrap intervals.
        **options: of the metrics that compare claims with the NLI model, such as ``nli_model``,
            ``decomposer`` or ``score_cache``.

    Returns:
        ``{system: {measure: {"value", "ci", "scores", "weights", "p_value"}, …, "support_percent": {…}}}``
        with the measures of ``MEASURES``. ``value`` is the mean that the metric gives: of ``scores``, one
        number per summary, by their ``weights``, such as the numbers of claims (absent where all are alike).
        ``p_value`` tests the difference of a system's mean to that of the first (paired permutation test,
        two-sided; absent for the first system).

    Raises:
        ClaimwiseError: for no system, unequal numbers of summaries, or a text that cannot be scored.
    """
    if not systems:
        raise ClaimwiseError("No system to profile: give the summaries of at least one.")
    check_lengths({"sources": sources, **systems})
    metrics: list[Metric] = [
        SupportCounts(**options),
        Genericity(**options),
        Abstractiveness(),
        Complexity(),
    ]
    profile: dict[str, Any] = {}
    first: dict[str, SystemResult] = {}
    for name, summaries in systems.items():
        found: dict[str, Any] = {}
        for metric in metrics:
            known = {column.name for column in metric.spec.columns}
            columns = {"references": list(sources), "entities": entities}
            given = {column: cells for column, cells in columns.items() if column in known and cells}
            found |= metric.compute(predictions=list(summaries), **given)
        found["length_scores"] = [float(len(summary.split())) for summary in summaries]
        results = {measure: SystemResult.of(name, measure, found) for measure in MEASURES}
        profile[name] = {"support_percent": found["support_percent"]}
        for measure, result in results.items():
            profile[name][measure] = _measured(result, confidence_level)
            if first:
                profile[name][measure]["p_value"] = compare(first[measure], result).p_value
        first = first or results
    return profile


def _measured(result: SystemResult, confidence_level: float) -> dict[str, Any]:
    interval = bootstrap_interval(
        result.known_scores, confidence_level, weights=result.known_weights, method="percentile"
    )
    measured = {"value": result.mean, "ci": list(interval), "scores": list(result.scores)}
    if result.weights is not None:
        measured["weights"] = list(result.weights)
    return measured


def profile_table(profile: Mapping[str, Any]) -> str:
    """Return a profile as Markdown; ``*`` marks p < .05 and ``**`` p < .01 against the first system."""
    rows = []
    for measure, title in MEASURES.items():
        rows.append([title])
        for of_system in profile.values():
            measured = of_system[measure]
            cell = "{:.3g} [{:.3g}, {:.3g}]".format(measured["value"], *measured["ci"])
            p_value = measured.get("p_value", 1.0)
            rows[-1].append(cell + ("**" if p_value < 0.01 else "*" if p_value < 0.05 else ""))
    for size in next(iter(profile.values()))["support_percent"]:
        title = f"of all claims, those with {'1 support' if size == '1' else f'{size} supports'}, %"
        rows.append([title, *(f"{of_system['support_percent'][size]:.1f}" for of_system in profile.values())])
    return (
        "Means [95 % bootstrap interval, percentile]; * p < .05, ** p < .01 against the first system (paired "
        "permutation test of the difference of the means). Means over the summaries, but for the top score, "
        "the claims with supports and genericity, which go over the claims, and for the contrasting "
        "sentences, which go over the sentences. A share lies between 0 and 1; the rows “of all claims” are "
        "percentages.\n\n" + "\n".join(table(["measure", *profile], rows))
    )


def write_profile(profile: Mapping[str, Any], out: Path) -> None:
    """Write ``profile.json``, ``profile.md`` and ``support.png`` into the folder ``out``.

    Raises:
        ClaimwiseError: if matplotlib is missing or a file cannot be written.
    """
    pyplot()  # before anything is written
    with outputs(out, "profile.json", "profile.md") as write:
        write("profile.json", profile)
        write("profile.md", profile_table(profile))
        _draw_support(profile, out / "support.png")


def _draw_support(profile: Mapping[str, Any], path: Path) -> None:
    """Draw how many supports the claims of each system have, as stacked bars."""
    bins = list(next(iter(profile.values()))["support_percent"])
    figure, axes = pyplot().subplots(figsize=(7, 1.2 + 0.5 * len(profile)), layout="constrained")
    left = np.zeros(len(profile))
    for number, size in enumerate(bins):
        widths = np.array([of_system["support_percent"][size] for of_system in profile.values()])
        colour = pyplot().get_cmap("cividis")(number / (len(bins) - 1))
        bars = axes.barh(list(profile), widths, left=left, color=colour, label=size)
        light = sum(colour[:3]) > 1.5
        labels = [f"{width:.0f}" if width >= 4 else "" for width in widths]
        axes.bar_label(bars, labels, label_type="center", color="black" if light else "white", fontsize=8)
        left += widths
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("claims, %, by how many review sentences support them")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(ncols=len(bins), frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))
    save(figure, path)
