"""Tiny real checkpoints: two layers, 32 dimensions, seeded random weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

MAX_LENGTH = 64
CORPUS = [
    "The room was clean and the bed was soft.",
    "The pool is closed in winter, but the sauna is open.",
    "Guests liked the breakfast; they did not like the noise.",
    "Nobody slept well in the small hotel near the station.",
]


def wordpiece() -> BertTokenizerFast:
    """Return a tokenizer that knows the words and letters of the corpus.

    It is not trained: the trainer of ``tokenizers`` numbers WordPiece tokens differently on every run.
    """
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = sorted({word for text in CORPUS for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    letters = sorted({letter for word in words for letter in word})
    tokens = dict.fromkeys([*special, *letters, *(f"##{letter}" for letter in letters), *words])
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=MAX_LENGTH)


def size(vocabulary: int, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "initializer_range": 0.4,  # far apart probabilities, unlike the usual 0.02
        "id2label": dict(enumerate(labels)),
        "label2id": {label: index for index, label in enumerate(labels)},
    }


def save_bert(folder: Path, labels: Sequence[str], seed: int = 1) -> None:
    tokenizer = wordpiece()
    config = BertConfig(**size(len(tokenizer), labels), max_position_embeddings=MAX_LENGTH)
    torch.manual_seed(seed)
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
