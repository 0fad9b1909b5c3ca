"""Distinctiveness Score: the share of tokens that two (or three) summaries do not have in common.

Iso et al. 2022 define it over A∖B, B∖A and the common summary A∩B; the CASPR paper (Section 2.1.1) drops the
common summary. Token bags are multisets: intersections by minima, unions by maxima.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from claimwise.errors import ClaimwiseError


def distinctiveness_score(
    tokens_a: Iterable[str], tokens_b: Iterable[str], tokens_common: Iterable[str] | None = None
) -> float:
    """Compute the Distinctiveness Score from the tokens of the summaries.

    Args:
        tokens_a: tokens of A∖B.
        tokens_b: tokens of B∖A.
        tokens_common: tokens of A∩B, for the original three-summary form.

    Returns:
        In [0, 100]; 0 = the same bag of tokens, 100 = no token in common.

    Raises:
        ClaimwiseError: if there is no token at all.
    """
    a, b = Counter(tokens_a), Counter(tokens_b)
    if tokens_common is None:
        shared, union = (a & b).total(), (a | b).total()
    else:
        common = Counter(tokens_common)
        pairwise = (a & b).total() + (a & common).total() + (b & common).total()
        shared = pairwise - 2 * (a & b & common).total()
        union = (a | b | common).total()
    if not union:
        raise ClaimwiseError(
            "No tokens: the Distinctiveness Score needs at least one.", "Check the tokenizer."
        )
    return 100 * (union - shared) / union
