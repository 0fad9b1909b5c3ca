"""SSAS: semantic similarity of a summary to reference summaries, fitted to human scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import DecidingPair, FeatureEvidence, WeightedFeature
from claimwise.judges.protocol import Matrix, Pair
from claimwise.labels import ENTAILMENT
from claimwise.metrics.citations import bibtex
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Marks
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import CLAIMS, JUDGE, JUDGED, REFERENCES, SUMMARIES, MetricSpec
from claimwise.metrics.ssas_weights import DIGITS, fit_settings, named_weights, read_weights, weights_file
from claimwise.options import option
from claimwise.scores.rouge import Unit, rouge_su, su_units
from claimwise.scores.ssas import (
    FEATURES,
    PARAPHRASES,
    SIGNS,
    Floats,
    Ranking,
    SsasFeatures,
    contributions,
    fit_weights,
    ssas_features,
)
from claimwise.signature import function_name, text_fingerprint
from claimwise.tables import writing
from claimwise.text.inputs import check_lengths
from claimwise.text.tokens import load_tokenizer

Paraphrase = Callable[[Sequence[Pair]], Any]
"""A function from pairs of texts to the probability that each pair are paraphrases."""

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


class _Compared(NamedTuple):
    """A summary compared with one reference: the claims of both, the features, and the shared words."""

    reference: Claims
    summary: Claims
    features: SsasFeatures
    shared: tuple[str, ...]
    marks: Marks


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
            "claims, and an NLI model compares every claim of one with every claim of the other, both ways. "
            "The highest entailment, contradiction, neutrality and paraphrase scores of each claim are "
            "averaged over the claims of each text; with ROUGE-SU4, this gives nine features, which are "
            "summed with weights fitted to human scores."
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
        check_lengths({"predictions": predictions, "human_scores": human_scores})
        of_rows: Sequence[Hashable] = [row.reference for row in rows] if documents is None else documents
        check_lengths({"predictions": predictions, "documents": of_rows})
        for row, score in enumerate(human_scores):
            is_number = isinstance(score, int | float | np.number) and not isinstance(score, bool)
            if not is_number or not np.isfinite(score):
                problem = f"expected a number; got {score!r}."
                where: dict[str, Any] = {"column": "human_scores", "row": row}
                raise ClaimwiseError(problem, "Drop the row or provide its score.", **where)
        scores = list(map(float, human_scores))
        with nullcontext() if output is None else writing(Path(output)) as out:
            self._fitted = fit_weights(self.features(rows), scores, of_rows, ranking).round(DIGITS)
            if out is not None:
                about = fit_settings(scores, of_rows, ranking, fitted_on, self._feature_parts())
                out.write(weights_file(self._fitted, about))
        return named_weights(self._fitted)

    def features(self, rows: Sequence[Row]) -> Floats:
        """Return the features of each row, ``[rows, 9]`` in the order of ``FEATURES``.

        With several references, they are averaged.
        """
        return np.array([_mean_features(compared) for compared in self._compare(rows)])

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        scored = []
        for row, compared in zip(rows, self._compare(rows), strict=True):
            claims = [compared[0].summary, *(reference.reference for reference in compared)]
            marks = sum((reference.marks for reference in compared), Marks())
            scored.append(self.counted(self._score(compared, details), row, claims, marks))
        return scored

    def _compare(self, rows: Sequence[Row]) -> list[list[_Compared]]:
        """Return the comparison of each row's summary with each of its references."""
        texts = [(row.prediction, *(row.reference or ())) for row in rows]
        claims = iter(self.claims(list(chain.from_iterable(texts))))
        of_rows = [[next(claims) for _ in of_row] for of_row in texts]
        pairs = [(reference, summary) for summary, *references in of_rows for reference in references]
        judged = self.cross(
            [example for a, b in pairs for example in ((a.claims, b.claims), (b.claims, a.claims))]
        )
        paraphrase, tokenize = self._paraphrases(pairs), load_tokenizer("words")
        compared, of_pairs = [], iter(zip(pairs, judged[::2], judged[1::2], strict=True))
        for row in rows:
            tokens, of_row = tokenize(row.text), []
            for text in row.reference or ():
                (reference, summary), forward, backward = next(of_pairs)
                there, back, of_reference = forward.probabilities, backward.probabilities, tokenize(text)
                features = ssas_features(
                    there,
                    back,
                    paraphrase(reference.claims, summary.claims, there, back),
                    rouge_su(tokens, of_reference).recall,
                )
                marks = forward.marks + backward.marks
                of_row.append(_Compared(reference, summary, features, _shared(of_reference, tokens), marks))
            compared.append(of_row)
        return compared

    def _score(self, compared: Sequence[_Compared], details: bool) -> RowScore:
        """Return the score of a summary; with ``details`` also the evidence of each feature."""
        weights, values = self._weights, _mean_features(compared)
        added = contributions(values, weights)
        score = float(added.sum())
        evidence = None
        if details:
            shared = tuple(dict.fromkeys(chain.from_iterable(reference.shared for reference in compared)))
            features = (
                WeightedFeature(
                    name=name,
                    value=float(values[place]),
                    weight=float(weights[place]),
                    adds=float(added[place]),
                    pairs=() if name == "rouge_su4" else _pairs(compared, place),
                    shared=shared if name == "rouge_su4" else None,
                )
                for place, name in enumerate(FEATURES)
            )
            evidence = FeatureEvidence(score=score, features=tuple(features))
        return RowScore(score=score, evidence=evidence)

    def _paraphrases(
        self, compared: Sequence[tuple[Claims, Claims]]
    ) -> Callable[[list[str], list[str], Matrix, Matrix], Floats]:
        """Return a function from claims and their judgements to P(a, b) ``[n, m]``."""
        chosen = self.options.paraphrase
        if not callable(chosen):
            of_both = PARAPHRASES[chosen]
            return lambda a, b, there, back: of_both(
                there[:, :, ENTAILMENT].astype(np.float64), back[:, :, ENTAILMENT].T.astype(np.float64)
            )
        pairs = list(dict.fromkeys(pair for a, b in compared for pair in product(a.claims, b.claims)))
        values: npt.NDArray[Any] = np.asarray(chosen(pairs))
        is_number = values.dtype.kind in "fiu"
        if not is_number or values.shape != (len(pairs),) or not ((values >= 0) & (values <= 1)).all():
            raise ClaimwiseError(
                f"The paraphrase function must return one probability for each of {len(pairs)} pairs; got "
                f"an array of shape {values.shape} and type {values.dtype}, or numbers outside 0 to 1.",
                "Pass a function from a list of text pairs to one probability per pair.",
                option="paraphrase",
            )
        known = dict(zip(pairs, values.astype(np.float64).tolist(), strict=True))
        return lambda a, b, there, back: np.array([[known[x, y] for y in b] for x in a])

    @property
    def _weights(self) -> Floats:
        return self._given_weights if self._fitted is None else self._fitted

    @cached_property
    def _given_weights(self) -> Floats:
        given = self.options.weights
        return SIGNS if given == EVEN else read_weights(DEFAULT_WEIGHTS if given is None else given)

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


def _shared(reference: Sequence[str], summary: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct words and skip-bigrams that both texts contain, words first."""
    shared: list[Unit] = list(su_units(reference) & su_units(summary))
    return tuple(" … ".join(unit) for unit in sorted(shared, key=len))


def _mean_features(compared: Sequence[_Compared]) -> Floats:
    """Return the mean features over the references, ``[9]``."""
    mean: Floats = np.mean([one.features.values for one in compared], axis=0)
    return mean


def _pairs(compared: Sequence[_Compared], place: int) -> tuple[DecidingPair, ...]:
    """Return the pairs behind a feature: each claim of its side with the best claim of the other side."""
    return tuple(
        DecidingPair(
            premise=claim,
            hypothesis=other.claims[best],
            probability=round(float(probability), 4),
            reference=number,
        )
        for number, one in enumerate(compared)
        for own, other in [(one.reference, one.summary) if place % 2 == 0 else (one.summary, one.reference)]
        for claim, best, probability in zip(
            own.claims,
            one.features.best[place].tolist(),
            one.features.probabilities[place].tolist(),
            strict=True,
        )
    )
