"""Checking options, and naming them as the user typed them."""

from __future__ import annotations

import math

from claimwise.errors import ClaimwiseError


class OptionNames(dict[str, str]):
    """What the user calls an option: of a metric, a decomposer's ``model=`` is ``decomposer_model=``.

    An option that is not listed goes by its own name.
    """

    def __missing__(self, option: str) -> str:
        return option

    def number(self, option: str, value: float, low: float, high: float) -> float:
        """Return ``value``, if it is a number from ``low`` to ``high``.

        Raises:
            ClaimwiseError: if it is not.
        """
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not low <= value <= high:
            raise self.error(option, f"must be a number from {low:g} to {high:g}; got {value!r}.")
        return float(value)

    def whole_number(self, option: str, value: int, low: int) -> int:
        """Return ``value``, if it is a whole number of at least ``low``.

        Raises:
            ClaimwiseError: if it is not.
        """
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            raise self.error(option, f"must be a whole number of at least {low}; got {value!r}.")
        return value

    def error(self, option: str, problem: str, remedy: str = "") -> ClaimwiseError:
        """Return an error of which ``problem`` is the rest of a sentence that begins with the option."""
        return ClaimwiseError(f"{self[option]} {problem}", remedy, option=self[option])
