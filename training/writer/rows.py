"""Sentences with their claims: OpinionClaims, its attributions, and its claims of the treebank."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "datasets_scripts"))
import opinion_claims  # noqa: E402
from opinion_claims import treebank, verdicts  # noqa: E402

Claims = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Sentence:
    """A sentence and its claims.

    Attributes:
        text: of the sentence.
        context: the previous sentence, or empty.
        claims: each with its wordings, attributions kept.
        stripped: the same without attributions; None where that changes nothing.
        kind: ``plain``, ``messy``, ``attributions``, ``treebank`` or ``verdicts``.
    """

    text: str
    context: str
    claims: Claims
    stripped: Claims | None
    kind: str


def sentences_of(split: str, data: Path) -> list[Sentence]:
    """Return all sentences of a split; those of the treebank only where ``data`` has it."""
    found = [
        Sentence(row.sentence, row.context, row.claims, row.stripped, row.kind)
        for row in opinion_claims.read_files()
        if row.split == split
    ]
    found += [
        Sentence(row.sentence, "", row.claims, row.stripped, "attributions")
        for row in opinion_claims.read_attributions()
        if row.split == split
    ]
    folder = data / "ud_ewt"
    if folder.is_dir():
        rows = [row for row in treebank.read_rows() if row.split == split]
        found += [
            Sentence(sentence.text, sentence.context, row.claims, row.stripped, "treebank")
            for row, sentence in treebank.joined(rows, folder)
        ]
        if split == "train":
            found += [
                Sentence(sentence.text, sentence.context, row.claims, None, "verdicts")
                for row, sentence in verdicts.joined(verdicts.read_rows(), folder)
            ]
    return found
