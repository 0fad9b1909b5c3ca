"""The front page: two summaries compared by all contrast metrics, and the way to the page of every metric."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.page import Answer, Page, card_of, front_matter, program
from claimwise.metrics import METRICS
from claimwise.metrics.spec import MetricSpec

FAMILIES = {
    "contrast": "Do two summaries contrast?",
    "coverage": "Does the summary say what the references say?",
    "factuality": "Does the source support the summary?",
    "style": "How does the summary put things?",
}


class FrontPage(Page):
    """All contrast metrics on one pair, and a list of all metrics.

    Args:
        spaces_at: the address below which the Spaces of the metrics are; without it the page says how to
            start each on this machine.
    """

    def __init__(self, spaces_at: str | None = None) -> None:
        compared = (name for name, metric in METRICS.items() if metric.spec.family == "contrast")
        super().__init__("caspr", beside={name: {} for name in compared if name != "caspr"})
        self.spaces_at, self.takes_claims = spaces_at, False  # other contrast metrics read texts only

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw each score on its scale."""
        scores = [
            (METRICS[name].spec, found.result.mean, self._address(name))
            for name, found in answer.by_metric.items()
        ]
        signatures = [found.result.signature for found in answer.by_metric.values()]
        return drawing.card(
            drawing.part("scores", scores), drawing.part("fine_print", "Signatures", signatures)
        )

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the Python program that computes all scores again."""
        return program(answer.columns, answer.by_metric)

    def draw_list(self) -> Markup:
        """Draw every metric that is installed, by the question it answers, with the way to its page."""
        families: dict[str, list[MetricSpec]] = {family: [] for family in FAMILIES}
        for metric in METRICS.values():
            families.setdefault(metric.spec.family, []).append(metric.spec)
        groups = [
            (FAMILIES.get(family, family.capitalize()), list(self._entries(specs)))
            for family, specs in families.items()
            if specs
        ]
        return drawing.card(drawing.part("metrics", groups))

    def _entries(self, specs: list[MetricSpec]) -> Iterator[tuple[object, str | None, str]]:
        """Yield card, address and command of each metric; that of another package has no Space here."""
        for spec in specs:
            command = (
                f"python spaces/{spec.name}/app.py" if card_of(spec.name) else f"claimwise score {spec.name}"
            )
            yield front_matter(spec), self._address(spec.name), command

    def _address(self, name: str) -> str | None:
        """Return where the Space of a metric is, if anywhere."""
        return f"{self.spaces_at}/{name}" if self.spaces_at and card_of(name) else None
