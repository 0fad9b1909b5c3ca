"""Checkpoints that PyTorch computes: any sequence classifier of transformers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import check_in_reach, checkpoint_fingerprint, loading
from claimwise.judges.networks import INPUTS, Checkpoint, max_length
from claimwise.judges.pairs import Floats, Padding, PairEncoder, TokenBatch


class TorchClassifier:
    """A sequence classifier of transformers, on its device, with the tokenizer that names its inputs."""

    padding: Padding = "padded"
    uses_one_core = False

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.padding_id: int = tokenizer.pad_token_id or 0
        self.inputs = [name for name in INPUTS if name in {"input_ids", *tokenizer.model_input_names}]
        self.dtype = str(model.dtype).removeprefix("torch.")
        self.versions: Mapping[str, str] = {
            "transformers": version("transformers"),
            "torch": version("torch").split("+")[0],
        }

    def logits(self, batch: TokenBatch) -> Floats:
        """Return float32 ``[pairs, labels]``."""
        padded = batch.padded(self.padding_id)
        inputs = {name: torch.from_numpy(padded[name]).to(self.model.device) for name in self.inputs}
        with torch.inference_mode():
            logits: Floats = self.model(**inputs).logits.float().cpu().numpy()
        return logits


def checkpoint_of(model: Any, tokenizer: Any, *, fingerprint: str) -> Checkpoint:
    """Return a checkpoint from a sequence classifier and a fast tokenizer of transformers."""
    longest = max_length(model.config.to_dict(), tokenizer.model_max_length)
    encoder = PairEncoder(tokenizer.backend_tokenizer, longest)
    return Checkpoint(TorchClassifier(model.eval(), tokenizer), encoder, model.config.id2label, fingerprint)


def load_by_transformers(
    name: str, source: str, device: torch.device, dtype: torch.dtype, hub: dict[str, Any]
) -> Checkpoint:
    """Load a sequence classifier of any architecture from a folder or Hub id.

    ``name`` is the user's name for it; ``hub`` has ``revision``, ``token`` and ``local_files_only``.
    """
    remedy = (
        "Check the name, or work offline with `default` (embedded in the package) or the path of a folder "
        "that contains config.json, model.safetensors and tokenizer.json."
    )
    description, revision = f"The judge `{name}`", hub["revision"]
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
    return checkpoint_of(model.to(device), tokenizer, fingerprint=checkpoint_fingerprint(source, revision))


def choose_device(name: str) -> torch.device:
    """Return the device called ``name``, or the best available one for ``"auto"``."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device).cpu()
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        raise ClaimwiseError(
            f"The device `{name}` is not available on this machine.",
            "Choose `auto`, `cpu`, or a CUDA device of this machine such as `cuda:0`.",
            option="device",
        ) from error
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """Return the precision called ``name``; ``"auto"`` is float16 on a GPU and float32 on the CPU."""
    if name == "auto":
        name = "float16" if device.type == "cuda" else "float32"
    dtype: torch.dtype = getattr(torch, name)
    return dtype
