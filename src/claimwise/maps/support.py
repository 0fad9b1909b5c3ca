"""The evidence of the factuality metrics as a fragment of HTML: every claim with what supports it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Literal

from claimwise.evidence.support import at_threshold as evidence_at
from claimwise.labels import CONTRADICTION, ENTAILMENT
from claimwise.maps.parts import Mark, legend, probability_table, scale, sentences_and_claims
from claimwise.scores.support import ENOUGH

Verdict = Literal["supported", "thinly supported", "contradicted", "unsupported"]
VERDICTS: dict[str, Mark] = {
    "supported": Mark("✓", "blue"),
    "thinly supported": Mark("~", "sky"),
    "contradicted": Mark("≠", "red"),
    "unsupported": Mark("○", "grey"),
}


def support_fragment(evidence: Mapping[str, Any], threshold: float | None = None) -> str:
    """Draw what supports the claims of one summary as HTML that needs ``STYLE`` and no script.

    Args:
        evidence: one element of ``support_counts_details``, ``summac_zs_details`` or ``summac_conv_details``.
        threshold: draw it for another threshold; no model is needed. For support counts it is the score from
            which on a sentence supports a claim; for SummaC the score from which on a claim counts as
            supported (default: where entailment is its most probable label).

    Returns:
        One ``<div class="claimwise">``; every text in it is escaped.

    Raises:
        ClaimwiseError: for a threshold that support counts cannot have, or evidence without the scores it
            needs for another.
    """
    evidence = at_threshold(evidence, threshold)
    body = _of_support_counts(evidence) if "claims" in evidence else _of_summac(evidence, threshold)
    return f'<div class="claimwise">{body}</div>'


def at_threshold(evidence: Mapping[str, Any], threshold: float | None) -> Mapping[str, Any]:
    """Return the evidence for another threshold; that of SummaC, which has none of its own, as it is."""
    if threshold is None or "claims" not in evidence or threshold == evidence.get("threshold"):
        return evidence
    return evidence_at(evidence, threshold)


def verdict_of(claim: Mapping[str, Any], threshold: float | None = None) -> Verdict:
    """Return how a claim of support counts, or a hypothesis of SummaC, is supported.

    A claim is supported by three or more sentences (Bhaskar et al. 2022, Section 5.6), thinly by fewer, and
    contradicted if none supports and some weaken it. A hypothesis has its most probable label's verdict, or
    is supported from the ``threshold`` on.
    """
    if "support" in claim:
        if claim["support"]:
            return "supported" if claim["support"] >= ENOUGH else "thinly supported"
        return "contradicted" if claim["weakening"] else "unsupported"
    probabilities = (
        claim["probabilities"] if "probabilities" in claim else claim["premises"][0]["probabilities"]
    )
    label = max(range(3), key=lambda index: probabilities[index])
    supported = label == ENTAILMENT if threshold is None else claim["score"] >= threshold
    if supported:
        return "supported"
    return "contradicted" if label == CONTRADICTION else "unsupported"


def sizes_of(claims: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many claims have 0, 1, 2, 3, 4 and 5 or more supports."""
    counts = Counter(min(claim["support"], 5) for claim in claims)
    return {("5+" if size == 5 else str(size)): counts[size] for size in range(6)}


def _of_support_counts(evidence: Mapping[str, Any]) -> str:
    claims = evidence["claims"]
    counted = "review" if evidence.get("count_distinct_reviews") else "sentence"
    enough = sum(claim["support"] >= ENOUGH for claim in claims)
    largest = max(ENOUGH, *(claim["support"] for claim in claims))
    drawn = []
    for number, claim in enumerate(claims, 1):
        tag = _count(claim["support"], f"supporting {counted}")
        if claim["weakening"]:
            tag += f", {_count(len(claim['weakening']), 'weakening sentence')}"
        tag += _says_nothing(claim["claim"], evidence)
        parts = [
            _premises(title, claim[key], tone, evidence)
            for title, key, tone in (
                ("Supported by", "supporting", "blue"),
                ("Weakened by", "weakening", "red"),
            )
            if claim[key]
        ]
        if not claim["supporting"]:
            parts.insert(0, _premises("Comes closest", [claim["best_premise"]], "grey", evidence))
        drawn.append(
            _claim(number, claim["claim"], verdict_of(claim), tag, claim["support"] / largest, parts)
        )
    threshold = ""
    if "threshold" in evidence:
        threshold = (
            f"A sentence supports a claim if its score (entailment − contradiction) is at least "
            f"{evidence['threshold']:g}, and weakens it if the score is at most −{evidence['threshold']:g}."
        )
    bars = "".join(
        f"<span>{size} {counted}{'' if size == '1' else 's'}</span>"
        f'<i class="blue" style="--share:{100 * count / len(claims):.0f}%"></i>'
        f'<span class="number">{_count(count, "claim")}</span>'
        for size, count in sizes_of(claims).items()
    )
    ends = (f"0 · no claim has {ENOUGH} supports", "1 · every claim has")
    return (
        f"{scale('Support', evidence['score'], 1, ends, 'support')}"
        f"<p>{enough} of {_count(len(claims), 'claim')} with {ENOUGH} or more supporting {counted}s. "
        f"The top score (the mean of the score of each claim's best sentence) is "
        f'<span class="number">{evidence["top_score"]:.2f}</span>.</p><p class="soft">{threshold}</p>'
        f'<p class="soft">{legend(VERDICTS)}</p>'
        f'<div class="panel">{sentences_and_claims(claims, drawn)}</div>'
        f'<h3>Claims by the number of supporting {counted}s</h3><div class="sizes">{bars}</div>'
    )


