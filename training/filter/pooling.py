"""The head of the filter: every text is encoded separately, and a pair costs only a dot product.

The lower layers are the embedded judge's, unchanged; the layers above them and the pooling were trained on
its verdicts. For each role of a text (premise, hypothesis) and each label other than neutral (entailment,
contradiction), learned queries pool its tokens, each into one vector (for example its topic and its
statement). A pair's logit of a label, relative to 0 for neutral, is a sum of the products of these vectors
and a bias.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

SIDES = 2
"""Premise and hypothesis."""
LABELS = 2
"""Entailment and contradiction; neutral is the reference, with logit 0."""


class Shape(NamedTuple):
    """Shape of the network.

    Attributes:
        frozen: number of the judge's layers at the bottom.
        learned: number of trained layers above them.
        queries: number of pooling queries for each side and label.
        width: width of each query's output.
    """

    frozen: int
    learned: int
    queries: int
    width: int


class Pooling(nn.Module):
    """Token vectors of the last layer in, text vectors of both sides out.

    Args:
        hidden: width of a token vector.
        shape: shape of the network.
    """

    def __init__(self, hidden: int, shape: Shape) -> None:
        super().__init__()
        self.queries = nn.Parameter(torch.randn(SIDES, LABELS, shape.queries, hidden) / hidden**0.5)
        self.projections = nn.Parameter(
            0.25 * torch.randn(SIDES, LABELS, shape.queries, hidden, shape.width) / hidden**0.5
        )
        self.biases = nn.Parameter(torch.zeros(SIDES, LABELS, shape.queries, shape.width))
        self.label_biases = nn.Parameter(torch.full((LABELS,), -3.0))

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the vectors of texts.

        Args:
            tokens: ``[texts, tokens, hidden]``, output of the last layer.
            mask: bool ``[texts, tokens]``, False for padding; None = no padding.

        Returns:
            ``[sides, texts, labels, queries · width]``.
        """
        attention = torch.einsum("nth,slqh->nslqt", tokens, self.queries)
        if mask is not None:
            attention = attention.masked_fill(~mask[:, None, None, None], float("-inf"))
        pooled = torch.einsum("nslqt,nth->nslqh", attention.softmax(-1), tokens)
        vectors = torch.einsum("nslqh,slqhw->snlqw", pooled, self.projections) + self.biases[:, None]
        return vectors.flatten(3)
