"""Checking a judge on labelled pairs, and comparing two judges."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from claimwise.errors import ClaimwiseError
from claimwise.evidence.base import evidence_of
from claimwise.evidence.kinds import ContrastEvidence, UnitsEvidence
from claimwise.evidence.support import EntailmentEvidence, SupportEvidence
from claimwise.judges.crossing import gather
from claimwise.judges.protocol import Judge, Pair, name_of
from claimwise.labels import LABELS
from claimwise.report.results import read_result
from claimwise.scores.caspr import caspr_score
from claimwise.scores.judge_quality import Floats, Ints, brier, calibration_error, confusion, kappa
from claimwise.tables import Table, read_columns
from claimwise.text.inputs import check_column

# From Ananthamurugan et al. 2024: the pairs and their CASPR.
TABLE_1 = (
    ("a paraphrase", 0, "The hotel is sparkly clean.", "The hotel was kept very tidy."),
    ("a negation", 100, "The hotel is clean.", "The hotel is not clean."),
)
PLAIN_ENOUGH = 0.8
"""Share of plain pairs that any NLI model labels correctly; with swapped labels it is a third or 0."""

SHARE_UNJUDGED = 0.05


class Labelled(NamedTuple):
    """A pair of a bank, ``"plain"`` or ``"graded"``, with the index of its label."""

    bank: str
    premise: str
    hypothesis: str
    label: int


class Check(NamedTuple):
    """A line of the table: what was checked, and its outcome in words.

    ``passed`` is None for a measurement that cannot fail; ``remedy`` says what to do if the check failed.
    """

    name: str
    outcome: str
    passed: bool | None = None
    remedy: str = ""


def bank() -> list[Labelled]:
    """Return claimwise's labelled pairs, which were written for this check."""
    text = (files("claimwise.report") / "judge_bank.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [
        Labelled(row["bank"], row["premise"], row["hypothesis"], LABELS.index(row["label"])) for row in rows
    ]


def check_judge(judge: Judge) -> list[Check]:
    """Check a judge on the banks of pairs and the two cases of Table 1 of the CASPR paper.

    Raises:
        ClaimwiseError: from the judge, if it is unreachable or returns no probabilities.
    """
    pairs = bank()
    cases = [pair for _, _, a, b in TABLE_1 for pair in ((a, b), (b, a))]
    asked = [(pair.premise, pair.hypothesis) for pair in pairs] + cases
    used = dict(getattr(judge, "used", {}))
    start = time.perf_counter()
    judged = gather(judge, asked)
    seconds = time.perf_counter() - start
    on_bank, on_cases = np.split(judged.probabilities, [len(pairs)])
    labels = np.array([pair.label for pair in pairs])
    is_plain = np.array([pair.bank == "plain" for pair in pairs])
    checks = [
        _order(on_bank[is_plain].argmax(axis=1), labels[is_plain]),
        *_on_graded_pairs(on_bank[~is_plain], labels[~is_plain]),
        *_table_1(on_cases),
    ]
    if judged.unjudged is not None:
        share = float(judged.unjudged.mean())
        remedy = "Try the other value of the option `ask` (pairs or block), another model, or another prompt."
        checks.append(Check("readable verdicts", f"{1 - share:.0%}", share <= SHARE_UNJUDGED, remedy))
    checks.append(Check("speed", f"{len(asked) / seconds:,.0f} pairs per second ({len(asked)} pairs)"))
    spent = {name: count - used.get(name, 0) for name, count in getattr(judge, "used", {}).items()}
    cost = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in spent.items())
    return [*checks, Check("cost", cost or "no counted requests")]


def _order(guesses: Ints, labels: Ints) -> Check:
    """Check whether the labels are in the right order, and find the right order."""
    counts = confusion(labels, guesses)
    right = float(np.trace(counts) / counts.sum())
    outcome = f"{right:.0%} of {counts.sum()} plain pairs correct"
    if right >= PLAIN_ENOUGH:
        return Check("label order", outcome, True)
    best = max(itertools.permutations(range(3)), key=lambda order: counts[range(3), order].sum())
    remedy = "It mislabels even plain pairs: check that it is a model for natural language inference."
    if counts[range(3), best].sum() >= PLAIN_ENOUGH * counts.sum():
        swapped = ", ".join(
            f"{LABELS[there]} for {LABELS[here]}" for here, there in enumerate(best) if here != there
        )
        remedy = f"Its labels are in the wrong order (it returns {swapped}). Set the option `label_order`."
    return Check("label order", outcome, False, remedy)


def _on_graded_pairs(probabilities: Floats, labels: Ints) -> list[Check]:
    right = float((probabilities.argmax(axis=1) == labels).mean())
    calibration = (
        f"error {calibration_error(probabilities, labels):.2f} (0 = confidence equals accuracy), Brier "
        f"{brier(probabilities, labels):.2f} (0 to 2; 0.67 = guessing)"
    )
    return [
        Check("accuracy on graded pairs", f"{right:.0%} of {len(labels)}"),
        Check("calibration on graded pairs", calibration),
    ]


