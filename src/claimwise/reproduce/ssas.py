"""SSAS with weights that were fitted on other documents or systems than those that they score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from claimwise.data.realsumm import Folds, RealSumm
from claimwise.metrics import Ssas
from claimwise.nli.protocol import Judge
from claimwise.reproduce.experiment import Floats
from claimwise.scores.ssas import FEATURES, GROUPS, SIGNS, Ranking, fit_weights, ssas

Scorer = Callable[[Sequence[int], Sequence[str]], Floats]
"""A function from numbers of documents and as many summaries of them to a score each."""


class SsasScores:
    """SSAS with weights that never saw what they score.

    Args:
        dataset: REALSumm.
        features: the function that gives features.
        human: ``[documents, systems]``, what the weights are fitted on.
    """

    def __init__(self, dataset: RealSumm, features: Scorer, human: Floats) -> None:
        self.dataset, self.features_of, self.human = dataset, features, human
        self.features = features(*dataset.all_summaries).reshape(*human.shape, len(FEATURES))

    def all(self) -> dict[str, Floats]:
        """Return the scores ``[documents, systems]`` of every way of fitting, by its name."""
        by_systems = cross_validated(
            self.features.swapaxes(0, 1), self.human.T, self.dataset.folds_of_systems, in_rows=False
        )
        return {
            "ssas": self.by_examples(self.features),
            "ssas_by_systems": scores_of(self.features.swapaxes(0, 1), by_systems).T,
            "ssas_out_of_box": scores_of(self.features, np.tile(SIGNS, (len(self.features), 1))),
            **{
                f"ssas_without_{name}": self.by_examples(self.features, places)
                for name, places in GROUPS.items()
            },
            **{
                f"ssas_{ranking}": self.by_examples(self.features, ranking=ranking)
                for ranking in ("pairwise", "regression")
            },
        }

    def by_examples(
        self, features: Floats, leave_out: Sequence[int] = (), ranking: Ranking = "listwise"
    ) -> Floats:
        """Return scores of features ``[documents, any, 9]``, with weights fitted on other documents."""
        weights = cross_validated(
            self.features, self.human, self.dataset.folds_of_documents, leave_out, ranking
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
    """Return for each row the weights that were fitted on the rows of the other folds.

    Args:
        features: ``[rows, columns, 9]``.
        human: ``[rows, columns]``.
        folds: the numbers of the rows of each.
        leave_out: places of features that are not to be used.
        ranking: how the weights are fitted.
        in_rows: the summaries of a document are those of a row; else those of a column.

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


def features_of(dataset: RealSumm, judge: Judge) -> Scorer:
    """Return the function that gives the features of SSAS, ``[summaries, 9]``."""
    metric = Ssas("even", nli_model=judge)
    references = dataset.reference_texts

    def of_summaries(documents: Sequence[int], summaries: Sequence[str]) -> Floats:
        columns = {
            "predictions": list(summaries),
            "references": [references[number] for number in documents],
        }
        found: Floats = metric.features(metric.rows(columns))
        return found

    return of_summaries
