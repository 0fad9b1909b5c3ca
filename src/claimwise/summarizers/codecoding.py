"""Co-decoding (Iso et al. 2022, "Comparative Opinion Summarization via Collaborative Decoding", CoCoSum).

At each step one model's distribution over the next token is weighted with what others say, as a
``LogitsProcessor`` of ``transformers`` for any encoder-decoder. p_A is the model's distribution given the
reviews of A, over its nucleus; with the exponent α:

- contrastive: p̂ ∝ p_A · (p_A / p_B)^α;
- common: p̂ ∝ p_comm · (p_A · p_B)^(α/2) (``"product"``), or p_comm + α · (p_A · p_B)^(1/2) (``"mixture"``),
  where p_comm is the geometric mean over both orders of the two sets of reviews.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import torch
from torch import Tensor
from transformers import LogitsProcessor

from claimwise.errors import ClaimwiseError
from claimwise.options import check
from claimwise.summarizers.base import Asking
from claimwise.summarizers.contrast import PARTS, PairSummarizer
from claimwise.summarizers.rows import Draft, Entity

Combine = Literal["product", "mixture"]
ALPHA, ALPHA_OF_COMMON, TOP_P = 0.2, 0.4, 0.9


class Reader:
    """A model that has read a source, and tells the next token of any prefix.

    Args:
        model: an encoder-decoder.
        input_ids: of the source, ``[1, tokens]``.
    """

    def __init__(self, model: Any, input_ids: Tensor) -> None:
        self.model, self.input_ids = model, input_ids
        with torch.inference_mode():
            self._states = model.get_encoder()(input_ids=input_ids).last_hidden_state

    def log_probabilities(self, prefixes: Tensor) -> Tensor:
        """Return the log probabilities of the next token, ``[prefixes, vocabulary]``.

        They are computed from the whole prefixes, for beams change places from step to step.
        """
        from transformers.modeling_outputs import BaseModelOutput

        states = self._states.expand(len(prefixes), -1, -1)
        mask = torch.ones(states.shape[:2], dtype=torch.long, device=states.device)
        with torch.inference_mode():
            logits = self.model(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=mask,
                decoder_input_ids=prefixes,
                use_cache=False,
            ).logits[:, -1]
        return torch.log_softmax(logits.float(), dim=-1)


class ContrastiveProcessor(LogitsProcessor):
    """Contrastive co-decoding: favours what is likelier given A's reviews than given B's.

    Args:
        counterpart: has read B's reviews.
        alpha: α; 0 = the model's own distribution over its nucleus.
        top_p: the probability that the nucleus holds.
    """

    def __init__(self, counterpart: Reader, alpha: float = ALPHA, top_p: float = TOP_P) -> None:
        check_strength(alpha, top_p)
        self._counterpart, self._alpha, self._top_p = counterpart, alpha, top_p

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return log p̂ of the next token, ``[prefixes, vocabulary]``; −∞ outside of the nucleus."""
        own = torch.log_softmax(scores.float(), dim=-1)
        other = same_vocabulary(self._counterpart.log_probabilities(input_ids), own)
        return normalized(own + self._alpha * (own - other), nucleus(own, self._top_p))


class CommonProcessor(LogitsProcessor):
    """Common co-decoding: favours what both entities' reviews make likely.

    Args:
        other_order: the model of both, having read B's reviews before A's.
        of_each: models of one entity, having read A's and B's reviews.
        alpha: α.
        top_p: the probability that the nucleus holds.
        combine: ``"product"`` or ``"mixture"``.
    """

    def __init__(
        self,
        other_order: Reader,
        of_each: Sequence[Reader],
        alpha: float = ALPHA_OF_COMMON,
        top_p: float = TOP_P,
        combine: Combine = "product",
    ) -> None:
        check_strength(alpha, top_p)
        check("combine", combine, choices=("product", "mixture"))
        self._other_order, self._of_each = other_order, of_each
        self._alpha, self._top_p, self._combine = alpha, top_p, combine

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return log p̂ of the next token, ``[prefixes, vocabulary]``; −∞ outside of the nucleus."""
        own = torch.log_softmax(scores.float(), dim=-1)
        other = same_vocabulary(self._other_order.log_probabilities(input_ids), own)
        both = (own + other) / 2
        each = [same_vocabulary(one.log_probabilities(input_ids), own) for one in self._of_each]
        shared = torch.stack(each).mean(dim=0)
        combined = both + self._alpha * shared
        if self._combine == "mixture":
            combined = torch.log(both.exp() + self._alpha * shared.exp())
        return normalized(combined, nucleus(torch.log_softmax(both, dim=-1), self._top_p))


def nucleus(log_probabilities: Tensor, top_p: float) -> Tensor:
    """Return the fewest likeliest tokens that hold the probability ``top_p``, as bool of the same shape."""
    ordered, places = log_probabilities.exp().sort(dim=-1, descending=True)
    is_in = ordered.cumsum(dim=-1) - ordered < top_p  # what is likelier does not hold it yet
    return torch.zeros_like(is_in).scatter(-1, places, is_in & (ordered > 0))


def normalized(scores: Tensor, kept: Tensor) -> Tensor:
    """Return the log-softmax over the kept tokens; −∞ elsewhere."""
    masked = torch.where(kept, scores, torch.full_like(scores, float("-inf")))
    return torch.log_softmax(masked, dim=-1)


def same_vocabulary(found: Tensor, own: Tensor) -> Tensor:
    """Return ``found``.

    Raises:
        ClaimwiseError: if it is over another vocabulary than ``own``.
    """
    if found.shape != own.shape:
        raise ClaimwiseError(
            f"The models have vocabularies of {own.shape[-1]} and {found.shape[-1]} tokens.",
            "Co-decoding needs models of one vocabulary.",
            option="common_model",
        )
    return found


def check_strength(alpha: float, top_p: float) -> None:
    """Refuse an α or a nucleus that cannot be.

    Raises:
        ClaimwiseError: naming it.
    """
    check("alpha", alpha, between=(0, 100))
    check("top_p", top_p, between=(1e-6, 1))


@dataclass(frozen=True)
class Generation:
    """How texts are generated: CoCoSum's own settings."""

    num_beams: int = 4
    min_new_tokens: int = 20
    max_new_tokens: int = 128
    no_repeat_ngram_size: int = 3


