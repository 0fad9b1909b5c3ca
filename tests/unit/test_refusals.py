"""One table of texts that cannot be scored: every way in refuses each with the same error of the same row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import Run
from tables import write_table

import claimwise.integrations.pandas  # noqa: F401 - registers the accessor
from claimwise.errors import ClaimwiseError, TextError
from claimwise.integrations.base import load_metric, score_samples
from claimwise.integrations.datasets import Scores
from claimwise.metrics import load
from claimwise.runners import local

NAME = "distinctiveness_score"
TEXTS = {
    "None": None,
    "NaN": float("nan"),
    "empty": "",
    "blank": " \n\t",
    "a word for a missing value": "N/A",
    "Python's word for it": "None",
    "no letters": "12.5 % !",
    "only the code of a colour": "\x1b[31m",
    "a list written as text": "['The pool is warm.']",
}
WaysIn = Callable[[list[Any], list[Any], Path], object]


def by_samples(a: list[Any], b: list[Any], _: Path) -> None:
    samples = [{"predictions": first, "references": second} for first, second in zip(a, b, strict=True)]
    raise next(one for one in score_samples(load_metric(NAME), samples) if isinstance(one, ClaimwiseError))


def by_file(kind: str) -> WaysIn:
    def score(a: list[Any], b: list[Any], folder: Path) -> None:
        table = write_table(folder / f"rows{kind}", summary_a=a, summary_b=b)
        local().score_file(load(NAME), table, folder / f"scores{kind}")

    return score


OF_METRIC: dict[str, WaysIn] = {
    "compute": lambda a, b, _: load(NAME).compute(predictions=a, references=b),
    "runner": lambda a, b, _: local().compute(load(NAME), predictions=a, references=b),
    "samples": by_samples,
}
OF_TABLE: dict[str, WaysIn] = {
    "pandas": lambda a, b, _: pd.DataFrame({"summary_a": a, "summary_b": b}).claimwise.score(NAME),
    "datasets": lambda a, b, _: Scores(NAME)({"summary_a": a, "summary_b": b}),
    "jsonl": by_file(".jsonl"),
    "parquet": by_file(".parquet"),
}
COLUMNS = {
    **dict.fromkeys(OF_METRIC, ("predictions", "references")),
    **dict.fromkeys(OF_TABLE, ("summary_a", "summary_b")),
}


@pytest.mark.parametrize("side", [0, 1], ids=["first", "second"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("way", COLUMNS)
def test_a_text_is_refused_with_its_row_by_every_way_in(
    way: str, text: str, side: int, tmp_path: Path
) -> None:
    columns = [["The pool is warm."] * 3, ["The pool is cold."] * 3]
    columns[side][1] = TEXTS[text]  # type: ignore[assignment]

    with pytest.raises(TextError) as refused:
        (OF_METRIC | OF_TABLE)[way](*columns, tmp_path)

    error = refused.value
    assert (error.column, error.row) == (COLUMNS[way][side], 1)
    assert error.problem
    assert error.remedy
    assert [path.name for path in tmp_path.iterdir() if "scores" in path.name] == []


@pytest.mark.parametrize("text", ["empty", "a word for a missing value", "no letters"])
def test_the_command_refuses_a_text_with_its_line(run: Run, tmp_path: Path, text: str) -> None:
    table = write_table(tmp_path / "rows.jsonl", summary_a=["Fine.", TEXTS[text]], summary_b=["Warm."] * 2)

    done = run("score", NAME, table)

    assert done.code == 1
    assert f"{table}, summary_a, line 2: " in done.err
