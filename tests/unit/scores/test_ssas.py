"""SSAS: the features and the normalization by hand, and weights that find what people went by."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.scores.ssas import (
    BEST,
    FEATURES,
    GROUPS,
    PARAPHRASES,
    SIGNS,
    WORST,
    Ranking,
    contributions,
    fit_weights,
    ssas,
    ssas_features,
)

RANKINGS = get_args(Ranking)
every_ranking = pytest.mark.parametrize("ranking", RANKINGS)
# Two claims of a reference as premises of three of a summary, and back.
FORWARD = np.array(
    [
        [[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.2, 0.7, 0.1]],
        [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.1, 0.3, 0.6]],
    ]
)
BACKWARD = np.array(
    [
        [[0.5, 0.3, 0.2], [0.1, 0.9, 0.0]],
        [[0.2, 0.2, 0.6], [0.0, 1.0, 0.0]],
        [[0.3, 0.3, 0.4], [0.4, 0.4, 0.2]],
    ]
)


def test_equations_1_to_9_by_hand() -> None:
    paraphrase = np.array([[0.5, 0.1, 0.2], [0.1, 0.0, 0.1]])
    found = ssas_features(FORWARD, BACKWARD, paraphrase, 0.25)
    assert dict(zip(FEATURES, found.values, strict=True)) == pytest.approx(
        {
            "entailment_from_reference": (0.7 + 0.3) / 2,
            "entailment_from_summary": (0.5 + 0.2 + 0.4) / 3,
            "contradiction_from_reference": (0.8 + 0.6) / 2,
            "contradiction_from_summary": (0.2 + 0.6 + 0.4) / 3,
            "neutrality_from_reference": (0.7 + 0.8) / 2,
            "neutrality_from_summary": (0.9 + 1.0 + 0.4) / 3,
            "paraphrase_from_reference": (0.5 + 0.1) / 2,
            "paraphrase_from_summary": (0.5 + 0.1 + 0.2) / 3,
            "rouge_su4": 0.25,
        }
    )
    best = [places.tolist() for places in found.best]
    assert best == [[0, 1], [0, 0, 1], [1, 2], [0, 0, 0], [2, 0], [1, 1, 1], [0, 0], [0, 0, 0]]
    assert [one.tolist() for one in found.probabilities][2] == [0.8, 0.6]


def test_paraphrases_by_hand() -> None:
    there, back = np.array([0.9, 0.4]), np.array([0.4, 0.9])
    found = {name: of(there, back).tolist() for name, of in PARAPHRASES.items()}
    assert found == {
        "minimum": [0.4, 0.4],
        "product": pytest.approx([0.36, 0.36]),
        "geometric_mean": pytest.approx([0.6, 0.6]),
    }


def test_equation_11_by_hand() -> None:
    """Even weights: the span is 2 + 2 + 2 + 1."""
    features = np.array([0.5, 0.25, 0.5, 0.0, 0.5, 0.25, 0.25, 0.25, 0.5])
    expected = (0.75 + (0.5 + 1.0) - 0.75 + 0.5 + 0.5) / 7
    assert ssas(features, SIGNS) == pytest.approx(expected)
    assert contributions(features, SIGNS).sum() == pytest.approx(expected)
    assert ssas([BEST, WORST], SIGNS).tolist() == [1, 0]


@given(st.lists(st.floats(0, 1), min_size=9, max_size=9), st.floats(0.1, 10))
def test_the_scale_of_the_weights_changes_nothing_and_nothing_beats_the_best(
    features: list[float], scale: float
) -> None:
    assert ssas(features, scale * SIGNS) == pytest.approx(ssas(features, SIGNS))
    assert -1 <= ssas(features, SIGNS) <= 1 + 1e-9


def test_what_is_neutral_comes_out_below_the_worst_only_if_it_is_contradicted_too() -> None:
    neutral = np.array([0, 0, 0, 0, 1, 1, 0, 0, 0])
    assert ssas(neutral, SIGNS) == pytest.approx(0)
    assert ssas(neutral + WORST, SIGNS) == pytest.approx(-2 / 7)
    heaviest = SIGNS * [1, 1, 1, 1, 3.5, 3.5, 1, 1, 1]
    assert ssas(neutral + WORST, heaviest) == pytest.approx(-1)


def test_weights_that_turn_the_scale_around_are_refused() -> None:
    one_wrong, neutral = SIGNS.copy(), SIGNS.copy()
    one_wrong[3], neutral[4] = 1, -8
    for weights in (-SIGNS, np.zeros(9), SIGNS[:8], np.full(9, np.nan), one_wrong, neutral):
        with pytest.raises(ClaimwiseError, match="weights"):
            ssas(BEST, weights)


@pytest.mark.parametrize(
    ("forward", "backward", "paraphrase"),
    [
        (FORWARD, FORWARD, np.zeros((2, 3))),
        (FORWARD, BACKWARD, np.zeros((3, 2))),
        (np.zeros((0, 3, 3)), np.zeros((3, 0, 3)), np.zeros((0, 3))),
    ],
)
def test_matrices_that_do_not_fit_are_refused(forward: Any, backward: Any, paraphrase: Any) -> None:
    with pytest.raises(ClaimwiseError, match=r"Expected matrices|without claims"):
        ssas_features(forward, backward, paraphrase, 0.0)


def scored_by(weights: dict[str, float], documents: int = 12) -> tuple[Any, Any, list[int]]:
    """Return features of summaries, the scores of people who go by ``weights``, and documents."""
    features = np.random.default_rng(5).random((10 * documents, 9))
    human = sum(weight * features[:, FEATURES.index(name)] for name, weight in weights.items())
    return features, human, [row // 10 for row in range(10 * documents)]


@every_ranking
def test_weights_are_those_that_people_went_by(ranking: Ranking) -> None:
    went_by = {"entailment_from_reference": 0.4, "contradiction_from_summary": -0.3, "rouge_su4": 0.3}
    found = dict(zip(FEATURES, fit_weights(*scored_by(went_by), ranking), strict=True))
    assert found == pytest.approx({**dict.fromkeys(FEATURES, 0.0), **went_by}, abs=0.02)


@every_ranking
def test_the_same_data_on_any_scale_and_in_any_order_give_the_same_weights(ranking: Ranking) -> None:
    features, human, documents = scored_by({"entailment_from_reference": 1, "paraphrase_from_summary": 0.5})
    human = human + np.random.default_rng(6).normal(0, 0.1, len(human))
    weights = fit_weights(features, human, documents, ranking)
    assert fit_weights(features, human, documents, ranking).tolist() == weights.tolist()
    assert fit_weights(features, 100 * human + 7, documents, ranking) == pytest.approx(weights, abs=1e-4)
    order = np.random.default_rng(7).permutation(len(human))
    again = fit_weights(features[order], human[order], [documents[row] for row in order], ranking)
    assert again == pytest.approx(weights, abs=1e-4)


@every_ranking
def test_weights_keep_their_signs_whatever_people_say(ranking: Ranking) -> None:
    """People who love contradictions get them ignored, and the best summary stays the best."""
    features, human, documents = scored_by({"contradiction_from_reference": 1, "rouge_su4": 0.5})
    weights = fit_weights(features, human, documents, ranking)
    assert (weights * SIGNS >= 0).all()
    assert weights[2] == 0
    assert weights @ (BEST - WORST) == pytest.approx(1)


@pytest.mark.parametrize("ranking", ["pairwise", "listwise"])
def test_rankings_compare_summaries_of_one_document_alone(ranking: Ranking) -> None:
    """How well documents score as wholes is nothing to learn from, even where it goes against the rest."""
    features, human, documents = scored_by({"rouge_su4": 1})
    features[:, 0] = np.array(documents) / 12
    shifted = human + 5 * features[:, 0]
    assert fit_weights(features, shifted, documents, ranking)[0] == pytest.approx(0, abs=0.02)
    assert fit_weights(features, shifted, documents, "regression")[0] > 0.5


@every_ranking
def test_a_feature_that_is_left_out_weighs_nothing(ranking: Ranking) -> None:
    data = scored_by({"entailment_from_reference": 0.5, "rouge_su4": 0.5})
    for places in GROUPS.values():
        weights = fit_weights(*data, ranking, places)
        assert not weights[list(places)].any()
        assert weights.any()


def test_every_feature_is_in_one_group() -> None:
    assert sorted(place for places in GROUPS.values() for place in places) == list(range(len(FEATURES)))


@pytest.mark.parametrize(
    ("human", "documents", "said"),
    [
        ([1, 1, 2, 2], [0, 0, 1, 1], "No two summaries"),
        ([1, 2, 1, np.nan], [0, 0, 1, 1], "not a finite number"),
        ([1, 2], [0, 0, 1, 1], "Expected 9 features"),
        ([2, 1, 2, 1], [0, 0, 1, 1], "do not predict the human scores"),
    ],
)
def test_data_that_teach_nothing_are_refused(human: Any, documents: Any, said: str) -> None:
    features = np.outer([0, 1, 0, 1], SIGNS) + WORST * [[1], [1], [1], [1]]
    with pytest.raises(ClaimwiseError, match=said):
        fit_weights(features, human, documents)


def test_an_unknown_ranking_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match="listwise"):
        fit_weights(*scored_by({"rouge_su4": 1}), "best")  # type: ignore[arg-type]
