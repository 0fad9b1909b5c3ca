"""The rows of summarizers: reviews in, summaries out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from claimwise.errors import ClaimwiseError
from claimwise.tables import as_list, find_name
from claimwise.text.inputs import is_list, review_texts
from claimwise.text.normalise import plain
from claimwise.text.sentences import Splitter
from claimwise_summarize.rounds import Answer

REVIEWS = "reviews"
"""The column of the reviews."""
OF_REVIEW = ("rating", "id")
"""What is known of a review besides its text."""


class Line(NamedTuple):
    """An input sentence of a stage, from a review or written by a model (``review`` is None)."""

    text: str
    review: int | None = None
    position: int | None = None
    rating: float | None = None

    @property
    def ended(self) -> str:
        """The sentence with final punctuation, so that it does not run into the next sentence."""
        return self.text if self.text.rstrip("\"'”’)").endswith((".", "!", "?", "…")) else f"{self.text}."

    def as_dict(self) -> dict[str, Any]:
        """Return the sentence in the format of a citation."""
        return {"sentence": self.text, "review": self.review, "position": self.position}


class Review(NamedTuple):
    """A review with its rating and id, if known."""

    text: str
    rating: float | None
    id: str | None


@dataclass(frozen=True)
class Entity:
    """An entity to summarize: its reviews, the number of blank ones left out, and reference summaries."""

    name: str | int
    reviews: tuple[Review, ...]
    blank: int = 0
    references: tuple[str, ...] = ()

    @property
    def texts(self) -> list[str]:
        """The texts of the reviews."""
        return [review.text for review in self.reviews]

    def lines(self, splitter: Splitter) -> list[Line]:
        """Return the sentences of all reviews."""
        return [
            Line(sentence, number, position, review.rating)
            for number, review in enumerate(self.reviews)
            for position, sentence in enumerate(splitter(plain(review.text)))
        ]


@dataclass
class Draft:
    """A summary in progress.

    Attributes:
        text: the summary; None if there is none (yet).
        reason: why there is no summary, or a remark on it.
        levels: all answers of each level of writing, in order.
        extract: the sentences that Q chose.
        truncated: number of truncated inputs and answers.
        fallbacks: number of unusable answers.
        requests: number of requests, including those answered from a cache.
    """

    text: str | None = None
    reason: str | None = None
    levels: list[list[str]] = field(default_factory=list)
    extract: list[Line] | None = None
    truncated: int = 0
    fallbacks: int = 0
    requests: int = 0

    def add(self, other: Draft) -> None:
        """Add the counts of another draft, and its answers level by level."""
        self.truncated += other.truncated
        self.fallbacks += other.fallbacks
        self.requests += other.requests
        for number, answers in enumerate(other.levels):
            self.levels += [[]] * (number + 1 - len(self.levels))
            self.levels[number] = [*self.levels[number], *answers]
        if other.extract is not None:
            self.extract = [*(self.extract or ()), *other.extract]

    def count(self, answers: Sequence[Answer]) -> None:
        """Count answers, and record why any are unusable."""
        self.requests += len(answers)
        self.fallbacks += sum(answer.text is None for answer in answers)
        unusable = dict.fromkeys(answer.unusable for answer in answers if answer.unusable)
        if unusable and self.reason is None:
            self.reason = f"unusable answers: {', '.join(map(str, unusable))}"

    def counts(self, entities: Sequence[Entity]) -> dict[str, Any]:
        """Return the counts in the format of rows."""
        return {
            "truncated": self.truncated,
            "fallbacks": self.fallbacks,
            "blank_reviews": sum(entity.blank for entity in entities),
            "used": {"requests": self.requests},
        }


def read_entity(row: Mapping[str, Any], number: int, column: str = REVIEWS) -> Entity:
    """Return the entity of a row; its ``number`` is for errors, and in place of a missing name.

    Reviews are texts, or objects with ``text`` and optionally ``rating`` and ``id``.

    Raises:
        ClaimwiseError: for a row without any text, or an invalid review.
    """
    cell, name = _cell(row, column), _cell(row, "entity")
    try:
        cell = (as_list(cell) or [cell]) if isinstance(cell, str) else cell
    except ValueError as error:
        raise ClaimwiseError(str(error), "Write the list as JSON.", column=column, row=number) from None
    if cell is not None and not is_list(cell):
        problem = f"expected a list, got {type(cell).__name__}."
        raise ClaimwiseError(problem, "Provide a list of texts or objects.", column=column, row=number)
    reviews: list[Any] = list(cell or ())
    texts = review_texts(reviews, column, number)
    kept = tuple(
        _review(review, text, column, number, index)
        for index, (review, text) in enumerate(zip(reviews, texts, strict=True))
        if text
    )
    if not kept:
        problem = "all reviews are blank." if reviews else "there are no reviews."
        raise ClaimwiseError(problem, "Drop the row or fill in the reviews.", column=column, row=number)
    references = _cell(row, "references") or ()
    references = (references,) if isinstance(references, str) else tuple(references)
    return Entity(number if name is None else name, kept, len(reviews) - len(kept), references)


def _cell(row: Mapping[str, Any], column: str) -> Any:
    return row.get(find_name(row, [column]))


def _review(review: Any, text: str, column: str, row: int, index: int) -> Review:
    fields = review if isinstance(review, Mapping) else {}
    rating, identity = _cell(fields, "rating"), _cell(fields, "id")
    try:
        rating = None if rating is None or rating != rating else float(rating)
    except (TypeError, ValueError):
        problem, remedy = f"the rating “{rating}” is not a number.", "Use a number or null."
        raise ClaimwiseError(problem, remedy, column=column, row=row, review=index) from None
    return Review(text, rating, None if identity is None else str(identity))
