"""Figures of a study for papers: differences with their intervals, and distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.evidence.figures import COLOURS, FONT, FONT_SIZE, SETTINGS, check_matplotlib
from claimwise.report.lines import SIGNIFICANT, Line, shortened, title_of
from claimwise.report.results import SystemResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Results = Mapping[str, Sequence[SystemResult]]
"""Score → the result of each system."""
WIDTH = 6.9
"""Width of two columns, in inches."""
ACROSS = 3
"""Panels side by side."""
ROW = 0.19
PANEL = 0.62
"""Height of a panel without its rows, in inches."""


def study_figures(results: Results, lines: Sequence[Line]) -> dict[str, Figure]:
    """Return the figures by name.

    Raises:
        ClaimwiseError: if matplotlib is missing.
    """
    check_matplotlib()
    return {"differences": _differences(results, lines), "distributions": _distributions(results)}


def save(figure: Figure, path: Path, suffix: str) -> None:
    """Write a figure with the fonts that journals require."""
    from matplotlib import rc_context

    with rc_context(SETTINGS):
        figure.savefig(path, format=suffix)


def _panels(scores: Sequence[str], rows: int) -> tuple[Figure, list[Any]]:
    """Return a figure with a panel of ``rows`` rows for each score, and its panels."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    across = min(len(scores), ACROSS)
    down = -(-len(scores) // across)
    settings = SETTINGS | {"font.size": FONT_SIZE, "font.family": FONT, "axes.titlesize": FONT_SIZE}
    settings |= {f"{axis}tick.labelsize": FONT_SIZE for axis in "xy"}
    with rc_context(settings):
        figure = Figure(figsize=(WIDTH, down * (PANEL + ROW * rows)), layout="constrained")
        panels = figure.subplots(down, across, squeeze=False).ravel().tolist()
        for panel in panels[len(scores) :]:
            panel.set_axis_off()
        for score, panel in zip(scores, panels, strict=False):
            panel.set_title(title_of(score), parse_math=False)
            panel.spines[["top", "right", "left"]].set_visible(False)
            panel.tick_params(axis="y", length=0)
            panel.locator_params(axis="x", nbins=4)
            panel.set_ylim(rows - 0.5, -0.5)
    return figure, panels


def _label(panel: Any, names: list[str]) -> None:
    panel.set_yticks(range(len(names)), shortened(names), parse_math=False)


def _differences(results: Results, lines: Sequence[Line]) -> Figure:
    """Draw the difference of each system from the baseline, with its interval."""
    figure, panels = _panels(list(results), len(next(iter(results.values()))) - 1)
    for score, panel in zip(results, panels, strict=False):
        compared = [line for line in lines if line.metric == score and line.difference is not None]
        panel.axvline(0, color="black", linewidth=0.6)
        for row, line in enumerate(compared):
            ends = line.difference_low, line.difference, line.difference_high
            low, middle, high = (round(end or 0, 9) for end in ends)  # an axis of rounding errors is none
            panel.plot([low, high], [row, row], color=COLOURS["blue"])
            face = COLOURS["blue"] if (line.p_holm or 0) < SIGNIFICANT else "white"
            panel.plot(middle, row, "o", markersize=4, color=COLOURS["blue"], markerfacecolor=face)
        _label(panel, [line.system for line in compared])
    return figure


def _distributions(results: Results) -> Figure:
    """Draw quartiles, whiskers and means of the scores of each system."""
    figure, panels = _panels(list(results), len(next(iter(results.values()))))
    for systems, panel in zip(results.values(), panels, strict=False):
        panel.boxplot(
            [result.known_scores for result in systems],
            orientation="horizontal",
            positions=range(len(systems)),
            widths=0.55,
            flierprops={"markersize": 2},
            medianprops={"color": COLOURS["blue"], "linewidth": 1.6},
        )
        means = [result.mean for result in systems]
        panel.plot(means, range(len(systems)), "D", color="black", markersize=3)
        _label(panel, [result.system for result in systems])
    return figure
