"""Checkpoints in this process: each is loaded once, however many metrics use it.

ONNX Runtime computes the embedded checkpoint and ONNX files, PyTorch every other one.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from claimwise.errors import ClaimwiseError, needs_extra
from claimwise.judges.hub import ALIASES, EMBEDDED_WEIGHTS, checkpoint_stamp, find_onnx
from claimwise.judges.networks import Checkpoint
from claimwise.options import check

Key = tuple[object, ...]
_loaded: weakref.WeakValueDictionary[Key, Checkpoint] = weakref.WeakValueDictionary()
_loading = threading.Lock()


def load_checkpoint(
    name: str,
    *,
    file: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    token: str | None = None,
    local_files_only: bool = False,
) -> Checkpoint:
    """Return the checkpoint called ``name``, loading it unless this process already holds it.

    See ``NLIModel.from_pretrained`` for arguments and errors.
    """
    check("dtype", dtype, choices=("auto", "float32", "bfloat16", "float16"))
    hub: dict[str, Any] = {"revision": revision, "token": token, "local_files_only": local_files_only}
    source = str(EMBEDDED_WEIGHTS) if name == "default" else ALIASES.get(name, name)
    if source == str(EMBEDDED_WEIGHTS):
        from claimwise.judges.by_onnx import read_embedded

        if file is not None:
            raise ClaimwiseError("The embedded judge has no other file.", "Leave out file=.", option="file")
        _check_runs_as_exported("The embedded judge", device, dtype)
        return _once((source,), read_embedded)
    onnx = None if name in ALIASES and file is None else find_onnx(source, file, **hub)
    if onnx is not None:
        from claimwise.judges.by_onnx import read_onnx

        _check_runs_as_exported(f"The judge `{name}` is an ONNX file, which", device, dtype)
        return _once((*onnx, checkpoint_stamp(source), revision), lambda: read_onnx(*onnx))
    with needs_extra("torch", f"The judge `{name}`"):
        from claimwise.judges.by_torch import choose_device, choose_dtype, load_by_transformers
    where = choose_device(device)
    precision = choose_dtype(dtype, where)
    key = (source, checkpoint_stamp(source), revision, token, str(where), str(precision))
    return _once(key, lambda: load_by_transformers(name, source, where, precision, hub))


def _once(key: Key, load: Callable[[], Checkpoint]) -> Checkpoint:
    with _loading:  # so that concurrent threads load a checkpoint only once
        checkpoint = _loaded.get(key)
        if checkpoint is None:
            checkpoint = _loaded[key] = load()
    return checkpoint


def _check_runs_as_exported(judge: str, device: str, dtype: str) -> None:
    """Refuse another device or precision than those of every judge that ONNX Runtime computes."""
    for option, value, fixed in (("device", device, "cpu"), ("dtype", dtype, "float32")):
        if value not in ("auto", fixed):
            raise ClaimwiseError(
                f"{judge} always runs with {option}={fixed}, not {value}.",
                f"Leave out {option}=, or choose a judge with safetensors weights.",
                option=option,
            )
