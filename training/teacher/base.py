"""The teacher's network: the encoder of all-mpnet-base-v2 with a head of three labels.

The base is trusted by its checksums. They are those of the original publisher's files
(``sentence-transformers/all-mpnet-base-v2``, Apache-2.0) at revision
``e8c3b32edf5434bc2275fc9bab85f82640a19130``.
"""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import MPNetConfig, MPNetForSequenceClassification, MPNetTokenizer

from claimwise.labels import LABELS

SHA256 = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
    "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
}


def check(folder: Path) -> None:
    """Raise ``ValueError`` unless the files of the base are the publisher's."""
    for name, expected in SHA256.items():
        with (folder / name).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != expected:
            raise ValueError(f"{folder / name} has SHA-256 {found}, not {expected}")


def first_network(folder: Path, seed: int) -> MPNetForSequenceClassification:
    """Return the checked base with a new head, in float32, without dropout."""
    check(folder)
    torch.manual_seed(seed)
    config = MPNetConfig.from_pretrained(
        folder,
        architectures=["MPNetForSequenceClassification"],
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        id2label=dict(enumerate(LABELS)),
        label2id={label: index for index, label in enumerate(LABELS)},
    )
    network = MPNetForSequenceClassification(config)
    weights = load_file(folder / "model.safetensors")
    other = network.mpnet.load_state_dict(weights, strict=False)
    if other.missing_keys:
        raise ValueError(f"{folder} lacks weights of the encoder: {other.missing_keys}")
    return network


def tokenizer_of(folder: Path) -> MPNetTokenizer:
    """Return the tokenizer made of ``vocab.txt``."""
    return MPNetTokenizer(str(folder / "vocab.txt"), model_max_length=512)


def logits_of(network: MPNetForSequenceClassification, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
    """Return the logits (pairs × labels), the same as ``network(...)`` for a tenth less work.

    The head reads the first token only, so the last layer computes only that; the relative positions are
    the same for all pairs of a batch.
    """
    encoder, embeddings = network.mpnet.encoder, network.mpnet.embeddings
    hidden = embeddings(input_ids=input_ids)
    ones = hidden[:1]
    bias = encoder.compute_position_bias(ones)
    bias = bias + (1.0 - attention_mask[:, None, None, :].float()) * -1e4
    for layer in encoder.layer[:-1]:
        hidden = _through(layer, hidden, hidden, bias)
    hidden = _through(encoder.layer[-1], hidden[:, :1], hidden, bias[:, :, :1])
    return network.classifier(hidden)


def _through(layer: torch.nn.Module, queries: Tensor, hidden: Tensor, bias: Tensor) -> Tensor:
    """Return the output of an encoder layer for the tokens in ``queries``."""
    attention = layer.attention.attn
    heads, size = attention.num_attention_heads, attention.attention_head_size

    def split(tokens: Tensor) -> Tensor:
        return tokens.unflatten(-1, (heads, size)).transpose(1, 2)

    q, k, v = split(attention.q(queries)), split(attention.k(hidden)), split(attention.v(hidden))
    scores = (q / math.sqrt(size)) @ k.transpose(-1, -2) + bias
    found = (scores.softmax(-1).to(v.dtype) @ v).transpose(1, 2).flatten(2)
    attended = layer.attention.LayerNorm(attention.o(found) + queries)
    return layer.output(layer.intermediate(attended), attended)
