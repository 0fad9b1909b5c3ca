"""Summarizers for claimwise: reviews in, summaries out, with citations for each sentence.

``load("q").summarize(rows)`` extracts offline; ``load("tcg", model="openai:…", aspects=[…])`` writes with a
chat model; ``load("contrast", model="openai:…")`` compares two entities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError
from claimwise.plugins import load_registered, registered

if TYPE_CHECKING:
    from claimwise_summarize.base import BaseSummarizer

__version__ = "0.2.0"

__all__ = ["GROUP", "load"]

GROUP = "claimwise.summarizers"
"""Entry points through which packages add summarizers: classes derived from ``BaseSummarizer``."""


def load(name: str = "q", **options: Any) -> BaseSummarizer:
    """Return the summarizer registered as ``name``, or the pipeline with these letters.

    Args:
        name: such as ``"q"``, ``"tcg"``, ``"first-cg"`` or ``"contrast"``.
        **options: ``preset``, ``model_options`` and the options of ``SummarizerOptions``.

    Raises:
        ClaimwiseError: for an unknown name or an invalid option.
    """
    summarizer: BaseSummarizer
    if name in registered(GROUP):
        summarizer = load_registered(GROUP, name)(**options)
        return summarizer
    try:
        summarizer = load_registered(GROUP, "pipeline")(name, **options)
    except ClaimwiseError as error:
        if error.option != "pipeline":
            raise
        others = ", ".join(other for other in registered(GROUP) if other != "pipeline")
        raise error.with_choice(f"Other summarizers are {others}.") from None
    return summarizer
