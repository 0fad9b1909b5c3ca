"""Maps as matplotlib figures for papers: vector output that is readable in greyscale.

Glyphs and hatches repeat the meaning of colours. Texts are drawn literally: a ``$`` does not begin a formula.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import Evidence
from claimwise.evidence.kinds import ContrastClaim, ContrastEvidence
from claimwise.evidence.marks import CONTRAST_MARKS, LABEL_MARKS, SUPPORT_MARKS, Mark
from claimwise.evidence.support import EntailmentEvidence, SupportEvidence, at_threshold
from claimwise.options import check

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, with a hatch where two of them have nearly the same grey.
COLOURS = {"red": "#d55e00", "blue": "#0072b2", "sky": "#56b4e9", "grey": "#8c959f"}
HATCHES = {"red": "////", "blue": "", "sky": "....", "grey": ""}
SOFT = "#57606a"
FONT = "DejaVu Sans"  # comes with matplotlib and has the glyphs
# Fonts as required by journals: embedded as TrueType in PDF, as outlines in SVG.
SETTINGS: dict[Any, Any] = {"pdf.fonttype": 42, "svg.fonttype": "path", "hatch.linewidth": 0.6}

LINE = 0.155  # inches
MARGIN = 0.15
TOP = MARGIN + 2 * LINE  # the end of the title
TEXT_WIDTH, COLUMN_WIDTH = 3.0, 1.2
NARROW = 0.8
"""Columns narrower than this, in inches, are too narrow for a sentence."""
FONT_SIZE = 8.0
CHARACTERS = 14
"""Number of characters per inch."""


def figure(evidence: Evidence, threshold: float | None = None, width: float | None = None) -> Figure:
    """Draw the evidence of one row.

    Args:
        evidence: contrast, support or entailment evidence.
        threshold: see ``fragment``.
        width: width in inches; None = as wide as the claims need. Narrow columns have numbers as headings,
            with the claims below.

    Raises:
        ClaimwiseError: for a width below 3, another kind, or an invalid threshold, and if matplotlib is
            missing.
    """
    check("width", 3 if width is None else width, between=(3, 100))
    match evidence:
        case ContrastEvidence():
            return _matrix(evidence, width)
        case SupportEvidence():
            return _bars(*_counted(evidence, threshold), width)
        case EntailmentEvidence():
            return _bars(*_entailed(evidence, threshold), width)
    raise ClaimwiseError(f"{evidence.kind} evidence has no figure.", "Use a file name that ends in .html.")


def _matrix(evidence: ContrastEvidence, wanted: float | None = None) -> Figure:
    """Draw the matrix of one pair: claims of A by claims of B, each with its text and verdict."""
    count = len(evidence.claims_b)
    text_width, column_width = TEXT_WIDTH, COLUMN_WIDTH
    if wanted is not None:
        text_width = 0.45 * (wanted - 2 * MARGIN)
        column_width = (wanted - 2 * MARGIN - text_width) / max(count, 1)
    width = wanted or max(2 * MARGIN + TEXT_WIDTH + count * COLUMN_WIDTH, 6.5)
    across = _characters(width - 2 * MARGIN)
    is_narrow = column_width < NARROW
    rows = [_labelled("A", i, claim, _characters(text_width)) for i, claim in enumerate(evidence.claims_a, 1)]
    columns = [
        f"B{i}" if is_narrow else _labelled("B", i, claim, _characters(column_width))
        for i, claim in enumerate(evidence.claims_b, 1)
    ]
    header = max(map(_lines, columns), default=1) * LINE + 0.1
    below = [
        *([_labelled("B", i, c, across) for i, c in enumerate(evidence.claims_b, 1)] if is_narrow else ()),
        *(line if wanted is None else textwrap.fill(line, across) for line in _LEGEND),
    ]
    title = f"Contrast {_score(evidence.score, 1)}"
    if evidence.strongest_differs:
        space = "\n" if is_narrow else " "
        title += f",{space}by the strongest comparison {_score(evidence.strongest, 1)}"
    figure, axes, bands = _sheet(width, title, rows, below, header, is_wanted=wanted is not None)
    left = MARGIN + text_width
    for column, text in enumerate(columns):
        middle = left + (column + 0.5) * column_width
        _text(axes, middle, TOP + header - 0.06, text, ha="center", va="bottom")
    decided = evidence.decided
    for row, (text, (y, height)) in enumerate(zip(rows, bands, strict=True)):
        _text(axes, left - 0.1, y + height / 2, text, ha="right", va="center")
        for column, label in enumerate(evidence.labels[row]):
            mark, x = LABEL_MARKS[label], left + column * column_width
            reason = decided.get((row, column))
            probability = reason.probability if reason else 0.0
            _box(axes, x, y, column_width, height, mark, probability)
            shown = f"{mark.glyph} {probability:.2f}" if reason and not is_narrow else mark.glyph
            centre = x + column_width / 2, y + height / 2
            _text(axes, *centre, shown, ha="center", va="center", boxed=bool(reason))
    return figure


_LEGEND = (
    "claims:  " + "   ".join(f"{mark.glyph} {name}" for name, mark in CONTRAST_MARKS.items()),
    "cells:  "
    + "   ".join(f"{mark.glyph} {name}" for name, mark in LABEL_MARKS.items())
    + " (the higher of the probabilities in both directions)",
)


def _bars(title: str, caption: str, bars: Sequence[_Bar], wanted: float | None = None) -> Figure:
    """Draw claims with bars: supports and weakening sentences, or scores."""
    text_width, chart, label_width = TEXT_WIDTH, 2.6, 1.6
    if wanted is not None:
        text_width, label_width = 0.45 * (wanted - 2 * MARGIN), 0.75 if wanted < 2 * TEXT_WIDTH else 1.6
        chart = wanted - 2 * MARGIN - text_width - label_width
        caption = textwrap.fill(caption, _characters(wanted - 2 * MARGIN))
    texts = [textwrap.fill(f"{i} {bar.text}", _characters(text_width)) for i, bar in enumerate(bars, 1)]
    low = min([0, *(bar.against for bar in bars), *(bar.value for bar in bars)])
    unit = chart / (max([1, *(bar.value for bar in bars)]) - low)
    left = MARGIN + text_width
    width = left + chart + label_width + MARGIN
    figure, axes, bands = _sheet(width, title, texts, [caption], is_wanted=wanted is not None)
    zero = left + 0.1 - low * unit
    for text, bar, (y, height) in zip(texts, bars, bands, strict=True):
        middle = y + height / 2
        _text(axes, left, middle, text, ha="right", va="center")
        mark = SUPPORT_MARKS[bar.verdict]
        for length, colour in ((bar.value, mark), (bar.against, SUPPORT_MARKS["contradicted"])):
            start = zero + min(length, 0) * unit
            _box(axes, start, middle - LINE / 2, abs(length) * unit, LINE, colour, 1.0)
        verdict = f"{bar.verdict} · " if label_width > NARROW else ""
        _text(axes, left + 0.2 + chart, middle, f"{mark.glyph} {verdict}{bar.number}", va="center")
    axes.plot([zero, zero], [TOP, TOP + sum(height for _, height in bands)], color="black", linewidth=0.8)
    return figure


class _Bar(NamedTuple):
    text: str
    verdict: str
    value: float
    against: int
    number: str


def _counted(evidence: SupportEvidence, threshold: float | None) -> tuple[str, str, list[_Bar]]:
    if threshold is not None:
        evidence = at_threshold(evidence, threshold)
    bars = []
    for claim in evidence.claims:
        weak = -len(claim.weakening)
        number = claim.size + (f" ({weak})" if weak else "")
        bars.append(_Bar(claim.claim, claim.verdict, claim.support, weak, number))
    unit, weakening = f"{evidence.unit}s", evidence.support or "sentences"
    at = "" if evidence.threshold is None else f"  (threshold {evidence.threshold:g})"
    caption = f"bars: {unit} that support the claim (right), {weakening} that weaken it (left, hatched)"
    return f"Supported claims {_score(evidence.score, 2)}{at}", caption, bars


def _entailed(evidence: EntailmentEvidence, threshold: float | None) -> tuple[str, str, list[_Bar]]:
    bars = [
        _Bar(claim.hypothesis, claim.verdict(threshold), claim.score, 0, f"{claim.score:.2f}")
        for claim in evidence.hypotheses
    ]
    return f"Support {_score(evidence.score, 2)}", "bars: score of the claim, from 0 to 1", bars


def _characters(inches: float) -> int:
    return round(CHARACTERS * inches)


def _lines(text: str) -> int:
    return text.count("\n") + 1


def _score(score: float | None, digits: int) -> str:
    return "none" if score is None else f"{score:.{digits}f}"


def _labelled(name: str, number: int, claim: ContrastClaim, characters: int) -> str:
    glyph = CONTRAST_MARKS[claim.verdict].glyph
    return textwrap.fill(f"{name}{number} {glyph} {claim.claim}", characters)


def check_matplotlib() -> None:
    """Raise an error if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ClaimwiseError(
            "Drawing the figure needs matplotlib.", "Run pip install '.[plots]' in a clone."
        ) from error


