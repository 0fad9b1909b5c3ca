"""Evidence as HTML that needs ``STYLE``, but no script and no network; all texts are escaped.

The templates escape by default. Line breaks next to tags are removed, so that indenting a template adds no
white space between words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import Evidence, evidence_of
from claimwise.evidence.marks import (
    CONTRAST_MARKS,
    LABEL_MARKS,
    PREVALENCE_MARKS,
    SUPPORT_MARKS,
    UNIT_MARKS,
    words,
)
from claimwise.evidence.support import SupportEvidence, at_threshold, surroundings
from claimwise.labels import LABELS
from claimwise.scores.support import ENOUGH

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jinja2 import Environment

_TEMPLATES = files("claimwise.evidence") / "templates"

# Okabe and Ito's vermillion, blue, sky blue and grey, lighter on dark pages. All rules are under .claimwise,
# so that a host page (Gradio, Jupyter) keeps its own style. Gradio marks its dark theme with the class dark
# and Jupyter with an attribute; elsewhere the reader's system decides.
STYLE = (_TEMPLATES / "style.css").read_text(encoding="utf-8")

ROWS_SHOWN = 20


def fragment(evidence: Evidence | Mapping[str, Any], threshold: float | None = None) -> str:
    """Draw the evidence of one row by its kind; unknown kinds as lists and tables.

    Args:
        evidence: typed, or one element of ``"<name>_details"``.
        threshold: draw it for another threshold; no model is needed. For support evidence it is the minimum
            score of a sentence that supports a claim; for entailment evidence the minimum score of a
            supported claim (default: entailment is its most probable label).

    Returns:
        One ``<div class="claimwise">``.

    Raises:
        ClaimwiseError: for an invalid threshold, or evidence that cannot be redrawn for another threshold.
    """
    typed = evidence_of(evidence)
    if isinstance(typed, SupportEvidence) and threshold is not None:
        typed = at_threshold(typed, threshold)
    around = surroundings(getattr(typed, "premises", None) or ())
    try:
        return rendered(_template(type(typed)), evidence=typed, surroundings=around, threshold=threshold)
    except RecursionError:
        raise ClaimwiseError("The evidence is nested too deeply to be drawn.") from None


def page(title: str, body: str, signatures: Sequence[str] = ()) -> str:
    """Return a whole page around ``body``, which is HTML; title and signatures are plain text."""
    return rendered("page", title=title, body=body, signatures=signatures, style=STYLE) + "\n"


def example(
    name: str,
    row: int | str,
    evidence: Evidence | Mapping[str, Any] | None,
    score: float | None = None,
    error: str | None = None,
) -> str:
    """Draw the evidence of one row, collapsed under its score.

    Args:
        name: name of the result, for the heading.
        row: index or id of the row.
        evidence: typed, or an element of ``"<name>_details"``; None = the row has no score.
        score: None = the score in the evidence.
        error: why the row has no score.
    """
    row = f"Row {row}" if isinstance(row, int) else row
    if evidence is None:
        return rendered("no_score", name=name, row=row, error=error)
    typed = evidence_of(evidence)
    score = typed.score if score is None else score
    return rendered("example", name=name, row=row, score=score, body=fragment(typed))


class Details(list[dict[str, Any] | None]):
    """The evidence of a result, one dict per row: a list that notebooks show as maps of the first rows.

    A row that could not be scored has None. ``ids`` are shown in place of the indices of rows.
    """

    def __init__(
        self, name: str, rows: Iterable[dict[str, Any] | None] = (), ids: Sequence[str] | None = None
    ) -> None:
        super().__init__(rows)
        self.name, self.ids = name, ids

    def __repr__(self) -> str:
        return f"<evidence of {len(self)} row{'' if len(self) == 1 else 's'} of {self.name}>"

    def _repr_html_(self) -> str:
        rows: Sequence[int | str] = self.ids or range(len(self))
        shown = zip(rows[:ROWS_SHOWN], self, strict=False)
        examples = [example(self.name, row, evidence) for row, evidence in shown]
        return rendered("details", examples=examples, more=len(self) - ROWS_SHOWN, style=STYLE)


def details_by_metric(result: Mapping[str, Any]) -> dict[str, Details]:
    """Return the evidence in a result, by the name of the metric."""
    return {
        key.removesuffix("_details"): value if isinstance(value, Details) else Details(key, value)
        for key, value in result.items()
        if key.endswith("_details") and isinstance(value, list)
    }


# Set here, because drawing knows every kind of evidence.
Evidence._repr_html_ = lambda evidence: f"<style>{STYLE}</style>{fragment(evidence)}"


def _template(kind: type[Evidence]) -> str:
    """Return the template of a kind, or of its nearest base class with a template."""
    bases = (base for base in kind.__mro__ if issubclass(base, Evidence))
    ours = (base for base in bases if base.__module__.startswith("claimwise.evidence."))
    return next(base.kind for base in ours if (_TEMPLATES / f"{base.kind}.html.jinja").is_file())


def rendered(template: str, *folders: Path, **values: Any) -> str:
    """Return a template of this package, or of further folders, filled with values."""
    return _environment(*folders).get_template(f"{template}.html.jinja").render(values)


def environment(*folders: Traversable) -> Environment:
    """Return an environment for the templates of this package and of other folders; see the module."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def source(name: str) -> str:
        path = next(folder / name for folder in (*folders, _TEMPLATES) if (folder / name).is_file())
        text = path.read_text(encoding="utf-8")
        return re.sub(r"(?<=[>}])\n\s*|\n\s*(?=[<{])", "", text.strip())

    jinja = Environment(loader=FunctionLoader(source), autoescape=True, undefined=StrictUndefined)
    jinja.filters |= {
        "count": lambda number, noun: f"{number} {noun}{'' if number == 1 else 's'}",
        "fixed": lambda number, digits=2: f"{number:z.{digits}f}",
        "runs": _runs,
        "within": lambda number, low, high: min(max(number, low), high),
        "words": words,
    }
    jinja.globals |= {
        "CONTRAST_MARKS": CONTRAST_MARKS,
        "ENOUGH": ENOUGH,
        "LABELS": LABELS,
        "LABEL_MARKS": LABEL_MARKS,
        "PREVALENCE_MARKS": PREVALENCE_MARKS,
        "SUPPORT_MARKS": SUPPORT_MARKS,
        "UNIT_MARKS": UNIT_MARKS,
    }
    return jinja


_environment = cache(environment)


def _runs(ngrams: Sequence[str]) -> list[str]:
    """Return n-grams (tokens joined by spaces), with overlapping successive n-grams merged."""
    runs: list[list[str]] = []
    for tokens in (ngram.split(" ") for ngram in ngrams):
        if runs and runs[-1][1 - len(tokens) :] == tokens[:-1]:
            runs[-1].append(tokens[-1])
        else:
            runs.append(tokens)
    return [" ".join(run) for run in runs]
