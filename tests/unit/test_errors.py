"""The one error: data first, worded by whoever shows it."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest

from claimwise.errors import ClaimwiseError, ClaimwiseWarning, TextError, warn

EVERYWHERE: dict[str, Any] = {
    "column": "references",
    "row": 3,
    "review": 1,
    "option": "judge",
    "path": Path("a.csv"),
    "line": 5,
}


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ({}, ""),
        ({"option": "judge"}, ""),
        ({"row": 0}, "row 0"),
        ({"column": "references", "row": 0, "review": 2}, "references, row 0, review 2"),
        ({"path": Path("a.csv"), "line": 7}, "a.csv, line 7"),
        (
            {"path": "a.csv", "column": "predictions", "row": 1, "review": 0},
            "a.csv, predictions, row 2, review 1",
        ),
    ],
)
def test_the_place_holds_what_is_known_of_it(where: dict[str, Any], place: str) -> None:
    error = ClaimwiseError("the text is blank.", "Drop the row.", **where)

    assert error.place == place
    counted = " Rows are counted from 0." if "row" in where and "path" not in where else ""
    assert str(error) == (f"{place}: " if place else "") + "the text is blank. Drop the row." + counted


def test_without_a_remedy_only_the_problem_is_said() -> None:
    assert str(ClaimwiseError("No row has a score.")) == "No row has a score."


def test_it_is_a_value_error_of_the_problem() -> None:
    error = ClaimwiseError("wrong.", "Mend it.", row=1)

    assert isinstance(error, ValueError)
    assert error.args == ("wrong.",)


def test_at_gives_the_same_error_at_another_place_and_leaves_the_first_alone() -> None:
    first = TextError("the text is blank.", "Drop it.", column="predictions", row=0)

    second = first.at(row=7, review=2)

    assert type(second) is TextError
    assert (second.problem, second.remedy, second.column) == (first.problem, first.remedy, "predictions")
    assert (second.place, first.place) == ("predictions, row 7, review 2", "predictions, row 0")
    assert second.args == first.args
    assert first.at(problem="it is missing.").args == ("it is missing.",)


@pytest.mark.parametrize("kind", [ClaimwiseError, TextError])
@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_it_survives_the_way_from_a_worker(kind: type[ClaimwiseError], again: Any) -> None:
    error = kind("wrong.", "Mend it.", **EVERYWHERE)

    found = again(error)

    assert type(found) is kind
    assert str(found) == str(error)
    assert vars(found) == vars(error)
    assert {name: vars(found)[name] for name in EVERYWHERE} == {**EVERYWHERE, "path": "a.csv"}


def test_at_after_pickling_still_works() -> None:
    error = pickle.loads(pickle.dumps(ClaimwiseError("wrong.", row=1))).at(row=2)

    assert str(error) == "row 2: wrong. Rows are counted from 0."


def test_a_warning_points_at_the_line_outside_of_claimwise_that_led_to_it() -> None:
    inner: dict[str, Any] = {"__name__": "claimwise.inner", "warn": warn}
    exec("def call():\n    warn('said')\n\ndef outer():\n    call()\n", inner)

    with pytest.warns(ClaimwiseWarning, match="said") as caught:
        inner["outer"]()

    assert [warning.filename for warning in caught] == [__file__]
