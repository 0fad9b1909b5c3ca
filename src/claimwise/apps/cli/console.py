"""Where the commands print tables and coloured lines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Return a console as wide as the terminal, or 110 characters wide in a pipe."""
    from rich.console import Console

    return Console(emoji=False, width=None if sys.stdout.isatty() else 110, highlight=False)


def say(sentence: str, style: str | None = None) -> None:
    """Print a line unchanged: no wrapping, no markup."""
    console().print(sentence, markup=False, soft_wrap=True, style=style)
