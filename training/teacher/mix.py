"""What the teacher reads: a shuffled mixture of all that may be trained on, and ``phenomena`` beside it.

The mixture is drawn once and read from front to back; a later stretch goes on where the last one ended. Two
labels are not what they seem: MoNLI's "neutral" and the "not supported" of documents only say that nothing is
entailed, so they are ``NOT_ENTAILED`` here, and the loss leaves open which of the two other labels holds.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "judge"))
from pairs import Pair, Sources, is_validation, words_of, write_pairs  # noqa: I001
from claims import compared_claims
from opinion_nli.changes import read_changes
from recipe import BUILDERS

from claimwise.labels import LABELS

NOT_ENTAILED = "not_entailment"
SEED = 301
LONGEST_DOCUMENT = 160  # words of a document and its claim
COUNTS = {
    "mnli_train": 88_000,
    "mnli_dev": 17_000,
    "taxinli_mnli_train": 2_400,
    "snli_train": 18_000,
    "snli_dev": 10_000,
    "lingnli": 12_000,
    "wanli": 15_000,
    "newprotocols_base": 7_000,
    "newprotocols_edit_premise": 7_000,
    "newprotocols_edit_other": 6_000,
    "newprotocols_contrast": 3_000,
    "fever": 6_000,
    "fever_neutrals": 4_000,
    "monli": 2_500,
    "cad": 8_300,
    "conjnli": 4_000,
    "denied": 2_000,
    "swapped": 2_000,
    "clusters_and_scales": 10_000,
    "checklists": 9_000,
    "compared": 3_000,
    "long_reviews": 1_500,
    "taken_back": 500,
    "source_nli": 1_500,
    "source_nli_parts": 2_000,
    "source_nli_sentences": 8_000,
}
"""Pairs of each kind, or all there are; about 250 thousand with the two below."""
AIMED, DOCUMENTS = 6_000, 1_500


def allowed(label: str) -> list[bool]:
    """Return which of the three labels a pair's label leaves open."""
    return [label == other or (label == NOT_ENTAILED and other != "entailment") for other in LABELS]


def aimed(sources: Sources, generator: random.Random) -> Iterator[Pair]:
    """Yield claims as summaries bring them together; where there is another wording, one of the two."""
    for one in compared_claims(sources, generator):
        texts = generator.choice([(one.premise, one.hypothesis), one.again or (one.premise, one.hypothesis)])
        yield Pair(*texts, one.label, "aimed")


def documents(data: Path, split: str) -> Iterator[Pair]:
    """Yield documents with a claim that they support, or that they do not."""
    with gzip.open(data / "nli" / "train_docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            label = "entailment" if row["supported"] else NOT_ENTAILED
            pair = Pair(row["premise"], row["hypothesis"], label, "documents")
            # Versions of one document begin alike.
            is_kept = is_validation(" ".join(pair.premise.split()[:12])) == (split == "validation")
            if is_kept and words_of(pair) <= LONGEST_DOCUMENT:
                yield pair


def relabelled(pair: Pair) -> Pair:
    """Return the pair with the label that its set really gives."""
    return pair._replace(label=NOT_ENTAILED) if (pair.kind, pair.label) == ("monli", "neutral") else pair


def draw(data: Path, seed: int = SEED) -> list[Pair]:
    """Return the shuffled mixture of the training split."""
    sources, generator = Sources(data, "train"), random.Random(seed)
    pairs = []
    for kind, count in COUNTS.items():
        pool = [*BUILDERS[kind](sources, generator)] if kind in BUILDERS else sources.plain(kind)
        pool = [*dict.fromkeys(pool)]
        pairs += generator.sample(pool, min(count, len(pool)))
        print(kind, collections.Counter(p.label for p in pairs if p.kind == kind), flush=True)
    pairs += list(aimed(sources, generator))[:AIMED]
    pairs += generator.sample(found := list(documents(data, "train")), min(DOCUMENTS, len(found)))
    pairs = list({(p.premise, p.hypothesis): relabelled(p) for p in pairs}.values())
    generator.shuffle(pairs)
    return pairs


def phenomena(folder: Path, split: str = "train") -> list[Pair]:
    """Return the pairs of one split of OpinionNLI's ``phenomena``, as that configuration splits them."""
    changes = [change for change in read_changes(folder) if change.split == split]
    rows = (row for change in changes for row in change.rows())
    return list(
        dict.fromkeys(Pair(row["premise"], row["hypothesis"], row["label"], row["kind"]) for row in rows)
    )


def main() -> None:
    """Draw the mixture and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path, help="JSON lines")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    parser.add_argument("--phenomena", type=Path, help="folder of OpinionNLI: its pairs are mixed in")
    parser.add_argument("--times", type=int, default=3, help="how often each of them is in the mixture")
    arguments = parser.parse_args()
    pairs = draw(Path(arguments.data))
    if arguments.phenomena:
        pairs += phenomena(arguments.phenomena) * arguments.times
        random.Random(SEED).shuffle(pairs)
    write_pairs(arguments.output, pairs)
    print(len(pairs), collections.Counter(pair.kind for pair in pairs))


if __name__ == "__main__":
    main()
