"""Ratings of contrast: the sample spans the five sets, and a filled sheet in our own words is analysed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from judges import WordJudge

from benchmarks.papers.cocotrip import SETS
from benchmarks.papers.contrast_ratings import (
    Sampled,
    analysed,
    read_sample,
    read_sheet,
    report,
    sample,
    write_sheet,
)
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Caspr, DistinctivenessScore

HOTELS = [(f"{number}", f"{number + 100}") for number in range(4)]
THINGS = ("pool", "lift", "bar", "garden")
OTHERS = ("shuttle", "sauna", "terrace", "kitchen")


def summaries(sampled: list[Sampled]) -> dict[str, tuple[str, str]]:
    """Return pairs of summaries, more different in each later set."""
    texts = {}
    for one in sampled:
        first = [f"The {thing} is open." for thing in THINGS]
        changed = SETS.index(one.set)
        second = [f"Guests praise a quiet {thing}." for thing in OTHERS[:changed]] + first[changed:]
        texts[one.pair] = " ".join(first), " ".join(second)
    return texts


def filled(path: Path, sampled: list[Sampled], noise: int) -> Path:
    """Write a sheet whose ratings follow the sets, one too high or low in every ``noise``-th row."""
    write_sheet(summaries(sampled), path, rater=noise)
    sets = {one.pair: SETS.index(one.set) for one in sampled}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        off = number % noise == 0
        row["contrast"] = str(min(5, sets[row["pair"]] + 1 + off))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_committed_sample_spans_the_sets_and_holds_ids_only() -> None:
    committed = read_sample()
    assert [one.pair for one in committed] == [f"p{number:02}" for number in range(1, 61)]
    assert all([one.set for one in committed].count(name) == 12 for name in SETS)
    assert len({one.key for one in committed}) == 60
    assert all(one.entity_a.isdigit() and one.entity_b.isdigit() for one in committed)
    hotels = {(one.entity_a, one.entity_b) for one in committed}
    assert len(hotels) == 48
    assert sample(sorted(hotels)) == committed


def test_sheets_show_texts_in_an_order_of_their_own_and_nothing_of_the_sets(tmp_path: Path) -> None:
    sampled = sample(HOTELS, 4)
    for rater in (1, 2):
        write_sheet(summaries(sampled), tmp_path / f"{rater}.csv", rater)
    one, other = ((tmp_path / f"{rater}.csv").read_text(encoding="utf-8") for rater in (1, 2))
    assert one != other
    assert sorted(one.splitlines()) == sorted(other.splitlines())
    assert not any(name in one for name in SETS)
    assert read_sheet(tmp_path / "1.csv", sampled) == {}


def test_filled_sheets_give_agreement_and_correlations(tmp_path: Path) -> None:
    sampled = sample(HOTELS, 4)
    sheets = {
        f"rater-{noise}": read_sheet(filled(tmp_path / f"{noise}.csv", sampled, noise), sampled)
        for noise in (3, 4)
    }
    metrics = [Caspr(judge=WordJudge(), decomposer="sentences"), DistinctivenessScore()]
    ratings, lines = analysed(sheets, sampled, summaries(sampled), metrics, resamples=50)
    (agreement,) = ratings.agreement
    assert agreement.startswith("rater-3 and rater-4 agree with Cohen's kappa 0.")
    of_level = {(line.metric, line.level): line for line in lines}
    over_pairs = of_level["distinctiveness_score", "rows"]
    assert (over_pairs.count, of_level["distinctiveness_score", "systems"].count) == (20, 5)
    assert over_pairs.spearman > 0.9
    assert of_level["caspr", "systems"].spearman > 0.8
    page = report(ratings, lines)
    assert agreement in page
    assert "| distinctiveness_score | pairs | 20 |" in page


@pytest.mark.parametrize(
    ("row", "column"),
    [("p01,6,", "contrast"), ("p99,3,", "pair"), ("p01,3,\np01,3,", "pair"), ("p01,2.5,", "contrast")],
)
def test_a_wrong_sheet_is_refused_with_its_place(row: str, column: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"pair,contrast,comment\n{row}\n", encoding="utf-8")
    with pytest.raises(ClaimwiseError) as refused:
        read_sheet(path, sample(HOTELS, 4))
    assert refused.value.column == column
    assert refused.value.row is not None
