"""Stopwords, and the terms that are left of a sentence."""

from __future__ import annotations

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.text.stopwords import Terms, load_stopwords


def test_terms_are_lower_cased_stems_without_punctuation_and_stopwords() -> None:
    assert Terms()("The waiters were NOT smiling, were they?") == ["waiter", "smile"]


def test_terms_of_the_paper_keep_punctuation_and_compare_stopwords_before_they_stem() -> None:
    terms = Terms(tokenizer="treebank", stopwords="all", stemmer="nltk_porter")
    # "The" is no stopword, "the" is; "hotel" is one in Slovene.
    assert terms("The cats enjoyed the hotel's garden.") == ["the", "cat", "enjoy", "'s", "garden", "."]


def test_own_stopwords_tokenizer_and_no_stemmer() -> None:
    terms = Terms(tokenizer=str.split, stopwords={"warm"}, stemmer="none")

    assert terms("The warm pools") == ["The", "pools"]
    assert terms.signature["stopwords"] != Terms(stopwords={"cold"}).signature["stopwords"]


def test_all_languages_are_more_than_one_and_none_is_nothing() -> None:
    assert {"the", "not", "is"} <= load_stopwords("english") < load_stopwords("all")
    assert {"und", "avec", "dengan"} <= load_stopwords("all")
    assert not load_stopwords("none")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match=r"Unknown stopwords `klingon`.*`all`.*english"):
        Terms(stopwords="klingon")
