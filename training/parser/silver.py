"""Silver trees: the teacher's parses of sentences that have none, in shards that a killed run keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import teacher
from texts import sentences
from tokens import treebank_tokenizer
from treebank import Sentence

SHARD = 5_000
MOST = 35_000
SUREST = 0.80  # the mean probability of a sentence's heads under which it is left out


def write_shards(data: Path, work: Path) -> None:
    """Parse the texts of ``texts.py`` into ``work``/silver; shards that exist are not parsed again."""
    import spacy

    tokenizer = treebank_tokenizer(spacy.blank("en"))
    texts = sentences(data)[:MOST]
    folder = work / "silver"
    folder.mkdir(parents=True, exist_ok=True)
    model = None
    for start in range(0, len(texts), SHARD):
        path = folder / f"{start:06}.jsonl"
        if path.exists():
            continue
        model = model or teacher.load(work / "teacher")
        documents = [tokenizer(text) for text in texts[start : start + SHARD]]
        documents = [document for document in documents if not any(token.is_space for token in document)]
        parses = teacher.parse(model, [[token.text for token in document] for document in documents])
        lines = [
            json.dumps({"text": document.text, **_tokens(document), **asdict(parse)})
            for document, parse in zip(documents, parses, strict=True)
        ]
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_text("\n".join(lines) + "\n", encoding="utf-8")
        unfinished.rename(path)
        print(f"{path.name}: {len(lines)} sentences", flush=True)


def _tokens(document: Any) -> dict[str, list[Any]]:
    return {
        "words": [token.text for token in document],
        "spaces": [bool(token.whitespace_) for token in document],
    }


def read_shards(work: Path) -> Iterator[Sentence]:
    """Yield the silver sentences of which the teacher is sure enough."""
    for path in sorted((work / "silver").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.pop("confidence") >= SUREST:
                yield Sentence(**row, enhanced=[[] for _ in row["words"]])
