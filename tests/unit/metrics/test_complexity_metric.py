"""Complexity: by hand, against what was published, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.papers.zs_summ import read_published, read_system
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Complexity

DATA = os.environ.get("CLAIMWISE_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="CLAIMWISE_DATA names no folder with zs_summ")
FOLDER = Path(str(DATA)) / "zs_summ"
AMAZON = [
    "fewsum-amazon",
    "gpt3-amazon",
    "gpt3-ml-amazon-fl",
    "gpt3-ml-amazon-ll",
    "qfsumm-amazon",
    "qfsumm-gpt3-amazon",
]
SPACE = ["acesum", "qg", "tcg"]


def test_complexity_is_a_share_of_the_sentences_of_all_summaries() -> None:
    result = Complexity().compute(
        predictions=["It is warm. However, it rains. We slept. We ate.", "Small but quiet."], details=True
    )
    assert result["complexity"] == 40
    assert result["complexity_scores"] == [25, 100]
    assert result["complexity_details"][0]["sentences"][1] == {
        "sentence": "However, it rains.",
        "words": ["However"],
    }


def test_the_paper_misses_words_in_upper_case() -> None:
    summaries = ["However, it rains.", "It rains, however."]
    assert Complexity("paper").compute(predictions=summaries)["complexity_scores"] == [0, 100]
    assert Complexity("paper", case_sensitive=False).compute(predictions=summaries)["complexity"] == 100


def test_own_words_replace_those_of_the_paper() -> None:
    metric = Complexity(words=["yet"])
    assert metric.compute(predictions=["Small yet quiet.", "Small but quiet."])["complexity_scores"] == [
        100,
        0,
    ]
    assert "|words:yet|" in metric.signature()


@pytest.mark.parametrize("words", ["but", [], ["on the other hand"], ["cannot"], [3], None])
def test_words_that_no_token_can_equal_are_refused(words: Any) -> None:
    with pytest.raises(ClaimwiseError, match="`words`"):
        Complexity(words=words)


@needs_data
@pytest.mark.parametrize(
    ("dataset", "name"), [*(("space", name) for name in SPACE), *(("fewsum", name) for name in AMAZON)]
)
def test_complexity_of_the_recorded_sentences_is_the_published_one(dataset: str, name: str) -> None:
    summaries = read_system(FOLDER, dataset, name)
    sentences = [sentence.sentence for summary in summaries for sentence in summary.sentences]
    published = read_published(FOLDER)[dataset][name]["complexity_percent"]

    result = Complexity("paper").compute(predictions=sentences)

    assert result["complexity"] == pytest.approx(published, abs=0.05)
    assert Complexity().compute(predictions=sentences)["complexity"] >= result["complexity"]


@needs_data
@pytest.mark.parametrize("name", SPACE)
def test_complexity_of_whole_summaries_is_the_published_one(name: str) -> None:
    summaries = [summary.summary for summary in read_system(FOLDER, "space", name)]
    published = read_published(FOLDER)["space"][name]["complexity_percent"]
    assert Complexity("paper").compute(predictions=summaries)["complexity"] == pytest.approx(
        published, abs=0.05
    )


def test_an_unknown_splitter_is_refused_when_loaded() -> None:
    with pytest.raises(ClaimwiseError, match=r"Unknown splitter.*nltk:untrained"):
        Complexity(splitter="punkt").load()
