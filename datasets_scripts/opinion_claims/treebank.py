"""Claims of real, untidy sentences: those of the English Web Treebank (UD_English-EWT, CC BY-SA 4.0).

    python datasets_scripts/opinion_claims/treebank.py FOLDER    # with {train,dev,test}.conllu.gz

The files beside this one in ``treebank/`` hold claims under the ids of their sentences, never the sentences
themselves: they are joined where the treebank is at hand. Its split is the split of the rows.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from written import read_lines

from claimwise.errors import ClaimwiseError
from opinion_claims.claims import Reread, faults_of_claims, missing, parse, words

FOLDER = Path(__file__).resolve().parent / "treebank"
FILES = {"train": "train.conllu.gz", "validation": "dev.conllu.gz", "test": "test.conllu.gz"}


@dataclass(frozen=True, kw_only=True)
class Row(Reread):
    """The claims of one sentence of the treebank, which ``id`` names."""

    id: str


@dataclass(frozen=True)
class Sentence:
    """A sentence of the treebank with the one before it in its document (empty for the first)."""

    text: str
    context: str


def faults_of(rows: Iterable[Row]) -> Iterator[ClaimwiseError]:
    """Yield the rules that rows break, whatever their sentences are."""
    last: dict[str, str] = {}
    for row in rows:
        if row.id <= last.get(row.split, ""):
            yield row.fault(f"The rows of {row.split} are not sorted by id, each once.", "Move the row.")
        last[row.split] = row.id
        yield from faults_of_claims(row, None)


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """Read ``*.jsonl`` of ``folder`` and check every rule.

    Raises:
        ClaimwiseError: with the file and the line of the first row that breaks a rule.
    """
    rows = read_lines(folder, "*.jsonl", partial(parse, Row))
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
