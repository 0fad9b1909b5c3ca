"""Evidence to draw: made by hand, and all that stands in the golden cases."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from claimwise.evidence import Evidence, kind_of

GOLDEN = Path(__file__).parents[2] / "golden"


class Case(NamedTuple):
    """A golden case: the name of the metric and of the case, and its result."""

    metric: str
    name: str
    result: dict[str, Any]

    @property
    def details(self) -> list[dict[str, Any]]:
        details: list[dict[str, Any]] = self.result.get(f"{self.metric}_details", [])
        return details


@cache
def golden_cases(metric: str) -> list[Case]:
    cases = json.loads((GOLDEN / f"{metric}.json").read_text(encoding="utf-8"))["cases"]
    return [Case(metric, case["name"], case["result"]) for case in cases]


def golden(metric: str) -> list[dict[str, Any]]:
    """Return the evidence of every row of every golden case of a metric."""
    return [evidence for case in golden_cases(metric) for evidence in case.details]


KINDS: dict[str, type[Evidence]] = {
    path.stem: kind_of(golden(path.stem)[0]) for path in sorted(GOLDEN.glob("*.json"))
}
"""The kind of evidence of each metric."""


def contrast_evidence(claim_a: str, claim_b: str) -> dict[str, Any]:
    """Return contrast evidence as a dict: one claim decided, two standing alone."""

    def reason(claim: str) -> dict[str, Any]:
        return {
            "index": 0,
            "claim": claim,
            "label": "contradiction",
            "as_premise": [0.01, 0.04, 0.95],
            "as_hypothesis": [0.02, 0.27, 0.71],
        }

    def claim(text: str, *reasons: dict[str, Any]) -> dict[str, Any]:
        verdict = "contradicts" if reasons else "stands alone"
        return {"claim": text, "sentence": text, "score": 1, "verdict": verdict, "related": [*reasons]}

    return {
        "kind": "contrast",
        "score": 100.0,
        "claims_a": [claim(claim_a, reason(claim_b)), claim("The pool is warm.")],
        "claims_b": [claim(claim_b, reason(claim_a)), claim("Parking is free.")],
        "labels": [["contradiction", "neutral"], ["neutral", "neutral"]],
    }