def _of_summac(evidence: Mapping[str, Any], threshold: float | None) -> str:
    hypotheses = evidence["hypotheses"]
    drawn = []
    for number, hypothesis in enumerate(hypotheses, 1):
        parts = [_premises("Best in the source", hypothesis["premises"], "blue", evidence)]
        if len(hypothesis["premises"]) > 1 and "probabilities" in hypothesis:
            parts.append(probability_table({"score": hypothesis["probabilities"]}))
        score = hypothesis["score"]
        text = hypothesis["hypothesis"]
        tag = f"score {score:.2f}{_says_nothing(text, evidence)}"
        drawn.append(_claim(number, text, verdict_of(hypothesis, threshold), tag, score, parts))
    rule = (
        "A claim is supported, or contradicted, if that is the most probable label of its best premise."
        if threshold is None
        else f"A claim is supported if its score is at least {threshold:g}."
    )
    marks = {name: mark for name, mark in VERDICTS.items() if name != "thinly supported"}
    return (
        f"{scale('Support', evidence['score'], 1, ('0 · not supported', '1 · fully supported'), 'support')}"
        f'<p class="soft">{rule}</p><p class="soft">{legend(marks)}</p>'
        f'<div class="panel">{sentences_and_claims(hypotheses, drawn)}</div>'
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _says_nothing(text: str, evidence: Mapping[str, Any]) -> str:
    return " · says nothing" if text in evidence.get("vacuous", ()) else ""


def _claim(number: int, text: str, verdict: str, tag: str, share: float, parts: Sequence[str]) -> str:
    mark = VERDICTS[verdict]
    return (
        f'<details class="claim {mark.tone}"><summary><span class="tag">{number} · <b>{mark.glyph} {verdict}'
        f'</b> · <span class="number">{tag}</span></span>{escape(text)}'
        f'<span class="meter" style="--share:{100 * min(max(share, 0), 1):.0f}%"></span></summary>'
        f'<div class="why">{"".join(parts)}</div></details>'
    )


def _premises(
    title: str, premises: Sequence[Mapping[str, Any]], tone: str, evidence: Mapping[str, Any]
) -> str:
    places = {(p["review"], p["position"]): i for i, p in enumerate(evidence.get("premises", ()))}
    items = []
    for premise in premises:
        before, after = _context(premise, places, evidence)
        score = f" · score {premise['score']:.2f}" if "score" in premise else ""
        table = ""
        if "probabilities" in premise:
            table = probability_table({"p": premise["probabilities"]})
        items.append(
            f'<li><span class="soft number">Review {premise["review"] + 1}, sentence '
            f'{premise["position"] + 1}{score}</span><br><span class="soft">{escape(before)}</span> '
            f'<mark class="{tone}">{escape(premise["premise"])}</mark> '
            f'<span class="soft">{escape(after)}</span>{table}</li>'
        )
    return f"<p><b>{title}</b></p><ul>{''.join(items)}</ul>"


def _context(
    premise: Mapping[str, Any], places: Mapping[tuple[int, int], int], evidence: Mapping[str, Any]
) -> tuple[str, str]:
    """Return the premises before and after one in its review; none that repeats a part of it."""
    index = places.get((premise["review"], premise["position"]))
    if index is None:
        return "", ""
    around = []
    for neighbour in (index - 1, index + 1):
        found = evidence["premises"][neighbour] if 0 <= neighbour < len(places) else None
        text = found["premise"] if found and found["review"] == premise["review"] else ""
        first, second = (text, premise["premise"]) if neighbour < index else (premise["premise"], text)
        around.append("" if _overlap(first.split(), second.split()) else text)
    return around[0], around[1]


def _overlap(first: Sequence[str], second: Sequence[str]) -> bool:
    """Tell whether the end of ``first`` is the beginning of ``second``, as in windows of two sentences."""
    return any(first[-n:] == second[:n] for n in range(1, min(len(first), len(second)) + 1))
