"""What counts as a decomposer, and how a user's own becomes one."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import pytest

from claimwise.errors import ClaimwiseError
from claimwise.text.claims import Decomposed, Decomposer, SentencesDecomposer, load_decomposer


def at_semicolons(sentences: Sequence[str]) -> list[list[str]]:
    return [sentence.split("; ") for sentence in sentences]


class OfAnEarlierVersion:
    """An object as users wrote it for the first version."""

    def __init__(self) -> None:
        self.signature = {"decomposer": "earlier", "mark": ";"}
        self.fallbacks = 0

    def __call__(self, sentences: Sequence[str]) -> list[list[str]]:
        return at_semicolons(sentences)


class OfToday:
    def __init__(self) -> None:
        self.signature = {"decomposer": "today"}

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        return [Decomposed([sentence], "too hard") for sentence in sentences]


@pytest.mark.parametrize(
    ("given", "signature"),
    [
        (at_semicolons, {"decomposer": "function at_semicolons"}),
        (OfAnEarlierVersion(), {"decomposer": "earlier", "mark": ";"}),
    ],
)
def test_what_can_be_called_becomes_a_decomposer(given: Any, signature: dict[str, str]) -> None:
    decomposer = load_decomposer(given)
    assert isinstance(decomposer, Decomposer)
    assert decomposer.signature == signature
    assert decomposer.decompose(["a; b", "c"]) == [Decomposed(["a", "b"]), Decomposed(["c"])]
    assert pickle.loads(pickle.dumps(decomposer)).decompose(["a; b"]) == [Decomposed(["a", "b"])]


def test_a_decomposer_is_left_as_it_is() -> None:
    given = OfToday()
    assert load_decomposer(given) is given


def test_whole_sentences_are_not_left_whole_when_they_were_asked_for() -> None:
    decomposer = SentencesDecomposer()
    assert decomposer.decompose(["a and b"]) == [Decomposed(["a and b"])]
    assert decomposer(["a and b"]) == [["a and b"]]


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ([["a"], []], "at least one claim for every sentence"),
        ([["a"]], "one list of claims for every sentence"),
        (None, "one list of claims for every sentence; got `None`"),
        (["a", "b"], "a list of texts for every sentence; got “a”"),
        ([["a"], None], "a list of texts"),
        ([["a"], [None]], "a list of texts"),
    ],
)
def test_claims_of_another_shape_are_refused(claims: Any, message: str) -> None:
    with pytest.raises(ClaimwiseError, match=message) as caught:
        load_decomposer(lambda sentences: claims).decompose(["one", "two"])
    assert caught.value.option == "decomposer"


def test_a_blank_sentence_needs_no_claim() -> None:
    assert load_decomposer(lambda sentences: [[]]).decompose([" "]) == [Decomposed([])]


@pytest.mark.parametrize("name", ["default", "sentences", at_semicolons, OfToday()])
def test_options_that_cannot_take_effect_are_refused(name: Any) -> None:
    with pytest.raises(ClaimwiseError, match=r"cache.*temperature") as caught:
        load_decomposer(name, cache="c.sqlite", temperature=1)
    assert caught.value.option == "cache"


@pytest.mark.parametrize(
    ("given", "got"), [(5, "got int"), (OfToday, "got the class OfToday. Pass an instance of the class")]
)
def test_what_is_no_decomposer_is_refused(given: Any, got: str) -> None:
    listed = "`default`, `openai`, `sentences`"
    with pytest.raises(ClaimwiseError, match=f"{listed}, or a callable .*{got}"):
        load_decomposer(given)
