"""The network: an encoder reads the words of sentences, a decoder writes their claims, a critic reads these.

At each step the decoder copies a span of the sentence, inserts a word of its own vocabulary, changes the
previous word (its ending or case), ends a claim, or stops. A span is chosen by its first word and then its
last word, so a claim takes three or four steps rather than one per word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import WORDS_FILE
from claimwise.judges.session import Session
from claimwise.signature import folder_fingerprint

END, NEXT = 0, 1
"""Choices other than words: the end of all claims, and the end of one claim."""
MOST_STEPS = 90
MOST_WORDS = 120
SHAPES = ("lower", "Title", "UPPER", "mixed", "digits", "other")
HINTS = 3
FILES = ("writer_encoder.onnx", "writer_step.onnx", "writer_critic.onnx")
"""The encoder, one step of the decoder, and the critic."""
OF_SENTENCES = ("input_ids", "attention_mask", "word_of_piece", "shapes", "in_context", "is_word", "strip")
ENCODED = ("words", "padding", "keys", "keys_of_last", "memories")
OF_STEP = (*ENCODED, "strip", "firsts", "lasts", "in_claim", "claim", "last", "hints", "past")
STEPPED = ("states", "of_first", "first", "of_last", "end", "new_past")

Array = npt.NDArray[Any]


class Choice(NamedTuple):
    """One step: a word or ending of the decoder's own (``last`` is −1), or the first and last word of a span.

    ``first`` is an index over the decoder's own words followed by the words of the sentence.
    """

    first: int
    last: int


class Network(NamedTuple):
    """The parts of the network, with the tokenizer and the decoder's own words."""

    encoder: Session
    step: Session
    critic: Session
    vocabulary: list[str]
    tokenizer: Any

    @classmethod
    def load(cls, folder: Path, judge: Path) -> Network:
        """Return the network of a folder, and the word embeddings and tokenizer of the judge in another.

        Raises:
            ClaimwiseError: if it was trained with other word embeddings, or a file is missing or broken.
        """
        from tokenizers import Tokenizer

        names = (OF_SENTENCES, ENCODED), (OF_STEP, STEPPED), (("read",), ("faults",))
        encoder, step, critic = (
            Session.load(folder / file, inputs=inputs, outputs=outputs, words=judge)
            for file, (inputs, outputs) in zip(FILES, names, strict=True)
        )
        trained_with, embeddings = encoder.facts["words"], folder_fingerprint(judge, [WORDS_FILE])
        if embeddings != trained_with:
            raise ClaimwiseError(
                f"{folder} was trained with the word embeddings {trained_with}, but the judge in {judge} has "
                f"{embeddings}.",
                "Use the weights that belong to this judge.",
            )
        tokenizer = Tokenizer.from_file(str(judge / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(512)
        return cls(encoder, step, critic, encoder.facts["vocabulary"], tokenizer)

    def inputs(
        self, sentences: Sequence[Sequence[str]], contexts: Sequence[int], strip: Sequence[bool]
    ) -> dict[str, Array]:
        """Return the encoder's inputs.

        Args:
            sentences: words of each sentence, which begin with the words of the previous sentence.
            contexts: number of these words of the previous sentence, for each.
            strip: whether attributions are stripped.
        """
        encodings = self.tokenizer.encode_batch([list(words) for words in sentences], is_pretokenized=True)
        counts = np.array([len(sentence) for sentence in sentences])
        words = np.arange(counts.max())
        return {
            "input_ids": padded([encoding.ids for encoding in encodings], 0),
            "attention_mask": padded([[1] * len(encoding.ids) for encoding in encodings], 0),
            "word_of_piece": padded(
                [[-1 if word is None else word for word in encoding.word_ids] for encoding in encodings], -1
            ),
            "shapes": padded([[shape_of(word) for word in sentence] for sentence in sentences], 0),
            "in_context": (words < np.array(contexts)[:, None]).astype(np.int64),
            "is_word": (words < counts[:, None]).astype(np.int64),
            "strip": np.array(strip, dtype=np.int64),
        }

    def encode(self, inputs: dict[str, Array]) -> dict[str, Array]:
        """Return what the steps need to know of sentences; see ``inputs``."""
        encoded = dict(zip(ENCODED, self.encoder.run(inputs, ENCODED), strict=True))
        return {**encoded, "strip": inputs["strip"]}

    def faults(self, claims: Array) -> list[float]:
        """Return the probability of a fault in each claim.

        For each claim the critic reads the mean and the last of the states of its steps, and the sum and
        minimum of their log-probabilities ``[claims, 2 · size + 2]``.
        """
        return list(map(float, self.critic.run({"read": claims}, ["faults"])[0])) if len(claims) else []


class Progress:
    """The state of the partly written claims in each prefix, as arrays of a shape.

    Attributes:
        in_claim: number of words of the current claim.
        claim: number of complete claims.
        last: index of the last word that the current claim copied; −1 = none.

    Args:
        shape: ``(sentences, beams)``.
        words: number of words of the longest sentence.
        own_words: number of the network's own words.
    """

    def __init__(self, shape: tuple[int, int], words: int, own_words: int) -> None:
        self._own = own_words
        self.in_claim, self.claim = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self.last = np.full(shape, -1)
        self._inside, self._used = np.zeros((*shape, words), np.bool_), np.zeros((*shape, words), np.bool_)
        self._places = np.arange(words)

    @property
    def hints(self) -> Array:
        """For each word, whether it follows the last copied word, is in an earlier claim, and in this claim.

        float32 ``[*shape, words, HINTS]``.
        """
        last = self.last[..., None]
        follows = (self._places == last + 1) & (last >= 0)
        return np.stack([follows, self._used, self._inside], -1).astype(np.float32)

    def go_on(self, firsts: Array, lasts: Array) -> None:
        """Add the next choice of each prefix."""
        is_next, place = firsts == NEXT, firsts - self._own
        is_span = place >= 0
        taken = (self._places >= place[..., None]) & (self._places <= lasts[..., None]) & is_span[..., None]
        self._inside |= taken
        self._used |= self._inside & is_next[..., None]
        self._inside &= ~is_next[..., None]
        self.last = np.where(is_next, -1, np.where(is_span, lasts, self.last))
        self.in_claim = np.where(is_next, 0, self.in_claim + np.where(is_span, lasts - place + 1, 1))
        self.claim = self.claim + is_next

    def take(self, *places: Array) -> None:
        """Keep only the prefixes at some places, given as for an array."""
        for name in ("in_claim", "claim", "last", "_inside", "_used"):
            setattr(self, name, getattr(self, name)[places])


def shape_of(word: str) -> int:
    """Return the index of a word's shape, which the encoder does not see, because it reads lower case."""
    if word.islower():
        return 0
    if word[:1].isupper() and (len(word) == 1 or word[1:].islower()):
        return 1
    if word.isupper():
        return 2
    if any(character.isdigit() for character in word):
        return 4
    return 3 if any(character.isalpha() for character in word) else 5


def padded(rows: Sequence[Sequence[int]], fill: int) -> Array:
    """Return rows of numbers as one array, filled up behind each row."""
    array = np.full((len(rows), max(map(len, rows))), fill, dtype=np.int64)
    for row, numbers in zip(array, rows, strict=True):
        row[: len(numbers)] = numbers
    return array


def groups(lengths: Sequence[int], words: int) -> Iterator[list[int]]:
    """Yield groups of indices of sentences of similar length, about ``words`` words per group."""
    group: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda number: lengths[number]):
        if group and (len(group) + 1) * lengths[number] > words:
            yield group
            group = []
        group.append(number)
    if group:
        yield group
