"""The same evidence in the terminal; rich leaves out the colours where the output is piped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from claimwise.labels import LABELS
from claimwise.maps.contrast import VERDICTS as CONTRAST_VERDICTS
from claimwise.maps.evidence import words
from claimwise.maps.evidence_map import SUPPORT_METRICS
from claimwise.maps.parts import LABEL_MARKS, Mark
from claimwise.maps.support import VERDICTS as SUPPORT_VERDICTS
from claimwise.maps.support import verdict_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

STYLES = {"red": "bold red", "blue": "bold blue", "sky": "bold cyan", "grey": "bold"}


def print_evidence(console: Console, metric: str, evidence: Mapping[str, Any], title: str) -> None:
    """Print the evidence of one row.

    Args:
        console: where to.
        metric: its name.
        evidence: one element of ``"<metric>_details"``.
        title: printed above it.
    """
    if metric == "caspr":
        console.print(_contrast(evidence, title))
    elif metric in SUPPORT_METRICS:
        console.print(_support(evidence, title))
    else:
        console.print(title, markup=False, style="bold")
        for key, value in evidence.items():
            if isinstance(value, list) and value and isinstance(value[0], Mapping):
                console.print(_rows(words(key), value))
            else:
                console.print(f"{words(key)}: {_plain(value)}", markup=False)


def _contrast(evidence: Mapping[str, Any], title: str) -> Table:
    table = _table(title, CONTRAST_VERDICTS, ("claim", "verdict", "decided by"))
    for name, other, key in (("A", "B", "claims_a"), ("B", "A", "claims_b")):
        for number, claim in enumerate(evidence[key], 1):
            reasons = "\n".join(_reason(name, other, reason) for reason in claim["decided_by"])
            verdict = _verdict(claim["verdict"], CONTRAST_VERDICTS)
            table.add_row(_text(f"{name}{number} {claim['claim']}"), verdict, _text(reasons))
        table.add_section()
    return table


def _reason(name: str, other: str, reason: Mapping[str, Any]) -> str:
    label = LABELS.index(reason["label"])
    there, back = reason["as_premise"][label], reason["as_hypothesis"][label]
    return (
        f"{LABEL_MARKS[reason['label']].glyph} {other}{reason['index'] + 1} {reason['claim']} "
        f"({name}→{other} {there:.2f}, {other}→{name} {back:.2f})"
    )


def _support(evidence: Mapping[str, Any], title: str) -> Table:
    table = _table(title, SUPPORT_VERDICTS, ("claim", "verdict", "because of"))
    counted = "claims" in evidence
    for number, claim in enumerate(evidence["claims" if counted else "hypotheses"], 1):
        verdict = _verdict(verdict_of(claim), SUPPORT_VERDICTS)
        verdict.append(f" {claim['support']}" if counted else f" {claim['score']:.2f}", style="default")
        premises = "\n".join(_premises(claim, counted))
        text = claim["claim" if counted else "hypothesis"]
        table.add_row(_text(f"{number} {text}"), verdict, _text(premises))
    return table


def _premises(claim: Mapping[str, Any], counted: bool) -> Iterator[str]:
    if counted:
        found = [("✓", p) for p in claim["supporting"]] + [("≠", p) for p in claim["weakening"]]
        for glyph, premise in found or [("○", claim["best_premise"])]:
            yield f"{glyph} {premise['score']:.2f} {_place(premise)}"
    else:
        for premise in claim["premises"]:
            shown = " ".join(
                f"{mark.glyph}{p:.2f}"
                for mark, p in zip(LABEL_MARKS.values(), premise["probabilities"], strict=True)
            )
            yield f"{shown} {_place(premise)}"


def _place(premise: Mapping[str, Any]) -> str:
    return f"[{premise['review'] + 1}.{premise['position'] + 1}] {premise['premise']}"


def _rows(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    table = _table(title, {}, tuple(words(key) for key in rows[0]))
    for row in rows:
        table.add_row(*(_text(_plain(value)) for value in row.values()))
    return table


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{words(key)} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " | ".join(map(_plain, value)) or "none"
    if isinstance(value, float):
        return f"{value:.3f}"
    return "none" if value is None else str(value)


def _table(title: str, marks: Mapping[str, Mark], columns: Sequence[str]) -> Table:
    from rich.table import Table

    caption = "   ".join(f"{mark.glyph} {name}" for name, mark in marks.items())
    table = Table(title=_text(title), caption=caption or None)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column == "verdict")
    return table


def _verdict(verdict: str, marks: Mapping[str, Mark]) -> Text:
    from rich.text import Text

    mark = marks[verdict]
    return Text(f"{mark.glyph} {verdict}", style=STYLES[mark.tone])


def _text(text: str) -> Text:
    """Return text in which brackets are no markup."""
    from rich.text import Text

    return Text(text)
