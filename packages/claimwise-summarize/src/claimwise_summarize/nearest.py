"""T by word vectors: assign each text to the nearest aspect, or drop it if the word "none" is nearer.

The code of Bhaskar et al. 2022 maps topics to aspects in this way, with GloVe vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.text.stopwords import Terms

NONE = "none"
"""The word that represents texts about no aspect."""
SHORTEST_PREFIX = 4

Floats = npt.NDArray[np.float32]


class NearestAspect:
    """Finds the nearest aspect of a topic (a word or two) or a sentence.

    The vector of a text is the mean of its word vectors without stopwords; all vectors have length 1, so that
    the nearest aspect by L2 distance is the nearest by cosine.

    Args:
        words: keywords of each aspect; the nearest of them counts.
        path: path of a text file in GloVe format (a word and its numbers per line); None = the centred
            vectors of the embedded judge's vocabulary.

    Raises:
        ClaimwiseError: for a file that cannot be read, or that lacks the keywords of an aspect.
    """

    def __init__(self, words: Mapping[str, Sequence[str]], path: str | Path | None = None) -> None:
        path = None if path is None else Path(path).expanduser()
        self._look_up = _embedded if path is None else VectorFile(path)
        self._known: dict[str, Floats | None] = {}
        self._names: list[str] = []
        vectors: list[Floats] = []
        for name, keywords in {**words, NONE: [NONE]}.items():
            own = [vector for word in keywords if (vector := self._look_up(word.lower())) is not None]
            if not own:
                problem = f"has no vector for the aspect `{name}`."
                remedy = "Give the aspect keywords that have one."
                raise ClaimwiseError(problem, remedy, path=path, option="vectors")
            self._names += [name] * len(own)
            vectors += own
        self._classes = np.stack(vectors)

    def __call__(self, texts: Sequence[str]) -> list[list[str]]:
        """Return a list with the aspect of each text; the list is empty if the text is about no aspect."""
        terms, aspects = Terms(stemmer="none"), []
        for text in texts:
            words = [word for word in terms(text) if word.isalpha()]
            vectors = [vector for word in words if (vector := self._vector(word)) is not None]
            name = NONE
            if vectors:
                name = self._names[int(np.argmax(self._classes @ _unit(np.mean(vectors, axis=0))))]
            aspects.append([name] if name != NONE else [])
        return aspects

    def _vector(self, word: str) -> Floats | None:
        """Return the vector of a word, or else of its longest prefix with a vector."""
        if word not in self._known:
            prefixes = (word[:end] for end in range(len(word) - 1, SHORTEST_PREFIX - 1, -1))
            vectors = map(self._look_up, (word, *prefixes))
            self._known[word] = next((vector for vector in vectors if vector is not None), None)
        return self._known[word]


class VectorFile:
    """A text file in GloVe format, scanned once; only the position of each word is kept in memory."""

    def __init__(self, path: Path) -> None:
        self._path, self._offsets, offset = path, dict[bytes, int](), 0
        try:
            with path.open("rb") as file:
                for line in file:
                    self._offsets.setdefault(line.partition(b" ")[0], offset)
                    offset += len(line)
        except OSError as error:
            raise self._unreadable(error) from error

    def __call__(self, word: str) -> Floats | None:
        """Return the unit vector of a word; None if the file lacks it."""
        try:
            if (offset := self._offsets.get(word.encode())) is None:
                return None
            with self._path.open("rb") as file:
                file.seek(offset)
                return _unit(np.array(file.readline().split()[1:], dtype=np.float32))
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> ClaimwiseError:
        problem = f"cannot be read as word vectors ({error})."
        remedy = "Use a text file with a word and its vector on each line."
        return ClaimwiseError(problem, remedy, path=self._path, option="vectors")


def _embedded(word: str) -> Floats:
    """Return the vector of a word: the mean of its pieces in the embedded judge's vocabulary."""
    tokenizer, table, mean = _vocabulary()
    pieces = table[tokenizer.encode(word, add_special_tokens=False).ids].astype(np.float32) - mean
    return _unit((pieces / np.linalg.norm(pieces, axis=1, keepdims=True)).mean(axis=0))


@cache
def _vocabulary() -> tuple[Any, npt.NDArray[np.float16], Floats]:
    """Return the embedded judge's tokenizer, the stored vector of each token, and the mean of the vectors."""
    from tokenizers import Tokenizer

    from claimwise.judges.hub import EMBEDDED_WEIGHTS, WORDS_FILE

    tokenizer = Tokenizer.from_file(str(EMBEDDED_WEIGHTS / "tokenizer.json"))
    table = np.fromfile(EMBEDDED_WEIGHTS / WORDS_FILE, np.float16).reshape(tokenizer.get_vocab_size(), -1)
    return tokenizer, table, table.mean(axis=0, dtype=np.float32)


def _unit(vector: Floats) -> Floats:
    unit: Floats = vector / (np.linalg.norm(vector) or 1)
    return unit
