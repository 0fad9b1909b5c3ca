"""Contrast maps: the evidence behind a CASPR score, as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

GLYPHS = {"contradicts": "≠", "agrees": "=", "stands alone": "○"}
LABEL_GLYPHS = {"contradiction": "≠", "neutral": "·", "entailment": "="}

# Okabe and Ito's vermillion, blue and grey: told apart with every common colour vision.
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --page: #ffffff; --panel: #f6f8fa;
  --line: #d0d7de; --contradicts: #d55e00; --agrees: #0072b2; --alone: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --page: #0d1117;
  --panel: #161b22; --line: #30363d; --contradicts: #ff9a56; --agrees: #6cb6ff; --alone: #9aa4af; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 64rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
.scale { position: relative; height: .6rem; margin: 1.6rem 0 .3rem; border-radius: .3rem;
  background: linear-gradient(90deg, var(--agrees), var(--line), var(--contradicts)); }
.scale b { position: absolute; top: -1.5rem; transform: translateX(-50%); }
.scale i { position: absolute; top: -.2rem; width: .25rem; height: 1rem; background: var(--ink);
  transform: translateX(-50%); }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: .85rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 1rem; }
.claim { border-left: .3rem solid var(--alone); background: var(--panel); border-radius: .25rem;
  padding: .5rem .75rem; margin: 0 0 .5rem; max-height: 18rem; overflow: auto; }
.claim.contradicts { border-color: var(--contradicts); } .claim.agrees { border-color: var(--agrees); }
.tag { font-size: .8rem; color: var(--soft); white-space: nowrap; } .tag b { color: var(--ink); }
summary { cursor: pointer; } .why { margin: .4rem 0 0; padding-left: 1.2rem; font-size: .9rem; }
.numbers { color: var(--soft); font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: center; }
th { font-weight: 600; color: var(--soft); }
td.contradiction { background: var(--contradicts); color: #1b1f24; }
td.entailment { background: var(--agrees); color: #ffffff; }
@media (prefers-color-scheme: dark) { td.entailment { color: #0d1117; } }
footer { margin-top: 2rem; color: var(--soft); font-size: .8rem; }
"""


def contrast_map(evidence: Mapping[str, Any], *, title: str = "Contrast map", signature: str = "") -> str:
    """Draw the evidence of one pair as an HTML page that needs no network and no script.

    Args:
        evidence: one element of ``caspr_details``.
        title: heading of the page.
        signature: printed at the foot.

    Returns:
        The page; every text in it is escaped.
    """
    score = evidence["score"]
    sides = "".join(
        f"<section><h2>Summary {name}</h2>{_claims(name, other, evidence[key])}</section>"
        for name, other, key in (("A", "B", "claims_a"), ("B", "A", "claims_b"))
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(title)}</title><style>{_STYLE}</style></head><body>
<h1>{escape(title)}</h1>
<div class="scale" role="img" aria-label="CASPR {score:.1f} of 100">
<b style="left:clamp(3rem,{score:.1f}%,calc(100% - 3rem))">CASPR {score:.1f}</b>
<i style="left:{score:.1f}%"></i></div>
<div class="ends"><span>0 · the same claims</span><span>100 · full contrast</span></div>
<div class="sides">{sides}</div>
<h2>Claim by claim</h2>
<p>{_glyph_legend()}</p>
<div class="scroll">{_label_table(evidence["labels"])}</div>
<footer>{escape(signature)}</footer>
</body></html>
"""


def _claims(name: str, other: str, claims: Sequence[Mapping[str, Any]]) -> str:
    cards = []
    for number, claim in enumerate(claims, 1):
        verdict = claim["verdict"]
        tag = f'<span class="tag">{name}{number} · <b>{GLYPHS[verdict]} {verdict}</b></span>'
        text = escape(claim["claim"])
        if claim["decided_by"]:
            reasons = "".join(
                f"<li>{escape(reason['label'])}: {other}{reason['index'] + 1} “{escape(reason['claim'])}”"
                f'<br><span class="numbers">{name}→{other} {_numbers(reason["as_premise"])} · '
                f"{other}→{name} {_numbers(reason['as_hypothesis'])}</span></li>"
                for reason in claim["decided_by"]
            )
            body = f'<details><summary>{text}</summary><ul class="why">{reasons}</ul></details>'
        else:
            body = f"<div>{text}</div>"
        cards.append(f'<div class="claim {verdict.replace(" ", "-")}">{tag}{body}</div>')
    return "".join(cards)


def _numbers(probabilities: Sequence[float]) -> str:
    return " ".join(f"{name} {p:.2f}" for name, p in zip("enc", probabilities, strict=True))


def _glyph_legend() -> str:
    legend = " &nbsp; ".join(f"<b>{glyph}</b> {label}" for label, glyph in LABEL_GLYPHS.items())
    return f"{legend} &nbsp; (e, n, c: probabilities of entailment, neutral, contradiction)"


def _label_table(labels: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">B{column}</th>' for column in range(1, len(labels[0]) + 1))
    rows = "".join(
        f'<tr><th scope="row">A{row}</th>'
        + "".join(
            f'<td class="{label}" title="A{row} and B{column}: {label}">{LABEL_GLYPHS[label]}</td>'
            for column, label in enumerate(of_row, 1)
        )
        + "</tr>"
        for row, of_row in enumerate(labels, 1)
    )
    return f"<table><tr><th></th>{head}</tr>{rows}</table>"
