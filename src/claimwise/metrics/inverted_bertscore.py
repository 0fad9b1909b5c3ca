"""Inverted BERTScore: dissimilarity of two summaries by the contextual embeddings of an encoder."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, needs_extra
from claimwise.evidence.kinds import EmbeddingEvidence
from claimwise.judges.encoder import TextEncoder
from claimwise.judges.hub import (
    SAFETENSORS,
    check_in_reach,
    checkpoint_fingerprint,
    checkpoint_folder,
    embedded_fingerprint,
    loading,
)
from claimwise.metrics.base import Metric
from claimwise.metrics.citations import bibtex
from claimwise.metrics.rows import Row, RowScore
from claimwise.metrics.spec import OTHER_SUMMARIES, SUMMARIES, UNREADABLE, MetricSpec
from claimwise.options import OptionGroup, option
from claimwise.scores.bertscore import Matched, greedy_matching

# Truncation is a state of the tokenizer, so threads take turns.
_scoring = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class InvertedBertscoreOptions(OptionGroup):
    """Options of the inverted BERTScore."""

    encoder: str = option(
        "default",
        '`"default"` (the encoder of the embedded NLI checkpoint), a Hub id or a folder',
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
        _ = self._embedded or self._scorer

    @cached_property
    def _embedded(self) -> TextEncoder | None:
        """The embedded encoder, unless another one was chosen."""
        options = self.options
        if options.encoder != "default":
            return None
        encoder = TextEncoder(options.device)
        if options.layer not in (None, encoder.layer) or options.rescale_with_baseline:
            name = "rescale_with_baseline" if options.rescale_with_baseline else "layer"
            raise ClaimwiseError(
                f"The embedded encoder has no baseline, and only the states of layer {encoder.layer}.",
                f"Leave out {name}=, or choose another encoder.",
                option=name,
            )
        return encoder

    @cached_property
    def _scorer(self) -> Any:
        with needs_extra("bertscore", "An encoder of one's own"):
            import bert_score
            from bert_score import BERTScorer
            from bert_score.utils import model2layers

            from claimwise.judges.by_torch import choose_device
        from huggingface_hub import file_exists

        options = self.options
        layer = model2layers.get(options.encoder) if options.layer is None else options.layer
        if layer is None:
            raise ClaimwiseError(
                f"bert-score has no default layer for the encoder {options.encoder!r}.",
                "Pass layer=.",
                option="layer",
            )
        remedy = "Check its name and layer, or work offline with encoder='default' (embedded in the package)."
        baselines = Path(bert_score.__file__).parent / "rescale_baseline" / "en"
        description = f"The encoder {options.encoder!r}"
        source = options.encoder
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
        summaries, others = [row.text for row in rows], [str(row.reference) for row in rows]
        matched, is_long = (self._matched if self._embedded else self._scored)(summaries, others)
        row_scores = []
        for number, (precision, recall, f1) in enumerate(matched):
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

    def _matched(self, summaries: list[str], others: list[str]) -> tuple[list[Matched], list[bool]]:
        """Return the BERTScore of each pair by the embedded encoder, and whether each text is too long."""
        assert self._embedded is not None
        matched: list[Matched] = []
        is_long: dict[str, bool] = {}
        for start in range(0, len(summaries), self.options.batch_size):
            part = slice(start, start + self.options.batch_size)
            texts = list(dict.fromkeys([*summaries[part], *others[part]]))
            states, truncated = self._embedded.states(texts)
            is_long |= dict(zip(texts, truncated.tolist(), strict=True))
            of_text = dict(zip(texts, states, strict=True))
            matched += [
                greedy_matching(of_text[summary], of_text[other])
                for summary, other in zip(summaries[part], others[part], strict=True)
            ]
        return matched, [is_long[text] for text in (*summaries, *others)]

    def _scored(self, summaries: list[str], others: list[str]) -> tuple[list[Matched], list[bool]]:
        """Return the BERTScore of each pair by bert-score, and whether each text is too long."""
        scorer = self._scorer
        with _scoring:
            found = scorer.score(summaries, others, batch_size=self.options.batch_size)
            encoded = scorer._tokenizer([*summaries, *others], verbose=False)["input_ids"]
        matched = [Matched(*values) for values in zip(*(one.tolist() for one in found), strict=True)]
        return matched, [len(ids) > scorer._tokenizer.model_max_length for ids in encoded]

    @cached_property
    def _encoder_fingerprint(self) -> str:
        return checkpoint_fingerprint(self._scorer.model_type)

    def _signature_parts(self) -> dict[str, object]:
        if self._embedded:
            return {
                "encoder": self.options.encoder,
                "encoder_fingerprint": embedded_fingerprint(),
                "layer": self._embedded.layer,
                "idf": "no",
                "rescaled": "no",
                "max_length": self._embedded.max_length,
                "onnxruntime": version("onnxruntime"),
            }
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
