"""Cost estimates by judge or decomposer, made before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Cost:
    """Cost of one judge or decomposer, used in one way.

    Attributes:
        name: of the judge or decomposer, and how it is asked.
        requests: None if it runs in this process.
        input_tokens: approximate; 0 if it is not billed by tokens.
        output_tokens: likewise.
        pairs: those that are not in the score cache; 0 where requests are counted.
        seconds: approximate time for the pairs on this machine; None if unknown.
        either: the mode in which it may be asked, if the run will choose one of several; else empty.
    """

    name: str
    requests: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    pairs: int = 0
    seconds: float | None = None
    either: str = ""

    def add(self, other: Cost) -> None:
        """Add another cost."""
        if other.requests is not None:
            self.requests = (self.requests or 0) + other.requests
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.pairs += other.pairs

    def money(self, price_in: float, price_out: float) -> float:
        """Return the total price, given the prices of a million input and output tokens."""
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1e6


class Costs(dict[str, Cost]):
    """Costs by the name of the judge or decomposer."""

    def add(self, costs: Iterable[Cost]) -> None:
        """Add the costs of further questions."""
        for cost in costs:
            self.setdefault(cost.name, Cost(cost.name, either=cost.either)).add(cost)


def totals(costs: Iterable[Cost]) -> list[Cost]:
    """Return the sum of costs, one for each mode that the run may choose."""
    costs, sums = list(costs), []
    for mode in dict.fromkeys(cost.either for cost in costs if cost.either) or [""]:
        total = Cost(f"total, asked in {mode}" if mode else "total")
        for cost in costs:
            if cost.either in ("", mode):
                total.add(cost)
        sums.append(total)
    return sums
