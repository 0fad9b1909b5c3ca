"""Marks of labels and verdicts in all drawings."""

from __future__ import annotations

from typing import NamedTuple


class Mark(NamedTuple):
    """A mark: a glyph, repeated by a colour."""

    glyph: str
    tone: str


LABEL_MARKS = {
    "entailment": Mark("=", "blue"),
    "neutral": Mark("·", "grey"),
    "contradiction": Mark("≠", "red"),
}
CONTRAST_MARKS = {
    "contradicts": Mark("≠", "red"),
    "agrees": Mark("=", "blue"),
    "stands alone": Mark("○", "grey"),
}
SUPPORT_MARKS = {
    "supported": Mark("✓", "blue"),
    "thinly supported": Mark("~", "sky"),
    "contradicted": Mark("≠", "red"),
    "unsupported": Mark("○", "grey"),
}
PREVALENCE_MARKS = {
    "shared": Mark("✓", "blue"),
    "in no review": Mark("○", "grey"),
    "trivial": Mark("–", "sky"),
    "redundant": Mark("=", "sky"),
}
UNIT_MARKS = {
    "found": Mark("✓", "blue"),
    "contradicted": Mark("≠", "red"),
    "missing": Mark("○", "grey"),
}


def words(name: object) -> str:
    """Return a key of the evidence as words: ``only_a`` as ``only a``."""
    return str(name).replace("_", " ")
