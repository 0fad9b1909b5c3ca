"""Cells that are not what they seem: lists that are written as text, and words for a missing value."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

MISSING = frozenset(["nan", "none", "null", "n/a", "#n/a", "na", "<na>", "nat"])


def is_missing(text: str) -> bool:
    """Tell whether a text is only what programs write for a missing value, such as ``NaN`` or ``None``."""
    return len(text) < 10 and text.strip().casefold() in MISSING


def as_list(text: str) -> list[Any] | None:
    """Return the list that a text is, written as JSON or as Python writes lists; None for any other text.

    Raises:
        ValueError: if it seems to be a list of texts and is not written in either way, such as an array of
            NumPy (``['a' 'b']``).
    """
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        return None
    with suppress(ValueError, RecursionError):
        found = json.loads(stripped)
        return found if isinstance(found, list) else None
    found = None
    with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        found = ast.literal_eval(stripped)
    if repr(found) != stripped and stripped[1:].lstrip()[:1] in ("'", '"'):
        raise ValueError("it looks like a list, but is neither JSON nor Python's list syntax.")
    return found if isinstance(found, list) else None


def is_written_list(text: str) -> bool:
    """Tell whether a text is a list of texts, or seems to be one, and not a text in brackets."""
    try:
        found = as_list(text)
    except ValueError:
        return True
    return bool(found) and all(isinstance(one, str) for one in found or ())


def lists_in(cells: Iterable[Any]) -> tuple[list[Any], bool]:
    """Return cells of which each may be a list, with lists for the texts that are lists.

    A text that seems to be a list and cannot be read stays as it is: whoever checks texts refuses it.

    Returns:
        The cells, and whether any is a list as Python writes it, as ``DataFrame.to_csv`` does.
    """
    read, is_python = [], False
    for cell in cells:
        found = None
        if isinstance(cell, str):
            with suppress(ValueError):
                found = as_list(cell)
        if found is not None and not is_python:
            try:
                json.loads(cell)
            except ValueError:
                is_python = True
        read.append(cell if found is None else found)
    return read, is_python
