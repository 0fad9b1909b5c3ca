"""The head of the filter: every text is encoded on its own, and a pair costs a product of what came out.

The lower layers are the embedded judge's, as they are; the layers above them and all that follows were
learned from its verdicts. For each side that a text can take (premise, hypothesis) and each label that is not
neutral (entailment, contradiction) some learned queries pool its tokens, each into a vector of its own ("what
it is about", "what is said of it"). A pair's logit of a label, beside 0 for neutral, is a sum of the products
of these vectors and a bias.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

SIDES = 2
"""Premise and hypothesis."""
LABELS = 2
"""Entailment and contradiction: neutral is what they are measured against."""


class Shape(NamedTuple):
    """What the network is made of.

    Attributes:
        frozen: how many of the judge's layers it begins with.
        learned: how many layers of its own follow.
        queries: that pool a text, for each side and label.
        width: of what each of them gives.
    """

    frozen: int
    learned: int
    queries: int
    width: int


class Pooling(nn.Module):
    """Tokens behind the last layer in, vectors of both sides out.

    Args:
        hidden: width of a token.
        shape: of the network.
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
            tokens: ``[texts, tokens, hidden]``, behind the last layer.
            mask: bool ``[texts, tokens]``, which of them are of the text; None = all.

        Returns:
            ``[sides, texts, labels, queries · width]``.
        """
        attention = torch.einsum("nth,slqh->nslqt", tokens, self.queries)
        if mask is not None:
            attention = attention.masked_fill(~mask[:, None, None, None], float("-inf"))
        pooled = torch.einsum("nslqt,nth->nslqh", attention.softmax(-1), tokens)
        vectors = torch.einsum("nslqh,slqhw->snlqw", pooled, self.projections) + self.biases[:, None]
        return vectors.flatten(3)
