"""The names that version 0.1 had here; they live in ``claimwise.evidence`` now."""

from __future__ import annotations

from claimwise.evidence import ContrastMap, EvidenceMap, SupportMap, contrast_map, support_map

__all__ = ["ContrastMap", "EvidenceMap", "SupportMap", "contrast_map", "support_map"]
