"""What the claim writer makes of sentences: most claims that the filter meets are made so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from claimwise.text.writer import ClaimWriter


def claims_of(sentences: Sequence[str], path: Path) -> dict[str, list[str]]:
    """Return the distinct claims of each sentence, attributions kept and stripped; a JSON file keeps them."""
    known: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    missing = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
    if missing:
        kept, stripped = ClaimWriter()(missing), ClaimWriter(attributions="strip")(missing)
        for sentence, *made in zip(missing, kept, stripped, strict=True):
            known[sentence] = list(dict.fromkeys(claim for claims in made for claim in claims))
        path.write_text(json.dumps(known, ensure_ascii=False), encoding="utf-8")
    return {sentence: known[sentence] for sentence in sentences}
