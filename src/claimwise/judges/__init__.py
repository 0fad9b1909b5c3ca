"""Natural language inference: pairs of texts in, probabilities out.

The last axis of every array is entailment, neutral, contradiction, whatever the judge's own order.
"""

from __future__ import annotations

from typing import Any

__all__ = ["LABELS", "Judge", "Judgements", "NLIModel", "load_judge", "with_cache"]

_HOMES = {
    "LABELS": "labels",
    "Judge": "judges.protocol",
    "NLIModel": "judges.local",
    "Judgements": "judges.protocol",
    "load_judge": "judges.loading",
    "with_cache": "judges.loading",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the options of a judge need no array library."""
    if name not in _HOMES:
        raise AttributeError(f"module 'claimwise.judges' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"claimwise.{_HOMES[name]}"), name)
