"""Vacuous claims: those that anything entails ("This hotel provides a stay") and that so say nothing.

Ananthamurugan et al., Appendix E, show how such a claim drags contrast down: it agrees with whatever the
other summary says. A claim counts as vacuous when many premises unrelated to it entail it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from claimwise.labels import ENTAILMENT
from claimwise.nli.crossing import cross
from claimwise.nli.protocol import Judge

VacuousClaims = Literal["keep", "drop", "flag"]

# What reviews of very different things say, each about one particular.
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
"""Share of the unrelated premises that must entail a vacuous claim."""


def vacuous_shares(judge: Judge, claims: Sequence[str]) -> list[float]:
    """Return for each claim the share of the unrelated premises that entail it, in [0, 1]."""
    (judgements,) = cross(judge, [(UNRELATED_PREMISES, claims)])
    labels = judgements.probabilities.argmax(axis=2)
    return [float(share) for share in (labels == ENTAILMENT).mean(axis=0)]


def find_vacuous(judge: Judge, claims: Sequence[str]) -> set[str]:
    """Return those of ``claims`` that are vacuous."""
    distinct = list(dict.fromkeys(claims))
    shares = vacuous_shares(judge, distinct)
    return {claim for claim, share in zip(distinct, shares, strict=True) if share >= THRESHOLD}
