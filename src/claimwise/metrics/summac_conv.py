"""SummaC-Conv: a learned score of a source's support for each sentence of a summary (Laban et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.support import EntailmentEvidence, SourcePremise, entailed
from claimwise.judges.protocol import Judge, Matrix
from claimwise.metrics.citations import bibtex
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Judged
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.premises import texts_of
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import JUDGE, JUDGED, SOURCES, SUMMARIES, Choice, MetricSpec, Upload
from claimwise.metrics.summac_conv_weights import (
    RELEASED_WEIGHTS,
    Weights,
    parsed_weights,
    read_weights,
    weights_file,
)
from claimwise.options import option
from claimwise.scores.histogram import bin_edges, consistency, entailment_histograms, fit, untrained
from claimwise.scores.summac import best_premises
from claimwise.tables import placing
from claimwise.text.claims import Decomposer
from claimwise.text.inputs import check_lengths

# The parts of a source and a summary that the released code reads.
FIRST_PREMISES, FIRST_HYPOTHESES = 100, 10
DEFAULT_WEIGHTS = Path(__file__).parent / "summac_conv.json"


@dataclass(frozen=True, kw_only=True)
class SummacConvOptions(NLIOptions):
    """Options of SummaC-Conv."""

    weights: str | Path | None = option(
        None,
        "path or URL of a safetensors file: from `SummacConv.fit`, or the authors' file after conversion; "
        "None = the included weights, for the embedded model",
    )
    weights_sha256: str | None = option(None, "SHA-256 of the weights, required for a URL")
    bins: str = option(
        "percentile",
        '`"percentile"` (as in the released weights) or `"even<number>"`, such as `"even50"`',
    )
    first_sentences_only: bool = option(
        False,
        "bool; True = read only the first 100 sentences of a source and the first ten of a summary, as the "
        "released code does; omitted sentences are counted",
    )
    decomposer: str | Decomposer = option(
        "sentences",
        '`"sentences"` (each sentence is one claim), `"default"` (the claim writer, a small network), '
        '`"openai:MODEL"` (a chat model), the name of a registered decomposer, an `LLMDecomposer`, any '
        "`Decomposer`, or a function",
    )


class SummacConv(NLIMetric):
    """SummaC-Conv (Laban et al. 2022): the probability that a summary is consistent with its source.

    In [0, 1]. The included weights are for the embedded model, fitted on summaries made from OpinionNLI;
    alternatives are the authors' released file, or a file that ``fit`` wrote.
    """

    counts_contradictions = False  # only entailment counts
    _fitted: Weights | None = None
    Options = SummacConvOptions
    spec = MetricSpec(
        name="summac_conv",
        title="SummaC-Conv",
        family="factuality",
        question="does the source support each sentence (score learned from labelled pairs)?",
        description=(
            "SummaC-Conv measures how consistent a summary is with its source. An NLI model compares "
            "every sentence of the summary with every sentence of the source; a histogram for each summary "
            "sentence counts the source sentences by their probability of entailment; and a one-dimensional "
            "convolution over the histograms, fitted to labelled pairs, gives the probability that the "
            "summary is consistent."
        ),
        bounds=(0, 1),
        quality="fully supported",
        ends=("not supported", "fully supported"),
        better="higher",
        columns=(SUMMARIES.or_claims, SOURCES),
        counts=JUDGED | {"left_out": "sentences that `first_sentences_only` left out"},
        configurations={
            "default": {},
            "summac": {"judge": "vitc", "first_sentences_only": True},
        },
        choices=(
            JUDGE,
            Choice(
                title="Claims",
                values={
                    "sentences: each is one claim": {},
                    "default: a network writes them": {"decomposer": "default"},
                },
            ),
        ),
        upload=Upload(
            option="weights",
            title="Weights",
            suffixes=(".safetensors", ".json"),
            meaning=(
                "The included weights are for the embedded NLI model. For another model, or another kind of "
                "text, upload a file: **your own**, from "
                '`SummacConv().fit(predictions=…, references=…, labels=…, output="weights.safetensors")` on '
                "hundreds of summaries labelled 1 (consistent with the source) or 0 (not), with the NLI "
                "model chosen here; or **the authors’**, converted as the card describes, with *vitc*."
            ),
        ),
        beside={"support_counts": {"support": "sentences"}},
        source="Laban et al. 2022",
        citation=bibtex("laban2022summac"),
        urls=("https://github.com/tingofurro/summac",),
    )

    def __init__(self, config_name: str = "default", **options: Any) -> None:
        super().__init__(config_name, **options)
        self._edges = bin_edges(self.options.bins)

    def load(self) -> None:
        """Load the weights, the splitter, the decomposer and the judge.

        Raises:
            ClaimwiseError: if there are no weights for these options, or they do not match; the message says
                how to get or fit weights.
        """
        _ = self._weights
        super().load()

    def fit(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]],
        labels: Sequence[int],
        output: str | Path,
        steps: int = 1500,
        seed: int = 0,
    ) -> float:
        """Fit the weights to labelled pairs, write them, and use them from now on.

        Args:
            predictions: summaries.
            references: their sources.
            labels: 1 for a summary that is consistent with its source, 0 for one that is not.
            output: the safetensors file to write.
            steps: number of training batches.
            seed: random seed of the batches.

        Returns:
            The final cross-entropy over all pairs; guessing gives 0.69.

        Raises:
            ClaimwiseError: for pairs that cannot be scored, labels other than 0 and 1 or all equal, or a file
                that cannot be written.
        """
        rows = self.rows({"predictions": predictions, "references": references})
        check_lengths({"predictions": predictions, "labels": labels})
        for row, label in enumerate(labels):
            if label not in (0, 1):
                problem = f"expected 1 (consistent) or 0 (inconsistent); got {label!r}."
                raise ClaimwiseError(problem, column="labels", row=row)
        if len(set(labels)) < 2:
            raise ClaimwiseError(f"All labels are {labels[0]}.", "Fitting needs both labels.")
        with placing(Path(output)) as part:  # an error before any work
            _, _, judged = self._judge(rows)
            means = [
                entailment_histograms(of_row.probabilities, self._edges).mean(axis=0) for of_row in judged
            ]
            parameters, loss = fit(np.stack(means), labels, steps=steps, seed=seed)
            content = weights_file(parameters, self._fitted_with())
            part.write_bytes(content)
        self._fitted = parsed_weights(content, str(output))
        return loss

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric for cost estimates; its untrained weights suit any judge."""
        other = super().counting(judge, decomposer)
        other._fitted = Weights(untrained(len(self._edges) - 1), {}, "untrained")
        return other

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each summary; with ``details`` also its evidence."""
        self.load()
        return [
            self.counted(self._score(of_text, of_source, j.probabilities, details), row, [of_text], j.marks)
            for row, of_text, of_source, j in zip(rows, *self._judge(rows), strict=True)
        ]

    def _judge(self, rows: Sequence[Row]) -> tuple[list[Claims], list[list[SourcePremise]], list[Judged]]:
        """Return the hypotheses and the premises of each row, and the judgements of those that are read."""
        hypotheses = self.claims([row.prediction for row in rows])
        premises = self.premises([row.reference or () for row in rows])
        most_premises, most_hypotheses = self._most
        judged = self.cross(
            [
                (texts_of(of_source[:most_premises]), of_text.claims[:most_hypotheses])
                for of_source, of_text in zip(premises, hypotheses, strict=True)
            ]
        )
        return hypotheses, premises, judged

    @property
    def _most(self) -> tuple[int | None, int | None]:
        """Maximum numbers of premises and hypotheses that are read; None = all."""
        return (FIRST_PREMISES, FIRST_HYPOTHESES) if self.options.first_sentences_only else (None, None)

    def _score(
        self, hypotheses: Claims, premises: Sequence[SourcePremise], matrix: Matrix, details: bool
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also the histograms of its hypotheses."""
        parameters, histograms = self._weights.parameters, entailment_histograms(matrix, self._edges)
        score = float(consistency(histograms.mean(axis=0), parameters))
        evidence = None
        if details:  # the score of each hypothesis as a one-sentence summary
            evidence = EntailmentEvidence(
                score=score,
                hypotheses=entailed(
                    hypotheses.claims[: len(histograms)],
                    hypotheses.sentences[: len(histograms)],
                    consistency(histograms, parameters).tolist(),
                    premises,
                    matrix,
                    best_premises(matrix),
                    histograms=histograms,
                ),
            )
        left_out = len(premises) - matrix.shape[0] + len(hypotheses.claims) - matrix.shape[1]
        return RowScore(score=score, counts={"left_out": left_out}, evidence=evidence)

    @property
    def _weights(self) -> Weights:
        return self._fitted or self._given_weights

    @cached_property
    def _given_weights(self) -> Weights:
        path, judge = self.options.weights, self.options.judge
        if path is not None:
            weights = read_weights(path, self.options.weights_sha256)
            weights.check(path, len(self._edges) - 1, self._fitted_with())
            return weights
        weights = read_weights(DEFAULT_WEIGHTS)
        # Another judge is refused before it is downloaded.
        is_another = isinstance(judge, str) and judge != "default" and not Path(judge).is_dir()
        if is_another or weights.fitted_with != self._fitted_with():
            raise ClaimwiseError(
                f"summac_conv has no weights for judge={judge!r} with bins={self.options.bins!r}; the "
                f"included weights are for the embedded model, with bins={weights.fitted_with['bins']!r}.",
                f"Pass weights=: a file that SummacConv.fit wrote from labelled pairs, or the authors' file "
                f"({RELEASED_WEIGHTS}), converted to safetensors, together with the configuration 'summac' "
                f"(which uses the NLI model that these weights were trained with).",
                option="weights",
            )
        return weights

    def _fitted_with(self) -> dict[str, str]:
        """Return the other settings that the parameters depend on."""
        signature = self.judge.signature
        return {
            "bins": self.options.bins,
            "judge_fingerprint": signature.get("judge_fingerprint", self.judge.fingerprint),
        }

    def _signature_parts(self) -> dict[str, object]:
        return {
            **super()._signature_parts(),
            "bins": self.options.bins,
            "sentences": "first" if self.options.first_sentences_only else "all",
            "weights": self._weights.fingerprint,
        }
