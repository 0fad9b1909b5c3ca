"""Compare the claim writer with recorded claims of GPT-3 and GPT-3.5 and with OpinionClaims, in aggregate.

For each recorded data set: claims per sentence (reference and ours) and the overlap, the harmonic mean of
two averages: each reference claim against its best match among ours by unigram F1, and each of ours
against its best match among the reference's. For OpinionClaims: the claim F1 of ``claim_scores``.

    python -m benchmarks.quality.decomposition [--data /path/to/data]   # default: $CLAIMWISE_DATA
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from claimwise.text.claims import Decomposer, SentencesDecomposer
from claimwise.text.writer import ClaimWriter

sys.path.append(str(Path(__file__).parents[2] / "datasets_scripts"))
import opinion_claims
from opinion_claims import treebank

Claims = Sequence[Sequence[str]]

RECORDED = {
    "tcg": "zs_summ/space/tcg.jsonl.gz",
    "qg": "zs_summ/space/qg.jsonl.gz",
    "gpt3-amazon": "zs_summ/fewsum/gpt3-amazon.jsonl.gz",
}
COCOTRIP = "cocotrip/recorded_claims.jsonl.gz"
OFFLINE: dict[str, Decomposer] = {
    "default": ClaimWriter(),
    "default, attributions stripped": ClaimWriter(attributions="strip"),
    "sentences": SentencesDecomposer(),
}


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


class ClaimScores(NamedTuple):
    """Shares of our claims that a person might have written, of theirs that are among ours; the F1."""

    precision: float
    recall: float
    f1: float


def claim_scores(
    references: Sequence[Sequence[Sequence[str]]],
    candidates: Sequence[Sequence[str]],
    threshold: float = 0.9,
) -> ClaimScores:
    """Compare claims with those of persons, who give several acceptable wordings of each.

    A claim of ours matches a claim of the reference if the unigram F1 (``unigram_f1``) with any of its
    wordings is at least ``threshold``. Precision is the share of our claims that match one of their
    sentence, recall the share of reference claims that one of ours matches; both over all claims of all
    sentences, none weighted.

    Args:
        references: for each sentence its claims, each a list of wordings.
        candidates: for each sentence the claims made of it.
        threshold: the least F1 of a match.
    """
    right = made = found = wanted = 0
    for claims, ours in zip(references, candidates, strict=True):
        matches = [
            [max(unigram_f1(wording, text) for wording in wordings) >= threshold for text in ours]
            for wordings in claims
        ]
        right += sum(map(any, zip(*matches, strict=True)))
        made += len(ours)
        found += sum(map(any, matches))
        wanted += len(claims)
    precision, recall = right / made if made else 0.0, found / wanted if wanted else 0.0
    return ClaimScores(precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0)


def read_recorded(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the sentences of recorded summaries and their GPT-3 claims."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for line in lines for row in json.loads(line)["sentences"]]
    rows = [row for row in rows if row["claims"]]
    return [row["sentence"] for row in rows], [[c["claim"] for c in row["claims"]] for row in rows]


def read_cocotrip(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the sentences of CoCoTrip's summaries and the claims that GPT-3.5 made of them."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for line in lines for row in json.loads(line)["sentences"] if row["claims"]]
    return [row["sentence"] for row in rows], [row["claims"] for row in rows]


def row(name: str, kind: str, decomposer: Decomposer, sentences: list[str], claims: list[list[str]]) -> str:
    """Return one line of the table."""
    ours = [decomposed.claims for decomposed in decomposer.decompose(sentences)]
    rates = [sum(map(len, lists)) / len(lists) for lists in (claims, ours)]
    numbers = f"{rates[0]:.3f} | {rates[1]:.3f} | {rates[1] / rates[0]:.3f}"
    return f"| {name} | {kind} | {len(sentences)} | {numbers} | {overlap(claims, ours):.3f} |"


def read_opinion_claims(split: str, data: Path | None) -> dict[str, list[tuple[str, Claims]]]:
    """Return the sentences of a split with their claims, by kind; those of the treebank where it is."""
    found: dict[str, list[tuple[str, Claims]]] = {}
    for row in opinion_claims.read_files():
        if row.split == split:
            found.setdefault(row.kind, []).append((row.sentence, row.claims))
    attributed = (row for row in opinion_claims.read_attributions() if row.split == split)
    found["attributions"] = [(row.sentence, row.claims) for row in attributed]
    if data is not None and (data / "ud_ewt").is_dir():
        rows = [row for row in treebank.read_rows() if row.split == split]
        joined = treebank.joined(rows, data / "ud_ewt")
        found["treebank"] = [(sentence.text, row.claims) for row, sentence in joined]
    return found


def print_opinion_claims(split: str, data: Path | None) -> None:
    """Print the table of a split of OpinionClaims, kind by kind."""
    columns = "decomposer | sentences | reference claims | our claims | P | R | claim F1 | sentences/s"
    print(f"\n| OpinionClaims | {columns} |")
    print("|---|---|---|---|---|---|---|---|---|")
    by_kind = read_opinion_claims(split, data)
    for name, kinds in {"plain and messy": ("plain", "messy"), **{kind: (kind,) for kind in by_kind}}.items():
        sentences, wanted = zip(*(row for kind in kinds for row in by_kind[kind]), strict=True)
        for kind, decomposer in OFFLINE.items():
            decomposer.decompose(sentences[:1])
            started = time.perf_counter()
            ours = [found.claims for found in decomposer.decompose(sentences)]
            speed = len(sentences) / (time.perf_counter() - started)
            scores = claim_scores(wanted, ours)
            rates = [sum(map(len, lists)) / len(sentences) for lists in (wanted, ours)]
            print(
                f"| {split}, {name} | {kind} | {len(sentences)} | {rates[0]:.3f} | {rates[1]:.3f} | "
                f"{scores.precision:.3f} | {scores.recall:.3f} | {scores.f1:.3f} | {speed:.0f} |"
            )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    parser.add_argument("--splits", nargs="*", default=["validation", "test"], choices=opinion_claims.SPLITS)
    options = parser.parse_args()
    sets = {}
    if options.data is not None:
        sets = {name: read_recorded(Path(options.data) / path) for name, path in RECORDED.items()}
        sets["cocotrip"] = read_cocotrip(Path(options.data) / COCOTRIP)
    print("| data | decomposer | sentences | reference claims | our claims | ratio | overlap |")
    print("|---|---|---|---|---|---|---|")
    for name, (sentences, claims) in sets.items():
        for kind, decomposer in OFFLINE.items():
            print(row(name, kind, decomposer, sentences, claims))
    for split in options.splits:
        print_opinion_claims(split, options.data)


if __name__ == "__main__":
    main()
