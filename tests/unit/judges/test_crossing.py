"""Entailment matrices: every premise against every hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges import WordJudge

from claimwise.errors import ClaimwiseError
from claimwise.judges import NLIModel
from claimwise.judges.crossing import PAIRS_AT_ONCE, cross, gather

PREMISES = ["The room was clean.", "Nobody slept well in the small hotel.", "The pool is closed."]
HYPOTHESES = ["The bed was soft.", "Guests did not sleep."]
LONG = "The sauna is open in winter. " * 50

sentences = st.lists(st.sampled_from([*PREMISES, *HYPOTHESES, ""]), max_size=4)
examples = st.lists(st.tuples(sentences, sentences), max_size=4)


@pytest.fixture(scope="module")
def model(load: Callable[..., NLIModel]) -> NLIModel:
    return load("bert")


def test_a_matrix_holds_what_predict_says_of_each_pair(model: NLIModel) -> None:
    (matrix,) = model.matrices([(PREMISES, HYPOTHESES)])

    assert matrix.shape == (3, 2, 3)
    assert matrix.dtype == np.float32
    for row, premise in enumerate(PREMISES):
        for column, hypothesis in enumerate(HYPOTHESES):
            expected = model.predict([premise], [hypothesis])[0]
            np.testing.assert_allclose(matrix[row, column], expected, atol=1e-5)


@pytest.mark.parametrize(
    ("premises", "hypotheses", "shape"),
    [([], HYPOTHESES, (0, 2, 3)), (PREMISES, [], (3, 0, 3)), ([], [], (0, 0, 3))],
)
def test_no_premises_or_no_hypotheses_make_an_empty_matrix(
    model: NLIModel, premises: list[str], hypotheses: list[str], shape: tuple[int, ...]
) -> None:
    (matrix,) = model.matrices([(premises, hypotheses)])

    assert matrix.shape == shape
    assert matrix.dtype == np.float32


def test_no_examples_make_no_matrices(model: NLIModel) -> None:
    assert model.matrices([]) == []


def test_an_empty_example_does_not_shift_its_neighbours(model: NLIModel) -> None:
    before, empty, after = model.matrices([(PREMISES, HYPOTHESES), (PREMISES, []), (HYPOTHESES, PREMISES)])

    assert empty.shape == (3, 0, 3)
    np.testing.assert_allclose(before, model.matrices([(PREMISES, HYPOTHESES)])[0], atol=1e-5)
    np.testing.assert_allclose(after, model.matrices([(HYPOTHESES, PREMISES)])[0], atol=1e-5)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(examples)
def test_many_examples_at_once_equal_one_at_a_time(
    model: NLIModel, examples: list[tuple[list[str], list[str]]]
) -> None:
    together = model.matrices(examples)

    assert len(together) == len(examples)
    for matrix, example in zip(together, examples, strict=True):
        np.testing.assert_allclose(matrix, model.matrices([example])[0], atol=1e-5)


def test_a_pair_that_several_examples_share_is_scored_once(
    model: NLIModel, forward_calls: Callable[[NLIModel], Any]
) -> None:
    with forward_calls(model) as sizes:
        model.matrices([(PREMISES, HYPOTHESES)] * 5)

    assert sum(sizes) == len(PREMISES) * len(HYPOTHESES)


def test_truncated_pairs_are_counted_per_example(model: NLIModel) -> None:
    examples = [([LONG, *PREMISES], HYPOTHESES), (PREMISES, HYPOTHESES), ([LONG, LONG], HYPOTHESES)]

    predictions = cross(model, examples)

    assert [p.truncated.sum() for p in predictions] == [2, 0, 4]
    assert predictions[0].truncated.tolist() == [[True, True], [False, False], [False, False], [False, False]]
    assert [p.probabilities.shape for p in predictions] == [(4, 2, 3), (3, 2, 3), (2, 2, 3)]


@pytest.mark.parametrize("example", [("The room was clean.", HYPOTHESES), (PREMISES, "The bed was soft.")])
def test_a_bare_string_is_refused_rather_than_read_letter_by_letter(
    model: NLIModel, example: tuple[Any, Any]
) -> None:
    with pytest.raises(ClaimwiseError, match="string"):
        model.matrices([(PREMISES, HYPOTHESES), example])


def test_more_pairs_than_go_to_a_judge_at_once_stay_in_their_order() -> None:
    pairs = [
        (f"Room {number} is warm.", f"Room {number % 7} is cold.") for number in range(PAIRS_AT_ONCE + 9)
    ]

    found = gather(WordJudge(), pairs)

    np.testing.assert_array_equal(found.probabilities, WordJudge().predict_pairs(pairs).probabilities)
