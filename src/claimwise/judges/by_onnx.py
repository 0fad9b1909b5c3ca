"""Checkpoints that ONNX Runtime computes: the embedded judge, and a folder with an ONNX file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError
from claimwise.judges.hub import EMBEDDED_WEIGHTS, embedded_fingerprint
from claimwise.judges.networks import INPUTS, Checkpoint, max_length
from claimwise.judges.pairs import Floats, Padding, PairEncoder, TokenBatch
from claimwise.judges.session import Session
from claimwise.signature import folder_fingerprint


class OnnxClassifier:
    """The network of a judge: batches of pairs in, logits out."""

    padding: Padding = "equal"  # padding costs more than smaller batches
    uses_one_core = True

    def __init__(self, session: Session, padding_id: int = 0, dtype: str = "float32") -> None:
        self.session, self.padding_id, self.dtype = session, padding_id, dtype
        self.versions: Mapping[str, str] = {"onnxruntime": version("onnxruntime")}

    def logits(self, batch: TokenBatch) -> Floats:
        """Return float32 ``[pairs, labels]``."""
        inputs = batch.padded(self.padding_id)
        (logits,) = self.session.run({name: inputs[name] for name in self.session.inputs}, ["logits"])
        return logits


def read_embedded() -> Checkpoint:
    """Read the embedded checkpoint."""
    session = Session.load(EMBEDDED_WEIGHTS / "model.onnx", inputs=INPUTS, outputs=["logits", "states"])
    encoder = PairEncoder(_tokenizer(EMBEDDED_WEIGHTS), session.facts["max_length"])
    labels = dict(enumerate(session.facts["labels"]))
    return Checkpoint(OnnxClassifier(session), encoder, labels, embedded_fingerprint())


def read_onnx(folder: Path, file: str) -> Checkpoint:
    """Return the checkpoint of an ONNX file.

    Args:
        folder: has config.json with the labels, and tokenizer.json.
        file: name of the ONNX file in the folder; it reads ``input_ids``, ``attention_mask`` and perhaps
            ``token_type_ids``, and returns ``logits``.

    Raises:
        ClaimwiseError: if a file is missing, broken or of another kind of network.
    """
    path = folder / file
    session = Session.load(path, inputs=INPUTS[:2], outputs=["logits"], optional=INPUTS[2:])
    config = _read_json(folder / "config.json")
    if "id2label" not in config:
        raise ClaimwiseError(
            "names no labels (`id2label`).",
            "Copy config.json of the exported model.",
            path=folder / "config.json",
        )
    labels = {int(number): name for number, name in config["id2label"].items()}
    own = folder / "tokenizer_config.json"
    longest = max_length(config, _read_json(own).get("model_max_length") if own.is_file() else None)
    encoder = PairEncoder(_tokenizer(folder), longest)
    # Weights that are too large for an ONNX file lie in files beside it, under any name.
    beside = [entry for entry in path.parent.iterdir() if entry.is_file()]
    weights = {str(entry.relative_to(folder)) for entry in beside if entry.suffix not in (".onnx", ".md")}
    fingerprint = folder_fingerprint(folder, sorted({"config.json", "tokenizer.json", file} | weights))
    network = OnnxClassifier(session, config.get("pad_token_id") or 0, dtype=file)
    return Checkpoint(network, encoder, labels, fingerprint)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ClaimwiseError(
            "is missing, or not JSON.", "Copy it from the model that was exported.", path=path
        ) from error
    return content


def _tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more special
        raise ClaimwiseError(
            "is missing, or not a tokenizer.", "Copy it from the model that was exported.", path=path
        ) from error
