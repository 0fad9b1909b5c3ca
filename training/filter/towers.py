"""The network of the filter as it is trained: the judge's BERT, of transformers, below the pooling."""

from __future__ import annotations

from pooling import Pooling, Shape
from torch import nn
from transformers import BertConfig, BertModel


class Towers(Pooling):
    """Texts in, vectors of both sides out.

    Args:
        config: of the judge, a BERT.
        shape: of the network.
    """

    def __init__(self, config: BertConfig, shape: Shape) -> None:
        super().__init__(config.hidden_size, shape)
        self.shape = shape
        of_encoder = type(config).from_dict(
            {**config.to_dict(), "num_hidden_layers": shape.frozen + shape.learned}
        )
        self.encoder = BertModel(of_encoder, add_pooling_layer=False)

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
