"""T by word vectors: assign each text to the nearest aspect, or drop it if the word "none" is nearer.

The code of Bhaskar et al. 2022 maps topics to aspects in this way, with GloVe's vectors.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.text.stopwords import load_stopwords
from claimwise.text.tokens import load_tokenizer

NONE = "none"
"""The word of the class of texts about no aspect."""
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
        self._path = None if path is None else Path(path).expanduser()
        self._known: dict[str, Floats | None] = {}
        self._names: list[str] = []
        vectors: list[Floats] = []
        classes = {**words, NONE: [NONE]}
        self._read({word.lower() for of_class in classes.values() for word in of_class})
        for name, of_class in classes.items():
            found = [vector for word in of_class if (vector := self._known[word.lower()]) is not None]
            if not found:
                remedy = f"Give keywords for it: aspects={{{name!r}: [word, …]}}."
                problem = f"has no vector for the aspect {name!r}."
                raise ClaimwiseError(problem, remedy, path=self._path, option="vectors")
            self._names += [name] * len(found)
            vectors += found
        self._classes = np.stack(vectors)

    def __call__(self, texts: Sequence[str]) -> list[list[str]]:
        """Return for each text a list of its aspect, empty if it is about none."""
        tokenize, stopwords = load_tokenizer("words"), load_stopwords("english")
        words = [[word for word in tokenize(text) if word.isalpha()] for text in texts]
        words = [[word for word in of_text if word not in stopwords] for of_text in words]
        asked = {word for of_text in words for word in of_text}
        self._read(asked | {prefix for word in asked for prefix in _prefixes(word)})
        found = []
        for of_text in words:
            vectors = [vector for word in of_text if (vector := self._vector(word)) is not None]
            name = NONE
            if vectors:
                name = self._names[int(np.argmax(self._classes @ _unit(np.mean(vectors, axis=0))))]
            found.append([name] if name != NONE else [])
        return found

    def _vector(self, word: str) -> Floats | None:
        """Return the vector of a word, or that of its longest prefix that has one."""
        return next(
            (vector for one in [word, *_prefixes(word)] if (vector := self._known[one]) is not None), None
        )

    def _read(self, words: Collection[str]) -> None:
        """Look up words that are not known yet; a file is streamed, not held in memory."""
        wanted = set(words) - self._known.keys()
        self._known |= dict.fromkeys(wanted)
        if not wanted:
            return
        if self._path is None:
            self._known |= _embedded(sorted(wanted))
            return
        try:
            with self._path.open(encoding="utf-8", errors="replace") as file:
                for line in file:
                    word, _, numbers = line.partition(" ")
                    if word in wanted:
                        self._known[word] = _unit(np.array(numbers.split(), dtype=np.float32))
        except (OSError, ValueError) as error:
            problem = f"cannot be read as word vectors ({error})."
            remedy = "Give a text file with a word and its numbers per line."
            raise ClaimwiseError(problem, remedy, path=self._path, option="vectors") from error


def _embedded(words: Sequence[str]) -> dict[str, Floats]:
    """Return the vectors of words: the mean of their pieces in the embedded judge's vocabulary."""
    from safetensors import safe_open
    from tokenizers import Tokenizer

    from claimwise.nli.hub import EMBEDDED_WEIGHTS

    (file,) = EMBEDDED_WEIGHTS.glob("*.safetensors")
    with safe_open(file, framework="np") as weights:
        (name,) = (key for key in weights.keys() if key.endswith("word_embeddings.weight"))  # noqa: SIM118
        table: Floats = weights.get_tensor(name).astype(np.float32)
    table -= table.mean(axis=0)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    tokenizer = Tokenizer.from_file(str(EMBEDDED_WEIGHTS / "tokenizer.json"))
    pieces = tokenizer.encode_batch(list(words), add_special_tokens=False)
    return {word: _unit(table[of_word.ids].mean(axis=0)) for word, of_word in zip(words, pieces, strict=True)}


def _prefixes(word: str) -> list[str]:
    return [word[:end] for end in range(len(word) - 1, SHORTEST_PREFIX - 1, -1)]


def _unit(vector: Floats) -> Floats:
    unit: Floats = vector / (np.linalg.norm(vector) or 1)
    return unit
