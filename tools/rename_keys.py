"""Rename the keys of results, evidence and signatures of earlier development versions.

python tools/rename_keys.py FILE … rewrites JSON and JSON Lines files in place.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

RESULT = {
    r"^(\w+)_inputs$": r"\1_input_hashes",
    r"^(\w+)_input$": r"\1_input_hash",
    r"^(\w+)_not_asked$": r"\1_skipped_pairs",
    r"^(top_score)((_scores|_ci)?)$": r"support_counts_\1\2",
    r"^support_percent(_table_6)?$": r"support_counts_percent\1",
    r"^(average_idf)((_scores|_ci)?)$": r"genericity_\1\2",
}
"""Keys of a result."""

EVIDENCE = {"decided_by": "related", "surest": "strongest"}
OPTIONS = {"nli_model": "judge", "nli_fingerprint": "judge_fingerprint", "nli_revision": "judge_revision"}
"""Options, which are also keys of signatures."""


def renamed(content: Any, in_evidence: bool = False) -> Any:
    """Return parsed JSON with its keys renamed; keys of evidence are others than those of results."""
    if isinstance(content, str):
        return re.sub(r"(?<=\|)(\w+)(?=:)", lambda key: OPTIONS.get(key[1], key[1]), content)
    if isinstance(content, list):
        return [renamed(value, in_evidence) for value in content]
    if not isinstance(content, dict):
        return content
    return {
        _new_key(key, in_evidence): renamed(value, in_evidence or key.endswith("_details"))
        for key, value in content.items()
    }


def _new_key(key: str, in_evidence: bool) -> str:
    if in_evidence:
        return EVIDENCE.get(key, key)
    for pattern, new in RESULT.items():
        if re.search(pattern, key):
            return re.sub(pattern, new, key)
    return OPTIONS.get(key, key)


def main(paths: list[str]) -> None:
    """Rewrite the files."""
    for path in map(Path, paths):
        text = path.read_text("utf-8")
        values = [json.loads(text)] if path.suffix == ".json" else list(map(json.loads, text.splitlines()))
        indent = 1 if text.startswith(("{\n", "[\n")) else None
        lines = [json.dumps(renamed(value), ensure_ascii=False, indent=indent) + "\n" for value in values]
        path.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
