"""Sentences without trees, for the teacher to parse: this repository's own, and the NLI training sets'."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claimwise.text.sentences import Splitter

REPOSITORY = Path(__file__).parents[2]
OWN = ["opinion_nli/clusters.jsonl", "opinion_nli/checklists.jsonl", "source_nli/passages.jsonl"]
# How many sentences of each source and column are drawn; captions and hypotheses are easy and alike, so few.
DRAWS = {
    ("own", "own"): 18_000,
    ("mnli_train", "premise"): 22_000,
    ("mnli_train", "hypothesis"): 2_500,
    ("mnli_dev", "premise"): 2_500,
    ("wanli", "premise"): 6_000,
    ("conjnli", "premise"): 4_000,
    ("lingnli", "premise"): 2_500,
    ("sanli_translate_wiki", "premise"): 1_500,
    ("newprotocols_base", "premise"): 1_000,
    ("fever", "premise"): 2_000,
    ("snli_train", "premise"): 1_500,
}
SHORTEST, LONGEST = 3, 45


def sentences(data: Path, *, seed: int = 1) -> list[str]:
    """Return sentences of ``DRAWS``, shuffled, none twice and none of the treebank's."""
    generator = random.Random(seed)
    pools: dict[tuple[str, str], set[str]] = {key: set() for key in DRAWS}
    for source, column, text in [*_own_texts(), *_nli_texts(data)]:
        if (source, column) in pools:
            pools[source, column].add(text)
    split = Splitter()
    chosen: dict[str, None] = {}
    for key, wanted in DRAWS.items():
        texts = sorted(pools[key])
        generator.shuffle(texts)
        found = 0
        for text in texts:
            for sentence in split(text):
                if found < wanted and SHORTEST <= len(sentence.split()) <= LONGEST and sentence not in chosen:
                    chosen[sentence] = None
                    found += 1
    result = list(chosen)
    generator.shuffle(result)
    return result


def _own_texts() -> Iterator[tuple[str, str, str]]:
    for pattern in OWN:
        for path in sorted((REPOSITORY / "datasets_scripts").glob(pattern)):
            for line in path.read_text(encoding="utf-8").splitlines():
                for text in _strings(json.loads(line)):
                    if text.endswith((".", "!", "?")):
                        yield "own", "own", text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)


def _nli_texts(data: Path) -> Iterator[tuple[str, str, str]]:
    for name in ("train.jsonl.gz", "train_more.jsonl.gz"):
        with gzip.open(data / "nli" / name, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                for column in ("premise", "hypothesis"):
                    yield row["source"], column, row[column]
