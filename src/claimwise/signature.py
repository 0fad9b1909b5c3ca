"""Signatures: one line that holds everything a number depends on (after sacrebleu's)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from claimwise.errors import without_credentials


def signature(metric: str, parts: Mapping[str, object]) -> str:
    """Return ``metric|key:value|…``, in the order of ``parts``.

    A ``|`` or ``%`` inside a value is percent-encoded, so that the line can be split again. URLs are shown
    without user, password and query.
    """
    shown = ((key, without_credentials(str(value))) for key, value in parts.items())
    encoded = (f"{key}:{quote(value, safe=_SAFE)}" for key, value in shown)
    return "|".join([metric, *encoded])


NOT_SIGNED: Mapping[str, str] = {
    **dict.fromkeys(("api_key", "api_key_env", "token"), "says who asks"),
    **dict.fromkeys(("timeout", "concurrency", "retries", "max_requests"), "without an answer a run stops"),
    **dict.fromkeys(("cache", "score_cache"), "keeps what would be computed or asked again"),
    **dict.fromkeys(("batch_size", "device", "max_tokens_per_batch"), "changes scores only by rounding"),
    **dict.fromkeys(("local_files_only", "revision"), "the content of the model is signed"),
    "weights_sha256": "the content of the weights is signed",
    "show_progress": "only shows bars",
}
"""Options of metrics, judges, decomposers and summarizers that no signature contains, each with the reason.

A test varies every other option, and compares the signatures.
"""


def exact(number: float) -> str:
    """Return a number in the fewest digits from which it can be read back."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def differing_parts(signatures: Sequence[str]) -> list[str]:
    """Return the keys in which signatures of one metric differ, in their order."""
    split = [dict(part.partition(":")[::2] for part in line.split("|")[1:]) for line in signatures]
    keys = dict.fromkeys(key for parts in split for key in parts)
    return [key for key in keys if len({parts.get(key) for parts in split}) > 1]


def function_name(function: object) -> str:
    """Return a function's entry in a signature: its own ``signature``, or else its name."""
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"function {getattr(function, 'signature', name)}"


def unsigned(options: object) -> list[str]:
    """Return the names of options that hold a callable without a ``signature``.

    Signatures then contain only its name, which another function may share; it is no key for a cache.
    """
    return [
        name
        for name, value in vars(options).items()
        for part in (value if isinstance(value, list | tuple) else [value])
        if callable(part) and not getattr(part, "is_signed", hasattr(part, "signature"))
    ]


_SAFE = "".join(chr(code) for code in range(32, 127) if chr(code) not in "|%")


def text_fingerprint(text: str) -> str:
    """Return 12 hexadecimal digits of the text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parts_fingerprint(parts: Sequence[object]) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of parts in JSON types."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def input_hash(cell: Any) -> str:
    """Return 12 hexadecimal digits of the SHA-256 of a cell; a text and a list of one text are the same."""
    is_list = isinstance(cell, Iterable) and not isinstance(cell, str | bytes | Mapping)
    return text_fingerprint(json.dumps([str(text) for text in (cell if is_list else [cell])]))


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tree_fingerprint(folder: Path) -> str:
    """Return 12 hexadecimal digits of the SHA-256 over all files in ``folder`` and its subfolders."""
    files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    return folder_fingerprint(folder, [name for name in files if "__pycache__" not in name])


def folder_fingerprint(folder: Path, names: list[str]) -> str:
    """Return 12 hexadecimal digits of the SHA-256 over the existing files among ``names`` in ``folder``."""
    digest = hashlib.sha256()
    for name in sorted(names):
        path = folder / name
        if path.is_file():
            digest.update(f"{name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()[:12]
