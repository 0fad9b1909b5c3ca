"""claimwise: contrast and factuality metrics for opinion summaries, with evidence."""

from __future__ import annotations

from typing import Any

__version__ = "0.2.0"
__all__ = [
    "METRICS",
    "Abstractiveness",
    "Caspr",
    "ChatJudge",
    "ClaimwiseError",
    "Complexity",
    "DistinctivenessScore",
    "Genericity",
    "InvertedBertscore",
    "LLMDecomposer",
    "NLIModel",
    "Pyramid",
    "Ssas",
    "SummacConv",
    "SummacZs",
    "SupportCounts",
    "TEIJudge",
    "contrast_map",
    "load",
    "paired_test",
    "support_map",
]

_HOMES = {
    "ChatJudge": "nli.llm",
    "ClaimwiseError": "errors",
    "LLMDecomposer": "text.llm",
    "NLIModel": "nli",
    "contrast_map": "evidence",
    "TEIJudge": "nli.tei",
    "paired_test": "report.compare",
    "support_map": "evidence",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that ``import claimwise`` stays light."""
    if name not in __all__ and name != "runners":
        raise AttributeError(f"module 'claimwise' has no attribute {name!r}")
    from importlib import import_module

    if name == "runners":
        return import_module(f"claimwise.{name}")
    return getattr(import_module(f"claimwise.{_HOMES.get(name, 'metrics')}"), name)
