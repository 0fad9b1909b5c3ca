"""BERT in plain PyTorch, as ``onnx_files`` writes it: padded batches, float32, no dropout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

FAR = -1e9
"""Added to the attention scores of padding: its weight is exactly 0 after the softmax."""

IN_CHECKPOINT = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "norm_of_mixed": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "norm_of_outer": "output.LayerNorm",
}
"""Parts of a layer → their names in a checkpoint."""


class Layer(nn.Module):
    """One layer of the encoder.

    Args:
        hidden: width of a token's state.
        inner: width of the perceptron.
        heads: attention heads.
        epsilon: of the norms.
    """

    def __init__(self, hidden: int, inner: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.query, self.key, self.value, self.mixed = (nn.Linear(hidden, hidden) for _ in range(4))
        self.inner, self.outer = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.norm_of_mixed, self.norm_of_outer = (nn.LayerNorm(hidden, epsilon) for _ in range(2))

    def forward(self, x: Tensor, padding: Tensor, *, only_first: bool = False) -> Tensor:
        """Return the states after this layer: of all tokens, or of the first token of each text.

        Args:
            x: ``[texts, tokens, hidden]``.
            padding: added to the attention scores ``[texts, 1, 1, tokens]``.
            only_first: whether only the first tokens are needed.
        """
        asking = x[:, :1] if only_first else x
        query, key, value = self.query(asking), self.key(x), self.value(x)
        query, key, value = (
            one.view(one.shape[0], -1, self.heads, self.size).transpose(1, 2) for one in (query, key, value)
        )
        scores = torch.matmul(query, key.transpose(2, 3)) * self.size**-0.5 + padding
        mixed = torch.matmul(scores.softmax(-1), value).transpose(1, 2).flatten(2)
        x = self.norm_of_mixed(asking + self.mixed(mixed))
        result: Tensor = self.norm_of_outer(x + self.outer(gelu(self.inner(x))))
        return result


class Encoder(nn.Module):
    """The encoder of a BERT.

    Args:
        config: content of the checkpoint's ``config.json``.
        weights: weights of the checkpoint, by their names without the prefix ``bert.``.
        layers: number of layers to use; None = all.
    """

    def __init__(
        self, config: Mapping[str, Any], weights: Mapping[str, Tensor], layers: int | None = None
    ) -> None:
        super().__init__()
        count: int = config["num_hidden_layers"] if layers is None else layers
        hidden, epsilon = config["hidden_size"], config["layer_norm_eps"]
        self.word = nn.Embedding(config["vocab_size"], hidden)
        self.position = nn.Embedding(config["max_position_embeddings"], hidden)
        self.token_type = nn.Embedding(config["type_vocab_size"], hidden)
        self.norm = nn.LayerNorm(hidden, epsilon)
        self.layers = nn.ModuleList(
            Layer(hidden, config["intermediate_size"], config["num_attention_heads"], epsilon)
            for _ in range(count)
        )
        names = {
            **{one: f"embeddings.{one}_embeddings" for one in ("word", "position", "token_type")},
            "norm": "embeddings.LayerNorm",
            **{
                f"layers.{number}.{part}": f"encoder.layer.{number}.{name}"
                for number in range(count)
                for part, name in IN_CHECKPOINT.items()
            },
        }
        self.load_state_dict(
            {
                f"{part}.{kind}": weights[f"{name}.{kind}"].float()
                for part, name in names.items()
                for kind in ("weight", "bias")
                if f"{name}.{kind}" in weights
            }
        )

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor | None = None,
        *,
        only_first: bool = False,
    ) -> list[Tensor]:
        """Return the states after each layer ``[texts, tokens, hidden]``.

        Args:
            input_ids: ``[texts, tokens]``.
            attention_mask: 0 for padding ``[texts, tokens]``.
            token_type_ids: ``[texts, tokens]``; None = all 0.
            only_first: whether the last layer computes only the first token of each text.
        """
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        x = self.word(input_ids) + self.token_type(types) + self.position.weight[: input_ids.shape[1]]
        x = self.norm(x)
        padding = (1.0 - attention_mask[:, None, None].float()) * FAR
        states = []
        for number, layer in enumerate(self.layers):
            x = layer(x, padding, only_first=only_first and number == len(self.layers) - 1)
            states.append(x)
        return states


class Classifier(nn.Module):
    """A BERT that classifies pairs, with the states of one of its lower layers.

    Args:
        config: content of the checkpoint's ``config.json``.
        weights: weights of the checkpoint, by their names.
        layer: whose states are returned beside the logits, counted from 1.
    """

    def __init__(self, config: Mapping[str, Any], weights: Mapping[str, Tensor], layer: int) -> None:
        super().__init__()
        self.encoder = Encoder(config, without_prefix(weights))
        self.layer = layer
        self.pooler = nn.Linear(config["hidden_size"], config["hidden_size"])
        self.classifier = nn.Linear(config["hidden_size"], len(config["id2label"]))
        for part, name in ((self.pooler, "bert.pooler.dense"), (self.classifier, "classifier")):
            part.load_state_dict({kind: weights[f"{name}.{kind}"].float() for kind in ("weight", "bias")})

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the logits ``[pairs, labels]`` and the states ``[pairs, tokens, hidden]``."""
        states = self.encoder(input_ids, attention_mask, token_type_ids, only_first=True)
        logits = self.classifier(torch.tanh(self.pooler(states[-1][:, 0])))
        return logits, states[self.layer - 1]


def without_prefix(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return weights by their names without ``bert.``."""
    return {name.removeprefix("bert."): tensor for name, tensor in weights.items()}
