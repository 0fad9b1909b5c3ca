"""The one family of errors and warnings that claimwise raises.

Every message says which row, what was wrong, and what to do.
"""

from __future__ import annotations


class ClaimwiseError(ValueError):
    """Bad input or a request that cannot be met: the message names the row and the remedy."""


class ClaimwiseWarning(UserWarning):
    """Something was worked around (and counted in the result) instead of failing."""
