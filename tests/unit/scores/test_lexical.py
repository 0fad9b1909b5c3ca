"""Average IDF against hand-computed values and the published ones of Bhaskar et al. 2022."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.zs_summ import read_idf_corpus, read_published, read_system
from claimwise.errors import ClaimwiseError
from claimwise.scores.lexical import InverseDocumentFrequency, average_idf
from claimwise.text.stopwords import Terms

DOCUMENTS = [["pool", "warm", "pool"], ["pool"], ["bar"]]
summaries = st.lists(st.lists(st.sampled_from(["pool", "warm", "bar", "lift"]), min_size=1), min_size=1)


@pytest.fixture
def idf() -> InverseDocumentFrequency:
    return InverseDocumentFrequency.of(DOCUMENTS)


@pytest.mark.parametrize(("term", "expected"), [("pool", 3 / 3), ("bar", 3 / 2), ("lift", 3 / 1)])
def test_idf_by_hand(idf: InverseDocumentFrequency, term: str, expected: float) -> None:
    assert idf(term) == pytest.approx(math.log(expected))


def test_average_idf_is_that_of_the_sentences_not_of_the_words(idf: InverseDocumentFrequency) -> None:
    sentences = [["pool", "pool", "lift"], ["bar"], []]  # ln 3 / 3 and ln 1.5; the last has no terms

    assert average_idf(sentences, idf) == pytest.approx((math.log(3) / 3 + math.log(1.5)) / 2)
    assert average_idf(sentences, idf, "sum") == pytest.approx(math.log(3) / 3 + math.log(1.5))


@settings(deadline=None)
@given(summaries)
def test_the_mean_does_not_depend_on_length_and_the_sum_does(sentences: list[list[str]]) -> None:
    idf = InverseDocumentFrequency.of(DOCUMENTS)

    assert average_idf(sentences * 2, idf) == pytest.approx(average_idf(sentences, idf))
    assert average_idf(sentences * 2, idf, "sum") == pytest.approx(2 * average_idf(sentences, idf, "sum"))
    assert math.log(3 / 4) <= average_idf(sentences, idf) <= math.log(3)


def test_what_has_no_average_is_refused(idf: InverseDocumentFrequency) -> None:
    with pytest.raises(ClaimwiseError, match="only stopwords"):
        average_idf([[], []], idf)
    with pytest.raises(ClaimwiseError, match="at least one document"):
        InverseDocumentFrequency.of([])


@pytest.mark.parametrize("system", ["tcg", "qg", "acesum"])
def test_published_average_idf_on_space(system: str) -> None:
    if "CLAIMWISE_DATA" not in os.environ:
        pytest.skip("CLAIMWISE_DATA is not set: the recorded summaries are not on this machine")
    folder = Path(os.environ["CLAIMWISE_DATA"]) / "zs_summ"
    terms = Terms(tokenizer="treebank", stopwords="all", stemmer="nltk_porter")
    idf = InverseDocumentFrequency.of(terms(sentence) for sentence in read_idf_corpus(folder))

    averages = [
        average_idf([terms(recorded.sentence) for recorded in summary.sentences], idf, "sum")
        for summary in read_system(folder, "space", system)
    ]

    published = read_published(folder)["space"][system]["avg_idf"]
    assert sum(averages) / len(averages) == pytest.approx(published, abs=0.001)
