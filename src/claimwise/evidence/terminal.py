"""The same evidence in the terminal; rich leaves out the colours where the output is piped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from claimwise.evidence.kinds import (
    Agreement,
    Comparison,
    ContrastEvidence,
    CountedClaim,
    EntailedHypothesis,
    EntailmentEvidence,
    Evidence,
    FeatureEvidence,
    SourcePremise,
    SupportEvidence,
    UnitsEvidence,
    evidence_of,
)
from claimwise.evidence.marks import CONTRAST_MARKS, LABEL_MARKS, SUPPORT_MARKS, UNIT_MARKS, Mark, words
from claimwise.labels import LABELS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

STYLES = {"red": "bold red", "blue": "bold blue", "sky": "bold cyan", "grey": "bold"}


def print_evidence(console: Console, evidence: Evidence | Mapping[str, Any], title: str) -> None:
    """Print the evidence of one row.

    Args:
        console: where to.
        evidence: typed, or one element of ``"<name>_details"``.
        title: printed above it.
    """
    match found := evidence_of(evidence):
        case ContrastEvidence():
            console.print(_contrast(found, title))
        case SupportEvidence():
            console.print(_counted(found, title))
        case EntailmentEvidence():
            console.print(_entailed(found, title))
        case UnitsEvidence():
            console.print(_units(found, title))
            if found.claims is not None:
                console.print(_claims_of(found))
        case FeatureEvidence():
            console.print(_weighted(found, title))
        case _:
            _print_other(console, found.as_dict(), title)
            return
    if found.agreement is not None:
        console.print(_disputed(found.agreement))
    if found.unjudged:
        console.print(_rows("could not be judged, counted as neutral", [vars(one) for one in found.unjudged]))
    if found.open_pronouns:
        console.print(
            _rows("begin with an open pronoun", [{"claim": claim} for claim in found.open_pronouns])
        )


def _disputed(agreement: Agreement) -> Table | str:
    said = f"The judges differ on {len(agreement.disputed)} of {agreement.pairs} pairs"
    if not agreement.disputed:
        return f"{said}."
    table = _table(said, LABEL_MARKS, ("premise", "hypothesis", *agreement.judges))
    for pair in agreement.disputed:
        marks = [
            _text(f"{LABEL_MARKS[label].glyph} {max(pair.by_judge[name]):.2f}")
            for name, label in pair.verdicts.items()
        ]
        table.add_row(_text(pair.premise), _text(pair.hypothesis), *marks)
    return table


def _print_other(console: Console, evidence: Mapping[str, Any], title: str) -> None:
    console.print(title, markup=False, style="bold")
    for key, value in evidence.items():
        if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            console.print(_rows(words(key), value))
        else:
            console.print(f"{words(key)}: {_plain(value)}", markup=False)


def _contrast(evidence: ContrastEvidence, title: str) -> Table:
    table = _table(title, CONTRAST_MARKS, ("claim", "verdict", "decided by"))
    for name, other, claims in (("A", "B", evidence.claims_a), ("B", "A", evidence.claims_b)):
        for number, claim in enumerate(claims, 1):
            reasons = "\n".join(_reason(name, other, reason) for reason in claim.decided_by)
            verdict = _verdict(claim.verdict, CONTRAST_MARKS)
            table.add_row(_text(f"{name}{number} {claim.claim}"), verdict, _text(reasons))
        table.add_section()
    return table


def _reason(name: str, other: str, reason: Comparison) -> str:
    label = LABELS.index(reason.label)
    there, back = reason.as_premise[label], reason.as_hypothesis[label]
    return (
        f"{LABEL_MARKS[reason.label].glyph} {other}{reason.index + 1} {reason.claim} "
        f"({name}→{other} {there:.2f}, {other}→{name} {back:.2f})"
    )


def _counted(evidence: SupportEvidence, title: str) -> Table:
    table = _support_table(title)
    for number, claim in enumerate(evidence.claims, 1):
        verdict = _verdict(claim.verdict, SUPPORT_MARKS).append(f" {claim.support}", style="default")
        table.add_row(_text(f"{number} {claim.claim}"), verdict, _text("\n".join(_because(claim))))
    return table


def _because(claim: CountedClaim) -> Iterator[str]:
    found = [("✓", p) for p in claim.supporting] + [("≠", p) for p in claim.weakening]
    for glyph, premise in found or [("○", claim.best_premise)]:
        yield f"{glyph} {premise.score or 0:.2f} {_place(premise)}"


def _entailed(evidence: EntailmentEvidence, title: str) -> Table:
    table = _support_table(title)
    for number, found in enumerate(evidence.hypotheses, 1):
        table.add_row(*_claim(number, found))
    return table


def _units(evidence: UnitsEvidence, title: str) -> Table:
    title = f"{title}: {evidence.found} of {len(evidence.units)} units found"
    table = _table(title, UNIT_MARKS, ("unit", "weight", "verdict", "because of"))
    for number, unit in enumerate(evidence.units, 1):
        text = "\n".join([f"{number} {unit.unit}", *(f"= {wording}" for wording in unit.wordings)])
        verdict = _verdict(unit.verdict, UNIT_MARKS).append(f" {unit.presence:.2f}", style="default")
        parts = [f"[{premise.position + 1}] {premise.premise}" for premise in unit.premises]
        because = "\n".join([_probabilities(unit.probabilities), *parts])
        table.add_row(_text(text), f"{unit.weight:g}", verdict, _text(because))
    return table


def _claims_of(evidence: UnitsEvidence) -> Table:
    title = f"precision {evidence.precision or 0:.2f}: the summary's claims, as the references support them"
    table = _support_table(title)
    for number, found in enumerate(evidence.claims or (), 1):
        table.add_row(*_claim(number, found))
    return table


def _claim(number: int, found: EntailedHypothesis) -> tuple[Text, Text, Text]:
    verdict = _verdict(found.verdict(), SUPPORT_MARKS).append(f" {found.score:.2f}", style="default")
    return _text(f"{number} {found.hypothesis}"), verdict, _text("\n".join(_best(found)))


def _best(hypothesis: EntailedHypothesis) -> Iterator[str]:
    for premise in hypothesis.premises:
        yield f"{_probabilities(premise.probabilities or ())} {_place(premise)}"


def _probabilities(given: Sequence[float]) -> str:
    return " ".join(f"{mark.glyph}{p:.2f}" for mark, p in zip(LABEL_MARKS.values(), given, strict=False))


def _weighted(evidence: FeatureEvidence, title: str) -> Table:
    table = _table(title, {}, ("feature", "value × weight", "adds", "made of"))
    for feature in evidence.features:
        made_of = [f"{p.probability:.2f} {p.premise} → {p.hypothesis}" for p in feature.pairs]
        if feature.shared is not None:
            made_of.append(f"shared: {', '.join(feature.shared) or 'nothing'}")
        table.add_row(
            _text(words(feature.name)),
            _text(f"{feature.value:.2f} × {feature.weight:z.2f}"),
            _text(f"{feature.adds:+z.2f}"),
            _text("\n".join(made_of)),
        )
        table.add_section()
    return table


def _place(premise: SourcePremise) -> str:
    return f"[{premise.review + 1}.{premise.position + 1}] {premise.premise}"


def _support_table(title: str) -> Table:
    return _table(title, SUPPORT_MARKS, ("claim", "verdict", "because of"))


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
