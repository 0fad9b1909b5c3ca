"""Cost estimates by judge or decomposer, made before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Cost:
    """Cost of one judge or decomposer, used in one way.

    Attributes:
        of: name of the judge or decomposer, and how it is asked.
        requests: number of requests; None if it runs in this process.
        input_tokens: approximate number; 0 if it is not billed by tokens.
        output_tokens: approximate number.
        pairs: number of pairs that are not in the score cache; 0 where requests are counted.
        seconds: approximate time for the pairs on this machine; None if unknown.
    """

    of: str
    requests: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    pairs: int = 0
    seconds: float | None = None

    def money(self, price_in: float, price_out: float) -> float:
        """Return the total price, given the prices of a million input and output tokens."""
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1e6


class Costs(dict[str, Cost]):
    """Costs by the name of the judge or decomposer."""

    def add(self, costs: Iterable[Cost]) -> None:
        """Add the costs of further questions."""
        for cost in costs:
            total = self.setdefault(cost.of, Cost(cost.of))
            if cost.requests is not None:
                total.requests = (total.requests or 0) + cost.requests
            total.input_tokens += cost.input_tokens
            total.output_tokens += cost.output_tokens
            total.pairs += cost.pairs
