"""What a study reads from its scored rows beside the scores: examples with evidence, and attributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from claimwise.metrics.registry import METRICS, spec_of
from claimwise.report.human import Key
from claimwise.report.lines import Example
from claimwise.report.results import SystemResult
from claimwise.tables import read_scored
from claimwise.text.writer.attributions import is_attributed

NOTABLE_DIFFERENCE = 0.1
"""Difference between systems' shares of claims with an attribution from which a study warns."""


@dataclass(frozen=True)
class ScoredRows:
    """A file of rows that a metric has scored, and the key of each row."""

    metric: str
    path: Path
    keys: Sequence[Key]

    def evidence(self) -> Iterator[tuple[Key, Mapping[str, Any] | None]]:
        """Yield the evidence of each row, None without a score."""
        for batch in read_scored(self.path)[1].batches():
            keys = self.keys[batch.first_row : batch.first_row + len(batch)]
            yield from zip(keys, batch.cells(f"{self.metric}_details"), strict=True)


def metric_of(score: str) -> str:
    """Return the metric that computes a score."""
    spec, _ = spec_of(score)
    return score if spec is None else spec.name


def examples_of(
    results: Mapping[str, Sequence[SystemResult]], scored: Sequence[ScoredRows], count: int
) -> dict[str, list[Example]]:
    """Return, per score and system, the ``count`` rows that differ most from the baseline, with evidence."""
    chosen = {
        score: [example for other in others for example in _largest_differences(first, other, count)]
        for score, (first, *others) in results.items()
    }
    wanted = {
        (metric_of(score), example.id, system)
        for score, examples in chosen.items()
        for example in examples
        for system in example.systems
    }
    evidence = {  # each file is read once
        (rows.metric, *key): cell
        for rows in scored
        if any(metric == rows.metric for metric, *_ in wanted)
        for key, cell in rows.evidence()
        if (rows.metric, *key) in wanted
    }
    return {
        score: [
            replace(
                example,
                evidence=tuple(evidence[metric_of(score), example.id, system] for system in example.systems),
            )
            for example in examples
        ]
        for score, examples in chosen.items()
    }


def _largest_differences(first: SystemResult, other: SystemResult, count: int) -> list[Example]:
    """Return the rows with the largest differences, without evidence."""
    here, there = (dict(zip(result.ids or (), result.scores, strict=True)) for result in (other, first))
    pairs = ((row_id, here[row_id], there[row_id]) for row_id in here.keys() & there.keys())
    known = [(row_id, a, b) for row_id, a, b in pairs if a is not None and b is not None and a != b]
    known.sort(key=lambda row: (-abs(row[1] - row[2]), row[0]))
    systems = other.system, first.system
    return [Example(id=row_id, systems=systems, scores=(a, b)) for row_id, a, b in known[:count]]


def attribution_note(scored: Sequence[ScoredRows]) -> str | None:
    """Return a note if the claims of one system say who holds the opinion more often than those of another.

    Reviews seldom entail such claims, so the systems may differ by their phrasing alone. The first metric
    that strips attributions decides.
    """
    stripping = [rows for rows in scored if METRICS[rows.metric].spec.attributions == "strip"]
    attributed: dict[str, list[bool]] = {}
    for rows in stripping:
        if rows.metric == stripping[0].metric:
            for (_, system), evidence in rows.evidence():
                claims = (evidence or {}).get("claims") or (evidence or {}).get("hypotheses") or ()
                texts = [claim.get("claim") or claim.get("hypothesis") or "" for claim in claims]
                attributed.setdefault(system, []).extend(map(is_attributed, texts))
    shares = {system: sum(claims) / len(claims) for system, claims in attributed.items() if claims}
    if not shares or max(shares.values()) - min(shares.values()) < NOTABLE_DIFFERENCE:
        return None
    listed = ", ".join(f"{share:.0%} of {system}" for system, share in shares.items())
    return (
        f"{stripping[0].metric}: the systems differ in the share of claims that still say who holds an "
        f"opinion (“guests praised …”), which reviews seldom support: {listed}. Differences may be due to "
        f"this phrasing alone."
    )