def _sheet(
    width: float,
    title: str,
    rows: Sequence[str],
    below: Sequence[str],
    header: float = 0.0,
    *,
    is_wanted: bool,
) -> tuple[Figure, Axes, list[tuple[float, float]]]:
    """Return a figure with a title, space for a header and rows of text, and texts below.

    The caller draws the rows, because their alignment differs. If the user chose the width, all text has one
    size.

    Returns:
        The figure, axes in inches with the origin in the upper left corner, and top and height of each row.
    """
    check_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    heights = [max(2, _lines(text)) * LINE + 0.12 for text in rows]
    tops = list(accumulate(heights, initial=TOP + header))
    height = TOP + header + sum(heights) + sum(map(_lines, below)) * LINE + 2 * MARGIN
    with rc_context(SETTINGS):
        figure = Figure(figsize=(width, height))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    title_size, small_size = (FONT_SIZE, FONT_SIZE) if is_wanted else (11.0, 7.0)
    _text(axes, MARGIN, MARGIN, title, size=title_size, weight="bold", va="top")
    y = tops[-1] + MARGIN
    for text in below:
        _text(axes, MARGIN, y, text, size=small_size, va="top", color=SOFT)
        y += _lines(text) * LINE
    return figure, axes, list(zip(tops, heights, strict=False))


def _text(
    axes: Axes, x: float, y: float, text: str, *, size: float = FONT_SIZE, boxed: bool = False, **looks: Any
) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "square,pad=0.2"}
    looks |= {"family": FONT, "parse_math": False, "linespacing": 1.25, "bbox": box if boxed else None}
    axes.text(x, y, text, fontsize=size, **looks)


def _box(axes: Axes, x: float, y: float, width: float, height: float, mark: Mark, strength: float) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    if mark.tone == "grey":
        strength = 0.0
    fill, hatch = to_rgba(COLOURS[mark.tone], 0.75 * strength), HATCHES[mark.tone] if strength else ""
    looks: Any = {"facecolor": fill, "edgecolor": SOFT, "linewidth": 0.6, "hatch": hatch}
    axes.add_patch(Rectangle((x, y), width, height, **looks))
