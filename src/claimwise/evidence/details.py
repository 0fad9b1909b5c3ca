"""The evidence in a result: a list that notebooks show as maps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Details(list[dict[str, Any]]):
    """The evidence of a result, one dict per row.

    Attributes:
        name: of what was scored, for the heading.
    """

    def __init__(self, name: str, rows: Iterable[dict[str, Any]]) -> None:
        super().__init__(rows)
        self.name = name
