"""ROUGE by hand, and Table 1 of Vadapalli et al. 2017."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.scores.rouge import (
    Overlap,
    rouge_n,
    rouge_s,
    rouge_su,
    skip_bigrams,
)
from claimwise.text.stopwords import load_stopwords
from claimwise.text.tokens import load_tokenizer

POLICE = ["police", "killed", "the", "gunman"]
tokens = st.lists(st.sampled_from("abcd"), max_size=12)


def test_the_examples_of_lin_2004() -> None:
    """Section 5: of six skip-bigrams each, three, one and two are shared."""
    for text, skip_bigrams_shared in (
        ("police kill the gunman", 3),
        ("the gunman kill police", 1),
        ("the gunman police killed", 2),
    ):
        assert rouge_s(text.split(), POLICE).recall == pytest.approx(skip_bigrams_shared / 6)


def test_between_the_words_of_a_skip_bigram_there_are_at_most_four() -> None:
    found = skip_bigrams([*"abcdefg"])
    assert ("a", "f") in found  # b, c, d and e between them
    assert ("a", "g") not in found
    assert found.total() == 5 + 5 + 4 + 3 + 2 + 1
    assert skip_bigrams([*"abc"], 0) == {("a", "b"): 1, ("b", "c"): 1}


def test_rouge_su4_by_hand() -> None:
    """Reference abca: words a b c a, pairs ab ac aa bc ba ca. Candidate aac: words a a c, pairs aa ac ac."""
    found = rouge_su([*"aac"], [*"abca"])
    shared = 2 + 1 + 1 + 1  # a twice, c, aa, ac
    assert found == Overlap(recall=shared / 10, precision=shared / 6)
    assert found.f1 == pytest.approx(2 * shared / 16)


def test_repeated_ngrams_count_as_often_as_in_both() -> None:
    assert rouge_n([*"aaab"], [*"aab"], 1) == Overlap(recall=1, precision=3 / 4)
    assert rouge_n([*"aaab"], [*"aab"], 2) == Overlap(recall=1, precision=2 / 3)


@pytest.mark.parametrize(
    ("rouge", "of_b", "of_c"),
    [
        (lambda s, r: rouge_n(s, r, 1), 0.33, 0.66),
        (lambda s, r: rouge_n(s, r, 2), 0.0, 0.4),
        # The paper's ROUGE-SU4 counts words by a mark at the beginning (Lin 2004, Section 5.2).
        (lambda s, r: rouge_s(["<s>", *s], ["<s>", *r]), 0.05, 0.45),
    ],
)
def test_table_1_of_the_ssas_paper(
    rouge: Callable[[list[str], list[str]], Overlap], of_b: float, of_c: float
) -> None:
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
    assert rouge(b, a).recall == pytest.approx(of_b, abs=0.01)
    assert rouge(c, a).recall == pytest.approx(of_c, abs=0.01)


@given(tokens, tokens)
def test_what_holds_of_any_texts(first: list[str], second: list[str]) -> None:
    for rouge in (lambda s, r: rouge_n(s, r, 1), lambda s, r: rouge_n(s, r, 2), rouge_s, rouge_su):
        there, back = rouge(first, second), rouge(second, first)
        assert there == Overlap(back.precision, back.recall)
        assert 0 <= there.recall <= 1
    assert rouge_su(first, first).f1 == (1 if first else 0)
    assert rouge_su(first, [*second, "z"]).recall <= 1


def test_texts_without_words_share_nothing() -> None:
    assert rouge_su([], []) == rouge_n(["a"], ["a"], 2) == Overlap(0, 0)
