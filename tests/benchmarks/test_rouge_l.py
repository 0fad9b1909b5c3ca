"""ROUGE-L by hand, and its column of Table 1 of Vadapalli et al. 2017."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.rouge_l import longest_common_subsequence, rouge_l
from claimwise.scores.rouge import Overlap
from claimwise.text.stopwords import load_stopwords
from claimwise.text.tokens import load_tokenizer

POLICE = ["police", "killed", "the", "gunman"]
tokens = st.lists(st.sampled_from("abcd"), max_size=12)


def test_the_examples_of_lin_2004() -> None:
    for text, longest in (
        ("police kill the gunman", 3),
        ("the gunman kill police", 2),
        ("the gunman police killed", 2),
    ):
        assert rouge_l(text.split(), POLICE).recall == pytest.approx(longest / 4)


def test_table_1_of_the_ssas_paper() -> None:
    """Recall without stopwords, cut after two digits as the paper does."""
    stopwords, tokenize = load_stopwords("english") | {"s"}, load_tokenizer("words")
    a, b, c = (
        [word for word in tokenize(text) if word not in stopwords]
        for text in (
            "Mary lived through an era of liberating reform for women.",
            "Mary's life spanned years of incredible change for women.",
            "Mary lived through an era of suppression of women.",
        )
    )
    assert rouge_l(b, a).recall == pytest.approx(0.33, abs=0.01)
    assert rouge_l(c, a).recall == pytest.approx(0.66, abs=0.01)


@given(tokens, tokens)
def test_what_holds_of_any_texts(first: list[str], second: list[str]) -> None:
    there, back = rouge_l(first, second), rouge_l(second, first)
    assert there == Overlap(back.precision, back.recall)
    assert 0 <= there.recall <= 1
    assert longest_common_subsequence(first, second) == longest_common_subsequence(second, first)


def test_texts_without_words_share_nothing() -> None:
    assert rouge_l([], ["a"]) == rouge_l(["a"], []) == Overlap(0, 0)
