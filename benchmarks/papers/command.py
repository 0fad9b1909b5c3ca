"""What the experiments share as commands: their flags, how they run, and what they print."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from claimwise.apps.cli.command import run_command
from claimwise.apps.cli.console import console, say

RESULTS = "results.json, results.md"


def out_flag(files: str) -> Any:
    """Return the flag ``--out`` of an experiment that writes these files."""
    return typer.Option(help=f"Folder for {files}.")


def data_flag(what: str) -> Any:
    """Return the flag ``--data`` of an experiment that reads a folder of this description."""
    return typer.Option(envvar="CLAIMWISE_DATA", help=f"Folder {what}.")


def show(out: Path, files: str) -> None:
    """Print the tables of an experiment, and list its output files."""
    from rich.markdown import Markdown

    console().print(Markdown((out / "results.md").read_text(encoding="utf-8")))
    say(f"\nWritten to {out}: {files}")


def run(command: Callable[..., None], arguments: list[str] | None = None) -> None:
    """Run a function as a command: its keyword arguments are flags, its docstring is the help.

    Args:
        command: the function.
        arguments: None = those of this process.
    """
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    run_command(typer.main.get_command(app), arguments)
