"""Cells that need interpretation: lists written as text, and words for a missing value."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

MISSING = frozenset(["nan", "none", "null", "n/a", "#n/a", "na", "<na>", "nat"])


def is_missing(text: str) -> bool:
    """Return whether a text is a program's notation for a missing value, such as ``NaN`` or ``None``."""
    return len(text) < 10 and text.strip().casefold() in MISSING


def as_list(text: str) -> list[Any] | None:
    """Parse a list in JSON or Python syntax; return None for any other text.

    Raises:
        ValueError: for a text that looks like a list of texts in another syntax, such as a NumPy array
            (``['a' 'b']``), or for one that is not closed.
    """
    stripped = text.strip()
    if stripped.startswith("[") and stripped[1:].lstrip()[:1] in ("'", '"', "{") and "]" not in stripped:
        raise ValueError("it begins like a list, but its bracket is not closed.")
    if not (stripped.startswith("[") and stripped.endswith("]")):
        return None
    value = None
    with suppress(ValueError, RecursionError):
        value = json.loads(stripped)
        return value if isinstance(value, list) else None
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        value = ast.literal_eval(stripped)
    if repr(value) != stripped and stripped[1:].lstrip()[:1] in ("'", '"'):
        raise ValueError("it looks like a list, but is neither JSON nor Python's list syntax.")
    return value if isinstance(value, list) else None


def is_broken_list(text: str) -> bool:
    """Return whether a text looks like a list, but is in no syntax that is read."""
    try:
        as_list(text)
    except ValueError:
        return True
    return False


def is_written_list(text: str) -> bool:
    """Return whether a text is a list of texts rather than a text in brackets."""
    try:
        elements = as_list(text)
    except ValueError:
        return False
    return bool(elements) and all(isinstance(element, str) for element in elements or ())


def lists_in(cells: Iterable[Any]) -> tuple[list[Any], bool]:
    """Parse the cells that are lists written as text.

    A text that looks like a list but cannot be parsed is returned unchanged; the check of texts rejects it.

    Returns:
        The cells, and whether any list is in Python syntax, as ``DataFrame.to_csv`` writes it.
    """
    read, is_python = [], False
    for cell in cells:
        elements = None
        if isinstance(cell, str):
            with suppress(ValueError):
                elements = as_list(cell)
        if elements is not None and not is_python:
            try:
                json.loads(cell)
            except ValueError:
                is_python = True
        read.append(cell if elements is None else elements)
    return read, is_python
