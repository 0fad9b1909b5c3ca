"""What the pages ask for: text boxes by what a metric reads, and the examples that fill them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from claimwise.apps.demo import PAIRS
from claimwise.errors import ClaimwiseError
from claimwise.metrics.base import CorpusMetric, Metric

SUMMARY_CHARACTERS, SOURCE_CHARACTERS = 5_000, 20_000


@dataclass(frozen=True)
class Box:
    """A text box.

    Attributes:
        label: above the box, and its name in messages.
        hint: what to write, in the empty box.
        column: of the metric that it fills.
        by_line: whether every line is a text of its own.
        required: False = it may stay empty.
    """

    label: str
    hint: str
    column: str = "predictions"
    by_line: bool = False
    required: bool = True

    @property
    def characters(self) -> int:
        """The longest text it takes."""
        return SOURCE_CHARACTERS if self.by_line else SUMMARY_CHARACTERS


@dataclass(frozen=True)
class Example:
    """What fills the text boxes, and a title for it."""

    title: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Inputs:
    """The text boxes of a page and its examples, of which the first is scored when the page opens."""

    boxes: tuple[Box, ...]
    examples: tuple[Example, ...]


def inputs_of(metric: type[Metric]) -> Inputs:
    """Return what the page of a metric asks for, by the columns that the metric needs.

    Raises:
        ClaimwiseError: for a metric that needs more than summaries and one column beside them.
    """
    needed = [column.holds for column in metric.spec.columns if column.required]
    if needed == ["texts"]:  # the second box holds further rows
        summary, others = OTHERS.boxes
        return replace(OTHERS, boxes=(summary, replace(others, required=issubclass(metric, CorpusMetric))))
    known = {"texts": PAIR, "sources": SOURCE, "references": REFERENCES}
    if len(needed) != 2 or needed[1] not in known:
        raise ClaimwiseError(
            f"{metric.name} has no page: it needs more than summaries and one column beside them.",
            f"Use claimwise score {metric.name}.",
        )
    return known[needed[1]]


_SUMMARY = Box("Summary", "For example “The rooms are quiet. The staff were kind.”")

_GUESTHOUSE = """\
The garden is lovely and quiet. Our room was spotless. Breakfast was a bit plain, but the coffee was good.
A peaceful garden, and everything was very clean. The owner gave us a map and good tips.
We slept well, it is so quiet there. The owner is helpful and kind. Breakfast was disappointing.
Clean rooms and a helpful owner. There is nowhere to park, so we left the car at the station.
The stairs are steep and there is no lift. The garden is quiet. I loved the breakfast.
"""
_KETTLE = """\
It boils a litre in under two minutes. The lid is stiff. The handle stays cool.
Very fast! Sadly it is loud, you cannot talk beside it. The handle never gets hot.
Fast and well made, but the noise is a nuisance. Mine is still fine after two years.
The lid is hard to open with wet hands. The water is hot in no time.
It broke after three months. The shop replaced it without any questions.
"""
_MUSEUM = """\
The town museum will close for repairs on the first of March. The roof of the old wing has leaked for months.
Two paintings were damaged.
The council pays four hundred thousand euros for the work, which should take eleven months.
A part of the collection will be shown in the library meanwhile.
The director said that no staff will lose their jobs. Admission to the exhibition in the library is free.
"""

PAIR = Inputs(
    (
        Box("Summary A", "What is said of A: for example “The rooms are quiet. The staff were kind.”"),
        Box("Summary B", "What is said of B: for example “The rooms are noisy.”", "references"),
    ),
    # The pair that is partly the same comes first: it shows every verdict.
    tuple(Example(p.title, (p.summary_a, p.summary_b)) for p in (PAIRS[-1], *PAIRS[:-1])),
)
SOURCE = Inputs(
    (
        _SUMMARY,
        Box("Source", "What it was made of: one review, or one paragraph, per line", "references", True),
    ),
    (
        Example(
            "guesthouse · some claims by many, one by nobody",
            (
                "The garden is quiet and the rooms are clean. The owner is helpful. Breakfast is "
                "disappointing. There is plenty of parking.",
                _GUESTHOUSE,
            ),
        ),
        Example(
            "kettle · well supported",
            (
                "The kettle boils water quickly and its handle stays cool. It is loud, and the lid is hard "
                "to open.",
                _KETTLE,
            ),
        ),
        Example("kettle · reviewers disagree", ("The kettle lasts for years. It is very quiet.", _KETTLE)),
        Example(
            "kettle · copied",
            ("Fast and well made, but the noise is a nuisance. The lid is stiff.", _KETTLE),
        ),
        Example(
            "news · two facts are wrong",
            (
                "The town museum closes in March because the roof leaks. The repairs will take two years. "
                "All staff will be dismissed. Part of the collection will be on show in the library.",
                _MUSEUM,
            ),
        ),
    ),
)
REFERENCES = Inputs(
    (
        _SUMMARY,
        Box("References", "What it should say: one reference summary per line", "references", True),
    ),
    (
        Example(
            "ferry strike · some units are missing, one is contradicted",
            (
                "Ferry crews stopped work on Tuesday. No ferry sails to the islands until the weekend. The "
                "company has accepted their demands.",
                "Ferry crews went on strike on Tuesday. They want higher pay. All crossings to the islands "
                "are cancelled until Saturday.\n"
                "The crews of the ferries are on strike. The company has refused their demands. Nothing "
                "sails to the islands until Saturday.\n"
                "Ferry crews are on strike. They ask for more money. Hundreds of visitors are stuck "
                "there.\n",
            ),
        ),
        Example(
            "guesthouse · said in other words",
            (
                "The garden is a calm place. Rooms are spotless, and the host likes to help.",
                "The garden is quiet. The rooms are very clean. The owner is helpful.\n"
                "The rooms are clean. The garden is quiet. There is no parking.\n",
            ),
        ),
    ),
)
OTHERS = Inputs(
    (
        _SUMMARY,
        Box(
            "Other summaries",
            "What the same system writes of other hotels, films …: one summary per line",
            by_line=True,
        ),
    ),
    (
        Example(
            "hotel · generic and specific claims",
            (
                "The staff were friendly, but the rooms are dark. A steam train stops behind the garden.",
                "The staff were friendly. Breakfast is served in a glasshouse.\n"
                "The rooms were clean and the location is good, although the pool is heated by a spring.\n"
                "Friendly staff, comfortable beds and a good location.",
            ),
        ),
        Example(
            "film · nothing but generic claims",
            (
                "The acting is great. The story is gripping.",
                "The acting is great, and the score was recorded on a ship.\n"
                "A gripping story. The actors are superb.\n"
                "The story is gripping until the puppets appear.",
            ),
        ),
        Example(
            "café · opinions side by side, or one after the other",
            (
                "Most guests praise the cakes, but some find them too sweet. The terrace is sunny, although "
                "it gets crowded at noon. The coffee is roasted in the house.",
                "Guests praise the cakes. Some find them too sweet. The terrace is sunny. It gets crowded "
                "at noon. The coffee is roasted in the house.",
            ),
        ),
    ),
)
