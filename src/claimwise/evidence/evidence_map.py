"""Maps of a result, for notebooks, as pages for sharing, and as figures for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import Evidence, evidence_of, kind_of
from claimwise.evidence.figures import SETTINGS, figure
from claimwise.evidence.html import STYLE, details_by_metric, example, fragment, page, rendered
from claimwise.evidence.kinds import ContrastEvidence
from claimwise.evidence.support import EntailmentEvidence, SupportEvidence
from claimwise.tables import cannot_be_written, writing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class EvidenceMap:
    """The evidence of one row of a result, ready to be drawn.

    Args:
        evidence: typed, or one element of ``"<name>_details"``.
        signature: signature of the result, shown on pages.
        threshold: draw it for another threshold (see ``fragment``).
        caption: the row among the rows of its result, shown above the map; empty for the only row.

    Raises:
        ClaimwiseError: for anything but evidence.
    """

    def __init__(
        self,
        evidence: Evidence | Mapping[str, Any],
        signature: str = "",
        threshold: float | None = None,
        caption: str = "",
    ) -> None:
        self.evidence = evidence_of(evidence)
        self.signature, self.threshold, self.caption = signature, threshold, caption

    def fragment(self) -> str:
        """Return the map as HTML for a page that includes ``STYLE``."""
        caption = rendered("caption", text=self.caption) if self.caption else ""
        return f"{caption}{fragment(self.evidence, self.threshold)}"

    def figure(self, width: float | None = None) -> Figure:
        """Return the map as a matplotlib figure: the matrix of claims, or claims with bars of their support.

        Args:
            width: width in inches, at least 3, such as 3.3 for a column of a paper, with 8-point text; None =
                as wide as the claims need.

        Raises:
            ClaimwiseError: if this kind of evidence has no figure, or matplotlib is missing.
        """
        return figure(self.evidence, self.threshold, width)

    def html(self, title: str | None = None) -> str:
        """Return the map as a self-contained page without scripts."""
        title = title or self.evidence.title
        return page(title, self.fragment(), [self.signature] if self.signature else [])

    def save(self, path: str | Path, title: str | None = None, *, width: float | None = None) -> None:
        """Write the map to a file.

        Args:
            path: a file that ends in ``.html``, ``.pdf``, ``.svg`` or ``.png``.
            title: title of a page; None = the title of the kind of evidence.
            width: width of a figure; see ``figure``.

        Raises:
            ClaimwiseError: for another suffix, a file that cannot be written, or if matplotlib is missing.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in (".html", ".htm"):
            with writing(path) as out:
                out.write(self.html(title))
        elif suffix in (".pdf", ".svg", ".png"):
            try:
                figure = self.figure(width)
            except ClaimwiseError as error:
                raise error.at(path=str(path)) from error.__cause__
            from matplotlib import rc_context

            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with rc_context(SETTINGS):
                    figure.savefig(path, dpi=200)
            except OSError as error:
                raise cannot_be_written(path, error) from error
        else:
            raise ClaimwiseError("unknown file type for a map.", "Use .html, .pdf, .svg or .png.", path=path)

    def __repr__(self) -> str:
        row = f"{self.caption}: " if self.caption else ""
        return f"<{self.evidence.title}: {row}{self.evidence!r}>"

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>{self.fragment()}"


def contrast_map(result: Mapping[str, Any] | Evidence, row: int = 0) -> EvidenceMap:
    """Return the map of one pair of summaries.

    Args:
        result: result of a metric with contrast evidence, computed with ``details=True``; or an element of
            its ``"<name>_details"``.
        row: index of the pair in the result.

    Raises:
        ClaimwiseError: for a result without this evidence.
    """
    return _map(result, row, ContrastEvidence)


def support_map(
    result: Mapping[str, Any] | Evidence, row: int = 0, *, threshold: float | None = None
) -> EvidenceMap:
    """Return the map of one summary and its source.

    Args:
        result: result of a metric with support or entailment evidence, computed with ``details=True``; or an
            element of its ``"<name>_details"``.
        row: index of the summary in the result.
        threshold: draw it for another threshold (see ``fragment``).

    Raises:
        ClaimwiseError: for a result without this evidence.
    """
    return _map(result, row, SupportEvidence, EntailmentEvidence, threshold=threshold)


def save_map(result: Mapping[str, Any], path: str | Path, row: int = 0) -> None:
    """Write the evidence of one row of any metric's result to a file.

    Args:
        result: result of the metric with ``details=True``.
        path: a .html file; for contrast and support maps also .pdf, .svg or .png.
        row: index of the row.

    Raises:
        ClaimwiseError: for a result without evidence, another suffix, or a file that cannot be written.
    """
    name, drawn = _map_of_row(result, row, Evidence)
    drawn.save(path, f"Evidence: {name}" if drawn.evidence.title == Evidence.title else None)


def maps_html(result: Mapping[str, Any]) -> str:
    """Return a page with the evidence of every row of a metric's result, each row collapsed.

    Raises:
        ClaimwiseError: for a result without evidence.
    """
    name, details, signature = _details(result, (Evidence,))
    rows = result.get(f"{name}_ids") or range(len(details))
    errors = result.get(f"{name}_errors") or [None] * len(details)
    examples = [
        example(name, row, evidence, error=error)
        for row, evidence, error in zip(rows, details, errors, strict=True)
    ]
    return page(f"Evidence: {name} {result[name]:.3f}", "".join(examples), [signature] if signature else [])


def _map(
    result: Mapping[str, Any] | Evidence, row: int, *kinds: type[Evidence], threshold: float | None = None
) -> EvidenceMap:
    if isinstance(result, Evidence) or "kind" in result:
        return EvidenceMap(evidence_of(result, *kinds), threshold=threshold)
    return _map_of_row(result, row, *kinds, threshold=threshold)[1]


def _map_of_row(
    result: Mapping[str, Any], row: int, *kinds: type[Evidence], threshold: float | None = None
) -> tuple[str, EvidenceMap]:
    """Return the name of the metric, and the map of a row."""
    name, details, signature = _details(result, kinds)
    if not 0 <= row < len(details):
        raise ClaimwiseError(f"the result has rows 0 to {len(details) - 1}.", row=row)
    if (evidence := details[row]) is None:
        problem = (result.get(f"{name}_errors") or {row: "it could not be scored."})[row]
        raise ClaimwiseError(f"has no score, and so no evidence: {problem}", row=row)
    row_id = f" ({ids[row]})" if (ids := result.get(f"{name}_ids")) else ""
    caption = f"Row {row}{row_id} of rows 0 to {len(details) - 1}" if len(details) > 1 else ""
    return name, EvidenceMap(evidence, signature, threshold, caption)


def _details(
    result: Mapping[str, Any], kinds: tuple[type[Evidence], ...]
) -> tuple[str, Sequence[Mapping[str, Any] | None], str]:
    """Return name, evidence of all rows (None = no score) and signature of the first of these kinds."""
    for kind in kinds:
        for name, rows in details_by_metric(result).items():
            first = next((row for row in rows if row is not None), None)
            if isinstance(first, Mapping) and issubclass(kind_of(first), kind):
                return name, rows, result.get(f"{name}_signature", "")
    named = "" if kinds == (Evidence,) else " or ".join(kind.kind for kind in kinds) + " "
    raise ClaimwiseError(
        f"The result contains no {named}evidence.",
        f"Compute a metric that returns {named}evidence, with details=True.",
    )
