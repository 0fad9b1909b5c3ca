"""The front page: two summaries compared by all contrast metrics, and the way to the page of every metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from markupsafe import Markup

from claimwise.apps.spaces import drawing
from claimwise.apps.spaces.contrast import SHORT_NAMES, SUMMARIES, why_they_differ
from claimwise.apps.spaces.examples import CONTRAST_PAIRS
from claimwise.apps.spaces.models import load_metric
from claimwise.apps.spaces.page import Answer, Columns, Options, Page
from claimwise.apps.spaces.snippet import python_calls
from claimwise.evidence import ContrastEvidence, evidence_of
from claimwise.metrics import METRICS
from claimwise.metrics.spec import MetricSpec

FAMILIES = {
    "contrast": "Do two summaries contrast?",
    "factuality": "Does the source support the summary?",
    "style": "How does the summary put things?",
}


class FrontPage(Page):
    """All contrast metrics on one pair, CASPR with its evidence, and a list of all metrics."""

    name = "caspr"
    fields = SUMMARIES
    examples = CONTRAST_PAIRS

    def __init__(self, pages: Mapping[str, type[Page]], spaces_at: str | None = None) -> None:
        """Make the page.

        Args:
            pages: of the metrics, by name.
            spaces_at: the address below which the Spaces of the metrics are; without it the page says how
                to start each on this machine.
        """
        self.pages, self.spaces_at = pages, spaces_at

    @property
    def compared(self) -> tuple[str, ...]:
        """The metrics that compare two summaries, CASPR first."""
        names = (name for name, page in self.pages.items() if page.fields == SUMMARIES)
        contrast = [name for name in names if METRICS[name].spec.family == "contrast"]
        return tuple(sorted(contrast, key=lambda name: name != self.name))

    def answer(self, columns: Columns, options: Options) -> Answer:
        """Score by all contrast metrics."""
        answer = super().answer(columns, options)
        others = {name: load_metric(name, {}) for name in self.compared if name != self.name}
        results = {
            name: other.aggregate(other.score_rows(other.rows(columns))) for name, other in others.items()
        }
        return replace(answer, beside={self.name: answer.result, **results})

    def draw(self, answer: Answer, threshold: float | None = None) -> Markup:
        """Draw each score on its scale, and why they differ."""
        means = {name: result.mean for name, result in answer.beside.items()}
        evidence = evidence_of(answer.evidence[0], ContrastEvidence)
        return drawing.card(
            drawing.sides(*(self._score(METRICS[name].spec, mean) for name, mean in means.items())),
            drawing.paragraph(why_they_differ(means[self.name], means, evidence)),
            *(drawing.signature(result.signature) for result in answer.beside.values()),
        )

    def python(self, answer: Answer, threshold: float | None = None) -> str:
        """Return the Python program that computes all scores again."""
        found = {name: (result.mean, result.signature) for name, result in answer.beside.items()}
        return python_calls(answer.columns, found)

    def draw_list(self) -> Markup:
        """Draw every metric that is installed, by the question it answers, with the way to its page."""
        families: dict[str, list[MetricSpec]] = {family: [] for family in FAMILIES}
        for metric in METRICS.values():
            families.setdefault(metric.spec.family, []).append(metric.spec)
        return drawing.card(
            *(
                part
                for family, specs in families.items()
                if specs
                for part in (
                    drawing.heading(FAMILIES.get(family, family.capitalize())),
                    drawing.spaces(self._entries(specs)),
                )
            )
        )

    def _score(self, spec: MetricSpec, mean: float | None) -> tuple[Markup, ...]:
        address = self._address(spec.name)
        link = () if address is None else (drawing.link("Its page shows why →", address),)
        return (
            drawing.number(
                SHORT_NAMES.get(spec.name, spec.title), drawing.shown(mean, ".1f"), f"of {spec.bounds[1]:g}"
            ),
            drawing.scale(mean, spec, "contrast"),
            drawing.paragraph(_sentence(spec.question)),
            *link,
        )

    def _entries(self, specs: list[MetricSpec]) -> Iterator[tuple[str, str, str, str | None, str]]:
        """Yield emoji, title, what it measures, address and command of each metric."""
        for spec in specs:
            if spec.name in self.pages:
                card = self.pages[spec.name]().front_matter
                emoji, said = card["emoji"], card["short_description"]
                command = f"python spaces/{spec.name}/app.py"
            else:  # of another package, which has no Space here
                emoji, said, command = "🧩", spec.question, f"claimwise score {spec.name}"
            yield emoji, spec.title, _sentence(said), self._address(spec.name), command

    def _address(self, name: str) -> str | None:
        """Return where the Space of a metric is, if anywhere."""
        return f"{self.spaces_at}/{name}" if self.spaces_at and name in self.pages else None


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith(('?', '.', ')')) else '.'}"
