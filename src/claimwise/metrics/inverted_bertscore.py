"""Inverted BERTScore: dissimilarity of two summaries by the contextual embeddings of an encoder."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.kinds import EmbeddingEvidence
from claimwise.judges.hub import (
    EMBEDDED_WEIGHTS,
    SAFETENSORS,
    check_in_reach,
    checkpoint_fingerprint,
    checkpoint_folder,
    loading,
)
from claimwise.metrics.base import Metric
from claimwise.metrics.citations import bibtex
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import OTHER_SUMMARIES, SUMMARIES, UNREADABLE, MetricSpec
from claimwise.options import OptionGroup, option

# Chosen once on pairs of the OpinionNLI training clusters (training/judge/choose_layer.py).
EMBEDDED_LAYER = 3
# Truncation is a state of the tokenizer, so threads take turns.
_scoring = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class InvertedBertscoreOptions(OptionGroup):
    """Options of the inverted BERTScore."""

    encoder: str = option(
        "default", '`"default"` (the encoder of the embedded NLI checkpoint), a Hub id or a folder'
    )
    layer: int | None = option(None, "the hidden layer to compare; None = the encoder's default layer")
    rescale_with_baseline: bool = option(
        False, "bool; as in the `bert-score` package; needs an encoder with a baseline in that package"
    )
    device: str = option("auto", '`"auto"` (CUDA if there is one), `"cpu"`, `"cuda"` …')
    batch_size: int = option(64, "texts per batch", at_least=1)


class _EncoderName(str):
    """A name without "t5" for bert-score, which treats any folder with "t5" in its path as a T5 model."""

    def __contains__(self, part: object) -> bool:
        return not Path(self).is_dir() and isinstance(part, str) and super().__contains__(part)


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
        _ = self._scorer

    @cached_property
    def _scorer(self) -> Any:
        import bert_score
        from bert_score import BERTScorer
        from bert_score.utils import model2layers
        from huggingface_hub import file_exists

        from claimwise.judges.checkpoints import choose_device

        options = self.options
        embedded = options.encoder == "default"
        layer = options.layer
        if layer is None:
            layer = EMBEDDED_LAYER if embedded else model2layers.get(options.encoder)
        if layer is None:
            raise ClaimwiseError(
                f"bert-score has no default layer for the encoder {options.encoder!r}.",
                "Pass layer=.",
                option="layer",
            )
        remedy = "Check its name and layer, or work offline with encoder='default' (embedded in the package)."
        baselines = Path(bert_score.__file__).parent / "rescale_baseline" / "en"
        description = f"The encoder {options.encoder!r}"
        source = str(EMBEDDED_WEIGHTS) if embedded else options.encoder
        if check_in_reach(source, description, remedy):  # the Hub is unreachable: use the cached folder
            source = str(checkpoint_folder(source))
            check_in_reach(source, description, remedy)
        with loading(description, remedy):
            if not Path(source).is_dir() and not any(file_exists(source, name) for name in SAFETENSORS):
                raise ValueError("it has no safetensors weights, the only supported format.")
            scorer = BERTScorer(
                model_type=_EncoderName(source),
                num_layers=layer,
                rescale_with_baseline=options.rescale_with_baseline,
                baseline_path=str(baselines / f"{options.encoder}.tsv"),
                lang="en" if options.rescale_with_baseline else None,
                device=str(choose_device(options.device)),
                batch_size=options.batch_size,
                use_fast_tokenizer=True,  # slow ones cannot read tokenizer.json; transformers 5 has none
            )
            if options.rescale_with_baseline:
                _ = scorer.baseline_vals  # read now, so that an encoder without a baseline is rejected
        scorer._model.float()  # the embedded checkpoint is stored in float16
        # bert-score 0.3.13 truncates at this length and overflows where a tokenizer does not set it.
        scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, 512)
        return scorer

    def score_rows(self, rows: Sequence[Row], *, details: bool = False) -> list[RowScore]:
        """Return the score of each pair; with ``details`` also its precision, recall and F1."""
        scorer = self._scorer
        summaries, others = [row.text for row in rows], [str(row.reference) for row in rows]
        with _scoring:
            found = scorer.score(summaries, others, batch_size=self.options.batch_size)
            encoded = scorer._tokenizer([*summaries, *others], verbose=False)["input_ids"]
        precisions, recalls, f1s = (values.tolist() for values in found)
        is_long = [len(ids) > scorer._tokenizer.model_max_length for ids in encoded]
        row_scores = []
        for number, (precision, recall, f1) in enumerate(zip(precisions, recalls, f1s, strict=True)):
            score = 100 * (1 - f1)
            if not self.options.rescale_with_baseline:  # rounding can leave [0, 1] by 1e-7
                score = min(max(score, 0.0), 100.0)
            evidence = EmbeddingEvidence(score=score, precision=precision, recall=recall, f1=f1)
            row_scores.append(
                RowScore(
                    score=score,
                    counts={
                        "truncated": is_long[number] + is_long[len(rows) + number],
                        **rows[number].counts,
                    },
                    evidence=evidence if details else None,
                )
            )
        return row_scores

    @cached_property
    def _encoder_fingerprint(self) -> str:
        return checkpoint_fingerprint(self._scorer.model_type)

    def _signature_parts(self) -> dict[str, object]:
        scorer = self._scorer
        return {
            "encoder": self.options.encoder,
            "encoder_fingerprint": self._encoder_fingerprint,
            "layer": scorer.num_layers,
            "idf": "no",
            "rescaled": "yes" if scorer.rescale_with_baseline else "no",
            "max_length": scorer._tokenizer.model_max_length,
            "bert_score": version("bert-score"),
            "transformers": version("transformers"),
        }
