"""Checkpoints in this process: each is loaded once, however many metrics use it.

On the CPU, the embedded checkpoint and any local BERT or RoBERTa are loaded without transformers.
"""

from __future__ import annotations

import json
import math
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from claimwise.errors import ClaimwiseError
from claimwise.judges.bert import KINDS, Bert, read_config, read_weights, without_prefix
from claimwise.judges.hub import (
    ALIASES,
    EMBEDDED_WEIGHTS,
    check_in_reach,
    checkpoint_fingerprint,
    checkpoint_stamp,
    loading,
)
from claimwise.judges.pairs import Batch, PairEncoder
from claimwise.options import check

if TYPE_CHECKING:
    from tokenizers import Tokenizer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Padded(torch.nn.Module):
    """A sequence classifier of transformers, which needs pairs padded to one length.

    Args:
        model: the classifier.
        tokenizer: its tokenizer, which names the inputs of the model.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__()
        self.model, self.config = model, model.config
        self.padding_id: int = tokenizer.pad_token_id or 0
        self.inputs = [name for name in INPUTS if name in {"input_ids", *tokenizer.model_input_names}]

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the computation."""
        dtype: torch.dtype = self.model.dtype
        return dtype

    @property
    def weights(self) -> dict[str, torch.Tensor]:
        """Its weights by name."""
        return dict(self.model.named_parameters())

    def forward(self, batch: Batch) -> torch.Tensor:
        """Return the logits ``[pairs, labels]``."""
        padded = batch.padded(self.padding_id)
        inputs = {name: torch.from_numpy(padded[name]).to(self.model.device) for name in self.inputs}
        logits: torch.Tensor = self.model(**inputs).logits
        return logits


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A loaded model with its tokenizer, shared within the process.

    Attributes:
        model: batches of pairs in, logits out.
        encoder: turns pairs into token ids, truncated to the model's length.
        labels: names of the model's outputs.
        fingerprint: fingerprint of its files.
        device: device of the model.
    """

    model: Bert | Padded
    encoder: PairEncoder
    labels: Mapping[int, str]
    fingerprint: str
    device: torch.device

    @classmethod
    def of(
        cls, model: torch.nn.Module, tokenizer: Any, *, fingerprint: str, device: torch.device
    ) -> Checkpoint:
        """Return a checkpoint from a sequence classifier and a fast tokenizer of transformers."""
        padded = Padded(model.to(device).eval(), tokenizer)
        labels = padded.config.id2label
        return cls(padded, _encoder(tokenizer, padded.config.to_dict()), labels, fingerprint, device)

    @property
    def is_padded(self) -> bool:
        """Whether all pairs of a batch are padded to the longest one."""
        return isinstance(self.model, Padded)

    @property
    def dtype(self) -> str:
        """Name of the precision of the computation."""
        return str(self.model.dtype).removeprefix("torch.")


Key = tuple[object, ...]
_loaded: weakref.WeakValueDictionary[Key, Checkpoint] = weakref.WeakValueDictionary()
_loading = threading.Lock()
_weights_of_others: dict[Key, Path] = {}


def load_checkpoint(
    name: str, device: str, dtype: str, revision: str | None, token: str | None, local_files_only: bool
) -> Checkpoint:
    """Return the checkpoint called ``name``, loading it unless this process already holds it.

    See ``NLIModel.from_pretrained`` for arguments and errors.
    """
    source = str(EMBEDDED_WEIGHTS) if name == "default" else ALIASES.get(name, name)
    chosen_device = choose_device(device)
    chosen_dtype = _choose_dtype(dtype, chosen_device)
    with _loading:  # so that concurrent threads load a checkpoint only once
        key = (source, checkpoint_stamp(source), revision, token, str(chosen_device), str(chosen_dtype))
        checkpoint = _loaded.get(key)
        if checkpoint is None:
            if chosen_device.type == "cpu" and Path(source).is_dir():
                checkpoint = _read(Path(source), chosen_dtype)
            if checkpoint is None:
                hub = {"revision": revision, "token": token, "local_files_only": local_files_only}
                checkpoint = _load_by_transformers(name, source, chosen_device, chosen_dtype, hub)
            if key in _weights_of_others:
                _map_weights(checkpoint, _weights_of_others[key])
            _loaded[key] = checkpoint
    return checkpoint


def share_weights(folder: Path) -> list[tuple[Key, Path]]:
    """Write the weights of every checkpoint that this process holds on the CPU, and map them into memory.

    Processes that call ``take_weights`` map the same files, so that all share one copy in memory.

    Args:
        folder: folder of the files, which are needed as long as new processes start.

    Returns:
        Keys of the checkpoints with their files.
    """
    from safetensors.torch import save_file

    shared = []
    for number, (key, checkpoint) in enumerate(_loaded.items()):
        if checkpoint.device.type != "cpu":
            continue
        path = folder / f"{number}.safetensors"
        save_file({name: one.detach().contiguous() for name, one in checkpoint.model.weights.items()}, path)
        _map_weights(checkpoint, path)
        shared.append((key, path))
    return shared


def take_weights(shared: Sequence[tuple[Key, Path]]) -> None:
    """Let this process map the weights that another process has shared instead of loading them."""
    _weights_of_others.update(shared)


def _map_weights(checkpoint: Checkpoint, path: Path) -> None:
    """Replace a model's weights by a memory-mapped file."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as weights:
        for name, tensor in checkpoint.model.weights.items():
            tensor.data = weights.get_tensor(name)