def _table_1(probabilities: Floats) -> Iterator[Check]:
    """Check the cases of Table 1, each judged in both directions."""
    for (name, wanted, a, b), (there, back) in zip(
        TABLE_1, probabilities.reshape(-1, 2, 1, 1, 3), strict=True
    ):
        score = caspr_score(there, back).score
        yield Check(
            f"Table 1 of the CASPR paper: {name}",
            f"CASPR {score:.0f}, expected {wanted} ({a} {b})",
            score == wanted,
            "Its contrast scores would differ from the paper's: choose another judge for caspr.",
        )


class Disagreement(NamedTuple):
    """A pair that two judges label differently."""

    premise: str
    hypothesis: str
    labels: tuple[str, str]
    probabilities: tuple[float, float]


@dataclass(frozen=True)
class JudgeComparison:
    """The agreement of two judges on the pairs that both judged.

    Attributes:
        counts: ``[3, 3]``, labels of the first judge by labels of the second.
        examples: disagreements, by the lower of the two probabilities, highest first.
        unjudged: number of pairs without a verdict of one judge.
    """

    judges: tuple[str, str]
    pairs: int
    counts: Ints
    examples: tuple[Disagreement, ...] = field(default=())
    unjudged: int = 0

    @property
    def share(self) -> float:
        """Share of pairs with equal labels."""
        return float(np.trace(self.counts) / max(1, self.pairs))

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None if both judges give all pairs the same label."""
        return kappa(self.counts)


def compare_judges(first: Judge, second: Judge, pairs: Sequence[Pair], examples: int = 10) -> JudgeComparison:
    """Compare two judges on the same pairs, and return at most ``examples`` disagreements."""
    judged = [gather(judge, pairs) for judge in (first, second)]
    both = np.ones(len(pairs), dtype=np.bool_)
    for judgements in judged:
        if judgements.unjudged is not None:
            both &= ~judgements.unjudged
    labels = np.stack([judgements.probabilities.argmax(axis=1) for judgements in judged], axis=1)
    highest = np.stack([judgements.probabilities.max(axis=1) for judgements in judged], axis=1)
    disputed = np.flatnonzero((labels[:, 0] != labels[:, 1]) & both)
    disputed = disputed[np.argsort(-highest.min(axis=1)[disputed], kind="stable")][:examples]
    return JudgeComparison(
        judges=(name_of(first), name_of(second)),
        pairs=int(both.sum()),
        counts=confusion(*labels[both].T),
        examples=tuple(
            Disagreement(
                premise=pairs[row][0],
                hypothesis=pairs[row][1],
                labels=(LABELS[labels[row, 0]], LABELS[labels[row, 1]]),
                probabilities=(float(highest[row, 0]), float(highest[row, 1])),
            )
            for row in disputed.tolist()
        ),
        unjudged=int((~both).sum()),
    )


def read_pairs(path: Path) -> list[Pair]:
    """Return the distinct pairs of a table (columns premise and hypothesis) or of a result with evidence.

    Raises:
        ClaimwiseError: for any other file.
    """
    table = Table(path) if path.suffix.lower() != ".json" else None
    if table is not None and {"premise", "hypothesis"} <= set(table.names):
        columns = read_columns(path, [["premise"], ["hypothesis"]])
        try:
            premises, hypotheses = (
                check_column(cells, name, "texts")
                for cells, name in zip(columns, ("premise", "hypothesis"), strict=True)
            )
        except ClaimwiseError as error:
            raise error.at(path=str(path)) from None
        pairs = list(zip(premises, hypotheses, strict=True))
    else:
        try:
            pairs = list(_pairs_of(read_result(path).details))
        except ClaimwiseError as error:
            raise ClaimwiseError(
                f"the file has neither the columns premise and hypothesis nor evidence ({error.problem}).",
                "Use such a table, or a result of claimwise score METRIC FILE --details --output.",
                path=path,
            ) from error
    if not pairs:
        raise ClaimwiseError("the file contains no pairs.", "Use a file with at least one pair.", path=path)
    return list(dict.fromkeys(pairs))


def _pairs_of(details: Sequence[Mapping[str, Any]] | None) -> Iterator[Pair]:
    if details is None:
        raise ClaimwiseError("contains no evidence.")
    for evidence in filter(None, details):
        match evidence_of(evidence):
            case ContrastEvidence(claims_a=claims_a, claims_b=claims_b):
                for a, b in itertools.product(claims_a, claims_b):
                    yield from ((a.claim, b.claim), (b.claim, a.claim))
            case SupportEvidence(claims=claims, premises=premises):
                shown = (premise for claim in claims for premise in (*claim.supporting, claim.best_premise))
                for premise, claim in itertools.product(premises or tuple(shown), claims):
                    yield premise.premise, claim.claim
            case EntailmentEvidence(hypotheses=hypotheses, premises=premises):
                best = (premise for hypothesis in hypotheses for premise in hypothesis.premises)
                for premise, hypothesis in itertools.product(premises or tuple(best), hypotheses):
                    yield premise.premise, hypothesis.hypothesis
            case UnitsEvidence(units=units, claims=claims):
                parts = [(unit.unit, unit.premises) for unit in units]
                parts += [(claim.hypothesis, claim.premises) for claim in claims or ()]
                yield from ((premise.premise, text) for text, premises in parts for premise in premises)
            case other:
                raise ClaimwiseError(f"contains {other.kind} evidence, which has no pairs.")
