"""Which output of a checkpoint is which label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pytest

from claimwise.errors import ClaimwiseError
from claimwise.judges import LABELS, NLIModel
from claimwise.labels import resolve_label_order, resolve_labels, resolve_two_labels

PREMISES = ["The room was clean.", "Nobody slept well.", "The pool is closed in winter."]
HYPOTHESES = ["The bed was soft.", "Guests liked the noise.", "The pool is open."]


def names(*labels: str) -> dict[int, str]:
    return dict(enumerate(labels))


@pytest.mark.parametrize("labels", list(permutations(LABELS)))
def test_named_labels_are_found_in_any_order(labels: Sequence[str]) -> None:
    order = resolve_label_order(names(*labels))

    assert [labels[index] for index in order] == ["entailment", "neutral", "contradiction"]


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], [2, 1, 0]),  # roberta-large-mnli
        (["Entailment", "Neutral", "Contradiction"], [0, 1, 2]),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], [0, 2, 1]),  # vitaminc
        (["refuted", "nei", "supported"], [2, 1, 0]),
        ([" contradicts", "entails ", "neutral"], [1, 2, 0]),
    ],
)
def test_case_spaces_and_the_names_of_fact_verification_do_not_matter(
    labels: list[str], order: list[int]
) -> None:
    assert resolve_label_order(names(*labels)) == order


def test_label_order_overrides_the_names_of_the_checkpoint() -> None:
    own = names("entailment", "neutral", "contradiction")

    assert resolve_label_order(own, ["contradiction", "entailment", "neutral"]) == [1, 2, 0]


@pytest.mark.parametrize(
    "label_order",
    [
        ["contradiction", "neutral"],
        ["contradiction", "neutral", "neutral"],
        ["contradiction", "neutral", "entailmint"],
        ["contradiction", "neutral", "entailment", "entailment"],
        [],
        "entailment",
    ],
)
def test_a_label_order_that_is_not_one_of_each_label_is_refused(label_order: Sequence[str]) -> None:
    with pytest.raises(ClaimwiseError, match="label_order"):
        resolve_label_order(names("LABEL_0", "LABEL_1", "LABEL_2"), label_order)


def test_unnamed_labels_are_never_guessed(load: Callable[..., NLIModel]) -> None:
    with pytest.raises(ClaimwiseError, match=r"LABEL_0.*label_order=") as caught:
        load("bert-unnamed")

    assert "model card" in str(caught.value)


def test_two_labels_are_read_by_their_names(load: Callable[..., NLIModel]) -> None:
    by_name = load("bert-two-labels")
    given = load("bert-two-labels", label_order=["entailment", "not_entailment"])
    swapped = load("bert-two-labels", label_order=["not_entailment", "entailment"])

    scores = by_name.predict(PREMISES, HYPOTHESES)

    assert not by_name.tells_contradictions
    assert by_name.fingerprint == given.fingerprint != swapped.fingerprint
    np.testing.assert_array_equal(scores, given.predict(PREMISES, HYPOTHESES))
    np.testing.assert_allclose(scores[:, 0], swapped.predict(PREMISES, HYPOTHESES)[:, 1], atol=1e-6)


def test_three_names_for_two_outputs_are_refused(load: Callable[..., NLIModel]) -> None:
    with pytest.raises(ClaimwiseError, match=r"not_entailment.*three"):
        load("bert-two-labels", label_order=["entailment", "neutral", "contradiction"])


def test_two_other_names_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match=r"2 labels .*label_order="):
        resolve_labels(names("yes", "no"))


def test_four_labels_are_refused() -> None:
    with pytest.raises(ClaimwiseError, match="three"):
        resolve_label_order(names("entailment", "neutral", "contradiction", "other"))


@pytest.mark.parametrize(
    ("checkpoint", "label_order", "outputs"),
    [
        ("bert", None, [1, 2, 0]),  # CONTRADICTION, Entailment, neutral
        ("bert-fact-checking", None, [0, 2, 1]),  # SUPPORTS, REFUTES, NOT ENOUGH INFO
        ("bert-unnamed", ["neutral", "contradiction", "entailment"], [2, 0, 1]),
        ("bert", ["neutral", "contradiction", "entailment"], [2, 0, 1]),
    ],
)
def test_the_last_axis_is_entailment_neutral_contradiction_whatever_the_order_of_the_checkpoint(
    load: Callable[..., NLIModel],
    checkpoint: str,
    label_order: list[str] | None,
    outputs: list[int],
) -> None:
    """The weights of these checkpoints are the same, so their raw outputs differ in name only."""
    raw_names = ["entailment", "neutral", "contradiction"]  # output i comes out in place i
    raw = load(checkpoint, label_order=raw_names).predict(PREMISES, HYPOTHESES)

    scores = load(checkpoint, label_order=label_order).predict(PREMISES, HYPOTHESES)

    np.testing.assert_allclose(scores, raw[:, outputs], atol=1e-6)
    assert np.ptp(raw, axis=1).min() > 0.01, "the outputs must differ for the test to tell them apart"


@pytest.mark.parametrize(
    ("labels", "order"),
    [(["entailment", "not_entailment"], [0, 1]), (["Not entailment", " Entailment"], [1, 0])],
)
def test_of_two_labels_entailment_is_the_first_in_any_order(labels: list[str], order: list[int]) -> None:
    assert resolve_two_labels(labels) == order
