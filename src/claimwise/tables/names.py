"""Names of columns, found regardless of case, spaces and underscores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, in_backticks


@lru_cache(maxsize=4096)
def plain_name(name: Any) -> str:
    """Return a name without case, spaces, underscores and other signs: ``"Summary A"`` is ``"summarya"``."""
    return re.sub(r"[\W_]+", "", str(name)).casefold() or str(name)


def listed(names: Sequence[Any], most: int = 20) -> str:
    """Return the first names for a message: "`a`, `b`, …"."""
    beginning = in_backticks(names[:most])[:1000]
    return f"{beginning}, …" if len(names) > most else beginning


def find_name(names: Iterable[Any], wanted: Sequence[str]) -> Any:
    """Return the first of the ``wanted`` names that is among ``names``, as it is spelled there, or None.

    A name with the same spelling comes first; else case, spaces and underscores do not matter.

    Raises:
        ClaimwiseError: if several names differ from the wanted one only in that.
    """
    names = list(names)
    for name in wanted:
        if name in names:
            return name
    for name in wanted:
        similar = [other for other in names if plain_name(other) == plain_name(name)]
        if len(similar) > 1:
            problem = f"has several columns like `{name}`: {listed(similar)}."
            raise ClaimwiseError(problem, "Rename all but one of them.")
        if similar:
            return similar[0]
    return None


def chosen_name(
    path: Path | str, names: Sequence[Any], wanted: Sequence[str], option: str | None = None
) -> Any:
    """Return the first of the ``wanted`` names that is among the column ``names`` of a table.

    Errors name the ``option`` that gave the name.

    Raises:
        ClaimwiseError: if there is none, or several alike; see ``find_name``.
    """
    try:
        chosen = find_name(names, wanted)
    except ClaimwiseError as error:
        raise error.at(path=str(path), option=option) from None
    if chosen is None:
        problem = f"has no column {' or '.join(f'`{name}`' for name in wanted)}; it has {listed(names)}."
        raise ClaimwiseError(problem, path=path, option=option)
    return chosen
