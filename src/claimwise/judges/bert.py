"""BERT and related models on the CPU: reading weights, and a forward pass without padding.

The tokens of all pairs are concatenated along one axis, so that products and norms never compute padding.
Only attention separates pairs, in groups of equal length. oneDNN fuses each product with the operations that
follow it (bias, GELU, residual). The last layer computes only the first token of each pair, because the
classifier reads no other.

transformers is not imported: its import takes longer than a first score.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch.nn.functional import (
    embedding,
    gelu,
    layer_norm,
    linear,
    pad,
    scaled_dot_product_attention,
)

from claimwise.judges.pairs import Batch, Ints

KINDS = {
    "bert": "bert",
    "roberta": "roberta",
    "xlm-roberta": "roberta",
    "camembert": "roberta",
    "electra": "electra",
}
"""Supported ``model_type`` → prefix of the weights' names."""

# oneDNN caches compiled code for each size of a product, half a megabyte each: so there are few sizes.
ROWS = 64
"""The rows of a product are a multiple of this number."""
PAIRS = 8
"""Pairs of one length that attend together."""

PLAIN_LENGTHS = range(16, 129)
"""Tokens per pair at which plain attention is faster than torch's fused kernel."""

STEP = 32_768
"""Maximum numbers that torch converts in one thread."""

Weights = Mapping[str, torch.Tensor]
Shapes = dict[str, tuple[int, ...]]


