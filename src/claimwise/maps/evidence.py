"""Evidence of any form as a fragment of HTML: lists of words, tables, numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.files import writing
from claimwise.maps.contrast import contrast_fragment
from claimwise.maps.evidence_map import SUPPORT_METRICS, contrast_map, support_map
from claimwise.maps.parts import page
from claimwise.maps.style import STYLE
from claimwise.maps.support import support_fragment

ROWS_SHOWN = 20


def evidence_fragment(metric: str, evidence: Mapping[str, Any]) -> str:
    """Draw the evidence of one row of any metric as HTML that needs ``STYLE`` and no script.

    Args:
        metric: its name.
        evidence: one element of ``"<metric>_details"``.

    Returns:
        One ``<div class="claimwise">``; every text in it is escaped.
    """
    if metric == "caspr":
        return contrast_fragment(evidence)
    if metric in SUPPORT_METRICS:
        return support_fragment(evidence)
    return f'<div class="claimwise">{_drawn(evidence)}</div>'


def details_html(metric: str, details: Sequence[Mapping[str, Any]]) -> str:
    """Draw the evidence of the first rows of a result, each to be opened; what a notebook shows of it.

    Args:
        metric: its name.
        details: ``result["<metric>_details"]``.
    """
    shown = "".join(example(metric, row, evidence) for row, evidence in enumerate(details[:ROWS_SHOWN]))
    more = len(details) - ROWS_SHOWN
    hidden = f'<p class="soft">{more} more rows: details[row] holds them.</p>' if more > 0 else ""
    return f'<style>{STYLE}</style><div class="claimwise">{shown}{hidden}</div>'


def example(metric: str, row: int, evidence: Mapping[str, Any]) -> str:
    """Draw the evidence of one row, folded under its score."""
    score = "" if evidence["score"] is None else f'<span class="number">{evidence["score"]:.2f}</span>'
    return (
        f'<details class="example"><summary>Row {row} · {escape(metric)} {score}</summary>'
        f"{evidence_fragment(metric, evidence)}</details>"
    )


def save_map(result: Mapping[str, Any], metric: str, path: Path, row: int = 0) -> None:
    """Write the evidence of one row of any metric's result to a file.

    Args:
        result: what the metric computed with ``details=True``.
        metric: its name.
        path: a .html file; for contrast and support maps also .pdf, .svg or .png.
        row: which.

    Raises:
        ClaimwiseError: for another suffix, or a file that cannot be written.
    """
    if metric == "caspr":
        contrast_map(result, row).save(path)
    elif metric in SUPPORT_METRICS:
        support_map(result, row).save(path)
    elif path.suffix.lower() in (".html", ".htm"):
        fragment = evidence_fragment(metric, result[f"{metric}_details"][row])
        with writing(path) as out:
            out.write(page(f"Evidence: {metric}", fragment, [result[f"{metric}_signature"]]))
    else:
        raise ClaimwiseError(f"{path}: {metric} has no figure. Name the file .html.")


def words(name: str) -> str:
    """Return a key of the evidence as words: ``only_a`` as ``only a``."""
    return str(name).replace("_", " ")


def _drawn(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = "".join(
            f"<dt>{escape(words(key))}</dt><dd>{_drawn(inner)}</dd>" for key, inner in value.items()
        )
        return f"<dl>{pairs}</dl>"
    if isinstance(value, list) and value and all(isinstance(inner, Mapping) for inner in value):
        head = "".join(f'<th scope="col">{escape(words(key))}</th>' for key in value[0])
        rows = "".join(
            f"<tr>{''.join(f'<td>{_drawn(inner)}</td>' for inner in row.values())}</tr>" for row in value
        )
        return f'<div class="scroll" tabindex="0"><table><tr>{head}</tr>{rows}</table></div>'
    if isinstance(value, list):
        chips = " ".join(f'<span class="chip">{_drawn(inner)}</span>' for inner in value)
        return f'<div class="scroll">{chips or "none"}</div>'
    if isinstance(value, float):
        return f'<span class="number">{value:.3f}</span>'
    return "none" if value is None else escape(str(value))
