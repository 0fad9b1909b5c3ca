"""Evidence in the terminal; rich omits colours if the output is piped."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from claimwise.evidence.base import Evidence, evidence_of
from claimwise.evidence.kinds import ContrastEvidence, FeatureEvidence, RelatedClaim, UnitsEvidence
from claimwise.evidence.marks import (
    CONTRAST_MARKS,
    LABEL_MARKS,
    PREVALENCE_MARKS,
    SUPPORT_MARKS,
    UNIT_MARKS,
    Mark,
    words,
)
from claimwise.evidence.prevalence import PrevalenceEvidence
from claimwise.evidence.support import (
    CountedClaim,
    EntailedHypothesis,
    EntailmentEvidence,
    SourcePremise,
    SupportEvidence,
)
from claimwise.labels import LABELS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

CLAIM_COLUMNS = ("claim", "verdict", "evidence")
DIRECTIONS = "A→B 0.98: probability of the label with the claim of A as the premise"
PLACES = "[2.1]: first premise of the second review"
PROBABILITIES = "=0.90 ·0.07 ≠0.03: probabilities of entailment, neutral and contradiction"
Cells = Sequence["str | Text"]
STYLES = {"red": "bold red", "blue": "bold blue", "sky": "bold cyan", "grey": "bold"}


def print_evidence(console: Console, evidence: Evidence | Mapping[str, Any], title: str) -> None:
    """Print the evidence of one row: typed, or an element of ``"<name>_details"``."""
    for part in _parts(evidence_of(evidence), title):
        console.print(part)


def as_text(evidence: Evidence | Mapping[str, Any], title: str) -> str:
    """Return the evidence of one row as plain text, as ``print_evidence`` prints it 100 characters wide."""
    from rich.console import Console

    text = io.StringIO()
    print_evidence(Console(file=text, width=100, no_color=True, force_terminal=False), evidence, title)
    return text.getvalue().rstrip()


def _parts(evidence: Evidence, title: str) -> Iterator[Table | Text]:
    match evidence:
        case ContrastEvidence():
            if evidence.strongest_differs:
                title = f"{title}, by the strongest comparison {evidence.strongest:.1f}"
            columns = ("claim", "verdict", "decided by")
            yield _table(title, CONTRAST_MARKS, columns, _contrast(evidence), DIRECTIONS)
        case SupportEvidence():
            claims = (_counted(number, claim) for number, claim in enumerate(evidence.claims, 1))
            yield _table(title, SUPPORT_MARKS, CLAIM_COLUMNS, claims, PLACES)
        case EntailmentEvidence():
            hypotheses = _entailed(evidence.hypotheses)
            yield _table(title, SUPPORT_MARKS, CLAIM_COLUMNS, hypotheses, PROBABILITIES, PLACES)
        case PrevalenceEvidence():
            columns = ("sentence", "verdict", "evidence")
            yield _table(title, PREVALENCE_MARKS, columns, _prevalent(evidence), PLACES)
        case UnitsEvidence():
            title = f"{title}: {evidence.found} of {len(evidence.units)} units found"
            of_units = ("unit", "weight", "verdict", "evidence")
            yield _table(title, UNIT_MARKS, of_units, _units(evidence), PROBABILITIES)
            if evidence.claims is not None:
                precision = f"precision {evidence.precision or 0:.2f}"
                title = f"{precision}: support of the summary's claims by the references"
                yield _table(title, SUPPORT_MARKS, CLAIM_COLUMNS, _entailed(evidence.claims), PROBABILITIES)
        case FeatureEvidence():
            yield _table(
                title, {}, ("feature", "value × weight", "contribution", "evidence"), _weighted(evidence)
            )
        case _:
            yield from _other(evidence, title)
            return
    for heading, rows in (
        ("without a verdict, counted as neutral", [vars(pair) for pair in evidence.unjudged or ()]),
        ("begin with an unresolved pronoun", [{"claim": claim} for claim in evidence.open_pronouns or ()]),
        ("in no claim: attributions are stripped", [{"words": text} for text in evidence.stripped or ()]),
    ):
        if rows:
            yield _rows(heading, rows)


def _other(evidence: Evidence, title: str) -> Iterator[Table | Text]:
    yield _text(title, "bold")
    for key, value in evidence.as_dict().items():
        if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            yield _rows(words(key), value)
        elif key not in ("kind", "score"):  # the title has the score
            yield _text(f"{words(key)}: {_plain(value)}")


def _contrast(evidence: ContrastEvidence) -> Iterator[Cells]:
    for name, other, claims in (("A", "B", evidence.claims_a), ("B", "A", evidence.claims_b)):
        for number, claim in enumerate(claims, 1):
            reasons = [_reason(name, other, reason) for reason in claim.related]
            if claim.strongest_differs and claim.strongest is not None:
                reasons.append(
                    f"strongest comparison: {claim.verdict_by_strength}, {other}{claim.strongest + 1}"
                )
            yield f"{name}{number} {claim.claim}", _verdict(claim.verdict, CONTRAST_MARKS), "\n".join(reasons)
        yield ()


def _reason(name: str, other: str, reason: RelatedClaim) -> str:
    label = LABELS.index(reason.label)
    there, back = reason.as_premise[label], reason.as_hypothesis[label]
    return (
        f"{LABEL_MARKS[reason.label].glyph} {other}{reason.index + 1} {reason.claim} "
        f"({name}→{other} {there:.2f}, {other}→{name} {back:.2f})"
    )


def _counted(number: int, claim: CountedClaim) -> Cells:
    premises = [("✓", p) for p in claim.supporting] + [("≠", p) for p in claim.weakening]
    reasons = (
        f"{glyph} {premise.score or 0:.2f} {_located(premise)}"
        for glyph, premise in premises or [("○", claim.best_premise)]
    )
    verdict = _verdict(claim.verdict, SUPPORT_MARKS, claim.size)
    return f"{number} {claim.claim}", verdict, "\n".join(reasons)


def _entailed(hypotheses: Sequence[EntailedHypothesis]) -> Iterator[Cells]:
    for number, claim in enumerate(hypotheses, 1):
        best = (f"{_probabilities(p.probabilities or ())} {_located(p)}" for p in claim.premises)
        verdict = _verdict(claim.verdict(), SUPPORT_MARKS, f"{claim.score:.2f}")
        yield f"{number} {claim.hypothesis}", verdict, "\n".join(best)


def _prevalent(evidence: PrevalenceEvidence) -> Iterator[Cells]:
    for number, sentence in enumerate(evidence.sentences, 1):
        share = f"{len(sentence.reviews)} of {evidence.number_of_reviews}"
        verdict = _verdict(sentence.verdict, PREVALENCE_MARKS, share)
        reasons = [f"{p.score or 0:.2f} {_located(p)}" for p in sentence.reviews or (sentence.closest,)]
        if (cause := sentence.implied_by) is not None:
            reasons.insert(0, f"counts 0: {cause.entailment:.2f} implied by “{cause.text}”")
        yield f"{number} {sentence.sentence}", verdict, "\n".join(reasons)


def _units(evidence: UnitsEvidence) -> Iterator[Cells]:
    for number, unit in enumerate(evidence.units, 1):
        text = "\n".join([f"{number} {unit.unit}", *(f"= {wording}" for wording in unit.wordings)])
        verdict = _verdict(unit.verdict, UNIT_MARKS, f"{unit.presence:.2f}")
        parts = [f"[{premise.position + 1}] {premise.premise}" for premise in unit.premises]
        yield text, f"{unit.weight:g}", verdict, "\n".join([_probabilities(unit.probabilities), *parts])


def _weighted(evidence: FeatureEvidence) -> Iterator[Cells]:
    for feature in evidence.features:
        reasons = [f"{p.probability:.2f} {p.premise} → {p.hypothesis}" for p in feature.pairs]
        if feature.shared is not None:
            reasons.append(f"shared: {', '.join(feature.shared) or 'nothing'}")
        value = f"{feature.value:.2f} × {feature.weight:z.2f}"
        yield words(feature.name), value, f"{feature.adds:+z.2f}", "\n".join(reasons)
        yield ()


def _rows(title: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    cells = ([_plain(value) for value in row.values()] for row in rows)
    return _table(title, {}, tuple(words(key) for key in rows[0]), cells)


def _probabilities(probabilities: Sequence[float]) -> str:
    marks = zip(LABEL_MARKS.values(), probabilities, strict=False)
    return " ".join(f"{mark.glyph}{probability:.2f}" for mark, probability in marks)


def _located(premise: SourcePremise) -> str:
    return f"[{premise.review + 1}.{premise.position + 1}] {premise.premise}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        parts = {key: inner + 1 if key == "row" else inner for key, inner in value.items()}  # counted from 1
        return ", ".join(f"{words(key)} {_plain(inner)}" for key, inner in parts.items())
    if isinstance(value, list):
        return " | ".join(map(_plain, value)) or "none"
    if isinstance(value, float):
        return f"{value:.3f}"
    return "none" if value is None else str(value)


def _table(
    title: str, marks: Mapping[str, Mark], columns: Sequence[str], rows: Iterable[Cells], *legend: str
) -> Table:
    """Return a table of rows of cells, with a legend of marks and numbers; an empty row ends a section."""
    from rich.table import Table

    lines = ("   ".join(f"{mark.glyph} {name}" for name, mark in marks.items()), *legend)
    table = Table(title=_text(title), caption=_text("\n".join(lines), "dim italic") if marks else None)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column == "verdict")
    for row in rows:
        if row:
            table.add_row(*(_text(cell) if isinstance(cell, str) else cell for cell in row))
        else:
            table.add_section()
    return table


def _verdict(verdict: str, marks: Mapping[str, Mark], number: str = "") -> Text:
    mark = marks[verdict]
    text = _text(f"{mark.glyph} {verdict}", STYLES[mark.tone])
    return text.append(f" {number}", style="default") if number else text


def _text(text: str, style: str = "") -> Text:
    """Return text whose brackets are not markup."""
    from rich.text import Text

    return Text(text, style=style)
