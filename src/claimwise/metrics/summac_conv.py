"""SummaC-Conv: a learned score of a source's support for each sentence of a summary (Laban et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from claimwise.evidence.support import EntailmentEvidence, SourcePremise
from claimwise.judges.protocol import Judge, Matrix
from claimwise.metrics import summac_conv_weights as files
from claimwise.metrics.claims import Claims
from claimwise.metrics.judged import Judged
from claimwise.metrics.nli import NLIMetric, NLIOptions
from claimwise.metrics.premises import texts_of
from claimwise.metrics.retrieval import entailed_claims
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import JUDGE, JUDGED, SOURCES, SUMMARIES, MetricSpec, bibtex, claims_by
from claimwise.options import option
from claimwise.scores.histogram import bin_edges, consistency, entailment_histograms, fit, untrained
from claimwise.scores.summac import best_premises
from claimwise.tables import placing
from claimwise.text.claims import Decomposer

# The parts of a source and a summary that the released code reads.
FIRST_PREMISES, FIRST_HYPOTHESES = 100, 10


@dataclass(frozen=True, kw_only=True)
class SummacConvOptions(NLIOptions):
    """Options of SummaC-Conv."""

    weights: str | Path | None = option(
        None,
        "path or URL of a safetensors file: from `SummacConv.fit`, or the authors' file after conversion; "
        "None = the included weights, for the embedded judge",
    )
    weights_sha256: str | None = option(None, "SHA-256 of the weights, required for a URL")
    bins: str = option(
        "percentile", '`"percentile"` (as in the released weights) or `"even<number>"`, such as `"even50"`'
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

    In [0, 1]. The included weights are for the embedded judge; ``fit`` makes weights for another one.
    """

    counts_contradictions = False
    _fitted: files.Weights | None = None
    Options = SummacConvOptions
    spec = MetricSpec(
        name="summac_conv",
        title="SummaC-Conv",
        family="factuality",
        question="does the source support each sentence (score learned from labelled pairs)?",
        description=(
            "SummaC-Conv is the probability that a summary is consistent with its source: a judge compares "
            "the sentences of both, and a convolution fitted to labelled pairs reads histograms."
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
        choices=(JUDGE, claims_by(decomposer="default")),
        upload=files.UPLOAD,
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
            ClaimwiseError: if there are no weights for these options, or they do not match.
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
        files.check_labels(predictions, labels)
        with placing(Path(output)) as part:  # an error before any work
            judged = self._judge(rows)[2]
            histograms = [entailment_histograms(j.probabilities, self._edges).mean(axis=0) for j in judged]
            parameters, loss = fit(np.stack(histograms), labels, steps=steps, seed=seed)
            content = files.weights_file(parameters, files.settings_of_fit(self.options, self.judge))
            part.write_bytes(content)
        self._fitted = files.parsed_weights(content, str(output))
        return loss

    def counting(self, judge: Judge, decomposer: Decomposer) -> Self:
        """Return a metric for cost estimates; its untrained weights suit any judge."""
        other = super().counting(judge, decomposer)
        other._fitted = files.Weights(untrained(len(self._edges) - 1), {}, "untrained")
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
        most = (FIRST_PREMISES, FIRST_HYPOTHESES) if self.options.first_sentences_only else (None, None)
        examples = [
            (texts_of(of_source[: most[0]]), of_text.claims[: most[1]])
            for of_source, of_text in zip(premises, hypotheses, strict=True)
        ]
        return hypotheses, premises, self.cross(examples)

    def _score(
        self, hypotheses: Claims, premises: Sequence[SourcePremise], matrix: Matrix, details: bool
    ) -> RowScore:
        """Return the score of a summary; with ``details`` also the histograms of its hypotheses."""
        parameters, histograms = self._weights.parameters, entailment_histograms(matrix, self._edges)
        score = float(consistency(histograms.mean(axis=0), parameters))
        evidence = None
        if details:  # each hypothesis is scored as a summary of one sentence
            scores, best = consistency(histograms, parameters), best_premises(matrix)
            shown = entailed_claims(hypotheses, scores, premises, matrix, best, histograms=histograms)
            evidence = EntailmentEvidence(score=score, hypotheses=shown)
        left_out = len(premises) - matrix.shape[0] + len(hypotheses.claims) - matrix.shape[1]
        return RowScore(score=score, counts={"left_out": left_out}, evidence=evidence)

    @property
    def _weights(self) -> files.Weights:
        return self._fitted or self._given_weights

    @cached_property
    def _given_weights(self) -> files.Weights:
        return files.chosen_weights(self.options, lambda: self.judge)

    def _signature_parts(self) -> dict[str, object]:
        return {
            **super()._signature_parts(),
            "bins": self.options.bins,
            "sentences": "first" if self.options.first_sentences_only else "all",
            "weights": self._weights.fingerprint,
        }
