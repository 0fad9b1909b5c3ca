"""Evidence of scores, and its presentation in HTML, as a figure and in the terminal."""

from __future__ import annotations

from claimwise.evidence.base import Evidence, OtherEvidence, evidence_of, kind_of
from claimwise.evidence.evidence_map import (
    EvidenceMap,
    contrast_map,
    maps_html,
    save_map,
    support_map,
)
from claimwise.evidence.html import STYLE, Details, example, fragment, page
from claimwise.evidence.kinds import (
    ContrastEvidence,
    EmbeddingEvidence,
    FeatureEvidence,
    GenericityEvidence,
    NgramEvidence,
    SentenceEvidence,
    TokenEvidence,
    UnitsEvidence,
)
from claimwise.evidence.prevalence import PrevalenceEvidence
from claimwise.evidence.result import ResultDict, frame
from claimwise.evidence.support import (
    EntailmentEvidence,
    SupportEvidence,
    at_threshold,
    counted,
)
from claimwise.evidence.terminal import print_evidence

__all__ = [
    "STYLE",
    "ContrastEvidence",
    "Details",
    "EmbeddingEvidence",
    "EntailmentEvidence",
    "Evidence",
    "EvidenceMap",
    "FeatureEvidence",
    "GenericityEvidence",
    "NgramEvidence",
    "OtherEvidence",
    "PrevalenceEvidence",
    "ResultDict",
    "SentenceEvidence",
    "SupportEvidence",
    "TokenEvidence",
    "UnitsEvidence",
    "at_threshold",
    "contrast_map",
    "counted",
    "evidence_of",
    "example",
    "fragment",
    "frame",
    "kind_of",
    "maps_html",
    "page",
    "print_evidence",
    "save_map",
    "support_map",
]
