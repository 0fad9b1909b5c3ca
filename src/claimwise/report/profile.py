"""One report on the summaries of several systems: are they supported, generic, abstractive, complex?"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.files import writing
from claimwise.metrics import Abstractiveness, Complexity, Genericity, SupportCounts
from claimwise.stats import bootstrap_interval, paired_test
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
        confidence_level: of the bootstrap intervals.
        **options: of the metrics that compare claims with the NLI model, such as ``nli_model``,
            ``decomposer`` or ``score_cache``.

    Returns:
        ``{system: {measure: {"value", "ci", "scores", "p_value"}, …, "support_percent": {…}}}`` with the
        measures of ``MEASURES``. ``scores`` has one number per summary and ``value`` is their mean (the
        metrics themselves give some means over all claims instead); ``p_value`` tests a system against the
        first (paired permutation test, two-sided; absent for the first system).

    Raises:
        ClaimwiseError: for no system, unequal numbers of summaries, or a text that cannot be scored.
    """
    if not systems:
        raise ClaimwiseError("No system to profile: give the summaries of at least one.")
    check_lengths({"sources": sources, **systems})
    support = SupportCounts(**options)
    genericity = Genericity(**options)
    profile: dict[str, Any] = {}
    for name, summaries in systems.items():
        rows: dict[str, Any] = {"predictions": list(summaries), "references": list(sources)}
        supported = support.compute(**rows)
        of_entities: dict[str, Any] = {"entities": entities} if entities else {}
        generic = genericity.compute(predictions=rows["predictions"], **of_entities)
        scores: dict[str, list[float]] = {
            "top_score": supported["top_score_scores"],
            "support_counts": supported["support_counts_scores"],
            "genericity": generic["genericity_scores"],
            "average_idf": generic["average_idf_scores"],
            "abstractiveness": Abstractiveness().compute(**rows)["abstractiveness_scores"],
            "complexity": Complexity().compute(predictions=rows["predictions"])["complexity_scores"],
            "length": [float(len(summary.split())) for summary in summaries],
        }
        first = next(iter(profile.values()), None)
        profile[name] = {"support_percent": supported["support_percent"]}
        for measure, values in scores.items():
            interval = bootstrap_interval(values, confidence_level)
            measured = {"value": float(np.mean(values)), "ci": list(interval), "scores": values}
            if first is not None:
                measured["p_value"] = paired_test(first[measure]["scores"], values).p_value
            profile[name][measure] = measured
    return profile


def system_names(paths: Sequence[Path]) -> list[str]:
    """Return the name of each system: that of its file, with the folder where two files are called alike.

    Raises:
        ClaimwiseError: for two files that differ in nothing but their suffix, or one given twice.
    """
    stems = [path.stem for path in paths]
    names = [str(path.with_suffix("")) if stems.count(path.stem) > 1 else path.stem for path in paths]
    for path, name in zip(paths, names, strict=True):
        if names.count(name) > 1:
            raise ClaimwiseError(
                f"{path}: another file is called {name} too. Give each system once, in a file with a name "
                f"of its own."
            )
    return names


def profile_table(profile: Mapping[str, Any]) -> str:
    """Return a profile as Markdown; ``*`` marks p < .05 and ``**`` p < .01 against the first system."""
    lines = ["| measure | " + " | ".join(profile) + " |", "|---|" + "---|" * len(profile)]
    for measure, title in MEASURES.items():
        cells = []
        for of_system in profile.values():
            measured = of_system[measure]
            cell = "{:.3g} [{:.3g}, {:.3g}]".format(measured["value"], *measured["ci"])
            p_value = measured.get("p_value", 1.0)
            cells.append(cell + ("**" if p_value < 0.01 else "*" if p_value < 0.05 else ""))
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    bins = next(iter(profile.values()))["support_percent"]
    for size in bins:
        cells = [f"{of_system['support_percent'][size]:.1f}" for of_system in profile.values()]
        supports = "1 support" if size == "1" else f"{size} supports"
        lines.append(f"| of all claims, those with {supports}, % | " + " | ".join(cells) + " |")
    return (
        "Means over the summaries [95 % bootstrap interval]; * p < .05, ** p < .01 against the first system "
        "(paired permutation test). A share lies between 0 and 1. The rows “of all claims” count the claims "
        "of all summaries together: they are percentages, not means over the summaries.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def write_profile(profile: Mapping[str, Any], out: Path) -> None:
    """Write ``profile.json``, ``profile.md`` and ``support.png`` into the folder ``out``.

    Raises:
        ClaimwiseError: if matplotlib is missing or a file cannot be written.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise ClaimwiseError(
            "Drawing the plot needs matplotlib: pip install '.[plots]' in a clone"
        ) from error
    matplotlib.use("Agg")
    with writing(out / "profile.json") as as_json, writing(out / "profile.md") as as_markdown:
        json.dump(profile, as_json, indent=1, ensure_ascii=False)
        as_markdown.write(profile_table(profile))
        try:
            _draw_support(profile, out / "support.png")
        except OSError as error:
            raise ClaimwiseError(f"{out / 'support.png'}: cannot be written ({error}).") from error


def _draw_support(profile: Mapping[str, Any], path: Path) -> None:
    """Draw how many supports the claims of each system have, as stacked bars."""
    from matplotlib import colormaps
    from matplotlib import pyplot as plt

    bins = list(next(iter(profile.values()))["support_percent"])
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.5 * len(profile)), layout="constrained")
    left = np.zeros(len(profile))
    for number, size in enumerate(bins):
        widths = np.array([of_system["support_percent"][size] for of_system in profile.values()])
        colour = colormaps["cividis"](number / (len(bins) - 1))
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
    figure.savefig(path, dpi=150)
    plt.close(figure)
