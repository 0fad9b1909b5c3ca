"""The evidence of a whole result as notebooks show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from claimwise.evidence.html import details_html


class Details(list[dict[str, Any]]):
    """The evidence of a result, one dict per row: a list that notebooks show as maps.

    Args:
        name: of the result, for the headings only.
        rows: the evidence as dicts.
        ids: of the rows, if they have any; shown in place of their numbers.
    """

    def __init__(
        self, name: str, rows: Iterable[dict[str, Any]] = (), ids: Sequence[str] | None = None
    ) -> None:
        super().__init__(rows)
        self.name, self.ids = name, ids

    def _repr_html_(self) -> str:
        return details_html(self.name, self, self.ids)
