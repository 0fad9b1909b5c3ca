"""Contrasting sentences, counted by hand."""

from __future__ import annotations

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.scores.complexity import complexity, contrasting_words

HOWEVER = ["However", ",", "the", "pool", "is", "cold", "but", "clean", "."]
PLAIN = ["The", "pool", "is", "another", "story", "."]


def test_the_words_of_the_paper() -> None:
    assert contrasting_words(HOWEVER) == ["However", "but"]
    assert contrasting_words(HOWEVER, case_sensitive=True) == ["but"]
    assert contrasting_words(PLAIN) == []  # "another" is not "other"


def test_the_words_can_be_others() -> None:
    assert contrasting_words(PLAIN, ["Story"]) == ["story"]
    assert contrasting_words(PLAIN, ["Story"], case_sensitive=True) == []


def test_a_sentence_counts_once_however_many_such_words_it_holds() -> None:
    assert complexity([HOWEVER, PLAIN, PLAIN, PLAIN]) == 25
    assert complexity([["However", "late"], PLAIN], case_sensitive=True) == 0


def test_no_sentence_is_an_error() -> None:
    with pytest.raises(ClaimwiseError, match="at least one"):
        complexity([])
