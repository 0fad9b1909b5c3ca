"""What readers say of claims that networks wrote: which are at fault, and how they should read.

``verdicts/train.jsonl`` holds sentences of the treebank under their ids (see ``treebank.py``), and those of
OpinionNLI and SourceNLI as texts. No sentence of another file of OpinionClaims is among them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from written import Written, read_lines

from claimwise.errors import ClaimwiseError
from opinion_claims.claims import MOST_CLAIMS, Claims, faults_of_blanks
from opinion_claims.treebank import Sentence, sentences

FOLDER = Path(__file__).resolve().parent / "verdicts"
FAULTS = {
    "u": "ungrammatical",
    "n": "not said by the sentence",
    "j": "two statements joined",
    "d": "a duplicate of a claim before",
}


@dataclass(frozen=True, kw_only=True)
class Verdict(Written):
    """What a reader says of the claims of one sentence.

    Attributes:
        id: of the sentence in the treebank; empty for a sentence given as text.
        sentence: the text; empty for one of the treebank.
        written: the claims that the network wrote.
        faults: for each, the letters of ``FAULTS``.
        lost: words with content that no claim has.
        corrected: the claims as they should read; None where nothing is at fault.
        reader: who read them.
        second: the faults that another reader found, who saw no verdict; None where there was none.
    """

    id: str
    sentence: str
    written: tuple[str, ...]
    faults: tuple[str, ...]
    lost: str
    corrected: Claims | None
    reader: str
    second: tuple[str, ...] | None = None

    @property
    def claims(self) -> Claims:
        """The claims as they should read."""
        return self.corrected or tuple((claim,) for claim in self.written)


def parse(line: str, path: Path, number: int) -> Verdict:
    """Return the verdict of one line of a file.

    Raises:
        ClaimwiseError: if it is not of the form that the card describes.
    """
    try:
        read: dict[str, Any] = json.loads(line)
        written = tuple(read.pop("written"))
        faults, second = read.pop("faults", {}), read.pop("second", None)
        corrected = read.pop("claims", None)
        row = Verdict(
            id=read.pop("id", ""),
            sentence=read.pop("sentence", ""),
            written=written,
            faults=_by_claim(faults, written),
            lost=read.pop("lost", ""),
            corrected=None if corrected is None else tuple(map(tuple, corrected)),
            reader=read.pop("reader"),
            second=None if second is None else _by_claim(second, written),
            path=path,
            line=number,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClaimwiseError(
            f"This is no row: {error!r}.", "The card describes the format.", path=path, line=number
        ) from error
    if read or faults:
        raise row.fault(f"There are further keys: {', '.join([*read, *faults])}.")
    return row


def _by_claim(faults: dict[str, str], written: tuple[str, ...]) -> tuple[str, ...]:
    """Return the letters of each claim, which are taken out of ``faults``."""
    return tuple(faults.pop(str(place), "") for place in range(len(written)))


def faults_of(rows: Iterable[Verdict]) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break."""
    seen: set[str] = set()
    for row in rows:
        if bool(row.id) == bool(row.sentence):
            yield row.fault("A row has an id or a sentence.")
        if (row.id or row.sentence) in seen:
            yield row.fault(f"{row.id or row.sentence!r} stands twice.")
        seen.add(row.id or row.sentence)
        if any(set(letters) - FAULTS.keys() for letters in (*row.faults, *(row.second or ()))):
            yield row.fault(f"The faults are {row.faults}.", f"Choose of: {', '.join(FAULTS)}.")
        if (any(row.faults) or bool(row.lost)) and not row.corrected:
            yield row.fault("A claim is at fault, and there are no corrected claims.")
        if not 1 <= len(row.claims) <= MOST_CLAIMS or not all(row.claims):
            yield row.fault(f"There are {len(row.claims)} claims.", f"Write 1 to {MOST_CLAIMS}.")
        for text in (*row.written, *(text for wordings in row.claims for text in wordings)):
            yield from faults_of_blanks(row, text)


def read_rows(folder: Path = FOLDER) -> list[Verdict]:
    """Read ``*.jsonl`` of ``folder`` and check every rule.

    Raises:
        ClaimwiseError: with the file and the line of the first row that breaks a rule.
    """
    rows = read_lines(folder, "*.jsonl", parse)
    for fault in faults_of(rows):
        raise fault
    return rows


def joined(rows: Iterable[Verdict], treebank: Path) -> Iterator[tuple[Verdict, Sentence]]:
    """Yield each verdict with its sentence.

    Args:
        rows: of ``read_rows``.
        treebank: the folder with ``train.conllu.gz``.

    Raises:
        ClaimwiseError: for an id that the treebank does not have.
    """
    known = sentences(treebank / "train.conllu.gz")
    for row in rows:
        if row.id and row.id not in known:
            raise row.fault(f"The treebank's part for training has no sentence {row.id!r}.")
        yield row, known[row.id] if row.id else Sentence(row.sentence, "")
