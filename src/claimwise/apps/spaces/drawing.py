"""The pieces of HTML that the pages are made of, from templates that escape every text by default."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from markupsafe import Markup

from claimwise.evidence import Evidence, fragment
from claimwise.evidence.html import environment
from claimwise.metrics.spec import MetricSpec

_TEMPLATES = files("claimwise.apps.spaces") / "templates"
STYLE = (_TEMPLATES / "style.css").read_text(encoding="utf-8")


def shown(value: float | None, form: str) -> str:
    """Return a number in a form such as ``".2f"``; a dash for a row that has none."""
    return "–" if value is None else f"{value:{form}}"


def header(emoji: str, title: str, subtitle: str) -> Markup:
    """Draw the head of a page."""
    return _part("header", emoji, title, subtitle)


def note(text: str) -> Markup:
    """Draw a line of small print."""
    return _part("note", text)


def problem(messages: Sequence[str], heading: str = "This cannot be scored yet.") -> Markup:
    """Draw what is wrong, in sentences; a screen reader reads it out."""
    return _part("problem", messages, heading)


def card(*parts: Markup) -> Markup:
    """Put a frame around parts that belong together."""
    return _part("card", parts)


def sides(*sides: Sequence[Markup]) -> Markup:
    """Put groups of parts side by side, or below each other where there is no room."""
    return _part("sides", sides)


def heading(text: str) -> Markup:
    """Draw the heading of a part."""
    return _part("heading", text)


def paragraph(text: str) -> Markup:
    """Draw a paragraph."""
    return _part("paragraph", text)


def evidence(found: Evidence | Mapping[str, Any], threshold: float | None = None) -> Markup:
    """Draw the evidence of one row, perhaps for another threshold."""
    return Markup(fragment(found, threshold))


def number(label: str, value: str, meaning: str) -> Markup:
    """Draw one large number."""
    return _part("number", label, value, meaning)


def scale(value: float | None, spec: MetricSpec, tone: Literal["contrast", "support"]) -> Markup:
    """Draw where a score lies between the ends of its metric's scale."""
    low, high = spec.bounds
    percent = None if value is None else 100 * min(max((value - low) / (high - low), 0), 1)
    ends = [f"{end:g}".replace("-", "−") for end in spec.bounds]
    return _part("scale", shown(value, ".3g").replace("-", "−"), percent, *ends, spec.ends, tone)


def bars(rows: Iterable[tuple[str, float | None, str]]) -> Markup:
    """Draw one bar per (label, share between 0 and 1, value in words)."""
    return _part(
        "bars", [(label, None if share is None else 100 * share, value) for label, share, value in rows]
    )


def marked_words(text: str, is_marked: Callable[[str], bool], tone: str = "blue") -> Markup:
    """Draw a text with the words (or punctuation marks) that ``is_marked`` chooses marked."""
    return marked_spans(
        text, (m.span() for m in re.finditer(r"\w+|[^\w\s]", text) if is_marked(m.group())), tone
    )


def marked_spans(text: str, spans: Iterable[tuple[int, int]], tone: str = "blue") -> Markup:
    """Draw a text with spans (start, end) marked; they may overlap."""
    return _part("marked", list(_pieces(text, spans)), tone)


def claims(items: Iterable[tuple[str, str, str, str]]) -> Markup:
    """Draw a list of (tone, tag, text, remark), the tones being those of the evidence."""
    return _part("claims", list(items))


def table(head: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> Markup:
    """Draw a table whose numbers are set flush right; None is a row without a score."""
    return _part("table", head, list(rows))


def link(text: str, address: str) -> Markup:
    """Draw a line that leads to another page, in a tab of its own: a Space is shown in a frame."""
    return _part("link", text, address)


def spaces(items: Iterable[tuple[str, str, str, str | None, str]]) -> Markup:
    """Draw a list of (emoji, title, text, address, command); the command where there is no address."""
    return _part("spaces", list(items))


def signature(text: str) -> Markup:
    """Draw the signature of a score."""
    return _part("signature", text)


def _part(name: str, *values: Any) -> Markup:
    drawn: Markup = getattr(_parts(), name)(*values)
    return drawn


@cache
def _parts() -> Any:
    templates = environment(_TEMPLATES)
    templates.filters["shown"] = shown
    return templates.get_template("parts.html.jinja").module


def _pieces(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    position = 0
    for start, end in _merged(spans):
        yield text[position:start], False
        yield text[start:end], True
        position = end
    yield text[position:], False


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
