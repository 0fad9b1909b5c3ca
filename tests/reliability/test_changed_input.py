"""A file of rows that changes between two runs, or during one: no old score is taken for a new row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from counting import Counting
from tables import write_table

from claimwise.errors import ClaimwiseError
from claimwise.metrics import Row, RowScore
from claimwise.runners import local

SUMMARIES = [f"Room {number} is warm." for number in range(6)]
OTHERS = [f"Room {number} is not warm, they said." for number in range(6)]


class Disturbed(Counting):
    """Words in a summary; something happens when row 4 is reached."""

    def __init__(self, happens: Callable[[], None]) -> None:
        super().__init__()
        self.happens = happens

    def score_rows(self, rows: Sequence[Row], *, details: bool = False, **others: Any) -> list[RowScore]:
        if any(row.number == 4 for row in rows):
            self.happens()
        return super().score_rows(rows, details=details, **others)


def interrupt() -> None:
    raise KeyboardInterrupt


def test_a_run_that_was_stopped_does_not_go_on_with_another_file(tmp_path: Path) -> None:
    file, output = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    write_table(file, summary=SUMMARIES)
    with pytest.raises(KeyboardInterrupt):
        local(rows_in_part=2).score_file(Disturbed(interrupt), file, output)
    write_table(file, summary=OTHERS)

    with pytest.warns(UserWarning, match="another input"):
        found = local(rows_in_part=2).score_file(Counting(), file, output)

    assert found.result["counting"] == Counting().compute(predictions=OTHERS)["counting"]


def test_a_file_that_changes_while_it_is_scored_gives_no_output(tmp_path: Path) -> None:
    file, output = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    write_table(file, summary=SUMMARIES)
    changed = Disturbed(lambda: write_table(file, summary=OTHERS) and None)

    with pytest.raises(ClaimwiseError, match="changed while it was being scored"):
        local(rows_in_part=2).score_file(changed, file, output)

    assert not output.exists()
