"""Inverted BERTScore: dissimilarity of two summaries by the contextual embeddings of an encoder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from claimwise.evidence.kinds import EmbeddingEvidence
from claimwise.metrics.base import Metric
from claimwise.metrics.bertscore_encoders import BertScoreEncoder, EmbeddedEncoder
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import OTHER_SUMMARIES, SUMMARIES, UNREADABLE, MetricSpec, bibtex
from claimwise.options import OptionGroup, option


@dataclass(frozen=True, kw_only=True)
class InvertedBertscoreOptions(OptionGroup):
    """Options of the inverted BERTScore."""

    encoder: str = option(
        "default",
        '`"default"` (the encoder of the embedded judge), a Hub id or a folder',
        flag="Encoder of inverted_bertscore: default, a Hub id or a folder.",
    )
    layer: int | None = option(
        None,
        "the hidden layer to compare; None = the encoder's default layer",
        flag="Hidden layer of the encoder that inverted_bertscore compares.",
        kind=int,
    )
    rescale_with_baseline: bool = option(
        False, "bool; as in the `bert-score` package; needs an encoder with a baseline in that package"
    )
    device: str = option("auto", '`"auto"` (CUDA if there is one), `"cpu"`, `"cuda"` …')
    batch_size: int = option(64, "texts per batch", at_least=1)


class InvertedBertscore(Metric):
    """BS⁻¹ = 100 · (1 − BERTScore F1) (CASPR paper, Section 2.1.2): higher = less similar.

    In [0, 100] without rescaling; rescaled scores can exceed that range and are not clipped.
    """

    Options = InvertedBertscoreOptions
    spec = MetricSpec(
        name="inverted_bertscore",
        title="Inverted BERTScore",
        family="contrast",
        question="how different are their contextual embeddings?",
        description=(
            "The inverted BERTScore is 100 times one minus the BERTScore F1 of two summaries: how different "
            "their contextual embeddings are. It is robust to rewording and blind to negation."
        ),
        bounds=(0, 100),
        ends=("the same text", "different embeddings"),
        unit="%",
        columns=(SUMMARIES, OTHER_SUMMARIES),
        rows="pair",
        mean_over="pairs",
        counts={"truncated": "texts truncated to the encoder's maximum length", **UNREADABLE},
        configurations={
            "default": {},
            "paper": {"encoder": "roberta-large", "rescale_with_baseline": True},
        },
        source="Zhang et al. 2020; Ananthamurugan et al. 2024, Section 2.1.2",
        citation=bibtex("zhang2020bertscore"),
        urls=("https://github.com/Tiiiger/bert_score",),
    )

    def english_only(self, columns: Collection[str] = ()) -> tuple[str, ...]:
        """Return the option of the embedded encoder, which reads only English; other encoders may not."""
        return ("encoder='default'",) if self.options.encoder == "default" else ()

    def load(self) -> None:
        """Load the encoder."""
        _ = self._encoder

    @cached_property
    def _encoder(self) -> EmbeddedEncoder | BertScoreEncoder:
        is_embedded = self.options.encoder == "default"
        return EmbeddedEncoder(self.options) if is_embedded else BertScoreEncoder(self.options)

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each pair; with ``details`` also its precision, recall and F1."""
        summaries, others = [row.text for row in rows], [str(row.reference) for row in rows]
        matched, is_long = self._encoder.match(summaries, others)
        row_scores = []
        for number, (precision, recall, f1) in enumerate(matched):
            score = 100 * (1 - f1)
            if not self.options.rescale_with_baseline:  # rounding can leave [0, 1] by 1e-7
                score = min(max(score, 0.0), 100.0)
            evidence = EmbeddingEvidence(score=score, precision=precision, recall=recall, f1=f1)
            truncated = is_long[number] + is_long[len(rows) + number]
            row_scores.append(
                RowScore(
                    score=score,
                    counts={"truncated": truncated, **rows[number].counts},
                    evidence=evidence if details else None,
                )
            )
        return row_scores

    def _signature_parts(self) -> dict[str, object]:
        return {"encoder": self.options.encoder, **self._encoder.signature}
