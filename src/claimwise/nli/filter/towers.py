"""The network of the filter: every text is encoded on its own, and a pair costs a product of what came out.

The lower layers are the embedded judge's, as they are; the layers above them and all that follows were
learned from its verdicts. For each side that a text can take (premise, hypothesis) and each label that is not
neutral (entailment, contradiction) some learned queries pool its tokens, each into a vector of its own ("what
it is about", "what is said of it"). A pair's logit of a label, beside 0 for neutral, is a sum of the products
of these vectors and a bias.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from transformers import BertConfig

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


class Towers(nn.Module):
    """Texts in, vectors of both sides out.

    Args:
        config: of the judge, a BERT.
        shape: of the network.
    """

    def __init__(self, config: BertConfig, shape: Shape) -> None:
        from transformers import BertModel

        super().__init__()
        self.shape = shape
        of_encoder = type(config).from_dict(
            {**config.to_dict(), "num_hidden_layers": shape.frozen + shape.learned}
        )
        self.encoder = BertModel(of_encoder, add_pooling_layer=False)
        hidden = config.hidden_size
        self.queries = nn.Parameter(torch.randn(SIDES, LABELS, shape.queries, hidden) / hidden**0.5)
        self.projections = nn.Parameter(
            0.25 * torch.randn(SIDES, LABELS, shape.queries, hidden, shape.width) / hidden**0.5
        )
        self.biases = nn.Parameter(torch.zeros(SIDES, LABELS, shape.queries, shape.width))
        self.label_biases = nn.Parameter(torch.full((LABELS,), -3.0))

    def learned_parameters(self) -> dict[str, nn.Parameter]:
        """Return what was not the judge's, by name."""
        own = tuple(
            f"encoder.encoder.layer.{self.shape.frozen + layer}." for layer in range(self.shape.learned)
        )
        return {
            name: parameter
            for name, parameter in self.named_parameters()
            if not name.startswith("encoder.") or name.startswith(own)
        }

    def pooled(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the vectors of texts.

        Args:
            tokens: ``[texts, tokens, hidden]``, behind the last layer.
            mask: bool ``[texts, tokens]``, which of them are of the text.

        Returns:
            ``[sides, texts, labels, queries · width]``.
        """
        attention = torch.einsum("nth,slqh->nslqt", tokens, self.queries)
        attention = attention.masked_fill(~mask[:, None, None, None], float("-inf")).softmax(-1)
        pooled = torch.einsum("nslqt,nth->nslqh", attention, tokens)
        vectors = torch.einsum("nslqh,slqhw->snlqw", pooled, self.projections) + self.biases[:, None]
        return vectors.flatten(3)

    def forward(self, input_ids: Tensor, mask: Tensor) -> Tensor:
        """Return the vectors ``[sides, texts, labels, queries · width]`` of token ids ``[texts, tokens]``."""
        tokens: Any = self.encoder(input_ids=input_ids, attention_mask=mask.long()).last_hidden_state
        return self.pooled(tokens, mask)
