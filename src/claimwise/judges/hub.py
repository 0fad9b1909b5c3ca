"""Checkpoints: location and fingerprint of their files, and whether the Hub is reachable."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from claimwise.errors import ClaimwiseError, in_backticks
from claimwise.signature import folder_fingerprint

EMBEDDED_WEIGHTS = Path(__file__).parent / "weights"
"""The folder of the embedded judge."""
WORDS_FILE = "words.f16"
"""The table of word embeddings that the embedded networks share, in the judge's folder."""
JUDGE_FILES = ("model.onnx", "tokenizer.json", WORDS_FILE)
"""The files that the embedded judge consists of."""

ALIASES = {
    "mnli": "FacebookAI/roberta-large-mnli",
    "vitc": "tals/albert-xlarge-vitaminc-mnli",
    "anli": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
}
"""Aliases of Hub ids."""

SAFETENSORS = ("model.safetensors", "model.safetensors.index.json")
"""Files of which transformers reads one, if it is there, before any pickle."""

FULL_PRECISION = ("model.onnx", "onnx/model.onnx")
"""ONNX files that are read without being asked for; others, such as quantized ones, only by name."""

_FAILURES = OSError, ValueError, ImportError, KeyError, RuntimeError, AssertionError, TypeError
_FINGERPRINTED = {".json", ".txt", ".model", ".safetensors", ".bin"}


