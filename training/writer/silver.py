"""Sentences of this project's own data sets, with the claims that another decomposer makes of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claimwise.text.claims import load_decomposer
from claimwise.text.sentences import Splitter

REPOSITORY = Path(__file__).parents[2]
OWN = ("opinion_nli/clusters.jsonl", "opinion_nli/checklists.jsonl", "source_nli/passages.jsonl")
SHORTEST, LONGEST, SHORT = 4, 45, 9
SHARE_OF_SHORT = 0.15
MOST = 16_000


def sentences() -> list[str]:
    """Return sentences, none twice, in an order of their own; few of the short ones, which say one thing."""
    generator = random.Random(3)
    texts = sorted(
        {
            text
            for pattern in OWN
            for path in sorted((REPOSITORY / "datasets_scripts").glob(pattern))
            for line in path.read_text(encoding="utf-8").splitlines()
            for text in _strings(json.loads(line))
            if text.endswith((".", "!", "?"))
        }
    )
    generator.shuffle(texts)
    split, found = Splitter(), dict[str, None]()
    for text in texts:
        for sentence in split(text):
            length = len(sentence.split())
            if SHORTEST <= length <= LONGEST and (length >= SHORT or generator.random() < SHARE_OF_SHORT):
                found[sentence] = None
    chosen = list(found)
    generator.shuffle(chosen)
    return chosen[:MOST]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def rows() -> Iterator[tuple[str, list[str]]]:
    """Yield sentences and the claims that ``clauses`` makes of them, those left out that it leaves whole."""
    chosen = sentences()
    for sentence, found in zip(chosen, load_decomposer("clauses").decompose(chosen), strict=True):
        if found.left_whole is None:
            yield sentence, found.claims
