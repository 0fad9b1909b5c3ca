"""claimwise: contrast and factuality metrics for opinion summaries, with evidence."""

from __future__ import annotations

from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "METRICS": "metrics",
    "ChatJudge": "judges.llm",
    "ClaimwiseError": "errors",
    "LLMDecomposer": "text.llm",
    "NLIModel": "judges",
    "TEIJudge": "judges.tei",
    "contrast_map": "evidence",
    "frame": "evidence",
    "load": "metrics",
    "paired_test": "report.compare",
    "study": "report.study",
    "support_map": "evidence",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``import claimwise`` stays fast.

    Public names are the keys of ``_HOMES``, the classes of metrics, and ``runners``.
    """
    from importlib import import_module

    if name == "runners":
        return import_module(f"claimwise.{name}")
    if name.startswith("_"):
        raise _unknown(name)
    try:
        return getattr(import_module(f"claimwise.{_HOMES.get(name, 'metrics')}"), name)
    except AttributeError:
        raise _unknown(name) from None


def __dir__() -> list[str]:
    """Return the public names; nothing is imported for them but the list of metrics."""
    from claimwise.plugins import own_classes

    return sorted(["__version__", "runners", *_HOMES, *own_classes("claimwise.metrics")])


def _unknown(name: str) -> AttributeError:
    """Return the error for an unknown name, from which Python suggests a similar one."""
    import sys

    problem = f"module 'claimwise' has no attribute {name!r}"
    return AttributeError(problem, name=name, obj=sys.modules[__name__])
