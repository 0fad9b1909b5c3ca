"""The pieces of HTML that the pages are made of; every text that comes from outside is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Literal

# Added to the style of the maps: what only the pages have. Gradio's variables follow its theme.
STYLE = """
.gradio-container { width: 100% !important; max-width: min(68rem, 100%) !important;
  margin: 0 auto !important; }
.gradio-container .html-container { padding: 0 !important; }
@media (max-width: 40rem) { .gradio-container > .main { padding: .75rem !important; } }
.gradio-container :is(a, button, summary, input, textarea, select, [tabindex]):focus-visible {
  outline: 3px solid #0072b2 !important; outline-offset: 2px; }
.dark .gradio-container :is(a, button, summary, input, textarea, select, [tabindex]):focus-visible {
  outline-color: #6cb6ff !important; }
.gradio-container footer .show-api-divider { display: none !important; }
[id^="text-"] label, [id^="text-"] .input-container { display: flex; flex-direction: column; flex: 1; }
[id^="text-"] label { height: 100%; }
[id^="text-"] textarea { flex: 1; }
.gradio-container .claimwise { --page: var(--block-background-fill); --line: var(--border-color-primary);
  background: var(--page); }
.gradio-container .claimwise :is(h2, h3) { font-weight: 600; }
.gradio-container .claimwise.space-card > :first-child,
.gradio-container .claimwise .space-sides > * > :first-child,
.gradio-container .space-card > .claimwise > :first-child { margin-top: 0; }

.gradio-container .claimwise .why table { width: 100%; font-size: .8rem; }
.gradio-container .claimwise .why :is(th, td) { padding: .2rem .35rem; min-width: 0; }
@container (max-width: 40rem) {
  .gradio-container .claimwise .why { padding: 0 .4rem .6rem; }
  .gradio-container .claimwise .why :is(th, td) { padding: .15rem .2rem; font-size: .72rem; }
}

/* What a claim shows when pointed at lies over the matrix: no space has to be kept free for it. */
@container (min-width: 40rem) {
  .gradio-container .claimwise .sides { padding-bottom: 0; }
  .gradio-container .claimwise .sides > .hint { position: static; grid-column: 1 / -1; height: auto;
    padding: .4rem 0; border: 0; }
  .gradio-container .claimwise .sides .claim:not([open]):is(:hover, :focus-within) .why {
    inset: 100% 0 auto 0; height: auto; max-height: 20rem;
    box-shadow: 0 .4rem 1.2rem rgb(0 0 0 / .25); }
}

.gradio-container .space-head, .gradio-container .space-note { background: none; }
.space-head { display: flex; gap: 1rem; align-items: center; padding: .5rem 0; }
.space-head .emoji { font-size: 2.4rem; line-height: 1; }
.claimwise.space-head h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; font-weight: 700; }
.claimwise.space-head p { margin: .2rem 0 0; color: var(--soft); font-size: 1.05rem; }
.claimwise.space-note { color: var(--soft); font-size: .85rem; margin: 0; }
.claimwise.space-problem { border: 1px solid var(--line); border-left: .35rem solid var(--red);
  border-radius: .4rem; padding: .75rem 1rem; max-height: 16rem; overflow: auto; }
.claimwise.space-problem b { display: block; }
.claimwise.space-problem ul { margin: .4rem 0 0; padding-left: 1.2rem; list-style: disc; }
.claimwise.space-card { border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.2rem; }
.claimwise.space-card + .space-card { margin-top: 1rem; }
.space-number { display: flex; align-items: baseline; gap: .6rem; flex-wrap: wrap; }
.space-number strong { font-size: 2rem; line-height: 1.1; font-variant-numeric: tabular-nums; }
.space-number span { color: var(--soft); }
.space-bars { display: grid; grid-template-columns: minmax(0, max-content) minmax(3rem, 1fr) max-content;
  gap: .35rem .75rem; align-items: center; margin: .5rem 0; }
.space-bars .bar { height: .7rem; border-radius: .35rem; background: var(--line); overflow: hidden; }
.space-bars .bar i { display: block; height: 100%; background: var(--blue); min-width: 2px; }
.space-bars .value { font-variant-numeric: tabular-nums; text-align: right; }
.space-text { max-height: 18rem; overflow: auto; margin: .3rem 0; line-height: 1.75; white-space: pre-wrap; }
.space-sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr));
  gap: 1rem 1.25rem; }
.claimwise * + .space-sides { margin-top: 1rem; }
.claimwise ul.space-claims { max-height: 28rem; overflow: auto; padding: 2px; }
.claimwise .space-claims .claim { padding: .4rem .75rem; }
.claimwise .space-claims .tag::after { content: none; }
.claimwise .space-table { width: 100%; }
.claimwise .space-table :is(th, td):first-child { width: 3rem; }
.claimwise .space-table th:last-child { text-align: right; }
.claimwise p.space-signature { color: var(--soft); font-size: .75rem; margin: 1rem 0 0;
  font-family: var(--font-mono); }
