"""The examples that the pages start with, written for this project."""

from __future__ import annotations

from claimwise.apps.demo import PAIRS
from claimwise.apps.spaces.page import Example

# The pair that is partly the same comes first: it shows every verdict.
CONTRAST_PAIRS = tuple(
    Example(pair.title, pair.summary_a, pair.summary_b) for pair in (PAIRS[-1], *PAIRS[:-1])
)

_GUESTHOUSE_REVIEWS = """\
The garden is lovely and quiet. Our room was spotless. Breakfast was a bit plain, but the coffee was good.
A peaceful garden, and everything was very clean. The owner gave us a map and good tips.
We slept well, it is so quiet there. The owner is helpful and kind. Breakfast was disappointing.
Clean rooms and a helpful owner. There is nowhere to park, so we left the car at the station.
The stairs are steep and there is no lift. The garden is quiet. I loved the breakfast.
"""
_KETTLE_REVIEWS = """\
It boils a litre in under two minutes. The lid is stiff. The handle stays cool.
Very fast! Sadly it is loud, you cannot talk beside it. The handle never gets hot.
Fast and well made, but the noise is a nuisance. Mine is still fine after two years.
The lid is hard to open with wet hands. The water is hot in no time.
It broke after three months. The shop replaced it without any questions.
"""
_MUSEUM_REPORT = """\
The town museum will close for repairs on the first of March. The roof of the old wing has leaked for months.
Two paintings were damaged.
The council pays four hundred thousand euros for the work, which should take eleven months.
A part of the collection will be shown in the library meanwhile.
The director said that no staff will lose their jobs. Admission to the exhibition in the library is free.
"""

OPINION_SUMMARIES = (
    Example(
        "guesthouse · some claims by many, one by nobody",
        "The garden is quiet and the rooms are clean. The owner is helpful. Breakfast is disappointing. "
        "There is plenty of parking.",
        _GUESTHOUSE_REVIEWS,
    ),
    Example(
        "kettle · well supported",
        "The kettle boils water quickly and its handle stays cool. It is loud, and the lid is hard to open.",
        _KETTLE_REVIEWS,
    ),
    Example(
        "kettle · reviewers disagree",
        "The kettle lasts for years. It is very quiet.",
        _KETTLE_REVIEWS,
    ),
    Example(
        "news · two facts are wrong",
        "The town museum closes in March because the roof leaks. The repairs will take two years. All staff "
        "will be dismissed. Part of the collection will be on show in the library.",
        _MUSEUM_REPORT,
    ),
)

COVERAGE = (
    Example(
        "ferry strike · some units are missing, one is contradicted",
        "Ferry crews stopped work on Tuesday. No ferry sails to the islands until the weekend. The company "
        "has accepted their demands.",
        "Ferry crews went on strike on Tuesday. They want higher pay. All crossings to the islands are "
        "cancelled until Saturday.\n"
        "The crews of the ferries are on strike. The company has refused their demands. Nothing sails to the "
        "islands until Saturday.\n"
        "Ferry crews are on strike. They ask for more money. Hundreds of visitors are stuck there.\n",
    ),
    Example(
        "guesthouse · said in other words",
        "The garden is a calm place. Rooms are spotless, and the host likes to help.",
        "The garden is quiet. The rooms are very clean. The owner is helpful.\n"
        "The rooms are clean. The garden is quiet. There is no parking.\n",
    ),
)

OTHER_SUMMARIES = (
    Example(
        "hotel · generic and specific claims",
        "The staff were friendly and the rooms were clean. A steam train stops behind the garden at noon.",
        "The staff were friendly. Breakfast is served in a glasshouse.\n"
        "The rooms were clean and the location is good. The pool is heated by a spring.\n"
        "Friendly staff, comfortable beds and a good location.",
    ),
    Example(
        "film · nothing but generic claims",
        "The acting is great. The story is gripping.",
        "The acting is great, and the score was recorded on a ship.\n"
        "A gripping story. The actors are superb.\n"
        "The story is gripping until the puppets appear.",
    ),
    Example(
        "camera · specific",
        "The shutter button needs two fingers. Its strap smells of oranges.",
        "The pictures are sharp. The battery lasts long.\n"
        "The camera is easy to use, and its pictures are sharp.",
    ),
)

OPPOSING_VIEWS = (
    Example(
        "café · opinions side by side, or one after the other",
        "Most guests praise the cakes, but some find them too sweet. The terrace is sunny, although it gets "
        "crowded at noon. The coffee is roasted in the house.",
        "Guests praise the cakes. Some find them too sweet. The terrace is sunny. It gets crowded at noon. "
        "The coffee is roasted in the house.",
    ),
    Example(
        "course · no opposing views",
        "The course covers statistics from the beginning. Every lesson ends with a quiz.",
        "Students like the quizzes, while others would rather have projects. However, all pass the exam.",
    ),
)

OWN_WORDS = (
    Example(
        "guesthouse · half copied, half in own words",
        "The garden is lovely and quiet. Guests agree that rooms are kept clean, and they warn that cars "
        "must be left elsewhere.",
        _GUESTHOUSE_REVIEWS,
    ),
    Example(
        "kettle · copied",
        "Fast and well made, but the noise is a nuisance. The lid is stiff.",
        _KETTLE_REVIEWS,
    ),
    Example(
        "news · in own words",
        "Rain has got into the gallery for months, so it shuts next spring and lends its pictures to readers "
        "next door.",
        _MUSEUM_REPORT,
    ),
)
