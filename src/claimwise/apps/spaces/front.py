"""The front page: two summaries compared by all contrast metrics, and links to the pages of all metrics."""

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
    "style": "How is the summary written?",
}


class FrontPage(Page):
    """All contrast metrics on one pair, and a list of all metrics; for ``spaces_at`` see ``build``."""

    def __init__(self, spaces_at: str | None = None) -> None:
        compared = (name for name, metric in METRICS.items() if metric.spec.family == "contrast")
        super().__init__("caspr", beside={name: {} for name in compared if name != "caspr"})
        self.spaces_at, self.takes_claims = spaces_at, False  # other contrast metrics read only texts

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw each score on its scale."""
        scores = [
            (METRICS[name].spec, scored.result.mean, self._address(name))
            for name, scored in answer.by_metric.items()
        ]
        signatures = [scored.result.signature for scored in answer.by_metric.values()]
        return drawing.card(
            drawing.remarks(answer.remarks),
            drawing.part("scores", scores),
            drawing.part("fine_print", "Signatures", signatures),
        )

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return a Python program that reproduces all scores."""
        return program(answer.columns, answer.by_metric)

    def draw_list(self) -> Markup:
        """Draw every installed metric by its question, with a link to its page."""
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
        """Yield card, address and command of each metric; metrics of other packages have no Space here."""
        for spec in specs:
            command = (
                f"python spaces/{spec.name}/app.py" if card_of(spec.name) else f"claimwise score {spec.name}"
            )
            yield front_matter(spec), self._address(spec.name), command

    def _address(self, name: str) -> str | None:
        """Return the address of a metric's Space, if there is one."""
        return f"{self.spaces_at}/{name}" if self.spaces_at and card_of(name) else None
