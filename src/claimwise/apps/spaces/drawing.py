"""The HTML parts of the pages, from templates that escape every text by default."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from claimwise.evidence import Evidence, fragment
from claimwise.evidence.html import environment

_TEMPLATES = files("claimwise.apps.spaces") / "templates"
STYLE = (_TEMPLATES / "style.css").read_text(encoding="utf-8")


def shown(value: float | None, form: str) -> str:
    """Return a number in a format such as ``".2f"``; a dash for None."""
    return "–" if value is None else f"{value:{form}}"


def sentence(text: str) -> str:
    """Return a phrase as a sentence."""
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith(('?', '.', ')')) else '.'}"


def part(name: str, *values: Any) -> Markup:
    """Draw a part of a page: a macro of ``pages.html.jinja``, such as ``"paragraph"``, with its values."""
    drawn: Markup = getattr(_parts(), name)(*values)
    return drawn


def card(*parts: Markup) -> Markup:
    """Put a frame around parts."""
    return part("card", parts)


def remarks(texts: Iterable[str]) -> Markup:
    """Draw remarks on the visitor's texts, which screen readers announce."""
    return Markup("").join(part("problem", [text], "Unreliable:") for text in texts)


def evidence(row_evidence: Evidence, threshold: float | None = None) -> Markup:
    """Draw the evidence of a row, optionally for another threshold."""
    return Markup(fragment(row_evidence, threshold))


@cache
def _parts() -> Any:
    templates = environment(_TEMPLATES)
    templates.filters |= {"sentence": sentence, "shown": shown}
    return templates.get_template("pages.html.jinja").module
