"""The pairs of summaries that ``claimwise demo`` scores, written for this project."""

from __future__ import annotations

from typing import NamedTuple


class DemoPair(NamedTuple):
    """Two summaries and how they relate."""

    title: str
    summary_a: str
    summary_b: str


PAIRS = [
    DemoPair(
        "hotel · the same said twice",
        "The rooms are spotless and the staff are very kind. Breakfast is part of the price. The old "
        "harbour is a five-minute walk away.",
        "Housekeeping keeps the rooms perfectly clean, and the people who work here are truly kind. You pay "
        "nothing extra for breakfast. It takes five minutes on foot to reach the old harbour.",
    ),
    DemoPair(
        "phone · opposite on the same aspects",
        "The battery lasts two full days. The screen is bright and easy to read outdoors. Photos taken at "
        "night are sharp, but the phone is expensive.",
        "The battery is empty before the evening. You cannot read the screen in sunlight. Night photos come "
        "out blurry. At least the phone is cheap.",
    ),
    DemoPair(
        "hotel · different aspects",
        "The rooftop pool looks out over the bay. The bar mixes excellent cocktails.",
        "Check-in took almost an hour. The beds creak, and parking costs extra.",
    ),
    DemoPair(
        "course · every claim negated",
        "The lectures are well organised. The teacher answers questions after class. The homework prepares "
        "you for the exam.",
        "The lectures are not well organised. The teacher does not answer questions after class. The "
        "homework does not prepare you for the exam.",
    ),
    DemoPair(
        "hotel · partly the same",
        "Guests found the rooms spacious and quiet. The staff were friendly, but the breakfast was poor. "
        "There is a gym in the basement.",
        "The rooms are large, but noise from the street keeps you awake. The staff were friendly. The "
        "breakfast was delicious.",
    ),
]
EXPLAINED = PAIRS[-1]
