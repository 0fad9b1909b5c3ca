"""Genericity against hand-computed top scores, its pairs of summaries, and the intervals of its samples."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimwise.errors import ClaimwiseError
from claimwise.scores.genericity import (
    Pool,
    genericity_score,
    ordered_pairs,
    sampling_interval,
    top_scores,
)

ENTITIES = ["a", "a", "b", "c"]
pools = pytest.mark.parametrize("pool", ["other_entities", "pairs"])


def array(*values: object) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def pairs_as_lists(pairs: dict[int, npt.NDArray[np.intp]]) -> dict[int, list[int]]:
    return {summary: others.tolist() for summary, others in pairs.items()}


# Scores -------------------------------------------------------------------------------------------


def test_top_scores_by_hand() -> None:
    scores = array(0.1, 0.9, -0.2, -np.inf, 0.3)  # summaries of two claims, two and one
    assert top_scores(scores, np.array([0, 2, 4])).tolist() == [0.9, -0.2, 0.3]


def test_similarity_and_fraction_by_hand() -> None:
    # Two claims against three summaries; τ itself is not greater than τ.
    score = genericity_score(array([0.5, 0.8, -1.0], [0.9, 0.6, 0.2]), threshold=0.5)

    assert score.similarities == pytest.approx([0.7, 0.7, -0.4])
    assert score.fractions == pytest.approx([0.5, 1, 0])
    assert score.claims == 2


def test_what_has_nothing_to_be_compared_with_is_left_out() -> None:
    nothing = float("nan")
    score = genericity_score(array([nothing, 0.8, nothing], [nothing, 0.2, 0.6], [nothing] * 3))

    assert score.similarities == pytest.approx([0.5, 0.6])
    assert score.fractions == pytest.approx([0.5, 1])
    assert score.claims == 2


def test_a_summary_without_any_comparison_is_refused() -> None:
    with pytest.raises(ClaimwiseError, match="drop_identical=False"):
        genericity_score(array([np.nan], [np.nan]))


# Pairs --------------------------------------------------------------------------------------------


def test_the_pairs_of_each_pool() -> None:
    others = ordered_pairs(ENTITIES, "other_entities")
    assert pairs_as_lists(others) == {0: [2, 3], 1: [2, 3], 2: [0, 1, 3], 3: [0, 1, 2]}
    pairs = ordered_pairs(ENTITIES, "pairs")
    assert pairs_as_lists(pairs) == {0: [1, 2, 3], 1: [0, 2, 3], 2: [0, 1, 3], 3: [0, 1, 2]}


@pools
def test_all_ordered_pairs_take_no_more_room_than_the_summaries(pool: Pool) -> None:
    assert len(pickle.dumps(ordered_pairs(range(3000), pool))) < 100_000


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=30).filter(lambda entities: len(set(entities)) > 1),
    st.sampled_from(["other_entities", "pairs"]),
    st.floats(0, 1),
    st.integers(0, 5),
)
def test_a_sample_is_of_the_pairs_and_no_larger_than_asked_for(
    entities: list[int], pool: Pool, share: float, seed: int
) -> None:
    every = pairs_as_lists(ordered_pairs(entities, pool))
    enough = 2 * len(entities) if pool == "pairs" else 2 * max(map(len, every.values()))
    most = max(enough, int(share * sum(map(len, every.values()))))

    sample = pairs_as_lists(ordered_pairs(entities, pool, most, seed))

    assert sum(map(len, sample.values())) <= most
    for summary, others in sample.items():
        assert set(others) <= set(every[summary])
        assert len(set(others)) == len(others) >= 1
    assert sample == pairs_as_lists(ordered_pairs(entities, pool, most, seed))


@pools
def test_the_least_sample_that_is_asked_for_is_enough_and_another_seed_is_another_sample(pool: Pool) -> None:
    entities = list(range(50))
    with pytest.raises(ClaimwiseError, match=r"max_pairs=3 is too small.*at least") as refused:
        ordered_pairs(entities, pool, 3)
    least = int(str(refused.value).split()[-1].rstrip("."))

    samples = [pairs_as_lists(ordered_pairs(entities, pool, least, seed)) for seed in (0, 1)]

    assert samples[0] != samples[1]
    with pytest.raises(ClaimwiseError, match=f"Use at least {least}"):
        ordered_pairs(entities, pool, least - 1)


@pools
def test_max_pairs_that_are_enough_for_all_leave_none_out(pool: Pool) -> None:
    every = pairs_as_lists(ordered_pairs(ENTITIES, pool))
    count = sum(map(len, every.values()))
    assert pairs_as_lists(ordered_pairs(ENTITIES, pool, count)) == every


@pools
def test_one_summary_has_no_other(pool: Pool) -> None:
    with pytest.raises(ClaimwiseError, match="at least two; got 1"):
        ordered_pairs(["a"], pool)


def test_one_entity_has_no_other() -> None:
    with pytest.raises(ClaimwiseError, match=r"All 2 summaries are of one entity, “a”.*pool='pairs'"):
        ordered_pairs(["a", "a"], "other_entities")
    assert pairs_as_lists(ordered_pairs(["a", "a"], "pairs")) == {0: [1], 1: [0]}


# Intervals of samples -----------------------------------------------------------------------------


def test_interval_of_sampled_pairs_by_hand() -> None:
    # Two of five Z′ for each of two summaries: variances of the means (1 − 2/5) · 0.02 / 2 and 0.
    low, high = sampling_interval([array(0.4, 0.6), array(0.1, 0.1)], [2, 2], population=5, pool="pairs")

    assert (low + high) / 2 == pytest.approx(0.3)
    assert high - low == pytest.approx(2 * 1.959964 * (0.006 / 4) ** 0.5)


def test_interval_of_sampled_summaries_by_hand() -> None:
    # Means 0.4 (1 claim) and 0.1 (3 claims) of 4 summaries; weighted mean 0.175; residuals ±0.1125.
    low, high = sampling_interval([array(0.4), array(0.1)], [1, 3], population=4)

    assert (low + high) / 2 == pytest.approx(0.175)
    assert high - low == pytest.approx(2 * 1.959964 * (0.5 * 2 * 0.1125**2 / 2) ** 0.5)


@pools
def test_intervals_hold_the_true_mean_about_as_often_as_they_say(pool: Pool) -> None:
    generator = np.random.default_rng(0)
    similarities = generator.normal(generator.normal(size=(60, 1)), 1, size=(60, 60))
    if pool == "pairs":
        of_all = {i: np.delete(similarities[i], i) for i in range(60)}
        truth = np.mean([values.mean() for values in of_all.values()])
    else:
        truth = similarities[:, 0].mean()
    hits = 0
    for seed in range(100):
        sample = ordered_pairs(range(60), pool, max_pairs=1200, seed=seed)
        if pool == "pairs":
            values, population = [similarities[i, others] for i, others in sample.items()], 59
        else:
            values, population = [similarities[i, :1] for i in sample], 60
        low, high = sampling_interval(values, [1.0] * len(values), population, pool)
        hits += low <= truth <= high
    assert 90 <= hits <= 99
