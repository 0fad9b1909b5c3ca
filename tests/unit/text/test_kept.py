"""Claims that are kept in the file of the score cache."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.text.claims import Decomposed
from claimwise.text.kept import decompose_kept
from claimwise.text.writer import ClaimWriter

TEXTS = [
    ["The mattress was new and firm.", "It was far too firm."],
    ["The lift was slow.", "It was far too firm."],
    ["Is there a pool?"],
    ["The \ud800 lift and the pool are new."],
    [],
    ["The lift was slow.", "It was far too firm."],
]


class Counting(ClaimWriter):
    """Counts the texts that it is asked about."""

    asked = 0

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        self.asked += len(texts)
        return super().decompose_texts(texts)


def test_claims_are_made_once_for_each_text_and_signature(tmp_path: Path) -> None:
    path, decomposer = tmp_path / "folder" / "scores.sqlite", Counting()
    expected = ClaimWriter().decompose_texts(TEXTS)
    assert expected[0][1].claims != expected[1][1].claims  # each text says what its "it" is
    for asked in (5, 5):  # of six texts two are the same; the second time nothing is asked
        assert decompose_kept(decomposer, "a", TEXTS, path) == expected
        assert decomposer.asked == asked
    decompose_kept(decomposer, "b", TEXTS[:1], path)
    assert decomposer.asked == 6


def test_damaged_claims_are_made_again(tmp_path: Path) -> None:
    path, decomposer = tmp_path / "scores.sqlite", Counting()
    expected = decompose_kept(decomposer, "a", TEXTS, path)
    for damage in ("", "null", "[[1, null]]", '[["a"]]', "{"):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE claims_1 SET claims = ?", (damage,))
        connection.close()
        decomposer.asked = 0
        assert decompose_kept(decomposer, "a", TEXTS, path) == expected
        assert decomposer.asked == 5


def test_a_file_that_cannot_be_used_costs_time_alone(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    path.write_text("no database " * 100)
    assert decompose_kept(Counting(), "a", TEXTS, path) == ClaimWriter().decompose_texts(TEXTS)
    with pytest.raises(ClaimwiseError, match="score_cache must be the path of a file"):
        decompose_kept(Counting(), "a", TEXTS, 5)  # type: ignore[arg-type]