def _read(folder: Path, dtype: torch.dtype) -> Checkpoint | None:
    """Return the checkpoint in a folder, or None for anything unusual, which transformers may support."""
    from tokenizers import Tokenizer

    try:
        config = read_config(folder)
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        path = folder / "tokenizer_config.json"
        told = json.loads(path.read_bytes()) if path.exists() else {}
        if not (Bert.can_be(config) and _agree(tokenizer, told)):
            return None
        model = Bert(config, without_prefix(read_weights(folder, dtype), config["model_type"]))
        labels = {int(number): name for number, name in config["id2label"].items()}
        encoder = PairEncoder(tokenizer, _max_length(config, told.get("model_max_length")))
    except Exception:
        return None
    return Checkpoint(model, encoder, labels, checkpoint_fingerprint(str(folder)), torch.device("cpu"))


def _agree(tokenizer: Tokenizer, told: Mapping[str, Any]) -> bool:
    """Return whether a tokenizer agrees with ``tokenizer_config.json``, which transformers applies to it."""
    own = {
        "do_lower_case": getattr(tokenizer.normalizer, "lowercase", None),
        "strip_accents": getattr(tokenizer.normalizer, "strip_accents", None),
        "add_prefix_space": getattr(tokenizer.pre_tokenizer, "add_prefix_space", None),
    }
    return "model_input_names" not in told and all(told.get(name, own[name]) == own[name] for name in own)


def _load_by_transformers(
    name: str, source: str, device: torch.device, dtype: torch.dtype, hub: dict[str, Any]
) -> Checkpoint:
    """Load a checkpoint of any architecture.

    Args:
        name: the user's name for it.
        source: Hub id or folder.
        device: device of the model.
        dtype: precision of the computation.
        hub: ``revision``, ``token`` and ``local_files_only``, for a Hub id.
    """
    remedy = (
        "Check the name, or work offline with judge='default' (embedded in the package) or the path "
        "of a folder that contains config.json, model.safetensors and tokenizer.json."
    )
    description, revision = f"The NLI model {name!r}", hub["revision"]
    from_cache = check_in_reach(
        source, description, remedy, revision=revision, local_files_only=hub["local_files_only"]
    )
    hub = {} if Path(source).is_dir() else {**hub, "local_files_only": hub["local_files_only"] or from_cache}
    with loading(description, remedy):
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        tokenizer: Any = AutoTokenizer.from_pretrained(source, **hub)
        model, report = AutoModelForSequenceClassification.from_pretrained(
            source, dtype=dtype, use_safetensors=True, output_loading_info=True, **hub
        )
    problem = None
    if missing := sorted(report["missing_keys"]):
        problem = f"has no trained {', '.join(missing)}: it is not a sequence classifier."
    elif len(tokenizer) <= len(tokenizer.all_special_tokens):
        problem = "has no tokenizer."
    elif getattr(tokenizer, "backend_tokenizer", None) is None:
        problem = "has no fast tokenizer (tokenizer.json), the only supported kind."
    if problem is not None:
        raise ClaimwiseError(f"{description} {problem}", remedy, option="judge")
    fingerprint, config = checkpoint_fingerprint(source, revision), model.config.to_dict()
    if device.type != "cpu" or not Bert.can_be(config):
        if config["model_type"] in KINDS:
            # The classifier reads only the first token, so the last layer computes only that token, once it
            # has attended to the others.
            model.base_model.encoder.layer[-1].attention.output.register_forward_pre_hook(
                lambda _, inputs: tuple(x[:, :1] for x in inputs)
            )
        return Checkpoint.of(model, tokenizer, fingerprint=fingerprint, device=device)
    own = Bert(config, without_prefix(model.state_dict(), config["model_type"]))
    own.reads_types &= "token_type_ids" in tokenizer.model_input_names
    return Checkpoint(own, _encoder(tokenizer, config), model.config.id2label, fingerprint, device)


def _encoder(tokenizer: Any, config: Mapping[str, Any]) -> PairEncoder:
    return PairEncoder(tokenizer.backend_tokenizer, _max_length(config, tokenizer.model_max_length))


def _max_length(config: Mapping[str, Any], of_tokenizer: float | None) -> int:
    """Return the maximum input length in tokens that both tokenizer and position embeddings allow."""
    of_tokenizer = of_tokenizer or math.inf
    positions: float = config.get("max_position_embeddings") or of_tokenizer
    if "roberta" in config["model_type"]:  # its positions start after the padding index
        positions -= config["pad_token_id"] + 1
    return int(min(positions, of_tokenizer))


def choose_device(name: str) -> torch.device:
    """Return the device called ``name``, or the best available one for ``"auto"``."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device).cpu()
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        raise ClaimwiseError(
            f"The device {name!r} is not available here.",
            "Choose 'auto', 'cpu' or a CUDA device such as 'cuda:0'.",
        ) from error
    return device


def _choose_dtype(name: str, device: torch.device) -> torch.dtype:
    dtypes = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
    check("dtype", name, choices=("auto", *dtypes))
    if name == "auto":
        if device.type == "cuda":
            return torch.float16
        capabilities = torch.cpu.get_capabilities()
        computes_bfloat16 = capabilities.get("avx512_bf16") or capabilities.get("amx_bf16")
        return torch.bfloat16 if computes_bfloat16 else torch.float32
    return dtypes[name]
