"""Progress bars for long runs: shown on a terminal after two seconds, and only the outermost one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_HIDDEN: ContextVar[bool] = ContextVar("hidden", default=False)


def bar(doing: str, total: int, unit: str, *, shown: bool = True, done: int = 0) -> Any:
    """Return a tqdm bar, which is a context manager; ``doing`` is the text in front of it."""
    from tqdm.auto import tqdm

    return tqdm(
        total=total,
        initial=done,
        desc=doing,
        unit=unit,
        delay=2,
        disable=None if shown and not _HIDDEN.get() else True,  # None: only on a terminal
        leave=False,
    )


@contextmanager
def without_bars() -> Iterator[None]:
    """Show no bars within the block."""
    token = _HIDDEN.set(True)
    try:
        yield
    finally:
        _HIDDEN.reset(token)
