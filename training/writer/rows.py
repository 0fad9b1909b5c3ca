"""Sentences with their claims: OpinionClaims, its attributions, and its claims of the treebank."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "datasets_scripts")]
import opinion_claims  # noqa: E402
from opinion_claims import treebank  # noqa: E402

Claims = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Sentence:
    """A sentence and its claims.

    Attributes:
        text: of the sentence.
        context: the sentence before, or empty.
        claims: each with its wordings, attributions kept.
        stripped: the same without attributions; None where that changes nothing.
        kind: ``plain``, ``messy``, ``treebank`` or ``attributions``.
    """

    text: str
    context: str
    claims: Claims
    stripped: Claims | None
    kind: str


def sentences_of(split: str, data: Path) -> list[Sentence]:
    """Return all sentences of a split; those of the treebank only where ``data`` has it."""
    import json, glob

    patches = {}
    for path in glob.glob("/work/claims/at/frames_*.out.jsonl"):
        for line in open(path):
            one = json.loads(line)
            if all(one.get(k) is None or all(one[k]) for k in ("claims", "stripped")):
                patches[one["split"], one["line"]] = one
    undone = (
        set()
        if split != "train"
        else {
            (o["split"], o["line"])
            for p in glob.glob("/work/claims/at/frames_[23].in.jsonl")
            for o in map(json.loads, open(p))
        }
        - set(patches)
    )
    if glob.glob("/work/claims/at/frames.done"):
        undone = set()
    found = [
        Sentence(
            row.sentence,
            row.context,
            patches.get((split, row.line), {}).get("claims", row.claims) if split == "train" else row.claims,
            patches.get((split, row.line), {}).get("stripped"),
            row.kind,
        )
        for row in opinion_claims.read_files()
        if row.split == split and (split, row.line) not in undone
    ]
    for path in sorted(glob.glob("/work/claims/at/?.jsonl")):
        for number, line in enumerate(open(path)):
            one = json.loads(line)
            if split == ("validation" if number % 9 == 4 else "test" if number % 9 == 8 else "train"):
                found.append(
                    Sentence(one["sentence"], "", one["claims"], one.get("stripped"), "attributions")
                )
    folder = data / "ud_ewt"
    if folder.is_dir():
        rows = [row for row in treebank.read_rows() if row.split == split]
        found += [
            Sentence(sentence.text, sentence.context, row.claims, row.stripped, "treebank")
            for row, sentence in treebank.joined(rows, folder)
        ]
    return found
