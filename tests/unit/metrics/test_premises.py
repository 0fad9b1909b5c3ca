"""The premises of sources."""

from __future__ import annotations

import pytest

from claimwise.metrics.premises import premises_of, texts_of


@pytest.mark.parametrize(
    ("source", "paragraphs"),
    [
        ("The pool is warm. It is big.\n\nParking is free.\nThe bar closes.", 2),
        ("The pool is warm. It is big.\nParking is free.", 2),
        ("The pool is warm. It is big.", 1),
    ],
)
def test_paragraphs_end_at_blank_lines_or_else_at_line_breaks(source: str, paragraphs: int) -> None:
    def split(text: str) -> list[str]:
        return text.replace(". ", ".|").replace("\n", "|").split("|")

    (premises,) = premises_of([[source]], split, "paragraph")

    assert len(premises) == paragraphs
    assert texts_of(premises)[0] == "The pool is warm. It is big."
    assert [premise.position for premise in premises] == [0, 2][:paragraphs]
