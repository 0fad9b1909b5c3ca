"""What the decomposers make of sentences: most claims that the filter meets are made so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from claimwise.text.claims import load_decomposer

DECOMPOSERS = ("clauses", "learned")


def claims_of(sentences: Sequence[str], path: Path) -> dict[str, list[str]]:
    """Return the distinct claims of each sentence, whichever decomposer makes them; kept in a JSON file."""
    known: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
    if missing:
        by_decomposer = [load_decomposer(name)(missing) for name in DECOMPOSERS]
        for sentence, *made in zip(missing, *by_decomposer, strict=True):
            known[sentence] = list(dict.fromkeys(claim for claims in made for claim in claims))
        path.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    return {sentence: known[sentence] for sentence in sentences}