class Bert(torch.nn.Module):
    """A sequence classifier, or only its encoder.

    Args:
        config: content of ``config.json``.
        weights: weights by their names in the checkpoint, without the prefix; others are ignored.
        layers: number of layers to use; None = all.
        has_classifier: whether to use the classifier.

    Raises:
        KeyError: for a missing weight, or a missing size in ``config``.
        ValueError: for a weight whose shape differs from ``config``.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        weights: Weights,
        *,
        layers: int | None = None,
        has_classifier: bool = True,
    ) -> None:
        super().__init__()
        self.layers: int = config["num_hidden_layers"] if layers is None else layers
        self.heads: int = config["num_attention_heads"]
        self.epsilon: float = config["layer_norm_eps"]
        self.reads_types = config["type_vocab_size"] > 1
        # RoBERTa counts positions from after its padding index.
        is_roberta = KINDS[config["model_type"]] == "roberta"
        self.padding_id: int | None = config["pad_token_id"] if is_roberta else None
        self.activation = gelu if config["model_type"] == "electra" else torch.tanh
        shapes = _shapes(config, self.layers, has_classifier=has_classifier)
        self.weights = {name: weights[name] for name in shapes}
        for name, shape in shapes.items():
            if self.weights[name].shape != shape:
                raise ValueError(f"{name} has shape {tuple(self.weights[name].shape)}, not {shape}")
        self.is_fused = _has_fused_products(self.dtype)

    @staticmethod
    def can_be(config: Mapping[str, Any]) -> bool:
        """Return whether a checkpoint with this ``config.json`` is supported."""
        return (
            config.get("model_type") in KINDS
            and config.get("hidden_act") == "gelu"
            and not config.get("is_decoder")
            and config.get("position_embedding_type", "absolute") == "absolute"
        )

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the computation."""
        return self.weights["embeddings.LayerNorm.weight"].dtype

    def forward(self, batch: Batch) -> torch.Tensor:
        """Return the logits ``[pairs, labels]``."""
        types = batch.token_type_ids if self.reads_types else None
        x = self.tokens(batch.input_ids, types, batch.lengths, only_first=True)[: len(batch.lengths)]
        if "pooler.dense.weight" in self.weights:
            return self._dense(torch.tanh(self._dense(x, "pooler.dense")), "classifier")
        return self._dense(self.activation(self._dense(x, "classifier.dense")), "classifier.out_proj")

    def tokens(
        self, input_ids: Ints, token_type_ids: Ints | None, lengths: Ints, *, only_first: bool = False
    ) -> torch.Tensor:
        """Return the output of the last layer, ``[rows, hidden]``, followed by meaningless rows.

        Args:
            input_ids: concatenated tokens of all pairs (or texts) ``[tokens]``.
            token_type_ids: token types ``[tokens]``; None = all 0.
            lengths: tokens per pair ``[pairs]``; fastest if pairs of equal length are adjacent.
            only_first: return only the first token of each pair.
        """
        firsts = np.cumsum(lengths) - lengths
        of_one_length = [(length, len(list(same))) for length, same in itertools.groupby(lengths.tolist())]
        types = np.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        x = self._embedded("word", input_ids) + self._embedded("token_type", types)
        x = x + self._embedded("position", self._positions(input_ids, firsts, lengths))
        x = self._norm(x, "embeddings")
        if "embeddings_project.weight" in self.weights:  # of ELECTRA
            x = self._dense(x, "embeddings_project")
        x = _whole(x)
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            attention, behind = f"{layer}.attention.self", f"{layer}.attention.output"
            key, value = self._product(x, f"{attention}.key"), self._product(x, f"{attention}.value")
            if is_last := only_first and number == self.layers - 1:
                x = _whole(x[torch.from_numpy(firsts)])
            query = self._product(x, f"{attention}.query")
            mixed = self._attend(query, key, value, of_one_length, is_last)
            x = self._norm(self._product_plus(mixed, f"{behind}.dense", x), behind)
            inner = self._product(x, f"{layer}.intermediate.dense", "gelu")
            x = self._norm(self._product_plus(inner, f"{layer}.output.dense", x), f"{layer}.output")
        return x

    def _of(self, name: str) -> tuple[torch.Tensor, torch.Tensor]:
        return self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]

    def _dense(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return linear(x, *self._of(name))

    def _embedded(self, of: str, numbers: Ints) -> torch.Tensor:
        return embedding(torch.from_numpy(numbers), self.weights[f"embeddings.{of}_embeddings.weight"])

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return layer_norm(x, x.shape[-1:], *self._of(f"{name}.LayerNorm"), eps=self.epsilon)

    def _product(self, x: torch.Tensor, name: str, then: Literal["none", "gelu"] = "none") -> torch.Tensor:
        """Return ``x`` after a dense layer and, optionally, GELU."""
        if self.is_fused:
            how = "none" if then == "gelu" else ""  # GELU without approximation
            product: torch.Tensor = _fused()(x, *self._of(name), then, [], how)
            return product
        return gelu(self._dense(x, name)) if then == "gelu" else self._dense(x, name)

    def _product_plus(self, x: torch.Tensor, name: str, residual: torch.Tensor) -> torch.Tensor:
        """Return ``x`` after a dense layer, plus ``residual``."""
        if self.is_fused:
            total: torch.Tensor = _fused().binary(x, residual, *self._of(name), "add")
            return total
        return self._dense(x, name) + residual

    def _positions(self, input_ids: Ints, firsts: Ints, lengths: Ints) -> Ints:
        """Return the index of each token's position embedding."""
        if self.padding_id is None:
            return np.arange(len(input_ids)) - np.repeat(firsts, lengths)
        # Padding tokens within a text are not counted.
        counts = input_ids != self.padding_id
        numbers = np.cumsum(counts)
        before = numbers[firsts] - counts[firsts]
        positions: Ints = (numbers - np.repeat(before, lengths)) * counts + self.padding_id
        return positions

    def _attend(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        groups: list[tuple[int, int]],
        of_firsts: bool,
    ) -> torch.Tensor:
        """Return attention within each pair; rows after the last pair are zeros.

        Args:
            query: ``[rows, hidden]``, for all tokens or for the first token of each pair.
            key: ``[rows, hidden]``, for all tokens.
            value: ``[rows, hidden]``, for all tokens.
            groups: tokens per pair, and the number of adjacent pairs of that length.
            of_firsts: whether there are queries only for first tokens.
        """
        heads, hidden = self.heads, query.shape[-1]
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


def read_config(folder: Path) -> dict[str, Any]:
    """Return the content of a checkpoint's ``config.json``."""
    config: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
    return config


def read_weights(folder: Path, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    """Return copies of the weights in a folder's safetensors files, by name and in the given precision."""
    from safetensors import safe_open

    files = [folder / "model.safetensors"]
    weights: dict[str, torch.Tensor] = {}
    for path in files if files[0].exists() else sorted(folder.glob("model-*.safetensors")):
        with safe_open(path, framework="pt") as file:
            weights |= {name: _converted(file.get_tensor(name), dtype) for name in file.keys()}  # noqa: SIM118
    return weights


def _converted(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a copy in the given precision, made in steps that torch does not split among threads.

    For a first score, synchronizing threads takes longer than the copy.
    """
    copy = torch.empty(tensor.shape, dtype=dtype)
    for part, of_copy in zip(
        torch.split(tensor.reshape(-1), STEP), torch.split(copy.view(-1), STEP), strict=True
    ):
        of_copy.copy_(part)
    return copy


def without_prefix(weights: Weights, model_type: str) -> dict[str, torch.Tensor]:
    """Return weights by their names without the prefix of the model type, such as ``"bert."``."""
    return {name.removeprefix(f"{KINDS[model_type]}."): tensor for name, tensor in weights.items()}


def _shapes(config: Mapping[str, Any], layers: int, *, has_classifier: bool) -> Shapes:
    """Return the shape of every weight by name."""
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    width = config.get("embedding_size", hidden)
    tables = {
        "word": config["vocab_size"],
        "position": config["max_position_embeddings"],
        "token_type": config["type_vocab_size"],
    }
    dense = {} if width == hidden else {"embeddings_project": (hidden, width)}
    norms = {"embeddings": width}
    for number in range(layers):
        layer = f"encoder.layer.{number}"
        of_attention = ("self.query", "self.key", "self.value", "output.dense")
        dense |= {f"{layer}.attention.{name}": (hidden, hidden) for name in of_attention}
        dense |= {f"{layer}.intermediate.dense": (inner, hidden), f"{layer}.output.dense": (hidden, inner)}
        norms |= {f"{layer}.attention.output": hidden, f"{layer}.output": hidden}
    if has_classifier:
        is_bert = config["model_type"] == "bert"
        dense["pooler.dense" if is_bert else "classifier.dense"] = hidden, hidden
        dense["classifier" if is_bert else "classifier.out_proj"] = len(config["id2label"]), hidden
    return {
        **{f"embeddings.{name}_embeddings.weight": (rows, width) for name, rows in tables.items()},
        **{f"{name}.weight": shape for name, shape in dense.items()},
        **{f"{name}.bias": shape[:1] for name, shape in dense.items()},
        **{f"{name}.LayerNorm.{kind}": (n,) for name, n in norms.items() for kind in ("weight", "bias")},
    }


def _attend_plainly(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return scaled dot-product attention for all heads of several pairs."""
    pairs, scale = len(query), query.shape[-1] ** -0.5
    fill = (0, 0, 0, 0, 0, 0, 0, -pairs % PAIRS)
    groups = [torch.split(pad(one, fill), PAIRS) for one in (query, key, value)]
    parts = []
    for of_queries, of_keys, of_values in zip(*groups, strict=True):
        scores = torch.matmul(of_queries, of_keys.transpose(-2, -1)).float().mul_(scale)
        parts.append(torch.matmul(scores.softmax(-1).to(value.dtype), of_values))
    return torch.cat(parts)[:pairs]


def _whole(x: torch.Tensor) -> torch.Tensor:
    """Return the rows, padded with zeros to a multiple of ``ROWS``."""
    return pad(x, (0, 0, 0, -len(x) % ROWS))


def _fused() -> Any:
    """Return oneDNN's fused product."""
    return torch.ops.mkldnn._linear_pointwise


def _has_fused_products(dtype: torch.dtype) -> bool:
    """Return whether torch has oneDNN's fused products on this processor."""
    x, weight = torch.zeros(2, 16, dtype=dtype), torch.zeros(16, 16, dtype=dtype)
    try:
        with torch.inference_mode():
            _fused()(x, weight, x[0], "gelu", [], "none")
            _fused().binary(x, x, weight, x[0], "add")
    except (AttributeError, RuntimeError):
        return False
    return True
