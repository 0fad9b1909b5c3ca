"""A result as its user sees it: a dict that is short in a notebook, and its claims as a table."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping
from typing import Any

from claimwise.errors import ClaimwiseError, needs_extra
from claimwise.evidence.base import Evidence, evidence_of
from claimwise.evidence.html import ROWS_SHOWN, STYLE, Details, details_by_metric, rendered
from claimwise.evidence.kinds import ContrastClaim, ContrastEvidence, GenericityEvidence, UnitsEvidence
from claimwise.evidence.support import EntailedHypothesis, EntailmentEvidence, SourcePremise, SupportEvidence

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxstring, _SHORT.maxother = 3, 8, 120, 120


class ResultDict(dict[str, Any]):
    """The flat dict of a result, whose long lists and texts are shortened where it is shown."""

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{key!r}: {_SHORT.repr(value)}' for key, value in self.items())}}}"

    def _repr_html_(self) -> str:
        details = details_by_metric(self)
        scores = {key.removesuffix("_scores"): self[key] for key in self if key.endswith("_scores")}
        means = {name: (self.get(name), self.get(f"{name}_ci"), len(rows)) for name, rows in scores.items()}
        ids = next((self[key] for key in self if key.endswith("_ids")), None)
        return rendered(
            "result",
            scores=means,
            rows=[] if details else list(zip(*scores.values(), strict=True))[:ROWS_SHOWN],
            ids=ids or range(max(map(len, scores.values()), default=0)),
            counts={key: value for key, value in self.items() if type(value) is int and value},
            details=[evidence._repr_html_() for evidence in details.values()],
            signatures=[value for key, value in self.items() if key.endswith("_signature")],
            style=STYLE,
        )


def frame(result: Mapping[str, Any]) -> Any:
    """Return the claims of a result with ``details=True`` as a pandas DataFrame, one row per claim.

    Returns:
        The columns ``id`` (or else the index of the row), ``claim``, ``verdict`` (missing if the metric
        gives none), ``score`` and ``best_premise`` (missing if there is none). For a contrast metric
        ``score`` is 1 (contrasts) or −1, and ``best_premise`` the claim of the other summary in the strongest
        comparison. Where claims of several texts are judged, ``text`` says whose they are; for several
        metrics, ``metric`` comes first. Rows without a score have no claims.

    Raises:
        ClaimwiseError: for a result without evidence of claims, or if pandas is missing.
    """
    with needs_extra("pandas", "A frame"):
        import pandas
    metrics = details_by_metric(result)
    rows = [row for name, details in metrics.items() for row in _rows_of(name, result, details)]
    if not rows:
        named = f"The evidence of {', '.join(metrics)} has no claims."
        problem = named if metrics else "There is no evidence."
        raise ClaimwiseError(problem, "Compute a metric that judges claims, with details=True.")
    columns = ["metric", "id", "text", "claim", "verdict", "score", "best_premise"]
    if len({row["metric"] for row in rows}) == 1:
        columns.remove("metric")
    if not any("text" in row for row in rows):
        columns.remove("text")
    return pandas.DataFrame(rows, columns=columns)


def _rows_of(name: str, result: Mapping[str, Any], details: Details) -> Iterator[dict[str, Any]]:
    ids = result.get(f"{name}_ids") or range(len(details))
    for row_id, evidence in zip(ids, details, strict=True):
        for row in _claims_of(evidence_of(evidence)) if evidence is not None else ():
            yield {"metric": name, "id": row_id, **row}


def _claims_of(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Yield the claims of one row; none for evidence of another kind."""
    match evidence:
        case ContrastEvidence():
            for text, claims in (("summary A", evidence.claims_a), ("summary B", evidence.claims_b)):
                for claim in claims:
                    row = _row(claim.claim, claim.verdict, float(claim.score), _strongest(claim))
                    yield {"text": text, **row}
        case SupportEvidence():
            for counted in evidence.claims:
                yield _row(counted.claim, counted.verdict, counted.top_score, counted.best_premise.premise)
        case EntailmentEvidence():
            yield from _entailed(evidence.hypotheses)
        case UnitsEvidence():
            for unit in evidence.units:
                row = _row(unit.unit, unit.verdict, unit.presence, _first(unit.premises))
                yield {"text": "references", **row}
            for row in _entailed(evidence.claims or ()):
                yield {"text": "summary", **row}
        case GenericityEvidence():
            for generic in evidence.claims:
                closest = None if generic.closest is None else generic.closest.claim
                yield _row(generic.claim, None, generic.score, closest)


def _entailed(hypotheses: tuple[EntailedHypothesis, ...]) -> Iterator[dict[str, Any]]:
    for claim in hypotheses:
        yield _row(claim.hypothesis, claim.verdict(), claim.score, _first(claim.premises))


def _row(claim: str, verdict: str | None, score: float | None, premise: str | None) -> dict[str, Any]:
    return {"claim": claim, "verdict": verdict, "score": score, "best_premise": premise}


def _first(premises: tuple[SourcePremise, ...]) -> str | None:
    return premises[0].premise if premises else None


def _strongest(claim: ContrastClaim) -> str | None:
    """Return the claim of the other summary in the strongest comparison."""
    return next((other.claim for other in claim.related if other.index == claim.strongest), None)
