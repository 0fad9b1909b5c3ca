"""The names that version 0.1 had here; they live in ``claimwise.evidence`` now. Deprecated."""

from __future__ import annotations

import warnings

from claimwise.evidence import ContrastMap, EvidenceMap, SupportMap, contrast_map, support_map

__all__ = ["ContrastMap", "EvidenceMap", "SupportMap", "contrast_map", "support_map"]

warnings.warn("claimwise.maps is now claimwise.evidence.", DeprecationWarning, stacklevel=2)
