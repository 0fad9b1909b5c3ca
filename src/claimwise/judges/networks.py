"""What a loaded checkpoint is, whatever computes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from claimwise.judges.pairs import Floats, Padding, PairEncoder, TokenBatch

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
"""What a classifier of pairs may read, as ``TokenBatch.padded`` gives it."""


class PairClassifier(Protocol):
    """What computes a checkpoint.

    Attributes:
        padding: whether a batch is padded to its longest pair, or has pairs of equal length.
        uses_one_core: whether a call uses one core, so that several calls are worth running at once.
        dtype: name of the precision of the computation.
        versions: the libraries that compute it, with their versions.
    """

    padding: Padding
    uses_one_core: bool
    dtype: str
    versions: Mapping[str, str]

    def logits(self, batch: TokenBatch) -> Floats:
        """Return float32 ``[pairs, labels]``."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A loaded network with its tokenizer, shared within the process.

    ``labels`` are the names of the network's outputs, ``fingerprint`` is that of its files.
    """

    network: PairClassifier
    encoder: PairEncoder
    labels: Mapping[int, str]
    fingerprint: str


def max_length(config: Mapping[str, Any], tokenizer_limit: float | None) -> int:
    """Return the maximum input length in tokens that both tokenizer and position embeddings allow.

    ``config`` is the content of config.json, ``tokenizer_limit`` the tokenizer's ``model_max_length``.
    """
    tokenizer_limit = tokenizer_limit or math.inf
    positions: float = config.get("max_position_embeddings") or tokenizer_limit
    if "roberta" in config["model_type"]:  # its positions start after the padding index
        positions -= config["pad_token_id"] + 1
    return int(min(positions, tokenizer_limit))