"""


def header(emoji: str, title: str, subtitle: str) -> str:
    """Draw the head of a page."""
    return (
        f'<header class="claimwise space-head"><span class="emoji" aria-hidden="true">{escape(emoji)}</span>'
        f"<div><h1>{escape(title)}</h1><p>{escape(subtitle)}</p></div></header>"
    )


def note(text: str) -> str:
    """Draw a line of small print."""
    return f'<p class="claimwise space-note">{escape(text)}</p>'


def problem(messages: Sequence[str], heading: str = "This cannot be scored yet.") -> str:
    """Draw what is wrong, in sentences; a screen reader reads it out."""
    if len(messages) == 1:
        text = escape(messages[0])
    else:
        text = "<ul>" + "".join(f"<li>{escape(message)}</li>" for message in messages) + "</ul>"
    return f'<div class="claimwise space-problem" role="alert"><b>{escape(heading)}</b>{text}</div>'


def card(*parts: str) -> str:
    """Put a frame around parts that belong together."""
    return f'<section class="claimwise space-card">{"".join(parts)}</section>'


def heading(text: str) -> str:
    """Draw the heading of a part."""
    return f"<h3>{escape(text)}</h3>"


def paragraph(text: str) -> str:
    """Draw a paragraph."""
    return f"<p>{escape(text)}</p>"


def number(label: str, value: str, meaning: str) -> str:
    """Draw one large number."""
    return (
        f'<div class="space-number"><span>{escape(label)}</span> <strong>{escape(value)}</strong> '
        f"<span>{escape(meaning)}</span></div>"
    )


def scale(
    value: float, low: float, high: float, ends: tuple[str, str], kind: Literal["contrast", "support"]
) -> str:
    """Draw where a value lies between two named ends."""
    percent = 100 * min(max((value - low) / (high - low), 0), 1)
    return (
        f'<div class="scale"><div class="track {kind}" role="img" '
        f'aria-label="{value:.3g} on a scale from {low:g} to {high:g}">'
        f'<i style="left:{percent:.1f}%"></i></div>'
        f'<div class="ends soft"><span>{low:g}'.replace("-", "−")
        + f" · {escape(ends[0])}</span>"
        f"<span>{high:g} · {escape(ends[1])}</span></div></div>"
    )


def bars(rows: Iterable[tuple[str, float, str]]) -> str:
    """Draw one bar per (label, share between 0 and 1, value in words)."""
    return (
        '<div class="space-bars">'
        + "".join(
            f'<span>{escape(label)}</span><span class="bar"><i style="width:{100 * share:.1f}%"></i></span>'
            f'<span class="value">{escape(value)}</span>'
            for label, share, value in rows
        )
        + "</div>"
    )


def marked_words(text: str, is_marked: Callable[[str], bool], tone: str = "blue") -> str:
    """Draw a text with the words (or punctuation marks) that ``is_marked`` chooses marked."""
    return marked_spans(
        text, (m.span() for m in re.finditer(r"\w+|[^\w\s]", text) if is_marked(m.group())), tone
    )


def marked_spans(text: str, spans: Iterable[tuple[int, int]], tone: str = "blue") -> str:
    """Draw a text with spans (start, end) marked; they may overlap."""
    pieces, position = [], 0
    for start, end in _merged(spans):
        pieces += [escape(text[position:start]), f'<mark class="{tone}">{escape(text[start:end])}</mark>']
        position = end
    return f'<div class="space-text" tabindex="0">{"".join(pieces)}{escape(text[position:])}</div>'


def claims(items: Iterable[tuple[str, str, str, str]]) -> str:
    """Draw a list of (tone, tag, text, remark), the tones being those of the maps."""
    return (
        '<ul class="space-claims" tabindex="0">'
        + "".join(
            f'<li class="claim {tone}"><span class="tag"><b>{escape(tag)}</b></span>{escape(text)}'
            + (f'<span class="tag">{escape(remark)}</span>' if remark else "")
            + "</li>"
            for tone, tag, text, remark in items
        )
        + "</ul>"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Draw a table whose numbers are set flush right."""

    def cell(value: str | float) -> str:
        if isinstance(value, str):
            return f"<td>{escape(value)}</td>"
        return f'<td class="number">{value:.4g}</td>'

    return (
        '<div class="scroll" tabindex="0"><table class="space-table"><thead><tr>'
        + "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
        + "</tr></thead><tbody>"
        + "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
        + "</tbody></table></div>"
    )


def sides(*parts: str) -> str:
    """Put parts side by side, or below each other where there is no room."""
    return f'<div class="space-sides">{"".join(f"<div>{part}</div>" for part in parts)}</div>'


def signature(text: str) -> str:
    """Draw the signature of a score."""
    return f'<p class="space-signature">{escape(text)}</p>'


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
