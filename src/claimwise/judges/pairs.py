"""Pairs of texts as token ids: each distinct text is tokenized once, and pairs are joined from arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from claimwise.errors import ClaimwiseError

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Padding = Literal["equal", "padded"]

# A padded batch ends before a pair so short that padding would cost more than another batch …
SHORTEST_IN_BATCH = 0.8
# … but not below this number of tokens, where matrix products get slow.
FEWEST_TOKENS = 1024


class Pairs(Sequence[tuple[str, str]]):
    """(premise, hypothesis) pairs, stored as indices into a list of distinct texts.

    ``premises`` and ``hypotheses`` are ``[pairs]``.
    """

    __slots__ = ("hypotheses", "premises", "texts")

    def __init__(self, texts: list[str], premises: Ints, hypotheses: Ints) -> None:
        self.texts, self.premises, self.hypotheses = texts, premises, hypotheses

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Pairs:
        """Index the texts of (premise, hypothesis) pairs."""
        numbers: dict[str, int] = {}
        flat = [numbers.setdefault(text, len(numbers)) for pair in pairs for text in pair]
        both = np.array(flat, dtype=np.int64).reshape(-1, 2)
        return cls(list(numbers), both[:, 0], both[:, 1])

    @classmethod
    def crossed(cls, examples: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Pairs:
        """Index the texts of examples, and pair all premises with all hypotheses of each."""
        texts, numbered = numbers_of(examples)
        nothing = np.empty(0, np.int64)
        premises = [np.repeat(rows, len(columns)) for rows, columns in numbered]
        hypotheses = [np.tile(columns, len(rows)) for rows, columns in numbered]
        return cls(texts, np.concatenate([nothing, *premises]), np.concatenate([nothing, *hypotheses]))

    def __len__(self) -> int:
        return len(self.premises)

    @overload
    def __getitem__(self, row: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, row: slice) -> Pairs: ...
    def __getitem__(self, row: int | slice) -> tuple[str, str] | Pairs:
        if isinstance(row, slice):
            return self.at(row)
        return self.texts[self.premises[row]], self.texts[self.hypotheses[row]]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        texts = self.texts
        return ((texts[p], texts[h]) for p, h in zip(self.premises, self.hypotheses, strict=True))

    def distinct(self) -> tuple[Pairs, Ints]:
        """Return the distinct pairs, and the index of each pair among them."""
        codes = self.premises * len(self.texts) + self.hypotheses
        codes, indices = np.unique(codes, return_inverse=True)
        premises, hypotheses = np.divmod(codes, max(1, len(self.texts)))
        return Pairs(self.texts, premises, hypotheses), indices

    def at(self, rows: Ints | slice) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.texts, self.premises[rows], self.hypotheses[rows])


def numbers_of(
    examples: Iterable[tuple[Sequence[str], Sequence[str]]],
) -> tuple[list[str], list[tuple[Ints, Ints]]]:
    """Return the distinct texts of examples, and the indices of each example's texts among them."""
    numbers: dict[str, int] = {}

    def indices(texts: Sequence[str]) -> Ints:
        return np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)

    numbered = [(indices(premises), indices(hypotheses)) for premises, hypotheses in examples]
    return list(numbers), numbered


class TokenBatch(NamedTuple):
    """Concatenated token ids of pairs.

    Attributes:
        input_ids: token ids, int64 ``[tokens]``.
        token_type_ids: whether a token belongs to the premise or the hypothesis, int64 ``[tokens]``.
        lengths: tokens per pair, int64 ``[pairs]``.
        truncated: whether a text of the pair was truncated ``[pairs]``.
    """

    input_ids: Ints
    token_type_ids: Ints
    lengths: Ints
    truncated: Bools

    def padded(self, padding_id: int) -> dict[str, Ints]:
        """Return ``input_ids``, ``attention_mask`` and ``token_type_ids``, each ``[pairs, tokens]``.

        ``padding_id`` fills each row after its pair.
        """
        is_token = np.arange(self.lengths.max()) < self.lengths[:, np.newaxis]
        input_ids = np.full(is_token.shape, padding_id, dtype=np.int64)
        token_type_ids = np.zeros(is_token.shape, dtype=np.int64)
        input_ids[is_token], token_type_ids[is_token] = self.input_ids, self.token_type_ids
        return {
            "input_ids": input_ids,
            "attention_mask": is_token.astype(np.int64),
            "token_type_ids": token_type_ids,
        }


