"""The encoders of inverted BERTScore: the embedded one, and any other through the package ``bert-score``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError, needs_extra
from claimwise.judges.encoder import TextEncoder
from claimwise.judges.hub import (
    SAFETENSORS,
    check_in_reach,
    checkpoint_fingerprint,
    checkpoint_folder,
    embedded_fingerprint,
    loading,
)
from claimwise.scores.bertscore import Matched, greedy_matching

# Truncation is a state of the tokenizer, so threads take turns.
_scoring = threading.Lock()


class EmbeddedEncoder:
    """The encoder of the embedded judge.

    Args:
        options: options of the metric.

    Raises:
        ClaimwiseError: for a layer or a baseline that this encoder does not have.
    """

    def __init__(self, options: Any) -> None:
        self._encoder, self._batch_size = TextEncoder(options.device), options.batch_size
        layer = self._encoder.layer
        if options.layer not in (None, layer) or options.rescale_with_baseline:
            name = "rescale_with_baseline" if options.rescale_with_baseline else "layer"
            raise ClaimwiseError(
                f"The embedded encoder has no baseline, and only the states of layer {layer}.",
                f"Leave out {name}=, or choose another encoder.",
                option=name,
            )

    def match(self, summaries: Sequence[str], others: Sequence[str]) -> tuple[list[Matched], list[bool]]:
        """Return the BERTScore of each pair, and whether each text, all summaries first, is too long."""
        matched: list[Matched] = []
        is_long: dict[str, bool] = {}
        for start in range(0, len(summaries), self._batch_size):
            part = slice(start, start + self._batch_size)
            texts = list(dict.fromkeys([*summaries[part], *others[part]]))
            states, truncated = self._encoder.states(texts)
            is_long |= dict(zip(texts, truncated.tolist(), strict=True))
            of_text = dict(zip(texts, states, strict=True))
            matched += [
                greedy_matching(of_text[summary], of_text[other])
                for summary, other in zip(summaries[part], others[part], strict=True)
            ]
        return matched, [is_long[text] for text in (*summaries, *others)]

    @property
    def signature(self) -> dict[str, object]:
        """The parts of the signature that scores depend on."""
        return {
            "encoder_fingerprint": embedded_fingerprint(),
            "layer": self._encoder.layer,
            "idf": "no",
            "rescaled": "no",
            "max_length": self._encoder.max_length,
            "onnxruntime": version("onnxruntime"),
        }


class BertScoreEncoder:
    """A checkpoint that ``bert-score`` loads and scores with.

    Args:
        options: options of the metric.

    Raises:
        ClaimwiseError: for an encoder that cannot be loaded.
    """

    def __init__(self, options: Any) -> None:
        self._batch_size, self._scorer = options.batch_size, _bert_scorer(options)

    def match(self, summaries: Sequence[str], others: Sequence[str]) -> tuple[list[Matched], list[bool]]:
        """Return the BERTScore of each pair, and whether each text, all summaries first, is too long."""
        scorer = self._scorer
        with _scoring:
            scores = scorer.score(summaries, others, batch_size=self._batch_size)
            encoded = scorer._tokenizer([*summaries, *others], verbose=False)["input_ids"]
        matched = [Matched(*values) for values in zip(*(tensor.tolist() for tensor in scores), strict=True)]
        return matched, [len(ids) > scorer._tokenizer.model_max_length for ids in encoded]

    @cached_property
    def _fingerprint(self) -> str:
        return checkpoint_fingerprint(self._scorer.model_type)

    @property
    def signature(self) -> dict[str, object]:
        """The parts of the signature that scores depend on."""
        return {
            "encoder_fingerprint": self._fingerprint,
            "layer": self._scorer.num_layers,
            "idf": "no",
            "rescaled": "yes" if self._scorer.rescale_with_baseline else "no",
            "max_length": self._scorer._tokenizer.model_max_length,
            "bert_score": version("bert-score"),
            "transformers": version("transformers"),
        }


class _EncoderName(str):
    """A name without "t5" for bert-score, which treats any folder with "t5" in its path as a T5 model."""

    def __contains__(self, part: object) -> bool:
        return not Path(self).is_dir() and isinstance(part, str) and super().__contains__(part)


def _bert_scorer(options: Any) -> Any:
    """Return the ``BERTScorer`` of an encoder."""
    with needs_extra("bertscore", "An encoder of one's own"):
        import bert_score
        from bert_score import BERTScorer
        from bert_score.utils import model2layers

        from claimwise.judges.by_torch import choose_device
    from huggingface_hub import file_exists

    layer = model2layers.get(options.encoder) if options.layer is None else options.layer
    if layer is None:
        raise ClaimwiseError(
            f"bert-score has no default layer for the encoder {options.encoder}.",
            "Pass layer=.",
            option="layer",
        )
    remedy = "Check its name and layer, or work offline with encoder='default' (embedded in the package)."
    baselines = Path(bert_score.__file__).parent / "rescale_baseline" / "en"
    description, source = f"The encoder {options.encoder!r}", options.encoder
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
