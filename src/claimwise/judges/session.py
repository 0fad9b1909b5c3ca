"""Networks in ONNX files, computed on the CPU by ONNX Runtime.

A session computes each call on one core; threads may share a session, and several calls run at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from claimwise.errors import ClaimwiseError, in_backticks

KINDS = ("tensor(int64)", "tensor(float)", "tensor(bool)")
"""Kinds of inputs, as ONNX Runtime calls them."""

Arrays = Mapping[str, npt.NDArray[Any]]


class Session:
    """A network that is ready to compute. Create it with ``load``.

    ``inputs`` and ``outputs`` are their names, ``facts`` the file's own metadata, decoded from JSON.
    """

    def __init__(self, session: Any, path: Path) -> None:
        from onnxruntime import RunOptions

        self._session, self._path = session, path
        self.inputs = [declared.name for declared in session.get_inputs()]
        self.outputs = [declared.name for declared in session.get_outputs()]
        self.facts: dict[str, Any] = {}
        for name, value in session.get_modelmeta().custom_metadata_map.items():
            try:
                self.facts[name] = json.loads(value)
            except ValueError:  # another program's entry
                self.facts[name] = value
        self._options = RunOptions()
        self._options.only_execute_path_to_fetches = True

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        inputs: Iterable[str],
        outputs: Iterable[str],
        optional: Iterable[str] = (),
        words: Path | None = None,
    ) -> Session:
        """Load a network. No code of the file's author runs: custom operators are refused.

        Args:
            path: the ONNX file.
            inputs: names of inputs that it must have.
            outputs: names of outputs that it must have.
            optional: names of further inputs that it may have.
            words: folder of the shared word embeddings; None = the file's own folder.
        """
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # it would keep a pattern for every size of a batch
        options.log_severity_level = 4  # problems are raised, so nothing needs to be logged
        if words is not None:
            options.add_session_config_entry(
                "session.model_external_initializers_file_folder_path", str(words)
            )
        try:
            session = onnxruntime.InferenceSession(
                str(path) if words is None else path.read_bytes(),
                options,
                providers=["CPUExecutionProvider"],
            )
        except Exception as error:  # ONNX Runtime's errors have no common class
            raise _unreadable(path, error) from error
        loaded, required = cls(session, path), list(inputs)
        loaded._check("input", loaded.inputs, required, [*required, *optional])
        loaded._check("output", loaded.outputs, list(outputs), loaded.outputs)
        for declared in session.get_inputs():
            if declared.type not in KINDS:
                raise ClaimwiseError(
                    f"reads `{declared.name}` as {declared.type}.",
                    f"Export the network with inputs of {', '.join(KINDS)}.",
                    path=path,
                )
        return loaded

    def _check(
        self, kind: str, names: Sequence[str], required: Sequence[str], allowed: Sequence[str]
    ) -> None:
        """Raise an error unless the names contain what is required, and nothing that is not allowed."""
        if missing := sorted(set(required) - set(names)):
            raise ClaimwiseError(
                f"has no {kind} {in_backticks(missing)}, only {in_backticks(names)}.",
                f"Export the network with the {kind}s {in_backticks(required)}.",
                path=self._path,
            )
        if unknown := sorted(set(names) - set(allowed)):
            raise ClaimwiseError(
                f"has the unknown {kind} {in_backticks(unknown)}.",
                f"Export the network with no other {kind}s than {in_backticks(allowed)}.",
                path=self._path,
            )

    def run(self, inputs: Arrays, outputs: Sequence[str]) -> list[npt.NDArray[Any]]:
        """Return some of the outputs; only what they need is computed."""
        arrays: list[npt.NDArray[Any]] = self._session.run(outputs, dict(inputs), self._options)
        return arrays


def _unreadable(path: Path, error: Exception) -> ClaimwiseError:
    import onnxruntime

    if not path.exists():
        return ClaimwiseError("is missing.", "Check the name of the folder that contains it.", path=path)
    if type(error).__name__ == "InvalidProtobuf":
        return ClaimwiseError(
            "is broken, or not an ONNX file.", "Download or export the file again.", path=path
        )
    reason = str(error).strip().splitlines()[0]
    return ClaimwiseError(
        f"cannot be run by ONNX Runtime {onnxruntime.__version__}: {reason}",
        "Export the network with an opset that this version knows, and without custom operators.",
        path=path,
    )
