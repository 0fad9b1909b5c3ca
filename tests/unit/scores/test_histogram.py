"""Histograms of entailment, counted by hand, and their invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from claimwise.errors import ClaimwiseError
from claimwise.scores.histogram import bin_edges, entailment_histograms


def matrix(entailment: list[list[float]]) -> np.ndarray:
    """A matrix with these entailment probabilities (premises × hypotheses), the rest contradiction."""
    p = np.array(entailment)
    return np.stack([p, np.zeros_like(p), 1 - p], axis=2)


def test_the_percentile_bins_have_the_size_of_the_released_weights() -> None:
    edges = bin_edges("percentile")

    assert len(edges) == 23 + 1
    assert (edges[0], edges[-1]) == (0, 1)


def test_even_bins_are_equally_wide() -> None:
    assert bin_edges("even4").tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert np.diff(bin_edges("even50")) == pytest.approx(1 / 50)


def test_premises_are_counted_per_hypothesis_by_their_entailment() -> None:
    found = entailment_histograms(matrix([[0.1, 0.6], [0.2, 0.9], [0.8, 0.4]]), bin_edges("even4"))

    assert found.tolist() == [[2, 0, 0, 1], [0, 1, 1, 1]]


def test_a_bin_holds_its_lower_edge_and_the_last_one_both() -> None:
    found = entailment_histograms(matrix([[0.0], [0.25], [0.5], [0.75], [1.0]]), bin_edges("even4"))

    assert found.tolist() == [[1, 1, 1, 2]]


def test_the_percentile_bins_are_narrow_where_the_model_is_sure() -> None:
    found = entailment_histograms(matrix([[0.2], [0.89], [0.991], [0.997], [1.0]]), bin_edges("percentile"))

    (counts,) = found.tolist()
    assert {number: count for number, count in enumerate(counts) if count} == {6: 1, 7: 1, 21: 1, 22: 2}


@st.composite
def matrices(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 4), st.just(3)))
    return draw(arrays.arrays(np.float32, shape, elements=st.floats(0, 1, width=32)))


@given(matrices(), st.sampled_from(["percentile", "even1", "even7", "even50"]))
def test_every_premise_is_counted_once_and_their_order_does_not_matter(
    probabilities: np.ndarray, bins: str
) -> None:
    edges = bin_edges(bins)

    found = entailment_histograms(probabilities, edges)

    assert found.shape == (probabilities.shape[1], len(edges) - 1)
    assert (found >= 0).all()
    assert (found.sum(axis=1) == len(probabilities)).all()
    assert (entailment_histograms(probabilities[::-1], edges) == found).all()


@given(matrices())
def test_a_source_has_the_sum_of_the_histograms_of_its_parts(probabilities: np.ndarray) -> None:
    edges = bin_edges("even10")
    whole = entailment_histograms(probabilities, edges)

    parts = [entailment_histograms(premise[np.newaxis], edges) for premise in probabilities]

    assert (sum(parts) == whole).all()


@pytest.mark.parametrize("bins", ["even", "even0", "even-5", "quartile", "", None])
def test_unknown_bins_are_refused_with_the_choices(bins: str) -> None:
    with pytest.raises(ClaimwiseError, match=r"percentile.*even50"):
        bin_edges(bins)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 2), (0, 3, 3), (3, 0, 3)])
def test_a_matrix_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ClaimwiseError, match=r"\[premises, hypotheses, 3\]"):
        entailment_histograms(np.zeros(shape), bin_edges("even2"))


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan])
def test_what_is_no_probability_is_refused_not_dropped(value: float) -> None:
    with pytest.raises(ClaimwiseError, match="probabilities"):
        entailment_histograms(matrix([[value]]), bin_edges("even2"))
