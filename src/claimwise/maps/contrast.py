"""The evidence of CASPR as a fragment of HTML: the scale, both summaries claim by claim, the matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from claimwise.labels import LABELS
from claimwise.maps.parts import LABEL_MARKS, Mark, legend, probability_table, scale, sentences_and_claims

VERDICTS = {
    "contradicts": Mark("≠", "red"),
    "agrees": Mark("=", "blue"),
    "stands alone": Mark("○", "grey"),
}
HINT = "Point at a claim, or tab to it, to see here what decided it; open it to keep that in view."


def contrast_fragment(evidence: Mapping[str, Any]) -> str:
    """Draw the evidence of one pair of summaries as HTML that needs ``STYLE`` and no script.

    Args:
        evidence: one element of ``caspr_details``.

    Returns:
        One ``<div class="claimwise">``; every text in it is escaped.
    """
    sides = "".join(
        f'<section aria-label="Summary {name}"><h3>Summary {name}</h3>'
        f'<div class="panel">{_claims(name, other, evidence[key], evidence.get(vacuous, ()))}</div></section>'
        for name, other, key, vacuous in (
            ("A", "B", "claims_a", "vacuous_a"),
            ("B", "A", "claims_b", "vacuous_b"),
        )
    )
    ends = ("0 · the same claims", "100 · full contrast")
    return (
        '<div class="claimwise">'
        f"{scale('CASPR', evidence['score'], 100, ends, 'contrast')}"
        f'<p class="soft">{legend(VERDICTS)}</p>'
        f'<div class="sides">{sides}<p class="soft hint">{HINT}</p></div>'
        f'<h3>Claim by claim</h3><p class="soft">{legend(LABEL_MARKS)}; the number is the higher '
        f"probability of that label of the two directions</p>"
        f"{_matrix(evidence)}</div>"
    )


def strongest(reason: Mapping[str, Any]) -> float:
    """Return the higher probability of a comparison's label of the two directions."""
    label = LABELS.index(reason["label"])
    return float(max(reason["as_premise"][label], reason["as_hypothesis"][label]))


def decisions(evidence: Mapping[str, Any]) -> dict[tuple[int, int], Mapping[str, Any]]:
    """Return the comparisons that are not neutral, by the numbers of the claims of A and B."""
    return {
        (row, reason["index"]): reason
        for row, claim in enumerate(evidence["claims_a"])
        for reason in claim["decided_by"]
    }


def _claims(name: str, other: str, claims: Sequence[Mapping[str, Any]], vacuous: Sequence[str]) -> str:
    drawn = []
    for number, claim in enumerate(claims, 1):
        verdict = claim["verdict"]
        mark = VERDICTS[verdict]
        by = ", ".join(f"{other}{reason['index'] + 1}" for reason in claim["decided_by"])
        says_nothing = " · says nothing" if claim["claim"] in vacuous else ""
        reasons = "".join(_reason(f"{name}{number}", other, reason) for reason in claim["decided_by"])
        alone = f"<p>No claim of summary {other} entails or contradicts it.</p>"
        drawn.append(
            f'<details class="claim {mark.tone}"><summary><span class="tag">{name}{number} · '
            f"<b>{mark.glyph} {verdict}</b> {by}{says_nothing}</span>{escape(claim['claim'])}</summary>"
            f'<div class="why">{f"<ul>{reasons}</ul>" if reasons else alone}</div></details>'
        )
    return sentences_and_claims(claims, drawn)


def _reason(claim: str, other: str, reason: Mapping[str, Any]) -> str:
    against = f"{other}{reason['index'] + 1}"
    probabilities = {
        f"{claim} → {against}": reason["as_premise"],
        f"{against} → {claim}": reason["as_hypothesis"],
    }
    mark = LABEL_MARKS[reason["label"]]
    return (
        f'<li><span class="{mark.tone}"><b>{mark.glyph} {reason["label"]}</b> with {against} '
        f"<mark>{escape(reason['claim'])}</mark></span>{probability_table(probabilities)}</li>"
    )


def _matrix(evidence: Mapping[str, Any]) -> str:
    decided = decisions(evidence)
    claims_a = [claim["claim"] for claim in evidence["claims_a"]]
    claims_b = [claim["claim"] for claim in evidence["claims_b"]]

    def heading(name: str, scope: str, claim: str) -> str:
        text = escape(claim)
        return f'<th scope="{scope}" title="{text}">{name}<span class="text">{text}</span></th>'

    head = "".join(heading(f"B{column}", "col", claim) for column, claim in enumerate(claims_b, 1))
    rows = "".join(
        f"<tr>{heading(f'A{row + 1}', 'row', claims_a[row])}"
        + "".join(
            _cell(label, f"A{row + 1}", f"B{column + 1}", decided.get((row, column)))
            for column, label in enumerate(labels)
        )
        + "</tr>"
        for row, labels in enumerate(evidence["labels"])
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Matrix of the claims of A and B">'
        f'<table class="matrix"><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _cell(label: str, a: str, b: str, reason: Mapping[str, Any] | None) -> str:
    mark = LABEL_MARKS[label]
    if reason is None:
        return f'<td class="{mark.tone}" title="{a} and {b}: {label}">{mark.glyph}</td>'
    both_ways = "; ".join(
        f"{premise} → {hypothesis}: "
        + ", ".join(f"{name} {p:.2f}" for name, p in zip(LABELS, probabilities, strict=True))
        for premise, hypothesis, probabilities in (
            (a, b, reason["as_premise"]),
            (b, a, reason["as_hypothesis"]),
        )
    )
    probability = strongest(reason)
    # Half of the colour at most, so that the text on it stays readable.
    return (
        f'<td class="{mark.tone}" style="--share:{50 * probability:.0f}%" '
        f'title="{a} and {b}: {label}. {both_ways}"><b>{mark.glyph}</b> {probability:.2f}</td>'
    )
