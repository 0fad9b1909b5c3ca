"""The critic: whether a generated claim is grammatical, and whether it follows from its sentence."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu


class Critic(nn.Module):
    """Predicts whether each generated claim is grammatical, and whether it follows from its sentence.

    Its inputs are the decoder's states and the log-probabilities of the steps of a claim.

    Args:
        size: size of the decoder's states.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.inner = nn.Linear(2 * size + 2, size)
        self.dropout = nn.Dropout(0.3)
        self.outer = nn.Linear(size, 2)

    def forward(self, x: Tensor, likely: Tensor, claim: Tensor, is_step: Tensor) -> Tensor:
        """Return the logits of "ungrammatical" and "unfaithful" ``[sentences, claims, 2]``.

        Args:
            x: states of the decoder ``[sentences, steps, size]``.
            likely: log-probabilities of the steps ``[sentences, steps]``.
            claim: index of the claim of each step ``[sentences, steps]``.
            is_step: False for padding ``[sentences, steps]``.
        """
        claims = int(claim.max()) + 1
        of_claim = (claim[..., None] == torch.arange(claims)) & is_step[..., None]
        weights = of_claim.float()
        mean = torch.einsum("bsc,bsx->bcx", weights, x) / weights.sum(1)[..., None].clamp(min=1)
        steps = torch.arange(claim.shape[1])[None, :, None]
        last = torch.where(of_claim, steps, 0).amax(1)
        at_end = x.gather(1, last[..., None].expand(-1, -1, x.shape[2]))
        likely = likely[..., None]
        total = (likely * weights).sum(1)
        least = torch.where(of_claim, likely, 0.0).amin(1)
        read = torch.cat([mean, at_end, total[..., None], least[..., None]], -1)
        result: Tensor = self.outer(self.dropout(gelu(self.inner(self.dropout(read)))))
        return result

    def faults(self, x: Tensor, likely: Tensor, claim: Tensor, is_step: Tensor) -> list[list[float]]:
        """Return the probability of a fault in each claim of each sentence; see ``forward``."""
        chances = self(x, likely, claim, is_step).sigmoid().amax(-1)
        counts = torch.where(is_step, claim, 0).amax(1) + 1
        return [row[:count] for row, count in zip(chances.tolist(), counts.tolist(), strict=True)]
