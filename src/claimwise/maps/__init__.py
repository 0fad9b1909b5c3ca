"""Maps of the evidence: why a score is what it is, in HTML and as a figure."""

from __future__ import annotations

from claimwise.maps.contrast import contrast_fragment
from claimwise.maps.evidence import details_html, evidence_fragment, example, save_map
from claimwise.maps.evidence_map import ContrastMap, EvidenceMap, SupportMap, contrast_map, support_map
from claimwise.maps.parts import page
from claimwise.maps.style import STYLE
from claimwise.maps.support import support_fragment
from claimwise.maps.terminal import print_evidence

__all__ = [
    "STYLE",
    "ContrastMap",
    "EvidenceMap",
    "SupportMap",
    "contrast_fragment",
    "contrast_map",
    "details_html",
    "evidence_fragment",
    "example",
    "page",
    "print_evidence",
    "save_map",
    "support_fragment",
    "support_map",
]
