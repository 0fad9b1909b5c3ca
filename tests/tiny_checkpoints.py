"""Tiny real checkpoints: two layers, 32 dimensions, seeded random weights; plain transformers beside them."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    RobertaConfig,
    RobertaForSequenceClassification,
    RobertaTokenizerFast,
)

MAX_LENGTH = 64
CORPUS = [
    "The room was clean and the bed was soft.",
    "The pool is closed in winter, but the sauna is open.",
    "Guests liked the breakfast; they did not like the noise.",
    "Nobody slept well in the small hotel near the station.",
]
# The outputs of the checkpoints, in the checkpoint's own order.
SHUFFLED = ["CONTRADICTION", "Entailment", "neutral"]
FACT_CHECKING = ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
UNNAMED = ["LABEL_0", "LABEL_1", "LABEL_2"]
TWO = ["entailment", "not_entailment"]

Probabilities = npt.NDArray[np.float32]


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


def save_bert(folder: Path, labels: Sequence[str], seed: int = 1, **others: Any) -> None:
    tokenizer = wordpiece()
    config = BertConfig(**size(len(tokenizer), labels), max_position_embeddings=MAX_LENGTH, **others)
    torch.manual_seed(seed)
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _byte_level_bpe() -> RobertaTokenizerFast:
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    return RobertaTokenizerFast(tokenizer_object=tokenizer, model_max_length=MAX_LENGTH)


def _save_roberta(folder: Path, labels: Sequence[str]) -> None:
    tokenizer = _byte_level_bpe()
    config = RobertaConfig(
        **size(len(tokenizer), labels),
        max_position_embeddings=MAX_LENGTH + 2,  # RoBERTa's positions start behind the padding index, 1
        type_vocab_size=1,
    )
    torch.manual_seed(1)
    RobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _copy(source: Path, target: Path, *without: str) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*without))


def save_all(root: Path) -> None:
    """Write every tiny checkpoint, whole and broken, under its name."""
    with torch.random.fork_rng():
        save_bert(root / "bert", SHUFFLED)
        save_bert(root / "bert-seed-2", SHUFFLED, seed=2)
        save_bert(root / "bert-relu", SHUFFLED, hidden_act="relu")
        save_bert(root / "bert-unnamed", UNNAMED)
        save_bert(root / "bert-two-labels", TWO)
        save_bert(root / "bert-fact-checking", FACT_CHECKING)
        _save_roberta(root / "roberta", SHUFFLED)
    bert = root / "bert"
    model = BertForSequenceClassification.from_pretrained(bert)

    _copy(bert, root / "pickled", "*.safetensors")
    torch.save(model.state_dict(), root / "pickled" / "pytorch_model.bin")

    _copy(bert, root / "no-weights", "*.safetensors")
    _copy(bert, root / "no-config", "config.json")
    for name in ("bert", "roberta"):
        _copy(root / name, root / f"{name}-no-tokenizer", "tokenizer*", "vocab.*", "merges.txt")

    _copy(bert, root / "no-classifier")  # such as a plain language model
    model.bert.save_pretrained(root / "no-classifier")
    shutil.copy(bert / "config.json", root / "no-classifier")

    _copy(bert, root / "damaged-weights")
    weights = root / "damaged-weights" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])

    _copy(bert, root / "wrong-shape")  # its classifier has three outputs, its config two
    config = json.loads((bert / "config.json").read_text())
    config |= {"id2label": {"0": TWO[0], "1": TWO[1]}, "label2id": {TWO[0]: 0, TWO[1]: 1}}
    (root / "wrong-shape" / "config.json").write_text(json.dumps(config))

    _copy(bert, root / "vocabulary-text", "tokenizer.json")  # BERT's original vocabulary format
    vocabulary = wordpiece().get_vocab()
    lines = sorted(vocabulary, key=vocabulary.__getitem__)
    (root / "vocabulary-text" / "vocab.txt").write_text("\n".join(lines) + "\n")


class Logits(torch.nn.Module):
    """A classifier that takes its inputs by place and returns nothing but logits, which export needs."""

    def __init__(self, model: Any, names: list[str]) -> None:
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(**dict(zip(self.names, inputs, strict=True))).logits
        return logits


def save_onnx(checkpoint: Path, path: Path, names: list[str]) -> None:
    """Write the classifier of a folder of transformers to an ONNX file with the inputs ``names``."""
    model = AutoModelForSequenceClassification.from_pretrained(checkpoint, attn_implementation="eager")
    path.parent.mkdir(parents=True, exist_ok=True)
    axes = {"logits": {0: "batch"}} | {name: {0: "batch", 1: "tokens"} for name in names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Logits(model.eval(), names),
            (torch.ones(2, 7, dtype=torch.int64),) * len(names),
            str(path),
            input_names=names,
            output_names=["logits"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )


class Reference:
    """One pair at a time through plain transformers: what every fast path must agree with."""

    def __init__(self, folder: Path, output_order: Sequence[int]) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
        self.output_order = list(output_order)
        special_tokens = 4 if self.model.config.model_type == "roberta" else 3
        self.room = MAX_LENGTH - special_tokens  # for premise and hypothesis together

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Probabilities:
        # Lists of one, because the tokenizer takes ("a", "") for a single text, not for a pair.
        return self.rows(
            self.tokenizer([premise], [hypothesis], return_tensors="pt")
            for premise, hypothesis in zip(premises, hypotheses, strict=True)
        )

    def predict_ids(self, premise: Sequence[int], hypothesis: Sequence[int]) -> Probabilities:
        """Score token ids that were cut by hand; the special tokens are put around them by hand too."""
        start, end = [self.tokenizer.cls_token_id], [self.tokenizer.sep_token_id]
        if self.model.config.model_type == "roberta":
            inputs = {"input_ids": [*start, *premise, *end, *end, *hypothesis, *end]}
        else:
            types = [0] * (len(premise) + 2) + [1] * (len(hypothesis) + 1)
            inputs = {
                "input_ids": [*start, *premise, *end, *hypothesis, *end],
                "token_type_ids": types,
            }
        return self.rows([{name: torch.tensor([ids]) for name, ids in inputs.items()}])[0]

    def ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def rows(self, inputs: Any) -> Probabilities:
        with torch.inference_mode():
            logits = [self.model(**one).logits[0, self.output_order] for one in inputs]
            return torch.stack(logits).float().softmax(-1).numpy()
