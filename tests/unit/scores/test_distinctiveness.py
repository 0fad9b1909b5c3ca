"""The Distinctiveness Score against hand-computed bags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.scores.distinctiveness import distinctiveness_score
from claimwise.text.tokens import load_stemmer, load_tokenizer

bags = st.lists(st.sampled_from("abcde"), min_size=1, max_size=8)


def test_table_1_of_the_caspr_paper() -> None:
    words = load_tokenizer("words")
    sparkly, tidy = "The hotel is sparkly clean.", "The hotel was kept very tidy."
    clean, not_clean = "The hotel is clean.", "The hotel is not clean"
    assert distinctiveness_score(words(sparkly), words(tidy)) == pytest.approx(700 / 9)
    assert distinctiveness_score(words(clean), words(not_clean)) == 20


def test_bags_are_multisets() -> None:
    # Minima: a 1, b 1; maxima: a 2, b 2. As sets the score would be 0.
    assert distinctiveness_score("aab", "abb") == 50


def test_three_summaries_by_hand() -> None:
    # a∩b = {x}, a∩c = {x, y}, b∩c = {x}, a∩b∩c = {x}; union = x y z w; (4 − (4 − 2)) / 4.
    assert distinctiveness_score("xy", "xz", "xyw") == 50


def test_three_equal_summaries_score_zero() -> None:
    assert distinctiveness_score("ab", "ab", "ab") == 0


@given(bags, bags)
def test_symmetric_bounded_and_zero_for_the_same_bag(a: list[str], b: list[str]) -> None:
    score = distinctiveness_score(a, b)
    assert 0 <= score <= 100
    assert score == distinctiveness_score(b, a)
    assert distinctiveness_score(a, a[::-1]) == 0


@given(bags, bags, bags)
def test_the_three_summary_form_is_bounded_and_symmetric(a: list[str], b: list[str], c: list[str]) -> None:
    score = distinctiveness_score(a, b, c)
    assert 0 <= score <= 100
    assert score == pytest.approx(distinctiveness_score(c, a, b))


def test_no_token_at_all_is_an_error() -> None:
    with pytest.raises(ClaimwiseError, match="No tokens"):
        distinctiveness_score([], [])


def test_tokens_keep_punctuation_and_lose_case_and_endings() -> None:
    tokens = load_tokenizer("words_and_punctuation")("Rooms weren't cleaned!")
    assert tokens == ["rooms", "weren", "'", "t", "cleaned", "!"]
    assert load_stemmer("english")(tokens) == ["room", "weren", "'", "t", "clean", "!"]
    assert load_stemmer("none")(tokens) == tokens


@pytest.mark.parametrize(("load", "name"), [(load_tokenizer, "klingon"), (load_stemmer, "klingon")])
def test_unknown_names_list_the_known_ones(load: object, name: str) -> None:
    with pytest.raises(ClaimwiseError, match=f"{name}.*Choose"):
        load(name)
