"""The configuration ``phenomena``: sentences that are easily misread, each beside its minimal change.

A row is one sentence of a kind ("The staff used to …"), a version of it that differs in a few words and means
something else, and claims with their label under either. ``phenomena/KIND.jsonl`` holds the rows of a kind.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from written import SENTENCE_END, SPLITS, Written, read_lines

from claimwise.errors import ClaimwiseError
from claimwise.labels import LABELS
from opinion_nli import FOLDER, check_shape

DOMAINS = frozenset({"hotels", "phones", "films", "courses", "restaurants", "services", "everyday"})
LEAST_SHARE = 0.25
SALT = 5312  # of the hash that decides the split: with it, every kind has 50 pairs or more in the test split
_CLAIM = {"claim": str, "sentence": str, "changed": str}
SHAPE = {"domain": str, "sentence": str, "changed": str, "claims": [_CLAIM], "reversed": [_CLAIM]}


@dataclass(frozen=True)
class Labelled:
    """A claim, and its label with the sentence and with the changed sentence."""

    claim: str
    sentence: str
    changed: str


@dataclass(frozen=True)
class Change(Written):
    """A sentence, its minimal change, the ``claims`` about them, and claims as premises (``reversed``)."""

    kind: str
    domain: str
    sentence: str
    changed: str
    claims: tuple[Labelled, ...]
    reversed: tuple[Labelled, ...]

    @property
    def group(self) -> str:
        """What the rows of a file have in common."""
        return self.kind

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: by the sentence alone, whatever other rows there are."""
        bucket = zlib.crc32(f"{SALT}/{self.sentence}".encode()) % 32
        return "test" if bucket < 4 else "validation" if bucket < 6 else "train"

    @property
    def premises(self) -> tuple[str, ...]:
        """The texts that are a premise of some pair."""
        return (self.sentence, self.changed, *(claim.claim for claim in self.reversed))

    def rows(self) -> Iterator[dict[str, str]]:
        """Yield the pairs: both sentences with every claim, then every reversed claim with both sentences."""
        place = {"kind": self.kind, "domain": self.domain}
        for claim in self.claims:
            yield {"premise": self.sentence, "hypothesis": claim.claim, "label": claim.sentence} | place
            yield {"premise": self.changed, "hypothesis": claim.claim, "label": claim.changed} | place
        for claim in self.reversed:
            yield {"premise": claim.claim, "hypothesis": self.sentence, "label": claim.sentence} | place
            yield {"premise": claim.claim, "hypothesis": self.changed, "label": claim.changed} | place


def parse(line: str, path: Path, number: int) -> Change:
    """Return the row of one line of a file.

    Raises:
        ClaimwiseError: if it is no JSON or not as ``SHAPE`` says.
    """
    try:
        row = json.loads(line)
        check_shape(row, SHAPE)
    except ClaimwiseError as error:
        raise error.at(path=str(path), line=number) from None
    except (ValueError, RecursionError) as error:
        problem, remedy = f"is not valid JSON ({error}).", "Write one JSON object a line."
        raise ClaimwiseError(problem, remedy, path=path, line=number) from error
    claims, turned = (tuple(Labelled(**claim) for claim in row[key]) for key in ("claims", "reversed"))
    texts = row["domain"], row["sentence"], row["changed"]
    return Change(path.stem, *texts, claims, turned, path=path, line=number)


def faults_of(change: Change) -> Iterator[ClaimwiseError]:
    """Yield the rules that a row breaks by itself."""
    if change.domain not in DOMAINS:
        known = ", ".join(sorted(DOMAINS))
        yield change.fault(f"The domain {change.domain!r} is unknown.", f"Choose of: {known}.")
    if change.sentence == change.changed:
        yield change.fault("The sentence is not changed.", "Change a few words of it.")
    every = change.claims + change.reversed
    for text in (change.sentence, change.changed, *(claim.claim for claim in every)):
        if text != " ".join(text.split()) or not text.isprintable() or not SENTENCE_END.search(text):
            yield change.fault(f"{text!r} has no full stop (or ? or !), or blanks that are not single.")
    for claim in every:
        if not {claim.sentence, claim.changed} <= set(LABELS):
            yield change.fault(f"{claim.claim!r} has an unknown label.", f"Choose of: {', '.join(LABELS)}.")
        if claim.claim in (change.sentence, change.changed):
            yield change.fault(f"{claim.claim!r} is claimed of itself.", "Reword the claim.")
    if not 3 <= len(change.claims) <= 4 or not 1 <= len(change.reversed) <= 2:
        yield change.fault("Expected 3 or 4 claims, and 1 or 2 of them reversed.", "Add or leave out claims.")
    for claims in (change.claims, change.reversed):
        if len({claim.claim for claim in claims}) < len(claims):
            yield change.fault("A claim is there twice.", "Leave out one.")
    if 2 * sum(claim.sentence != claim.changed for claim in change.claims) < len(change.claims):
        yield change.fault("Most claims keep their label.", "The change must give half of them another.")
    forward = {claim.claim: claim for claim in change.claims}
    for turned in change.reversed:
        claim = forward.get(turned.claim, turned)
        for mine, other in ((claim.sentence, turned.sentence), (claim.changed, turned.changed)):
            if (mine == "contradiction") != (other == "contradiction"):
                yield change.fault(f"{turned.claim!r} contradicts in one direction only.", "It does in both.")


def faults_between(changes: Iterable[Change]) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break together: no premise twice, and every label often enough in a kind."""
    first: dict[str, Change] = {}
    labels: dict[Path, Counter[str]] = {}
    for change in changes:
        for premise in change.premises:
            other = first.setdefault(premise.lower(), change)
            if other is not change:
                place = f"{other.path.name}, line {other.line}"
                yield change.fault(f"{premise!r} is a premise of {place}, too.", "Reword it.")
        labels.setdefault(change.path, Counter()).update(row["label"] for row in change.rows())
    for path, counts in labels.items():
        for label in LABELS:
            share = counts[label] / counts.total()
            if share < LEAST_SHARE:
                problem = f"{share:.0%} of the labels are {label}; each must be {LEAST_SHARE:.0%} or more."
                yield ClaimwiseError(problem, "Add claims of this label.", path=path)


def checked(folder: Path) -> tuple[list[Change], list[ClaimwiseError]]:
    """Return the rows of all kinds, sorted by kind, and the rules that they break."""
    changes = read_lines(folder / "phenomena", "*.jsonl", parse)
    by_themselves = (fault for change in changes for fault in faults_of(change))
    return changes, [*by_themselves, *faults_between(changes)]


def read_changes(folder: Path = FOLDER) -> list[Change]:
    """Read the rows of all kinds, sorted by kind, and check every rule.

    Raises:
        ClaimwiseError: if there are no rows, or with the place of the first that breaks a rule.
    """
    changes, faults = checked(folder)
    for fault in faults:
        raise fault
    if not changes:
        raise ClaimwiseError("contains no phenomena.", "Use the folder of OpinionNLI.", path=folder)
    return changes


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the pairs by split, such as ``phenomena/train``."""
    changes = read_changes(folder)
    return {
        f"phenomena/{split}": [row for change in changes if change.split == split for row in change.rows()]
        for split in SPLITS
    }
