"""The pages of the metrics that ask whether a summary says what reference summaries say."""

from __future__ import annotations

from typing import ClassVar

from markupsafe import Markup

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.examples import COVERAGE
from claimwise.apps.spaces.page import (
    DECOMPOSER,
    NLI_MODEL,
    SOURCE_CHARACTERS,
    Answer,
    Choice,
    Columns,
    Field,
    Page,
    reviews,
)


class CoveragePage(Page):
    """A summary and its references."""

    fields = (
        Field("Summary", "The summary to check, for example “The rooms are quiet.”", "predictions"),
        Field(
            "References",
            "What it should say: one reference summary per line",
            "references",
            SOURCE_CHARACTERS,
        ),
    )
    examples = COVERAGE
    choices: ClassVar[tuple[Choice, ...]] = (NLI_MODEL, DECOMPOSER)
    heading: ClassVar[str]

    def columns(self, *texts: str) -> Columns:
        """Return the summary, and the lines of the references."""
        summary, references = texts
        return {"predictions": [summary], "references": [reviews(references)]}

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw what the score was made of."""
        return drawing.card(
            drawing.heading(self.heading),
            drawing.evidence(answer.evidence[0]),
            drawing.signature(answer.result.signature),
        )


class PyramidPage(CoveragePage):
    """Pyramid: which units are found and missing."""

    name = "pyramid"
    heading = "What the references say, and whether the summary says it as well"
    choices = (
        *CoveragePage.choices,
        Choice(
            "normalization",
            "Score",
            (("share of all units", "all"), ("share of what as many units can reach", "attainable")),
        ),
    )


class SsasPage(CoveragePage):
    """SSAS: what each feature adds."""

    name = "ssas"
    heading = "What the summary and its references entail, contradict and share"
