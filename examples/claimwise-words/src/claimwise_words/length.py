"""Length: how long is a summary?"""

import math
from dataclasses import dataclass

from claimwise.evidence import Evidence
from claimwise.metrics import Metric, MetricSpec, RowScore
from claimwise.metrics.spec import SUMMARIES
from claimwise.options import OptionGroup, option


@dataclass(frozen=True, kw_only=True)
class LengthOptions(OptionGroup):
    """The only option."""

    unit: str = option("words", '`"words"` or `"characters"`', choices=("words", "characters"))


@dataclass(frozen=True, kw_only=True)
class LengthEvidence(Evidence):
    """What was counted."""

    kind = "length"
    counted: tuple[str, ...]


class Length(Metric):
    """The number of words, or of characters, of a summary."""

    Options = LengthOptions
    spec = MetricSpec(
        name="length",
        title="Length",
        family="style",
        question="how long is the summary?",
        bounds=(0, math.inf),
        ends=("empty", "no limit"),
        columns=(SUMMARIES,),
        source="examples/claimwise-words",
        citation="",
    )

    def load(self):
        """Load nothing."""

    def score_rows(self, rows, *, details=False):
        """Return the length of each summary; with ``details`` also what was counted."""
        scores = []
        for row in rows:
            counted = tuple(row.text.split() if self.options.unit == "words" else row.text)
            score = float(len(counted))
            evidence = LengthEvidence(score=score, counted=counted) if details else None
            scores.append(RowScore(score=score, evidence=evidence))
        return scores

    def _signature_parts(self):
        return {"unit": self.options.unit}
