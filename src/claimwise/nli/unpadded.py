"""The forward pass of BERT and its kin without padding, for the CPU.

The tokens of all pairs lie behind each other on one axis, so that products and norms compute nothing but
tokens of pairs. Only attention tells pairs apart: it looks at all of one length at once. What follows a
product (bias, GELU, residual) is computed along with it by oneDNN, while its numbers are at hand. The last
layer goes on with the first token of each pair alone, since the classifier reads no other.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from claimwise.nli.pairs import Ints

KINDS = ("Bert", "Roberta", "XLMRoberta", "Camembert", "Electra")
"""Classifiers of transformers that read the first token alone, behind layers like those of BERT."""


# What oneDNN compiles for a product of one size is kept, half a megabyte each: so there are few sizes.
ROWS = 64
"""Rows of a product are a multiple of it."""
PAIRS = 8
"""So many pairs of one length attend together."""

PLAIN_LENGTHS = range(16, 129)
"""Tokens of a pair at which plain attention is faster than torch's fused kernel."""


class Unpadded(torch.nn.Module):
    """A sequence classifier of transformers with a forward pass of its own, over the same weights.

    Args:
        model: a classifier that ``can_run`` approves of.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.config = model.config

    @staticmethod
    def can_run(model: Any) -> bool:
        """Tell whether the forward pass is that of ``model``, and can run on this processor in its dtype."""
        config = model.config
        return (
            type(model).__name__.removesuffix("ForSequenceClassification") in KINDS
            and config.hidden_act == "gelu"
            and not config.is_decoder
            and getattr(config, "position_embedding_type", "absolute") == "absolute"
            and _has_fused_products(model.dtype)
        )

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the weights."""
        dtype: torch.dtype = self.model.dtype
        return dtype

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor | None, lengths: Ints
    ) -> torch.Tensor:
        """Return the logits ``[pairs, labels]``.

        Args:
            input_ids: tokens of all pairs, one pair behind the other ``[tokens]``.
            token_type_ids: of the same tokens ``[tokens]``; None where the model is not told.
            lengths: tokens of each pair ``[pairs]``; it is fast where pairs of one length stand together.
        """
        base = self.model.base_model
        firsts = np.cumsum(lengths) - lengths
        of_one_length = [(length, len(list(same))) for length, same in itertools.groupby(lengths.tolist())]
        positions = _positions(base.embeddings, input_ids.numpy(), firsts, lengths)
        x = base.embeddings(
            input_ids[None],
            None if token_type_ids is None else token_type_ids[None],
            torch.from_numpy(positions)[None],
        )[0]
        if (project := getattr(base, "embeddings_project", None)) is not None:  # of ELECTRA
            x = project(x)
        x = _whole(x)
        for layer in (layers := base.encoder.layer):
            attention, behind = layer.attention.self, layer.attention.output
            key, value = _linear(x, attention.key), _linear(x, attention.value)
            if is_last := layer is layers[-1]:
                x = _whole(x[torch.from_numpy(firsts)])
            mixed = self._attend(_linear(x, attention.query), key, value, of_one_length, is_last)
            x = behind.LayerNorm(_linear_add(mixed, behind.dense, x))
            inner = _linear_gelu(x, layer.intermediate.dense)
            x = layer.output.LayerNorm(_linear_add(inner, layer.output.dense, x))
        x = x[: len(lengths), None]  # the classifier takes the first of several tokens
        pooler = getattr(base, "pooler", None)
        logits: torch.Tensor = self.model.classifier(x if pooler is None else pooler(x))
        return logits

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        groups: list[tuple[int, int]],
        of_firsts: bool,
    ) -> torch.Tensor:
        """Return what tokens get from the tokens of their own pairs; rows behind the last pair are zeros.

        Args:
            query: ``[rows, hidden]``, of the tokens or of the first token of each pair.
            key: ``[rows, hidden]``, of the tokens.
            value: ``[rows, hidden]``, of the tokens.
            groups: tokens of each pair, and how many pairs of that length follow.
            of_firsts: whether queries are of first tokens alone.
        """
        heads, hidden = self.config.num_attention_heads, query.shape[-1]
        tokens = [length * pairs for length, pairs in groups]
        queries = [pairs for _, pairs in groups] if of_firsts else tokens
        parts = []
        for (length, pairs), *of_group in zip(
            groups,
            torch.split(query[: sum(queries)], queries),
            torch.split(key[: sum(tokens)], tokens),
            torch.split(value[: sum(tokens)], tokens),
            strict=True,
        ):
            by_head = [one.view(pairs, -1, heads, hidden // heads).transpose(1, 2) for one in of_group]
            attend = _attend_plainly if length in PLAIN_LENGTHS else scaled_dot_product_attention
            parts.append(attend(*by_head).transpose(1, 2).reshape(-1, hidden))
        return torch.cat([*parts, query.new_zeros(len(query) - sum(queries), hidden)])


def _attend_plainly(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return scaled dot-product attention, computed for all heads of some pairs at once."""
    pairs, scale = len(query), query.shape[-1] ** -0.5
    groups = [
        torch.split(torch.nn.functional.pad(one, (0, 0, 0, 0, 0, 0, 0, -pairs % PAIRS)), PAIRS)
        for one in (query, key, value)
    ]
    parts = []
    for of_queries, of_keys, of_values in zip(*groups, strict=True):
        scores = torch.matmul(of_queries, of_keys.transpose(-2, -1)).float().mul_(scale)
        parts.append(torch.matmul(scores.softmax(-1).to(value.dtype), of_values))
    return torch.cat(parts)[:pairs]


def _whole(x: torch.Tensor) -> torch.Tensor:
    """Return rows, followed by rows of zeros up to a multiple of ``ROWS``."""
    return torch.nn.functional.pad(x, (0, 0, 0, -len(x) % ROWS))


def _positions(embeddings: Any, input_ids: Ints, firsts: Ints, lengths: Ints) -> Ints:
    """Return the number of each token's position embedding."""
    padding_id = getattr(embeddings, "padding_idx", None)
    if padding_id is None:
        return np.arange(len(input_ids)) - np.repeat(firsts, lengths)
    # RoBERTa counts from behind the padding index, and leaves out padding that stands in a text itself.
    counts = input_ids != padding_id
    numbers = np.cumsum(counts)
    before = numbers[firsts] - counts[firsts]
    positions: Ints = (numbers - np.repeat(before, lengths)) * counts + padding_id
    return positions


def _linear(x: torch.Tensor, dense: Any) -> torch.Tensor:
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, dense.weight, dense.bias, "none", [], "")
    return product


def _linear_gelu(x: torch.Tensor, dense: Any) -> torch.Tensor:
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
        x, dense.weight, dense.bias, "gelu", [], "none"
    )
    return product


def _linear_add(x: torch.Tensor, dense: Any, residual: torch.Tensor) -> torch.Tensor:
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise.binary(
        x, residual, dense.weight, dense.bias, "add"
    )
    return product


def _has_fused_products(dtype: torch.dtype) -> bool:
    """Tell whether torch has oneDNN's products with what follows them, for this processor."""
    x, dense = torch.zeros(2, 16, dtype=dtype), torch.nn.Linear(16, 16, dtype=dtype)
    try:
        with torch.inference_mode():
            _linear_add(_linear_gelu(_linear(x, dense), dense), dense, x)
    except (AttributeError, RuntimeError):
        return False
    return True
