"""The tables of Bhaskar et al. 2022, from a small recording of our own and from the real one."""

from __future__ import annotations

import gzip
import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from command import Run

from benchmarks.papers.opinion_summaries import reproduce_opinion_summaries
from benchmarks.papers.zs_summ import read_published
from claimwise.errors import ClaimwiseError

DATA = os.environ.get("CLAIMWISE_DATA")


def claim(text: str, *scores: float) -> dict[str, Any]:
    return {
        "claim": text,
        "score": scores[0],
        "support": [["A sentence.", score] for score in scores],
        "weaken": [],
    }


SUMMARY = {
    "system": "mine",
    "entity": "7",
    "aspect": None,
    "summary": "The bar is open but loud. However, it rains.",
    "sentences": [
        {
            "sentence": "The bar is open but loud.",
            "claims": [claim("The bar is open.", 0.9, 0.8, 0.1), claim("The bar is loud.", 0.5, 0.2)],
        },
        {"sentence": "However, it rains.", "claims": [claim("It rains.", 0.75)]},
    ],
}
REVIEWS = {"entity": "7", "reviews": ["The bar is open all night.", "It rained. However, it rains."]}


def write(path: Path, *lines: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "zs_summ"
    write(folder / "towns" / "mine.jsonl.gz", SUMMARY)
    write(folder / "towns" / "unpublished.jsonl.gz", SUMMARY)
    write(folder / "towns" / "reviews.jsonl.gz", REVIEWS)
    published = {"towns": {"mine": {"top_score": 0.7167, "abstractiveness": {"3": 0.5}}}, "source": "here"}
    (folder / "published.json").write_text(json.dumps(published), encoding="utf-8")
    return tmp_path / "data"


def test_the_measures_of_a_small_recording_by_hand(data: Path, tmp_path: Path) -> None:
    results = reproduce_opinion_summaries(data, tmp_path)

    mine = results["towns"]["mine"]
    assert mine["top_score"] == pytest.approx((0.9 + 0.5 + 0.75) / 3)
    assert mine["support_percent"] == pytest.approx(
        {"0": 100 / 3, "1": 100 / 3, "2": 100 / 3, "3": 0, "4": 0, "5": 0}
    )
    assert mine["complexity_percent"] == 50  # "However" is missed, as it is in the published numbers
    # Trigrams: "The bar is", "bar is open" and the three of the second sentence are copied; three are novel.
    assert mine["abstractiveness"] == pytest.approx({"3": 3 / 8, "4": 3 / 6, "5": 3 / 4})
    assert results["towns"]["unpublished"] == mine
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")) == results


def test_the_idf_of_recorded_documents_is_summed_over_sentences(data: Path, tmp_path: Path) -> None:
    write(data / "zs_summ" / "towns" / "idf_corpus.jsonl.gz", "Loud bar", "A bar", "It rains", "Nothing")

    results = reproduce_opinion_summaries(data, tmp_path)

    # Stopwords are compared case-sensitively, so "The" stays: The, bar (in two documents), open, loud (in
    # one) and "."; However, ",", rains (in one) and ".".
    never, once, twice = math.log(4 / 1), math.log(4 / 2), math.log(4 / 3)
    expected = (3 * never + twice + once) / 5 + (3 * never + once) / 4
    assert results["towns"]["mine"]["avg_idf"] == pytest.approx(expected)


def test_the_command_shows_both_values_side_by_side(data: Path, tmp_path: Path, run_paper: Run) -> None:
    done = run_paper("opinion_summaries", "--data", data / "zs_summ", "--output", tmp_path / "out")

    assert done.code == 0, done.err
    assert "Table 11" in done.out
    written = (tmp_path / "out" / "results.md").read_text(encoding="utf-8")
    assert "| towns | mine | 0.7167 (0.7167) |" in written
    assert "| towns | unpublished | 0.7167 (–) |" in written
    assert "| towns | mine | 0.375 (0.5) | 0.5 (–) | 0.75 (–) |" in written


def test_a_summary_of_something_without_reviews_is_refused_and_nothing_written(
    data: Path, tmp_path: Path
) -> None:
    write(data / "zs_summ" / "towns" / "mine.jsonl.gz", SUMMARY | {"entity": "8"})

    with pytest.raises(ClaimwiseError, match="no reviews of 8, which mine summarizes"):
        reproduce_opinion_summaries(data, tmp_path / "out")
    assert not [*(tmp_path / "out").iterdir()]


def test_a_folder_without_the_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ClaimwiseError, match=r"published\.json"):
        reproduce_opinion_summaries(tmp_path, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with zs_summ")
def test_the_published_numbers_come_out_again(tmp_path: Path) -> None:
    results = reproduce_opinion_summaries(Path(str(DATA)), tmp_path)
    published = read_published(Path(str(DATA)) / "zs_summ")

    compared = 0
    for dataset, of_systems in results.items():
        for system, found in of_systems.items():
            authors = published.get(dataset, {}).get(system)
            if authors is None:
                continue
            compared += 1
            assert found["top_score"] == pytest.approx(authors["top_score"], abs=1e-4)
            assert found["support_percent"] == pytest.approx(authors["support_percent"], abs=0.01)
            assert found["complexity_percent"] == pytest.approx(authors["complexity_percent"], abs=0.05)
            tolerance = 0.01 if dataset == "space" else 0.005
            assert found["abstractiveness"] == pytest.approx(authors["abstractiveness"], abs=tolerance)
            if dataset == "space":
                assert found["avg_idf"] == pytest.approx(authors["avg_idf"], abs=0.01)
    assert compared >= 9