def hub_is_reachable(timeout: float = 2.0) -> bool:
    """Return whether the Hub, or its proxy, accepts connections; the Hub's client would try for a minute."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    is_connected = threading.Event()

    def connect() -> None:
        try:
            address = urlsplit(constants.ENDPOINT)
            proxy = None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)
            if proxy is not None:
                address = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
            port = address.port or {"http": 80, "socks5": 1080}.get(address.scheme, 443)
            socket.create_connection((address.hostname, port), timeout).close()
        except (OSError, ValueError, OverflowError):
            return
        is_connected.set()

    # In a thread, because resolving the name can take far longer than the timeout of the connection.
    attempt = threading.Thread(target=connect, daemon=True)
    attempt.start()
    attempt.join(timeout)
    return is_connected.is_set()


def check_in_reach(
    source: str,
    description: str,
    remedy: str,
    *,
    revision: str | None = None,
    local_files_only: bool = False,
) -> bool:
    """Return whether ``source`` must come from the local cache, because the Hub is unreachable or off limits.

    Args:
        source: Hub id, or the path of a folder (always available).
        description: subject of the errors, such as ``"The judge `mnli`"``.
        remedy: of the errors.
        revision: revision of the Hub id.
        local_files_only: do not contact the Hub.

    Raises:
        ClaimwiseError: if it is neither a folder, nor cached, nor available from the Hub, or a folder without
            safetensors weights.
    """
    if Path(source).is_dir():
        if not any(Path(source, name).is_file() for name in SAFETENSORS):
            problem = f"{description} has no .safetensors weights, the only supported format."
            raise ClaimwiseError(problem, remedy)
        return False
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        is_cached = isinstance(try_to_load_from_cache(source, "config.json", revision=revision), str)
    except HFValidationError as error:
        raise ClaimwiseError(f"{description} is neither a folder nor a Hub id.", remedy) from error
    if not local_files_only and hub_is_reachable():
        return False
    if not is_cached:
        name = description if source in description else f"{description} ({source})"
        why = "only local files may be used" if local_files_only else "the Hub cannot be reached"
        problem = f"{name} is not on this machine, and {why}."
        raise ClaimwiseError(problem, remedy)
    return True


def find_onnx(
    source: str, file: str | None, *, revision: str | None, token: str | None, local_files_only: bool
) -> tuple[Path, str] | None:
    """Return the folder and the name of a judge's ONNX file; None = it has safetensors, or is nowhere.

    Without ``file``, it is the one of full precision, if there are no safetensors. Of a Hub id, only the
    ONNX file and what belongs to it is downloaded.

    Raises:
        ClaimwiseError: if there is no such file.
    """
    folder, names = Path(source), None
    from_hub: dict[str, Any] = {"revision": revision, "token": token}
    if not folder.is_dir():
        from huggingface_hub import list_repo_files, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

        try:
            if local_files_only or not hub_is_reachable():
                folder = Path(snapshot_download(source, revision=revision, local_files_only=True))
            else:
                names = list_repo_files(source, **from_hub)
        except (HFValidationError, LocalEntryNotFoundError, HfHubHTTPError):
            return None  # another loader then says that the judge is nowhere
    if names is None:
        names = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    if file is None:
        file = next((name for name in FULL_PRECISION if name in names), None)
        if file is None or set(SAFETENSORS) & set(names):
            return None
    elif file not in names:
        known = sorted(name for name in names if name.endswith(".onnx"))
        raise ClaimwiseError(
            f"The judge `{source}` has no file `{file}`.",
            f"Choose one of {in_backticks(known)}." if known else "Leave out file=: it has no ONNX file.",
            option="file",
        )
    if not folder.is_dir():
        wanted = ["*.json", f"{file}*"]
        folder = Path(snapshot_download(source, allow_patterns=wanted, **from_hub))
    return folder, file


# Settings of transformers belong to the process: threads that overlapped would restore each other's.
_settings = threading.RLock()


@contextmanager
def loading(description: str, remedy: str) -> Iterator[None]:
    """Turn any failure of transformers to load a checkpoint into one clear error.

    No progress bar is shown; a checkpoint's own code is never run, and the user is not asked about it; the
    settings of transformers are restored. One thread loads at a time.
    """
    from safetensors import SafetensorError

    try:
        with _settings, _quiet_transformers():
            yield
    except ClaimwiseError:
        raise
    except (*_FAILURES, SafetensorError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if "trust_remote_code" in str(error):
            reason = "it needs the checkpoint's own code, which claimwise never runs."
        raise ClaimwiseError(f"{description} cannot be loaded: {reason}", remedy) from error


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )
    from transformers import dynamic_module_utils
    from transformers.utils import logging as transformers_logging

    logging: Any = transformers_logging
    seconds_to_answer = dynamic_module_utils.TIME_OUT_REMOTE_CODE
    has_hub_bars, has_bars = not are_progress_bars_disabled(), logging.is_progress_bar_enabled()
    verbosity = logging.get_verbosity()
    dynamic_module_utils.TIME_OUT_REMOTE_CODE = 0  # the only switch that reaches every loader
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        dynamic_module_utils.TIME_OUT_REMOTE_CODE = seconds_to_answer
        logging.set_verbosity(verbosity)
        (logging.enable_progress_bar if has_bars else logging.disable_progress_bar)()
        # Last, because transformers switches the Hub's bars along with its own.
        (enable_progress_bars if has_hub_bars else disable_progress_bars)()


def checkpoint_folder(source: str, revision: str | None = None) -> Path:
    """Return the folder of a checkpoint: ``source`` itself, or the local snapshot of a cached Hub id."""
    if Path(source).is_dir():
        return Path(source)
    from transformers.utils.hub import cached_file

    return Path(str(cached_file(source, "config.json", revision=revision, local_files_only=True))).parent


def checkpoint_fingerprint(source: str, revision: str | None = None) -> str:
    """Return 12 hexadecimal digits of the SHA-256 of the files of a folder or cached Hub id."""
    folder = checkpoint_folder(source, revision)
    return folder_fingerprint(folder, [p.name for p in folder.iterdir() if p.suffix in _FINGERPRINTED])


@cache
def embedded_fingerprint() -> str:
    """Return 12 hexadecimal digits of the SHA-256 of the embedded judge's files."""
    return folder_fingerprint(EMBEDDED_WEIGHTS, list(JUDGE_FILES))


def checkpoint_stamp(source: str) -> tuple[object, ...]:
    """Return a value that changes when a file of the folder ``source`` is written; empty for a Hub id."""
    files = sorted(path for path in Path(source).rglob("*") if path.is_file())
    return tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files)
