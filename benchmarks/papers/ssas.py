"""Cross-validated SSAS: weights are fitted on documents or systems other than the scored ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.papers.experiment import Floats
from benchmarks.papers.realsumm import Folds, RealSumm
from claimwise.metrics import Ssas
from claimwise.scores.ssas import FEATURES, GROUPS, SIGNS, Ranking, fit_weights, ssas


def features_of(metric: Ssas, dataset: RealSumm, texts: Sequence[Sequence[str]]) -> Floats:
    """Return the features of texts ``[documents][any]`` against the references, ``[documents, any, 9]``."""
    references = zip(dataset.reference_texts, texts, strict=True)
    columns = {
        "predictions": [text for row in texts for text in row],
        "references": [reference for reference, row in references for _ in row],
    }
    features: Floats = metric.features(metric.rows(columns))
    return features.reshape(len(texts), -1, len(FEATURES))


class SsasScores:
    """SSAS with weights fitted on data other than the scored summaries.

    Args:
        dataset: REALSumm, to whose human scores the weights are fitted.
        features: features of its summaries, ``[documents, systems, 9]``.
    """

    def __init__(self, dataset: RealSumm, features: Floats) -> None:
        self.dataset, self.features = dataset, features

    def all(self) -> dict[str, Floats]:
        """Return the scores ``[documents, systems]`` of every fitting method, by name."""
        of_systems = self.features.swapaxes(0, 1)
        weights = cross_validated(
            of_systems, self.dataset.human.T, self.dataset.folds_of_systems, in_rows=False
        )
        return {
            **self.with_ablations(self.features),
            "ssas_by_systems": scores_of(of_systems, weights).T,
            "ssas_pairwise": self.by_examples(self.features, ranking="pairwise"),
            "ssas_regression": self.by_examples(self.features, ranking="regression"),
        }

    def with_ablations(self, features: Floats) -> dict[str, Floats]:
        """Return scores of features ``[documents, any, 9]``: fitted, with even weights, and ablations."""
        return {
            "ssas": self.by_examples(features),
            "ssas_out_of_box": scores_of(features, np.tile(SIGNS, (len(features), 1))),
            **{f"ssas_without_{name}": self.by_examples(features, left) for name, left in GROUPS.items()},
        }

    def by_examples(
        self, features: Floats, leave_out: Sequence[int] = (), ranking: Ranking = "listwise"
    ) -> Floats:
        """Return scores of features ``[documents, any, 9]``, with weights fitted on other documents."""
        weights = cross_validated(
            self.features, self.dataset.human, self.dataset.folds_of_documents, leave_out, ranking
        )
        return scores_of(features, weights)


def cross_validated(
    features: Floats,
    human: Floats,
    folds: Folds,
    leave_out: Sequence[int] = (),
    ranking: Ranking = "listwise",
    *,
    in_rows: bool = True,
) -> Floats:
    """Return for each row the weights fitted on the rows of the other folds.

    Args:
        features: ``[rows, columns, 9]``.
        human: ``[rows, columns]``.
        folds: indices of the rows of each fold.
        leave_out: indices of unused features.
        ranking: the loss.
        in_rows: True = rows are documents; False = columns are documents.

    Returns:
        ``[rows, 9]``.
    """
    weights = np.zeros((len(features), len(FEATURES)))
    for fold in folds:
        others = np.setdiff1d(np.arange(len(features)), fold)
        rows, columns = np.indices((len(others), features.shape[1]))
        weights[list(fold)] = fit_weights(
            features[others].reshape(-1, len(FEATURES)),
            human[others].ravel(),
            (rows if in_rows else columns).ravel().tolist(),
            ranking,
            leave_out,
        )
    return weights


def scores_of(features: Floats, weights: Floats) -> Floats:
    """Return SSAS of features ``[rows, columns, 9]`` with the weights ``[rows, 9]`` of their rows."""
    return np.stack([ssas(of_row, own) for of_row, own in zip(features, weights, strict=True)])
