"""Novel n-grams, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.scores.novelty import abstractiveness, ngrams

sentences = st.lists(st.lists(st.sampled_from("ab"), max_size=5), min_size=1, max_size=4)


def test_ngrams_stay_inside_a_sentence_and_count_as_often_as_they_occur() -> None:
    assert ngrams([["a", "b", "a", "b"], ["a", "b"]], 2) == [
        ("a", "b"),
        ("b", "a"),
        ("a", "b"),
        ("a", "b"),
    ]
    assert ngrams([["a", "b"], ["c"]], 3) == []


def test_a_copied_trigram_and_a_novel_one_that_comes_twice() -> None:
    summary = ngrams([["the", "pool", "is"], ["a", "warm", "pool"], ["a", "warm", "pool"]], 3)
    source = set(ngrams([["where", "the", "pool", "is", "quiet"]], 3))
    assert abstractiveness(summary, source) == pytest.approx(2 / 3)


def test_case_counts_and_so_does_order() -> None:
    source = {("the", "pool", "is")}
    assert abstractiveness([("The", "pool", "is")], source) == 1
    assert abstractiveness([("is", "the", "pool")], source) == 1
    assert abstractiveness([("the", "pool", "is")], source) == 0


def test_a_summary_without_ngrams_scores_as_in_the_authors_code() -> None:
    assert abstractiveness([], {("a", "b", "c")}) == 0


@given(sentences, sentences, sentences)
def test_more_source_never_makes_a_summary_more_novel(
    summary: list[list[str]], source: list[list[str]], more: list[list[str]]
) -> None:
    of_summary = ngrams(summary, 2)
    before = abstractiveness(of_summary, set(ngrams(source, 2)))
    after = abstractiveness(of_summary, set(ngrams(source + more, 2)))
    assert 0 <= after <= before <= 1
    assert abstractiveness(of_summary, set(of_summary)) == 0
