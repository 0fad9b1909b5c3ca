"""SSAS: semantic similarity of a summary to reference summaries, fitted to human scores."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from claimwise.evidence.kinds import FeatureEvidence
from claimwise.metrics import ssas_weights as files
from claimwise.metrics.judged import Marks
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import CLAIMS, JUDGE, JUDGED, REFERENCES, SUMMARIES, MetricSpec, bibtex
from claimwise.metrics.ssas_features import (
    ComparedReference,
    Paraphrase,
    compare,
    feature_evidence,
    mean_features,
)
from claimwise.options import option
from claimwise.scores.ssas import PARAPHRASES, SIGNS, Floats, Ranking, contributions, fit_weights
from claimwise.signature import function_name, text_fingerprint
from claimwise.tables import writing

DEFAULT_WEIGHTS = Path(__file__).parent / "ssas.json"
EVEN = "even"


@dataclass(frozen=True, kw_only=True)
class SsasOptions(NLIOptions):
    """Options of SSAS."""

    weights: str | Path | Mapping[str, float] | None = option(
        None,
        'weights of the features: None = the included ones; `"even"` = equal weights; the path of a JSON '
        "file that `Ssas.fit` wrote; or a dict with a number for each feature",
    )
    paraphrase: str | Paraphrase = option(
        "minimum",
        "probability that two claims are paraphrases, from the probabilities that each entails the other: "
        '`"minimum"`, `"product"` or `"geometric_mean"`; or a function from a list of pairs of texts to '
        "probabilities, such as a paraphrase model",
        choices=tuple(PARAPHRASES),
        or_function=True,
    )


class Ssas(NLIMetric):
    """SSAS (Vadapalli et al. 2017): a learned sum of entailment, contradiction, paraphrase and ROUGE-SU4.

    1 = the same content; 0 = opposite or unrelated content; the minimum is −1. With several references, the
    score is the mean. The included weights were fitted with the embedded judge, on the human scores of
    REALSumm and on clusters of OpinionNLI: claims with the same, partial, unrelated and opposite content.
    """

    _fitted: Floats | None = None
    Options = SsasOptions
    spec = MetricSpec(
        name="ssas",
        title="SSAS",
        family="coverage",
        question="how similar is the summary in meaning to the references?",
        description=(
            "SSAS measures how similar a summary and reference summaries are in meaning. Both are split into "
            "claims, which a judge compares in both directions. Nine features (the highest entailment, "
            "contradiction, neutrality and paraphrase of each claim, and ROUGE-SU4) are summed with weights "
            "fitted to human scores."
        ),
        bounds=(-1, 1),
        quality="like the references",
        ends=("the opposite", "same meaning, same words"),
        better="higher",
        columns=(SUMMARIES.or_claims, REFERENCES),
        counts=JUDGED,
        configurations={"default": {}, "even": {"weights": EVEN}},
        choices=(JUDGE, CLAIMS),
        source="Vadapalli et al. 2017, Equations 1 to 11",
        citation=bibtex("vadapalli2017ssas"),
    )

    def load(self) -> None:
        """Load the weights, the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: for invalid weights.
        """
        _ = self._weights
        super().load()

    def fit(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        human_scores: Sequence[float],
        documents: Sequence[Hashable] | None = None,
        ranking: Ranking = "listwise",
        fitted_on: str = "",
        output: str | Path | None = None,
    ) -> dict[str, float]:
        """Fit the weights to human scores, and use them from now on.

        Args:
            predictions: summaries, several per document.
            references: their reference summaries.
            human_scores: higher = better, on any scale.
            documents: document of each summary; None = summaries with the same references share a document.
            ranking: ``"listwise"``, ``"pairwise"`` or ``"regression"``; see ``claimwise.scores.ssas``.
            fitted_on: name of the data, for the file.
            output: a JSON file for the weights and the settings of the fit; ``weights=`` reads it.

        Returns:
            The weight of each feature, by its name.

        Raises:
            ClaimwiseError: for rows that cannot be scored, human scores that are not numbers or all equal, or
                a file that cannot be written.
        """
        rows = self.rows({"predictions": predictions, "references": references})
        keys: Sequence[Hashable] = [row.reference for row in rows] if documents is None else documents
        scores = files.checked_human_scores(predictions, human_scores, keys)
        with nullcontext() if output is None else writing(Path(output)) as out:
            self._fitted = fit_weights(self.features(rows), scores, keys, ranking).round(files.DIGITS)
            if out is not None:
                parts = self._feature_parts()
                out.write(files.weights_file(self._fitted, scores, keys, ranking, fitted_on, parts))
        return files.named_weights(self._fitted)

    def features(self, rows: Sequence[Row]) -> Floats:
        """Return the features of each row, ``[rows, 9]`` in the order of ``FEATURES``.

        With several references, they are averaged.
        """
        return np.array([mean_features(compared) for compared in compare(self, rows)])

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        scored = []
        for row, compared in zip(rows, compare(self, rows), strict=True):
            claims = [compared[0].summary, *(reference.reference for reference in compared)]
            marks = sum((reference.marks for reference in compared), Marks())
            scored.append(self.counted(self._score(compared, details), row, claims, marks))
        return scored

    def _score(self, compared: Sequence[ComparedReference], details: bool) -> RowScore:
        """Return the score of a summary; with ``details`` also the evidence of each feature."""
        added = contributions(mean_features(compared), self._weights)
        score, evidence = float(added.sum()), None
        if details:
            evidence = FeatureEvidence(score=score, features=feature_evidence(compared, self._weights, added))
        return RowScore(score=score, evidence=evidence)

    @property
    def _weights(self) -> Floats:
        return self._given_weights if self._fitted is None else self._fitted

    @cached_property
    def _given_weights(self) -> Floats:
        weights = self.options.weights
        if weights == EVEN:
            return SIGNS
        return files.read_weights(DEFAULT_WEIGHTS if weights is None else weights)

    def _feature_parts(self) -> dict[str, object]:
        """Return the settings that the features depend on."""
        paraphrase = self.options.paraphrase
        if callable(paraphrase):
            paraphrase = function_name(paraphrase)
        return {**super()._signature_parts(), "paraphrase": paraphrase}

    def _signature_parts(self) -> dict[str, object]:
        fingerprint = text_fingerprint(json.dumps(self._weights.tolist()))
        is_even = self._fitted is None and self.options.weights == EVEN
        return {**self._feature_parts(), "weights": EVEN if is_even else fingerprint}
