"""Kappa, Brier score and calibration error, against hand-computed values."""

from __future__ import annotations

import numpy as np
import pytest

from claimwise.scores.judge_quality import (
    best_cut,
    brier,
    calibration_error,
    confusion,
    kappa,
    weighted_kappa,
)


def test_kappa_of_a_worked_example() -> None:
    """Two raters, 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: (0.7 - 0.5) / (1 - 0.5)."""
    counts = np.array([[20, 5], [10, 15]])

    assert kappa(counts) == pytest.approx(0.4)


def test_kappa_is_one_minus_one_or_none_at_its_ends() -> None:
    assert kappa(np.diag([2, 3, 4])) == 1
    assert kappa(np.array([[0, 5], [5, 0]])) == -1
    assert kappa(np.array([[5, 0], [0, 0]])) is None
    assert kappa(np.zeros((3, 3), dtype=np.int64)) is None


def test_confusion_has_the_first_in_rows() -> None:
    found = confusion(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 1]))

    assert found.tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]


def test_brier_is_nought_when_sure_and_right_and_two_when_sure_and_wrong() -> None:
    sure = np.eye(3)

    assert brier(sure, np.array([0, 1, 2])) == 0
    assert brier(sure, np.array([1, 2, 0])) == 2
    assert brier(np.full((2, 3), 1 / 3), np.array([0, 2])) == pytest.approx(2 / 3)


def test_calibration_error_is_the_gap_of_confidence_and_accuracy_by_bins() -> None:
    probabilities = np.array([[0.75, 0.25, 0], [0.75, 0.25, 0], [1, 0, 0], [1, 0, 0]])

    assert calibration_error(probabilities, np.array([0, 1, 0, 0])) == pytest.approx(0.25 / 2)
    assert calibration_error(probabilities[2:], np.array([0, 0])) == 0


def test_weighted_kappa_is_that_of_the_matrix_of_squared_distances() -> None:
    first, second = np.array([1.0, 2, 3, 3, 5, 4]), np.array([1.0, 3, 3, 2, 4, 4])
    # Squared distances: 0, 1, 0, 1, 1, 0; those of all 36 pairs add up to 102.
    assert weighted_kappa(first, second) == pytest.approx(1 - (3 / 6) / (102 / 36))
    labels = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 0, 0])
    assert weighted_kappa(*labels) == pytest.approx(kappa(confusion(*labels, labels=2)) or 0)
    assert weighted_kappa(np.ones(3), np.ones(3)) is None


def test_the_best_cut_separates_labels_in_either_direction() -> None:
    scores = np.array([1.0, 2.0, 2.0, 4.0])
    assert best_cut(scores, np.array([False, False, False, True])) == (3.0, True)
    assert best_cut(scores, np.array([True, False, False, False])) == (1.5, False)
    assert best_cut(np.ones(2), np.array([True, False])) == (1.0, True)
