"""What several maps are made of: scales, tables of probabilities, claims under their sentences, pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Literal, NamedTuple

from claimwise.maps.style import STYLE


class Mark(NamedTuple):
    """How something is told apart: by a glyph and, for those who see it, a colour."""

    glyph: str
    tone: str


LABEL_MARKS = {
    "entailment": Mark("=", "blue"),
    "neutral": Mark("·", "grey"),
    "contradiction": Mark("≠", "red"),
}


OF_PAGES = "body { margin: 0; } main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem; }"


def legend(marks: Mapping[str, Mark]) -> str:
    """Return what each glyph means."""
    return " &nbsp; ".join(f"<b>{mark.glyph}</b> {name}" for name, mark in marks.items())


def page(title: str, body: str, signatures: Sequence[str] = ()) -> str:
    """Return a whole page around fragments; it needs no network and no script.

    Args:
        title: of the page and its heading, as plain text.
        body: HTML.
        signatures: printed at the foot, as plain text.
    """
    foot = "".join(f'<p class="signature">{escape(line)}</p>' for line in signatures)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{escape(title)}</title>'
        f"<style>{STYLE}{OF_PAGES}</style></head>"
        f'<body class="claimwise"><main><h1>{escape(title)}</h1>\n{body}\n'
        f"<footer>{foot}</footer></main></body></html>\n"
    )


def scale(
    name: str, score: float, top: float, ends: tuple[str, str], kind: Literal["contrast", "support"]
) -> str:
    """Return a score's place between 0 and ``top``, with what the ends mean."""
    place = min(max(100 * score / top, 0), 100)
    shown = f"{score:.1f}" if top == 100 else f"{score:.2f}"
    return (
        f'<div class="scale"><strong class="number">{name} {shown}</strong>'
        f'<div class="track {kind}" role="img" aria-label="{name} {shown} on a scale from 0 to {top:g}">'
        f'<i style="left:{place:.1f}%"></i></div>'
        f'<div class="ends soft"><span>{ends[0]}</span><span>{ends[1]}</span></div></div>'
    )


def probability_table(rows: Mapping[str, Sequence[float]]) -> str:
    """Return one row of bars per direction: the probabilities of entailment, neutral and contradiction."""
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>'
        + "".join(
            f'<td class="bar number {mark.tone}" style="--share:{100 * p:.0f}%">{p:.2f}</td>'
            for p, mark in zip(probabilities, LABEL_MARKS.values(), strict=True)
        )
        + "</tr>"
        for name, probabilities in rows.items()
    )
    head = "".join(f'<th scope="col">{mark.glyph} {label}</th>' for label, mark in LABEL_MARKS.items())
    return f'<div class="scroll"><table><tr><td></td>{head}</tr>{body}</table></div>'


def sentences_and_claims(claims: Sequence[Mapping[str, Any]], drawn: Sequence[str]) -> str:
    """Return drawn claims, those of a sentence that says more than its claim under that sentence."""
    parts = []
    previous = None
    for claim, html in zip(claims, drawn, strict=True):
        text = claim["claim"] if "claim" in claim else claim["hypothesis"]
        if claim["sentence"] not in (previous, text):
            parts.append(f'<p class="sentence">“{escape(claim["sentence"])}”</p>')
        previous = claim["sentence"]
        parts.append(html)
    return "".join(parts)