class CoDecoding(PairSummarizer):
    """Contrastive and common summaries of pairs with a local encoder-decoder.

    Args:
        model: a folder or Hub id of an encoder-decoder of ``transformers``, fine-tuned to summarize reviews.
        common_model: that of summaries of two entities; None = the same.
        alpha: α of the contrastive summaries.
        alpha_common: α of the common one.
        top_p: the probability that the nucleus holds.
        combine: of the common summary: ``"product"`` or ``"mixture"``.
        generation: further arguments of ``generate``, such as ``{"num_beams": 1}``.
        **options: see ``BaseSummarizer``.

    Raises:
        ClaimwiseError: for a bad option, or a model that cannot be loaded.
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        common_model: str | None = None,
        alpha: float = ALPHA,
        alpha_common: float = ALPHA_OF_COMMON,
        top_p: float = TOP_P,
        combine: Combine = "product",
        generation: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if not isinstance(model, str) or model.startswith("openai:"):
            raise ClaimwiseError(
                "Co-decoding needs the distributions of an encoder-decoder, which no chat model tells.",
                "Give model= a folder or a Hub id of one.",
                option="model",
            )
        check_strength(alpha, top_p)
        check_strength(alpha_common, top_p)
        check("combine", combine, choices=("product", "mixture"))
        self.checkpoint, self.common_checkpoint = model, common_model or model
        self.alpha, self.alpha_common, self.top_p, self.combine = alpha, alpha_common, top_p, combine
        self.generation = {**vars(Generation()), **(generation or {})}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("loaded",)}

    def signature_parts(self) -> dict[str, object]:
        """Return what the summaries depend on."""
        return {
            "contrast": "co-decoding",
            "model": self.checkpoint,
            "common_model": self.common_checkpoint,
            "alpha": f"{self.alpha:g},{self.alpha_common:g}",
            "top_p": f"{self.top_p:g}",
            "combine": self.combine,
            **self.generation,
        }

    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Generate the three summaries of a pair."""
        yield from ()
        one, both, _ = self.loaded
        a, b = (" ".join(entity.texts) for entity in entities)
        ids = {text: self._ids(text) for text in (a, b, f"{a} {b}", f"{b} {a}")}
        readers = [Reader(one, ids[text][0]) for text in (a, b)]
        processors = [ContrastiveProcessor(other, self.alpha, self.top_p) for other in reversed(readers)]
        of_both = Reader(both, ids[f"{b} {a}"][0])
        common = CommonProcessor(of_both, readers, self.alpha_common, self.top_p, self.combine)
        texts = [
            self._generated(one, ids[a][0], processors[0]),
            self._generated(one, ids[b][0], processors[1]),
            self._generated(both, ids[f"{a} {b}"][0], common),
        ]
        cut = sum(is_cut for _, is_cut in ids.values())
        drafts = dict[str | None, Draft]()
        for name, text in zip(PARTS, texts, strict=True):
            reason = None if any(map(str.isalpha, text)) else "the model generated nothing"
            drafts[name] = Draft(None if reason else text, reason, truncated=cut if not drafts else 0)
        return drafts

    @cached_property
    def loaded(self) -> tuple[Any, Any, Any]:
        """The model of one entity, that of two, and the tokenizer."""
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        local = {"local_files_only": self.options.local_files_only, "token": self.options.token}
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.checkpoint, **local)
            load = AutoModelForSeq2SeqLM.from_pretrained
            one = load(self.checkpoint, **local).eval()
            is_same = self.common_checkpoint == self.checkpoint
            both = one if is_same else load(self.common_checkpoint, **local).eval()
        except (OSError, ValueError) as error:
            raise ClaimwiseError(
                f"The model {self.checkpoint!r} cannot be loaded ({' '.join(str(error).split())[:300]}).",
                "Give a folder or a Hub id of an encoder-decoder of transformers.",
                option="model",
            ) from error
        return one, both, tokenizer

    def _ids(self, text: str) -> tuple[Tensor, bool]:
        """Return the tokens of a source, ``[1, tokens]``, and whether it was cut to the model's length."""
        one, _, tokenizer = self.loaded
        longest = getattr(one.config, "max_position_embeddings", None) or tokenizer.model_max_length
        ids = tokenizer(text, return_tensors="pt").input_ids
        return ids[:, :longest], ids.shape[1] > longest

    def _generated(self, model: Any, input_ids: Tensor, processor: LogitsProcessor) -> str:
        from transformers import LogitsProcessorList

        found = model.generate(
            input_ids=input_ids,
            attention_mask=torch.ones_like(input_ids),
            logits_processor=LogitsProcessorList([processor]),
            do_sample=False,
            **self.generation,
        )
        return str(self.loaded[2].decode(found[0], skip_special_tokens=True)).strip()
