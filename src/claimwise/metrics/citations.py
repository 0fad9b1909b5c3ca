"""The papers behind the metrics, as BibTeX."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


def bibtex(*keys: str) -> str:
    """Return the entries of ``citations.bib`` with these keys."""
    return "".join(_entries()[key] for key in keys)


@cache
def _entries() -> dict[str, str]:
    text = (files("claimwise.metrics") / "citations.bib").read_text(encoding="utf-8")
    entries = (f"{entry.strip()}\n" for entry in text.split("\n\n"))
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
