"""Sentences as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from claimwise.text.writer.network import shape_of


@dataclass(frozen=True)
class Batch:
    """Sentences as tensors.

    Attributes:
        pieces: word pieces of all sentences, concatenated ``[pieces]``.
        lengths: number of pieces of each sentence ``[sentences]``.
        word_of_piece: index of the word of each piece, over all sentences; the total number of words for a
            piece without a word ``[pieces]``.
        places: row and column of each word ``[2, all words]``.
        shapes: shape of each word ``[all words]``.
        word_mask: False for padding ``[sentences, words]``.
        in_context: whether a word belongs to the previous sentence ``[sentences, words]``.
        strip: whether attributions are stripped ``[sentences]``.
    """

    pieces: np.ndarray
    lengths: np.ndarray
    word_of_piece: Tensor
    places: Tensor
    shapes: Tensor
    word_mask: Tensor
    in_context: Tensor
    strip: Tensor


def batch_of(
    tokenizer: object,
    sentences: Sequence[Sequence[str]],
    contexts: Sequence[int],
    strip: Sequence[bool],
) -> Batch:
    """Return a batch of sentences, each a list of words that begins with the words of the previous sentence.

    Args:
        tokenizer: a tokenizer of the ``tokenizers`` library.
        sentences: words of each sentence.
        contexts: for each, the number of words that belong to the previous sentence.
        strip: whether attributions are stripped.
    """
    encodings = tokenizer.encode_batch([list(words) for words in sentences], is_pretokenized=True)  # type: ignore[attr-defined]
    counts = [len(words) for words in sentences]
    total, longest = sum(counts), max(counts)
    pieces: list[int] = []
    word_of_piece: list[int] = []
    first = 0
    for encoding, count in zip(encodings, counts, strict=True):
        pieces += encoding.ids
        word_of_piece += [total if word is None else first + word for word in encoding.word_ids]
        first += count
    row = np.repeat(np.arange(len(counts)), counts)
    column = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    columns = torch.arange(longest)
    return Batch(
        np.array(pieces),
        np.array([len(encoding.ids) for encoding in encodings]),
        torch.tensor(word_of_piece),
        torch.from_numpy(np.stack([row, column])),
        torch.tensor([shape_of(word) for words in sentences for word in words]),
        columns < torch.tensor(counts)[:, None],
        (columns < torch.tensor(contexts)[:, None]).long(),
        torch.tensor(strip).long(),
    )
