"""Files that appear complete or not at all."""

from __future__ import annotations

import glob
import io
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from claimwise.errors import ClaimwiseError

try:
    import fcntl
except ImportError:  # Windows: temporary files of killed processes stay
    fcntl = None  # type: ignore[assignment]


@contextmanager
def placing(path: Path) -> Iterator[Path]:
    """Give the path of a temporary file that replaces ``path`` when the block ends without an error.

    Enter it before long work: an unwritable path is an error at once. If ``path`` is a link, its target is
    replaced; a pipe or device is written to, never replaced. Temporary files of killed processes beside
    ``path`` are removed.

    Raises:
        ClaimwiseError: if the file cannot be written.
    """
    descriptor = None
    try:
        part = target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "it is read-only")
        if not is_special(target):
            _remove_left(target)
            descriptor, part = _new_part(target)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        raise cannot_be_written(path, error) from error
    try:
        yield part
        if descriptor is not None:
            try:
                part.replace(target)
            except OSError as error:
                raise cannot_be_written(path, error) from error
    finally:
        if descriptor is not None:
            part.unlink(missing_ok=True)
            os.close(descriptor)


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Open a text file that appears at ``path`` only when the block ends without an error; see ``placing``.

    Raises:
        ClaimwiseError: if the file cannot be written.
    """
    content = io.StringIO()  # so that an OSError below comes from writing, not from the caller's work
    with placing(path) as part:
        yield content
        try:
            part.write_text(content.getvalue(), encoding="utf-8")
        except OSError as error:
            raise cannot_be_written(path, error) from error


def is_special(path: Path) -> bool:
    """Return whether ``path`` exists and is not a file, such as a pipe or ``/dev/null``."""
    return path.exists() and not path.is_file()


def check_outputs(outputs: Iterable[str | Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse an output that would replace an input or another output.

    Raises:
        ClaimwiseError: if an output and an input, or two outputs, are the same file.
    """
    outputs = [Path(path).absolute() for path in outputs if path is not None]
    if len(set(outputs)) < len(outputs):
        raise ClaimwiseError("is named for two outputs.", "Choose two paths.", path=outputs[0])
    read, written = (
        [Path(path) for path in paths if path is not None and Path(path).is_file()]
        for paths in (inputs, outputs)
    )
    for output in written:
        if any(map(output.samefile, read)):
            raise ClaimwiseError("is an input.", "Choose another path for the output.", path=output)


def cannot_be_written(path: Path, error: Exception) -> ClaimwiseError:
    """Return the error for a file that cannot be written."""
    reason = getattr(error, "strerror", None) or error
    return ClaimwiseError(f"cannot be written ({reason}).", "Choose another path for the output.", path=path)


# The name of a temporary file is unpredictable, so that nobody can plant a link there. Its process locks it,
# so that the next process can distinguish a file being written from an abandoned one.


def _new_part(target: Path) -> tuple[int, Path]:
    while True:
        part = target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}.part")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(part, flags, 0o666)  # minus the umask, like any new file
        if fcntl is None:
            return descriptor, part
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if part.exists():  # not removed before the lock
            return descriptor, part
        os.close(descriptor)


def _remove_left(target: Path) -> None:
    if fcntl is None:
        return
    for left in target.parent.glob(f".{glob.escape(target.name[:200])}.{'[0-9a-f]' * 16}.part"):
        try:
            descriptor = os.open(left, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()
        except OSError:  # it is being written
            pass
        finally:
            os.close(descriptor)
