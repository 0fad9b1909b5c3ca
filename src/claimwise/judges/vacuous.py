"""Vacuous claims, which almost any text entails ("This hotel provides a stay") and which say nothing.

Ananthamurugan et al., Appendix E, show how such a claim lowers contrast: it agrees with any other summary. A
claim counts as vacuous when many unrelated premises entail it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from claimwise.judges.crossing import cross
from claimwise.judges.protocol import Judge
from claimwise.labels import ENTAILMENT

VacuousClaims = Literal["keep", "drop", "flag"]

# Sentences from reviews of very different things, each about one detail.
UNRELATED_PREMISES = (
    "Breakfast was cold by the time we came down.",
    "Our room looked onto a quiet courtyard.",
    "The lift was out of order for two days.",
    "The receptionist found us an umbrella.",
    "Towels were changed every morning.",
    "The mattress was too soft for my back.",
    "The fish soup tasted of nothing but salt.",
    "Our waiter forgot the bread twice.",
    "The terrace is lovely on a summer evening.",
    "A table by the window cost us nothing extra.",
    "The battery is empty after four hours.",
    "The camera struggles in dim light.",
    "Its screen scratches easily.",
    "The charger gets hot to the touch.",
    "The lecturer explained every step on the board.",
    "Homework was returned after three weeks.",
    "The nurse found a vein at once.",
    "I waited an hour past my appointment.",
    "The queue for the tower reached round the block.",
    "The guide knew every painting by heart.",
    "The last train left ten minutes early.",
    "My suitcase came back with a broken wheel.",
    "The app logs me out whenever I switch screens.",
    "The villain is more interesting than the hero.",
)
THRESHOLD = 0.25
"""A claim is vacuous if at least this share of the unrelated premises entails it."""


def vacuous_shares(judge: Judge, claims: Sequence[str]) -> list[float]:
    """Return for each claim the share of the unrelated premises that entail it, in [0, 1]."""
    (judgements,) = cross(judge, [(UNRELATED_PREMISES, claims)])
    labels = judgements.probabilities.argmax(axis=2)
    return [float(share) for share in (labels == ENTAILMENT).mean(axis=0)]


def find_vacuous(judge: Judge, claims: Sequence[str]) -> set[str]:
    """Return the vacuous claims among ``claims``."""
    distinct = list(dict.fromkeys(claims))
    shares = vacuous_shares(judge, distinct)
    return {claim for claim, share in zip(distinct, shares, strict=True) if share >= THRESHOLD}
