"""Tiny real checkpoints, built once per session: two layers, 32 dimensions, seeded random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tiny_checkpoints import CORPUS, MAX_LENGTH, save_bert, size, wordpiece
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertForSequenceClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
    RobertaTokenizerFast,
)

from claimwise.nli import NLIModel

# The outputs of the checkpoints, in the checkpoint's own order.
SHUFFLED = ["CONTRADICTION", "Entailment", "neutral"]
FACT_CHECKING = ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
UNNAMED = ["LABEL_0", "LABEL_1", "LABEL_2"]
TWO = ["entailment", "not_entailment"]

Probabilities = npt.NDArray[np.float32]


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


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds every tiny checkpoint under its name. Tests must not change them: copy first."""
    root = tmp_path_factory.mktemp("checkpoints")
    with torch.random.fork_rng():
        save_bert(root / "bert", SHUFFLED)
        save_bert(root / "bert-seed-2", SHUFFLED, seed=2)
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
        _copy(root / name, root / f"{name}-no-tokenizer", "tokenizer*")

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
    return root


@pytest.fixture(scope="session")
def load(checkpoints: Path) -> Callable[..., NLIModel]:
    """Return ``load(checkpoint_name_or_path, **options)``: on the CPU in float32 unless told otherwise."""

    def load_model(name: str | Path, **options: Any) -> NLIModel:
        options = {"device": "cpu", "dtype": "float32", "show_progress": False} | options
        return NLIModel.from_pretrained(str(checkpoints / name), **options)

    return load_model


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


@pytest.fixture(scope="session")
def references(checkpoints: Path) -> dict[str, Reference]:
    order = [SHUFFLED.index(label) for label in ("Entailment", "neutral", "CONTRADICTION")]
    return {name: Reference(checkpoints / name, order) for name in ("bert", "roberta")}


@pytest.fixture(scope="session")
def forward_calls() -> Callable[[NLIModel], Any]:
    """Return a context manager that counts the real forward passes of a model."""

    @contextmanager
    def count(model: NLIModel) -> Iterator[list[int]]:
        sizes: list[int] = []  # pairs of each forward pass

        def note(module: Any, args: Any, kwargs: dict[str, torch.Tensor]) -> None:
            sizes.append(len(kwargs["input_ids"]))

        handle = model._model.register_forward_pre_hook(note, with_kwargs=True)
        try:
            yield sizes
        finally:
            handle.remove()

    return count
