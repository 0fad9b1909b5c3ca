"""Compare the rules decomposer with recorded GPT-3 decompositions, aggregate numbers only.

For each data set: claims per sentence (reference and ours) and the overlap, the harmonic mean of
two averages: each reference claim against its best match among ours by unigram F1, and each of ours
against its best match among the reference's.

    python benchmarks/decomposition.py [--data /path/to/data]   # default: $CLAIMWISE_DATA
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
from collections import Counter
from pathlib import Path

from claimwise.text.claims import Decomposer, load_decomposer

RECORDED = {
    "tcg": "zs_summ/space/tcg.jsonl.gz",
    "qg": "zs_summ/space/qg.jsonl.gz",
    "gpt3-amazon": "zs_summ/fewsum/gpt3-amazon.jsonl.gz",
}
OWN = Path(__file__).parents[1] / "tests" / "data" / "decomposition.jsonl"


def unigram_f1(left: str, right: str) -> float:
    """Return the F1 of the lower-cased words that two texts share."""
    first, second = (Counter(re.findall(r"\w+", text.lower())) for text in (left, right))
    shared = (first & second).total()
    return 2 * shared / (first.total() + second.total()) if shared else 0.0


def overlap(references: list[list[str]], candidates: list[list[str]]) -> float:
    """Return the harmonic mean of the two average best matches, one list of claims per sentence."""

    def best_matches(wanted: list[list[str]], found: list[list[str]]) -> float:
        scores = [
            max((unigram_f1(claim, other) for other in others), default=0.0)
            for claims, others in zip(wanted, found, strict=True)
            for claim in claims
        ]
        return sum(scores) / len(scores)

    forward, backward = best_matches(references, candidates), best_matches(candidates, references)
    return 2 * forward * backward / (forward + backward) if forward + backward else 0.0


def read_recorded(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the sentences of recorded summaries and their GPT-3 claims."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for line in lines for row in json.loads(line)["sentences"]]
    rows = [row for row in rows if row["claims"]]
    return [row["sentence"] for row in rows], [[c["claim"] for c in row["claims"]] for row in rows]


def read_own(path: Path = OWN) -> tuple[list[str], list[list[str]]]:
    """Return this project's own development sentences and the claims wanted for them."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["sentence"] for row in rows], [row["claims"] for row in rows]


def row(name: str, decomposer: Decomposer, sentences: list[str], claims: list[list[str]]) -> str:
    """Return one line of the table."""
    ours = [decomposed.claims for decomposed in decomposer.decompose(sentences)]
    rates = [sum(map(len, lists)) / len(lists) for lists in (claims, ours)]
    kind = decomposer.signature["decomposer"]
    numbers = f"{rates[0]:.3f} | {rates[1]:.3f} | {rates[1] / rates[0]:.3f}"
    return f"| {name} | {kind} | {len(sentences)} | {numbers} | {overlap(claims, ours):.3f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    data = parser.parse_args().data
    sets = {"own": read_own()}
    if data is not None:
        sets |= {name: read_recorded(Path(data) / path) for name, path in RECORDED.items()}
    print("| data | decomposer | sentences | reference claims | our claims | ratio | overlap |")
    print("|---|---|---|---|---|---|---|")
    for name, (sentences, claims) in sets.items():
        for kind in ("rules", "sentences"):
            print(row(name, load_decomposer(kind), sentences, claims))


if __name__ == "__main__":
    main()
