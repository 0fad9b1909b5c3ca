"""The golden cases, with a judge and a decomposer that replay what the cases were recorded with."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from claimwise.judges.protocol import Judgements, Pair
from claimwise.text.claims import Decomposed
from claimwise.text.normalise import plain

FOLDER = Path(__file__).parent
_VERSIONS = re.compile(
    r"(?<=[|])(version|transformers|torch|onnxruntime|nltk|snowballstemmer|bert_score|weights):[^|]*"
)


class RecordedJudge:
    """Answers what was recorded, also for the plain form of texts; a pair that was not is a KeyError."""

    def __init__(self, recorded: dict[str, Any]) -> None:
        self.signature: dict[str, str] = recorded["signature"]
        self.fingerprint: str = recorded["fingerprint"]
        texts = recorded["texts"]
        plain_texts = list(map(plain, texts))
        self._scores = {(plain_texts[p], plain_texts[h]): scores for p, h, *scores in recorded["pairs"]}
        self._scores |= {(texts[p], texts[h]): scores for p, h, *scores in recorded["pairs"]}
        self._lengths: dict[tuple[str, int], int] = {}
        for number, tokens, length in recorded["shortened"]:
            text = texts[number]
            self._lengths[plain(text), tokens] = len(plain(text[:length]))
            self._lengths[text, tokens] = length

    def predict_pairs(self, pairs: Sequence[Pair]) -> Judgements:
        scores = np.array([self._scores[pair] for pair in pairs], dtype=np.float32)
        return Judgements(scores[:, :3], scores[:, 3] == 1)

    def shorten(self, texts: Sequence[str], tokens: int) -> list[str]:
        return [text[: self._lengths[text, tokens]] for text in texts]


class RecordedDecomposer:
    """Gives the claims that were recorded, of a whole text or of each sentence by itself, else a KeyError."""

    def __init__(self, recorded: dict[str, Any]) -> None:
        self.signature: dict[str, str] = recorded["signature"]
        self._found: dict[tuple[str, ...], list[Decomposed]] = {}
        for sentences, of_text in recorded["texts"]:
            found = [Decomposed(**{**one, "open": tuple(one.get("open", ()))}) for one in of_text]
            self._found[tuple(sentences)] = found
            in_plain_form = [one._replace(claims=list(map(plain, one.claims))) for one in found]
            self._found.setdefault(tuple(map(plain, sentences)), in_plain_form)

    def decompose_texts(self, texts: Sequence[Sequence[str]]) -> list[list[Decomposed]]:
        return [self._found.get(tuple(sentences)) or self.decompose(sentences) for sentences in texts]

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        return [self._found[sentence,][0] for sentence in sentences]


@cache
def golden(metric: str) -> dict[str, Any]:
    """Return the content of a golden file, with its judges and decomposers ready to be asked."""
    content: dict[str, Any] = json.loads((FOLDER / f"{metric}.json").read_text("utf-8"))
    content["judges"] = {name: RecordedJudge(recorded) for name, recorded in content["judges"].items()}
    content["decomposers"] = {
        name: RecordedDecomposer(recorded) for name, recorded in content.get("decomposers", {}).items()
    }
    return content


def cases() -> list[tuple[str, str]]:
    """Return the metric and the name of every golden case."""
    return [
        (path.stem, case["name"])
        for path in sorted(FOLDER.glob("*.json"))
        for case in json.loads(path.read_text("utf-8"))["cases"]
    ]


def without_versions(signature: str) -> str:
    """Return a signature with a star for every version of a library and fingerprint of files it writes."""
    signature = re.sub(r"(encoder:tiny[|]encoder_fingerprint):[^|]*", r"\1:*", signature)
    signature = _VERSIONS.sub(r"\1:*", signature)
    signature = re.sub(r"(splitter:[^|]*?)-[\d.]+(?=[|]|$)", r"\1-*", signature)
    return re.sub(r"(snowball|ftfy)-[\d.]+", r"\1-*", signature)
