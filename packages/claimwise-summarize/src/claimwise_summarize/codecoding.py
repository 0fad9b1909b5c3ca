"""Co-decoding (Iso et al. 2022, "Comparative Opinion Summarization via Collaborative Decoding", CoCoSum).

At each step the distribution over the next token is reweighted, within its nucleus, by the distributions of
other models, as a logits processor of ``transformers`` for any encoder-decoder. With p_A the distribution
of a model that has read A's reviews:

- contrastive: p̂ ∝ p_A · (p_A / p_B)^α;
- common: p̂ ∝ p_comm · (p_A · p_B)^(α/2) (``"product"``), or p_comm + α · (p_A · p_B)^(1/2) (``"mixture"``),
  where p_comm is the geometric mean over both orders of the two sets of reviews.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import check_in_reach, checkpoint_fingerprint, loading
from claimwise.options import check
from claimwise_summarize.contrast import OF_PIPELINES, PARTS, PairSummarizer
from claimwise_summarize.rounds import Asking
from claimwise_summarize.rows import Draft, Entity

if TYPE_CHECKING:
    from torch import Tensor

Combine = Literal["product", "mixture"]
ALPHA, ALPHA_OF_COMMON, TOP_P = 0.2, 0.4, 0.9
GENERATION = {"num_beams": 4, "min_new_tokens": 20, "max_new_tokens": 128, "no_repeat_ngram_size": 3}
"""CoCoSum's settings."""


class Reader:
    """An encoder-decoder that has read a source (``[1, tokens]``) and predicts the token after a prefix."""

    def __init__(self, model: Any, input_ids: Tensor) -> None:
        import torch

        self._model = model
        with torch.inference_mode():
            self._states = model.get_encoder()(input_ids=input_ids).last_hidden_state

    def __call__(self, prefixes: Tensor, size: int) -> Tensor:
        """Return the log probabilities of the next token, ``[prefixes, vocabulary]``.

        They are computed from whole prefixes, because beams are reordered from step to step.

        Raises:
            ClaimwiseError: if the vocabulary does not have ``size`` tokens.
        """
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        states = self._states.expand(len(prefixes), -1, -1)
        with torch.inference_mode():
            logits = self._model(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=states.device),
                decoder_input_ids=prefixes,
                use_cache=False,
            ).logits[:, -1]
        if logits.shape[-1] != size:
            problem = f"The models have vocabularies of {size} and {logits.shape[-1]} tokens."
            raise ClaimwiseError(problem, "Use two models that share a vocabulary.", option="common_model")
        return torch.log_softmax(logits.float(), dim=-1)


