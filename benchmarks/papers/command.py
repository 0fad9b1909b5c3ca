"""What the experiments share as commands: their flags, how they run, and what they print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import rich_click as click

from claimwise.apps.cli.command import run_command as run
from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import PATH, Command

__all__ = ["RESULTS", "data_flag", "output_flag", "paper_command", "run", "show"]

RESULTS = "results.json, results.md"
F = TypeVar("F", bound=Callable[..., Any])


def paper_command(**settings: Any) -> Callable[[Any], click.Command]:
    """Return the decorator that makes a function the command of an experiment; see ``Command``."""
    return click.command(cls=Command, **settings)


def output_flag(files: str) -> Callable[[F], F]:
    """Return the flag ``--output`` of an experiment that writes these files."""
    return click.option("--output", "out", type=PATH, required=True, help=f"Folder for {files}.")


def data_flag(what: str, *, required: bool = True) -> Callable[[F], F]:
    """Return the flag ``--data`` of an experiment that reads a folder of this description."""
    return click.option(
        "--data",
        type=PATH,
        required=required,
        envvar="CLAIMWISE_DATA",
        show_envvar=True,
        help=f"Folder {what}.",
    )


def show(out: Path, files: str) -> None:
    """Print the tables of an experiment, and list its output files."""
    from rich.markdown import Markdown

    console().print(Markdown((out / "results.md").read_text(encoding="utf-8")))
    say(f"\nWritten to {out}: {files}")
