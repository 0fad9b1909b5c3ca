"""Tables with one review per row: joined to summaries by a column, split into systems, or refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command import Run, check_refused

import claimwise
import claimwise.integrations.pandas
from claimwise.errors import ClaimwiseError, ClaimwiseWarning
from claimwise.metrics import load
from claimwise.runners import local

REVIEWS = {
    "Sun": ["The pool is warm and the bar is open.", "We liked the bar.", "The pool is warm and clean."],
    "Moon": ["The beds are soft and new.", "Parking is free of charge."],
    "Star": ["The lift was broken for a week."],
}
SUMMARIES = {
    "A": {
        "Sun": "The pool is warm and clean.",
        "Moon": "The beds are hard and old.",
        "Star": "The lift was broken.",
    },
    "B": {
        "Sun": "They say the pool is warm.",
        "Moon": "The beds are soft and new.",
        "Star": "There is a lift.",
    },
}
NESTED = {system: list(of.values()) for system, of in SUMMARIES.items()}
LISTS = list(REVIEWS.values())
OF_REVIEWS = [{"hotel": h, "text": r, "rating": n} for h, of in REVIEWS.items() for n, r in enumerate(of, 3)]
OF_SUMMARIES = [{"Hotel": h, "model": m, "summary": s} for m, of in SUMMARIES.items() for h, s in of.items()]
LONG = [
    {"hotel": h, "summary": SUMMARIES["A"][h], "reviews": r, "rating": n}
    for h, of in REVIEWS.items()
    for n, r in enumerate(of, 3)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pd.DataFrame(OF_REVIEWS).to_csv(tmp_path / "reviews.csv", index=False, sep=";")
    pd.DataFrame(OF_SUMMARIES).to_csv(tmp_path / "all.csv", index=False)
    for system, of in SUMMARIES.items():
        frame = pd.DataFrame({"hotel": of.keys(), "summary": of.values()})
        frame.to_json(tmp_path / f"{system}.jsonl", orient="records", lines=True)
    pd.DataFrame(LONG).to_csv(tmp_path / "long.csv", index=False)
    return tmp_path


def expected(system: str = "A") -> list[float]:
    result = load("abstractiveness").compute(predictions=NESTED[system], references=LISTS)
    return result["abstractiveness_scores"]


def test_reviews_are_joined_to_summaries(run: Run, folder: Path) -> None:
    for name in ("s.json", "s.csv", "s.parquet"):
        done = run(
            "score",
            "abstractiveness",
            "A.jsonl",
            "--reviews",
            "reviews.csv",
            "--by",
            "hotel",
            "--output",
            name,
        )
        assert done.code == 0, done.err
    assert json.loads((folder / "s.json").read_text())["abstractiveness_scores"] == expected()
    (row, *_) = csv.DictReader((folder / "s.csv").open())
    assert json.loads(row["reviews"]) == REVIEWS["Sun"]
    assert pd.read_parquet(folder / "s.parquet")["abstractiveness"].tolist() == expected()
    found = local().score_file(load("abstractiveness"), "A.jsonl", reviews="reviews.csv", by="hotel")
    assert found.scores == expected()


def test_a_file_with_one_review_per_row_is_one_row_per_summary(run: Run, folder: Path) -> None:
    own = ["--by", "hotel"]
    for arguments in (own, ["--reviews", "long.csv", *own], ["--reviews", "long.csv", "--by", "Hotel"]):
        done = run("score", "abstractiveness", "long.csv", *arguments, "--output", "s.json")
        assert done.code == 0, done.err
        assert json.loads((folder / "s.json").read_text())["abstractiveness_scores"] == expected()
    assert run("score", "complexity", "long.csv", *own).out.split("(")[1].startswith("3 summaries")


def test_one_file_holds_several_systems(run: Run, folder: Path) -> None:
    joined = ["--reviews", "reviews.csv", "--by", "hotel", "--system", "model"]

    done = run("score", "abstractiveness", "all.csv", *joined, "--output", "s.json")

    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "A:"
    for system in "AB":
        result = json.loads((folder / f"s.{system}.json").read_text())
        assert result["abstractiveness_scores"] == expected(system)
    assert run("compare", "abstractiveness", "s.A.json", "s.B.json").code == 0


def test_a_repeated_summary_with_other_reviews_shows_the_flags(run: Run, folder: Path) -> None:
    pd.DataFrame(LONG).to_csv(folder / "twice.csv", index=False)
    flags = ("--reviews", "--by COLUMN", "--system COLUMN")
    check_refused(
        run("score", "abstractiveness", "long.csv"), "long.csv: lines 2 and 3 have the same summary", *flags
    )
    check_refused(
        run("score", "abstractiveness", "long.csv", "--id", "hotel"), "“Sun” is also the id", *flags
    )
    check_refused(run("score", "complexity", "long.csv"), "lines 2 and 3 have the same summary", *flags)
    check_refused(
        run("study", "long.csv", "A.jsonl", "--output", "x", "--id", "hotel", "--summary", "summary"),
        "“Sun” is also the id",
        *flags,
    )
    study = run("study", "long.csv", "twice.csv", "--output", "x", "--metrics", "abstractiveness")
    check_refused(study, "long.csv: lines 2 and 3 have the same summary", *flags)
    frame = pd.DataFrame(LONG)
    with pytest.raises(ClaimwiseError, match=r"rows 1 and 2 have the same summary .*by=COLUMN.*reviews="):
        frame.claimwise.score("abstractiveness")
    frame["reviews"] = [[one] for one in frame["reviews"]]
    assert len(frame.claimwise.score("abstractiveness")) == 6
    frame["summary"] = [f"{one} {number}" for number, one in enumerate(frame["summary"])]
    assert len(frame.claimwise.score("abstractiveness")) == 6


def test_systems_of_a_file_are_studied(run: Run, folder: Path) -> None:
    options = ["--metrics", "abstractiveness", "--output"]
    joined = ["--reviews", "reviews.csv", "--by", "hotel"]

    assert run("study", "all.csv", *joined, "--system", "model", *options, "one").code == 0
    assert run("study", "A.jsonl", "B.jsonl", *joined, *options, "two").code == 0

    one, two = ((folder / name / "table.csv").read_text() for name in ("one", "two"))
    assert one == two
    assert [line.split(",")[2] for line in one.splitlines()[1:]] == ["3", "3"]
    frames: dict[str, Any] = {
        "reviews": pd.DataFrame(OF_REVIEWS),
        "by": "hotel",
        "metrics": ["abstractiveness"],
    }
    found = claimwise.study(pd.DataFrame(OF_SUMMARIES), system="model", **frames)
    assert [line.mean for line in found.lines] == pytest.approx([sum(expected(s)) / 3 for s in "AB"])


def test_frames_are_joined_and_split_too(folder: Path) -> None:
    summaries, reviews = pd.DataFrame(OF_SUMMARIES, index=list("uvwxyz")), pd.DataFrame(OF_REVIEWS)

    table = summaries.claimwise.score("abstractiveness", reviews=reviews, by="hotel", system="model")

    assert table["abstractiveness"].tolist() == [*expected("A"), *expected("B")]
    assert list(table.index) == list("uvwxyz")
    assert table.attrs["mean"] == pytest.approx({s: sum(expected(s)) / 3 for s in "AB"})
    own = pd.DataFrame(LONG).claimwise.score("abstractiveness", by="hotel")
    assert (own["abstractiveness"].tolist(), list(own.index)) == (expected(), [0, 3, 5])


def test_a_row_without_a_system_is_refused(run: Run, folder: Path) -> None:
    frame = pd.DataFrame([*OF_SUMMARIES, {"Hotel": "Sun", "model": None, "summary": "The pool is warm."}])
    frame.to_csv(folder / "none.csv", index=False)

    with pytest.raises(ClaimwiseError, match=r"the table, model, row 7: the cell is empty"):
        frame.claimwise.score("complexity", system="Model")
    with pytest.raises(ClaimwiseError, match=r"has no column `writer`"):
        frame.claimwise.score("complexity", system="writer")
    check_refused(run("score", "complexity", "none.csv", "--system", "model"), "row 7: the cell is empty")


def test_what_cannot_be_joined_is_refused(run: Run, folder: Path) -> None:
    (folder / "other.csv").write_text("hotel,summary\nSun,The pool is warm.\nMars,The beds are red.\n")
    score = ["score", "abstractiveness"]

    joined = ["--reviews", "reviews.csv", "--by", "hotel"]
    check_refused(
        run(*score, "other.csv", *joined), "other.csv, hotel, line 3: “Mars” has no reviews in reviews.csv"
    )
    check_refused(
        run(*score, "A.jsonl", "--reviews", "reviews.csv"),
        "a file of reviews needs the column",
        "--by COLUMN",
    )
    check_refused(run(*score, "A.jsonl", *joined[:3], "inn"), "reviews.csv has no column `inn`")
    check_refused(run("score", "complexity", "A.jsonl", *joined), "--reviews: complexity reads no reviews")
    check_refused(run(*score, "all.csv", "--system", "writer"), "--system", "no column `writer`")
    check_refused(run("study", "A.jsonl", "B.jsonl", "--system", "model", "--output", "x"), "several files")
    wide = pd.DataFrame([{**row, "model": m} for row in LONG for m in "AB"])
    wide.loc[wide["model"] == "B", "summary"] = "Other."
    wide.to_csv(folder / "wide.csv", index=False)
    check_refused(
        run(*score, "wide.csv", "--by", "hotel"), "“Sun” has several texts in `summary`", "--system COLUMN"
    )
    assert run(*score, "wide.csv", "--by", "hotel", "--system", "model").code == 0


def test_reviews_without_a_summary_are_told(folder: Path) -> None:
    (folder / "one.csv").write_text("hotel,summary\nSun,The pool is warm.\n")

    with pytest.warns(ClaimwiseWarning, match="reviews of 2 of 3 values of `hotel` have no row"):
        local().score_file(
            load("abstractiveness"), folder / "one.csv", reviews=folder / "reviews.csv", by="hotel"
        )


def test_the_delimiter_may_be_given(run: Run, folder: Path) -> None:
    (folder / "t.csv").write_text("summary~reviews\nThe pool is warm.~The pool is warm.\n")

    check_refused(run("score", "abstractiveness", "t.csv"), "no column")
    assert run("score", "abstractiveness", "t.csv", "--delimiter", "~").code == 0
    check_refused(
        run("score", "abstractiveness", "t.csv", "--delimiter", "~~"), "--delimiter: ", "one character"
    )