class CoDecodingProcessor:
    """Reweights the next token's distribution by this module's formulas, in ``generate(logits_processor=…)``.

    Args:
        counterpart: for a contrastive summary of A: a reader of B's reviews.
        other_order: for a common summary: a reader of B's reviews followed by A's.
        of_each: for a common summary: a reader of A's and a reader of B's reviews.
        alpha: α; 0 = the model's own distribution over its nucleus.
        top_p: probability mass of the nucleus.
        combine: formula of a common summary.

    Raises:
        ClaimwiseError: for an invalid ``alpha``, ``top_p`` or ``combine``.
    """

    def __init__(
        self,
        counterpart: Reader | None = None,
        *,
        other_order: Reader | None = None,
        of_each: Sequence[Reader] = (),
        alpha: float = ALPHA,
        top_p: float = TOP_P,
        combine: Combine = "product",
    ) -> None:
        check("alpha", alpha, between=(0, 100))
        check("top_p", top_p, between=(1e-6, 1))
        check("combine", combine, choices=get_args(Combine))
        self._counterpart, self._other_order, self._of_each = counterpart, other_order, of_each
        self._alpha, self._top_p, self._combine = alpha, top_p, combine

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return log p̂ of the next token, ``[prefixes, vocabulary]``; −∞ outside the nucleus.

        Args:
            input_ids: the prefixes.
            scores: logits or log probabilities, with banned tokens already masked.
        """
        import torch

        own, size = torch.log_softmax(scores.float(), dim=-1), scores.shape[-1]
        if self._other_order is not None:
            own = (own + self._other_order(input_ids, size)) / 2
        kept = nucleus(torch.log_softmax(own, dim=-1), self._top_p)
        if self._counterpart is not None:
            others = own - self._counterpart(input_ids, size)
        else:
            others = torch.stack([reader(input_ids, size) for reader in self._of_each]).mean(dim=0)
        combined = own + self._alpha * others
        if self._combine == "mixture":
            combined = torch.log(own.exp() + self._alpha * others.exp())
        return torch.log_softmax(combined.where(kept, torch.tensor(float("-inf"))), dim=-1)


def nucleus(log_probabilities: Tensor, top_p: float) -> Tensor:
    """Return the smallest set of most probable tokens with mass ``top_p``, as bool of the same shape."""
    import torch

    ordered, places = log_probabilities.exp().sort(dim=-1, descending=True)
    is_in = ordered.cumsum(dim=-1) - ordered < top_p  # the more probable tokens do not reach it yet
    return torch.zeros_like(is_in).scatter(-1, places, is_in & (ordered > 0))


class CoDecoding(PairSummarizer):
    """Contrastive and common summaries of pairs with a local encoder-decoder.

    Args:
        model: a folder or Hub id of an encoder-decoder of ``transformers``, fine-tuned to summarize reviews.
        common_model: an encoder-decoder for common summaries of two entities; None = ``model``.
        alpha: α of the contrastive summaries.
        alpha_common: α of the common summary.
        top_p: probability mass of the nucleus.
        combine: formula of the common summary.
        generation: further arguments of ``generate``, such as ``{"num_beams": 1}``.
        **options: see ``BaseSummarizer``.

    Raises:
        ClaimwiseError: for an invalid option.
    """

    unused = OF_PIPELINES | {"input_limit", "input_unit", "max_tokens"}

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
            problem = "Co-decoding needs token distributions, which chat models do not provide."
            remedy = "Use the folder or Hub id of an encoder-decoder as the model."
            raise ClaimwiseError(problem, remedy, option="model")
        for strength in (alpha, alpha_common):
            CoDecodingProcessor(alpha=strength, top_p=top_p, combine=combine)
        self.checkpoints = [model, common_model or model]
        self.alphas, self.top_p, self.combine = (alpha, alpha_common), top_p, combine
        self.generation = {**GENERATION, **(generation or {})}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "loaded"}

    def signature_parts(self) -> dict[str, object]:
        """Return everything that the summaries depend on."""
        _ = self.loaded  # a Hub id has content once it is here
        models = ",".join(f"{name}-{checkpoint_fingerprint(name)}" for name in self.checkpoints)
        return {
            "contrast": "co-decoding",
            "models": models,
            "transformers": version("transformers"),
            "torch": version("torch").split("+")[0],
            "top_p": self.top_p,
            "alphas": self.alphas,
            "combine": self.combine,
            **self.generation,
            **self.splitter.signature,
        }

    def works(self, entities: Sequence[Entity]) -> Asking[dict[str | None, Draft]]:
        """Generate the three summaries of a pair."""
        import torch
        from transformers import LogitsProcessorList

        yield from ()  # no chat model is used
        single, both, tokenizer = self.loaded
        a, b = (" ".join(entity.texts) for entity in entities)
        whole = [tokenizer(text, return_tensors="pt").input_ids for text in (a, b, f"{a} {b}", f"{b} {a}")]
        longest = getattr(single.config, "max_position_embeddings", None) or tokenizer.model_max_length
        of_a, of_b, of_ab, of_ba = (ids[:, :longest] for ids in whole)
        readers = [Reader(single, of_a), Reader(single, of_b)]
        alpha, alpha_common = self.alphas
        common: dict[str, Any] = {"combine": self.combine, "alpha": alpha_common, "of_each": readers}
        drafts: dict[str | None, Draft] = {}
        for name, model, source, weighting in (
            ("summary_a", single, of_a, {"counterpart": readers[1], "alpha": alpha}),
            ("summary_b", single, of_b, {"counterpart": readers[0], "alpha": alpha}),
            ("common", both, of_ab, {"other_order": Reader(both, of_ba), **common}),
        ):
            processor = CoDecodingProcessor(top_p=self.top_p, **weighting)
            written = model.generate(
                input_ids=source,
                attention_mask=torch.ones_like(source),
                logits_processor=LogitsProcessorList([processor]),
                do_sample=False,
                **self.generation,
            )
            text = str(tokenizer.decode(written[0], skip_special_tokens=True)).strip()
            drafts[name] = Draft(text) if any(map(str.isalpha, text)) else Draft(reason="nothing was written")
        drafts[next(iter(PARTS))].truncated = sum(ids.shape[1] > longest for ids in whole)
        return drafts

    @cached_property
    def loaded(self) -> tuple[Any, Any, Any]:
        """The model for one entity, the model for two entities, and the tokenizer."""
        name, common_name = self.checkpoints
        where = self.options.token, self.options.local_files_only
        try:
            single, tokenizer = _loaded(name, *where)
            both = single if common_name == name else _loaded(common_name, *where)[0]
        except ClaimwiseError as error:
            raise error.at(option="model") from error
        return single, both, tokenizer


def _loaded(name: str, token: str | None, local_files_only: bool) -> tuple[Any, Any]:
    """Return the encoder-decoder and the tokenizer of a folder or Hub id, from safetensors only."""
    if not all(map(find_spec, ("torch", "transformers"))):
        remedy = "Install them: pip install './packages/claimwise-summarize[co-decoding]' in a clone."
        raise ClaimwiseError("Co-decoding needs PyTorch and transformers.", remedy)
    description = f"The encoder-decoder `{name}`"
    remedy = "Use a folder or Hub id of an encoder-decoder that transformers can load."
    from_cache = check_in_reach(name, description, remedy, local_files_only=local_files_only)
    options: dict[str, Any] = {"token": token, "local_files_only": local_files_only or from_cache}
    with loading(description, remedy):
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        model = AutoModelForSeq2SeqLM.from_pretrained(name, use_safetensors=True, **options)
        return model.eval(), AutoTokenizer.from_pretrained(name, **options)
