"""Tables with one review per row: joined into one summary for each value of a column, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import Run, check_refused

from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise_summarize import load

REVIEWS = {
    "Sun": ["The pool is warm and the bar is open.", "We liked the bar.", "The pool is warm and clean."],
    "Moon": ["The beds are soft and new.", "Parking is free of charge."],
    "Star": ["The lift was broken for a week."],
}
OF_REVIEWS = [{"hotel": h, "text": r, "rating": n} for h, of in REVIEWS.items() for n, r in enumerate(of, 3)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pd.DataFrame(OF_REVIEWS).to_csv(tmp_path / "reviews.csv", index=False, sep=";")
    return tmp_path


def test_one_review_per_row_is_summarized_by_hotel(run: Run, folder: Path) -> None:
    (folder / "names.csv").write_text("hotel,town\nMoon,Ulm\nStar,Bonn\nSun,Rome\n")
    options = ["--by", "hotel", "--sentences", 1, "--output"]

    assert run("summarize", "reviews.csv", *options, "own.jsonl").code == 0
    assert run("summarize", "names.csv", "--reviews", "reviews.csv", *options, "joined.jsonl").code == 0

    for name, order in (("own", "Sun Moon Star"), ("joined", "Moon Star Sun")):
        rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        assert {row["entity"]: row["reviews"] for row in rows} == REVIEWS
        assert [row["entity"] for row in rows] == order.split()


def test_rows_in_memory_are_summarized_by_hotel() -> None:
    summarizer = load("q", sentences=1, citations=False)

    made = summarizer.summarize(OF_REVIEWS, by="hotel")
    names: list[dict[str, Any]] = [{"hotel": hotel} for hotel in REVIEWS]

    assert {row["entity"]: row["reviews"] for row in made} == REVIEWS
    assert summarizer.summarize(names, reviews=OF_REVIEWS, by="hotel") == made
    with pytest.raises(ClaimwiseError, match="rows 1 and 2 have the same entity"):
        summarizer.summarize([{"entity": row["hotel"], "reviews": row["text"]} for row in OF_REVIEWS])


def test_reviews_that_belong_to_no_row_are_told_at_the_callers_line() -> None:
    summarizer = load("q", sentences=1, citations=False)

    with pytest.warns(ClaimwiseWarning, match="2 of 3 values of `hotel` have no row") as told:
        summarizer.summarize([{"hotel": "Sun"}], reviews=OF_REVIEWS, by="hotel")

    assert told[0].filename == __file__


def test_what_is_not_joined_or_cannot_be_is_refused(run: Run, folder: Path) -> None:
    table = pd.DataFrame(OF_REVIEWS).rename(columns={"text": "reviews"})
    table.to_csv(folder / "long.csv", index=False)
    flags, output = "--by COLUMN", ("--output", "x.jsonl")

    check_refused(run("summarize", "reviews.csv", *output), "no column `reviews`", flags)
    check_refused(run("summarize", "long.csv", *output), "one review per row", flags)
    check_refused(
        run("summarize", "reviews.csv", "--by", "hotel", "--contrast", "prompt"), "--contrast reads pairs"
    )
