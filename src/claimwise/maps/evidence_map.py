"""Maps of a result: look at one in a notebook, save it as a page for sharing or a figure for a paper."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from claimwise.errors import ClaimwiseError
from claimwise.files import writing
from claimwise.maps.contrast import contrast_fragment
from claimwise.maps.figures import SETTINGS, contrast_figure, support_figure
from claimwise.maps.parts import page
from claimwise.maps.style import STYLE
from claimwise.maps.support import support_fragment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUPPORT_METRICS = ("support_counts", "summac_zs", "summac_conv")


class EvidenceMap(ABC):
    """The evidence of one row of a result, ready to be drawn.

    Args:
        evidence: one element of ``"<metric>_details"``.
        signature: of the result; pages carry it.
    """

    title: ClassVar[str]

    def __init__(self, evidence: Mapping[str, Any], signature: str = "") -> None:
        self.evidence = evidence
        self.signature = signature

    @abstractmethod
    def fragment(self) -> str:
        """Return the map as HTML for a page that holds ``STYLE``."""

    @abstractmethod
    def figure(self) -> Figure:
        """Return the map as a matplotlib figure.

        Raises:
            ClaimwiseError: if matplotlib is missing.
        """

    def html(self, title: str | None = None) -> str:
        """Return the map as a page of its own that needs no network and no script."""
        return page(title or self.title, self.fragment(), [self.signature] if self.signature else [])

    def save(self, path: str | Path, title: str | None = None) -> None:
        """Write the map to a file.

        Args:
            path: its suffix says what is written: ``.html``, ``.pdf``, ``.svg`` or ``.png``.
            title: of the page, if it is one.

        Raises:
            ClaimwiseError: for another suffix, a file that cannot be written, or if matplotlib is missing.
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix in (".html", ".htm"):
            with writing(path) as out:
                out.write(self.html(title))
        elif suffix in (".pdf", ".svg", ".png"):
            figure = self.figure()
            from matplotlib import rc_context

            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with rc_context(SETTINGS):
                    figure.savefig(path, dpi=200)
            except OSError as error:
                raise ClaimwiseError(
                    f"{path}: cannot be written ({error.strerror or error}). Choose another place."
                ) from error
        else:
            raise ClaimwiseError(f"{path}: unknown kind of map. Name it .html, .pdf, .svg or .png.")

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>{self.fragment()}"


class ContrastMap(EvidenceMap):
    """The evidence of a CASPR score: claims of both summaries, verdicts, and what decided them."""

    title = "Contrast map"

    def fragment(self) -> str:
        """Return the map as HTML for a page that holds ``STYLE``."""
        return contrast_fragment(self.evidence)

    def figure(self) -> Figure:
        """Return the matrix of the claims as a matplotlib figure.

        Raises:
            ClaimwiseError: if matplotlib is missing.
        """
        return contrast_figure(self.evidence)


class SupportMap(EvidenceMap):
    """The evidence of a factuality score: the claims of a summary and what supports or weakens them.

    Args:
        evidence: one element of the details of ``support_counts``, ``summac_zs`` or ``summac_conv``.
        signature: of the result; pages carry it.
        threshold: draw it for another threshold (see ``support_fragment``).
    """

    title = "Support map"

    def __init__(
        self, evidence: Mapping[str, Any], signature: str = "", threshold: float | None = None
    ) -> None:
        super().__init__(evidence, signature)
        self.threshold = threshold

    def fragment(self) -> str:
        """Return the map as HTML for a page that holds ``STYLE``."""
        return support_fragment(self.evidence, self.threshold)

    def figure(self) -> Figure:
        """Return the claims with bars of their support as a matplotlib figure.

        Raises:
            ClaimwiseError: if matplotlib is missing.
        """
        return support_figure(self.evidence, self.threshold)


def contrast_map(result: Mapping[str, Any], row: int = 0) -> ContrastMap:
    """Return the map of one pair of summaries.

    Args:
        result: what ``caspr`` computed with ``details=True``.
        row: which pair.

    Raises:
        ClaimwiseError: for a result without this evidence.
    """
    return ContrastMap(*_evidence(result, row, ("caspr",)))


def support_map(result: Mapping[str, Any], row: int = 0, *, threshold: float | None = None) -> SupportMap:
    """Return the map of one summary and its source.

    Args:
        result: what ``support_counts``, ``summac_zs`` or ``summac_conv`` computed with ``details=True``.
        row: which summary.
        threshold: draw it for another threshold (see ``support_fragment``).

    Raises:
        ClaimwiseError: for a result without this evidence.
    """
    return SupportMap(*_evidence(result, row, SUPPORT_METRICS), threshold)


def _evidence(result: Mapping[str, Any], row: int, metrics: Sequence[str]) -> tuple[Mapping[str, Any], str]:
    for metric in metrics:
        if f"{metric}_details" in result:
            details = result[f"{metric}_details"]
            if not 0 <= row < len(details):
                raise ClaimwiseError(f"row {row}: the result has rows 0 to {len(details) - 1}.")
            return details[row], result.get(f"{metric}_signature", "")
    raise ClaimwiseError(
        f"The result holds no {' or '.join(f'{metric}_details' for metric in metrics)}. "
        f"Compute {' or '.join(metrics)} with details=True."
    )
