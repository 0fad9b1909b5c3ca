"""What questions would cost, said by whom they would be put to, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Cost:
    """What asking one judge or decomposer, in one way, takes.

    Attributes:
        of: whom, and how it is asked.
        requests: to it; None where there are none, for it is in this process.
        input_tokens: about; 0 where it does not count them.
        output_tokens: about.
        pairs: that are not in the score cache; 0 where requests are counted.
        seconds: that the pairs take about on this machine; None where that is not known.
    """

    of: str
    requests: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    pairs: int = 0
    seconds: float | None = None

    def money(self, price_in: float, price_out: float) -> float:
        """Return the price, given that of a million input and output tokens."""
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1e6


class Costs(dict[str, Cost]):
    """Costs, by whose they are."""

    def add(self, costs: Iterable[Cost]) -> None:
        """Add costs of further questions."""
        for cost in costs:
            total = self.setdefault(cost.of, Cost(cost.of))
            if cost.requests is not None:
                total.requests = (total.requests or 0) + cost.requests
            total.input_tokens += cost.input_tokens
            total.output_tokens += cost.output_tokens
            total.pairs += cost.pairs