class PairEncoder:
    """Turns pairs into token ids.

    A pair longer than the model allows loses the end of its premise; a hypothesis longer than half of the
    model's length is cut to that half as well.

    Args:
        tokenizer: of the package ``tokenizers``; puts the premise before the hypothesis.
        max_length: maximum tokens of the model, special tokens included.
    """

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        self.tokenizer = tokenizer
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.max_length = max_length
        # Special tokens before, between and after the two texts of any pair.
        pair = self.tokenizer.encode("a", "a")
        sides = [-1 if side is None else side for side in pair.sequence_ids]
        if 0 not in sides or 1 not in sides or sides.index(1) < sides.index(0):
            raise ClaimwiseError(
                "The model's tokenizer does not put a premise before its hypothesis.",
                "Choose another judge.",
                option="judge",
            )
        first, second, size = sides.index(0), sides.index(1), sides.count(0)
        ids, types = np.array(pair.ids), np.array(pair.type_ids)
        self._before, self._between, self._behind = (
            (ids[part], types[part])
            for part in (slice(first), slice(first + size, second), slice(second + size, None))
        )
        self._type_of_premise, self._type_of_hypothesis = types[first], types[second]
        self._room = max_length - (len(ids) - 2 * size)

    def shorten(self, texts: Sequence[str], tokens: int) -> list[str]:
        """Return the texts, each truncated to its first ``tokens`` tokens."""
        encodings = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            text if len(encoding) <= tokens else text[: encoding.offsets[tokens - 1][1]]
            for text, encoding in zip(texts, encodings, strict=True)
        ]

    def token_ids(self, pairs: Pairs) -> list[Ints]:
        """Return the token ids of each text that occurs in a pair; empty for other texts."""
        ids: list[Ints] = [np.empty(0, np.int64)] * len(pairs.texts)
        used = np.unique(np.concatenate([pairs.premises, pairs.hypotheses]))
        for numbers in np.array_split(used, -(-len(used) // 10_000) or 1):
            encodings = self.tokenizer.encode_batch(
                [pairs.texts[number] for number in numbers], add_special_tokens=False
            )
            for number, encoding in zip(numbers, encodings, strict=True):
                ids[number] = np.array(encoding.ids, dtype=np.int64)
        return ids

    def pair_lengths(self, pairs: Pairs, ids: list[Ints]) -> Ints:
        """Return the number of tokens of each pair after truncation."""
        text_lengths = np.array([len(text_ids) for text_ids in ids], dtype=np.int64)
        lengths = text_lengths[pairs.premises] + text_lengths[pairs.hypotheses]
        pair_lengths: Ints = np.minimum(lengths, self._room) + self.max_length - self._room
        return pair_lengths

    def join(self, pairs: Sequence[tuple[Ints, Ints]]) -> TokenBatch:
        """Add the special tokens to each pair of token ids, and truncate long pairs."""
        ids: list[Ints] = []
        types: list[Ints] = []
        lengths = np.empty(len(pairs), dtype=np.int64)
        truncated = np.zeros(len(pairs), dtype=np.bool_)
        special = self.max_length - self._room
        for row, (premise, hypothesis) in enumerate(pairs):
            if len(premise) + len(hypothesis) > self._room:
                truncated[row] = True
                hypothesis = hypothesis[: max(self._room // 2, self._room - len(premise))]
                premise = premise[: self._room - len(hypothesis)]
            lengths[row] = special + len(premise) + len(hypothesis)
            parts = (
                self._before,
                (premise, np.full(len(premise), self._type_of_premise)),
                self._between,
                (hypothesis, np.full(len(hypothesis), self._type_of_hypothesis)),
                self._behind,
            )
            ids += (part_ids for part_ids, _ in parts)
            types += (part_types for _, part_types in parts)
        return TokenBatch(np.concatenate(ids), np.concatenate(types), lengths, truncated)


def batches(lengths: Ints, max_tokens: int, *, padding: Padding) -> Iterator[Ints]:
    """Yield the rows of each batch, the longest pairs first, given the number of tokens of each pair.

    A batch has at most ``max_tokens``, padding included, or a single pair. Its pairs are padded to the
    longest one, or of equal length.
    """
    order = np.argsort(-lengths, kind="stable")
    lengths = lengths[order]
    start = 0
    while start < len(order):
        longest = int(lengths[start])
        end = min(start + max(1, max_tokens // longest), len(order))
        shortest = longest if padding == "equal" else SHORTEST_IN_BATCH * longest
        long_enough = start + int(np.searchsorted(-lengths[start:end], -shortest, side="right"))
        enough = start + -(-FEWEST_TOKENS // longest) if padding == "padded" else start
        end = min(end, max(long_enough, enough))
        yield order[start:end]
        start = end
