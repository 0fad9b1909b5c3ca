"""Claims of real, untidy sentences: those of the English Web Treebank (UD_English-EWT, CC BY-SA 4.0).

    python datasets_scripts/opinion_claims/treebank.py FOLDER    # with {train,dev,test}.conllu.gz

The files beside this one in ``treebank/`` hold claims under the ids of their sentences, never the sentences
themselves: they are joined where the treebank is at hand. Its split is the split of the rows.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from written import Written, read_lines

from claimwise.errors import ClaimwiseError
from opinion_claims import MOST_CLAIMS, MOST_WORDINGS, faults_of_blanks, faults_of_ends, missing, words

FOLDER = Path(__file__).resolve().parent / "treebank"
FILES = {"train": "train.conllu.gz", "validation": "dev.conllu.gz", "test": "test.conllu.gz"}
Claims = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Row(Written):
    """The claims of one sentence of the treebank.

    Attributes:
        id: of the sentence in the treebank.
        claims: each with its acceptable wordings, the best first.
        stripped: the same claims without the frames that say who said so; None where there are none.
        writer: who wrote them.
        reader: who read them beside the sentence, and corrected them; None if nobody has.
    """

    id: str
    claims: Claims
    stripped: Claims | None
    writer: str
    reader: str | None = None

    @property
    def split(self) -> str:
        """``train``, ``validation`` or ``test``: the name of the file."""
        return self.path.stem


@dataclass(frozen=True)
class Sentence:
    """A sentence of the treebank with the one before it in its document (empty for the first)."""

    text: str
    context: str


def parse(line: str, path: Path, number: int) -> Row:
    """Return the row of one line of a file.

    Raises:
        ClaimwiseError: if it is not of the form that the card describes.
    """
    try:
        read: dict[str, Any] = json.loads(line)
        stripped = read.pop("stripped", None)
        row = Row(
            id=read.pop("id"),
            claims=tuple(map(tuple, read.pop("claims"))),
            stripped=None if stripped is None else tuple(map(tuple, stripped)),
            writer=read.pop("writer"),
            reader=read.pop("reader", None),
            path=path,
            line=number,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"This is no row: {error!r}."
        raise ClaimwiseError(problem, "The card describes the format.", path=path, line=number) from error
    if read:
        raise row.fault(f"There are further keys: {', '.join(read)}.")
    return row


def faults_of(rows: Iterable[Row]) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break, whatever their sentences are."""
    last: dict[str, str] = {}
    for row in rows:
        if row.split not in FILES:
            yield row.fault(f"The split {row.split!r} is unknown.")
        if row.id <= last.get(row.split, ""):
            yield row.fault(f"The rows of {row.split} are not sorted by id, each once.", "Move the row.")
        last[row.split] = row.id
        if row.reader == row.writer:
            yield row.fault("The reader is the writer.", "Let somebody else read it.")
        if row.stripped is not None and (len(row.stripped) != len(row.claims) or row.stripped == row.claims):
            yield row.fault("The stripped claims are as many as the claims, and differ from them.")
        for claims in (row.claims, row.claims if row.stripped is None else row.stripped):
            if not 1 <= len(claims) <= MOST_CLAIMS:
                yield row.fault(f"There are {len(claims)} claims.", f"Write 1 to {MOST_CLAIMS}.")
            for wordings in claims:
                if not 1 <= len(wordings) <= MOST_WORDINGS or len(set(wordings)) < len(wordings):
                    yield row.fault(f"The wordings {wordings} are none, too many, or one occurs twice.")
                for text in wordings:
                    yield from faults_of_ends(row, text)
                    yield from faults_of_blanks(row, text)


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """Read ``*.jsonl`` of ``folder`` and check every rule.

    Raises:
        ClaimwiseError: with the file and the line of the first row that breaks a rule.
    """
    rows = read_lines(folder, "*.jsonl", parse)
    for fault in faults_of(rows):
        raise fault
    return rows


def sentences(path: Path) -> dict[str, Sentence]:
    """Return the sentences of a gzipped CoNLL-U file by their ids."""
    found: dict[str, Sentence] = {}
    document, before, number = "", "", ""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition(" = ")
            if key == "# sent_id":
                number = value
            elif key == "# text":
                of = number.rpartition("-")[0]
                found[number] = Sentence(value, before if of == document else "")
                document, before = of, value
    return found


def joined(rows: Iterable[Row], treebank: Path) -> Iterator[tuple[Row, Sentence]]:
    """Yield each row with its sentence.

    Args:
        rows: of ``read_rows``.
        treebank: the folder with ``FILES``.

    Raises:
        ClaimwiseError: for an id that the treebank does not have.
    """
    known = {split: sentences(treebank / name) for split, name in FILES.items()}
    for row in rows:
        if row.id not in known[row.split]:
            raise row.fault(f"The treebank's part for {row.split} has no sentence {row.id!r}.")
        yield row, known[row.split][row.id]


def main() -> None:
    """Print how many rows there are, and the words that claims lose or bring in."""
    rows = read_rows()
    for split in FILES:
        of_split = [row for row in rows if row.split == split]
        claims, writers = sum(len(row.claims) for row in of_split), {row.writer for row in of_split}
        read = sum(row.reader is not None for row in of_split)
        print(
            f"{split}: {len(of_split)} sentences ({read} read twice), {claims} claims, {len(writers)} writers"
        )
    for row, sentence in joined(rows, Path(sys.argv[1])) if len(sys.argv) > 1 else ():
        best = " ".join(wordings[0] for wordings in row.claims)
        lost = missing(sentence.text, {word for wordings in row.claims for word in words(" ".join(wordings))})
        new = missing(best, words(f"{sentence.context} {sentence.text}"))
        if len(lost) > 1 or len(new) > 1:
            print(f"{row.id}: lost {lost}, new {new}: {sentence.text}")


if __name__ == "__main__":
    main()
