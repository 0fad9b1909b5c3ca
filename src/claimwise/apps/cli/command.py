"""The ``claimwise`` command: its subcommands, and its error messages."""

from __future__ import annotations

import io
import signal
import sys
import warnings
from contextlib import suppress
from functools import cache
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from claimwise.apps.cli import (
    compare,
    data,
    evaluate,
    explain,
    judges,
    overview,
    score,
    study,
)
from claimwise.errors import ClaimwiseError, ClaimwiseWarning, warn
from claimwise.plugins import is_known, load_registered, registered

GROUP = "claimwise.commands"
"""Entry points through which packages add commands: functions with typer's annotations, or a ``Typer``."""


class Commands(TyperGroup):
    """The commands: those of claimwise, and those that packages register, which are imported on use."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands; one that cannot be imported is left out with a warning."""
        names = super().list_commands(ctx)
        for name in registered(GROUP):
            try:
                self.get_command(ctx, name)
            except ClaimwiseError as error:
                warn(str(error))
            else:
                names.append(name)
        return list(dict.fromkeys(names))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None if there is none.

        Raises:
            ClaimwiseError: for a command whose package is not installed or cannot be imported.
        """
        if cmd_name not in self.commands and is_known(GROUP, cmd_name):
            found = load_registered(GROUP, cmd_name)
            if not isinstance(found, typer.Typer):
                function, found = found, typer.Typer(add_completion=False)
                found.command(cmd_name)(function)
            self.commands[cmd_name] = typer.main.get_command(found)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=Commands,
    help="Contrast metrics for opinion summaries, claim by claim, with the evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    explain.demo,
    explain.explain,
    compare.report,
    compare.compare,
    study.study,
):
    app.command()(command)
app.command(cls=score.ScoreCommand)(score.score)
app.command("list")(overview.list_all)
app.add_typer(data.app, name="data")
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(judges.app, name="judges")


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        from claimwise import __version__

        print(__version__)
        raise typer.Exit


@cache
def _command() -> Any:
    return typer.main.get_command(app)


def main(arguments: list[str] | None = None) -> None:
    """Run ``claimwise``; an expected error is one line on stderr and exit code 1 (130 for Ctrl-C)."""
    run_command(_command(), arguments)


def run_command(command: Any, arguments: list[str] | None = None) -> None:
    """Run any command of typer with the error messages of ``claimwise``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with suppress(ValueError):  # outside the main thread, which gets no signals
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no incomplete file is left
    warnings.simplefilter("always", ClaimwiseWarning)
    default, shown = warnings.showwarning, set[str]()

    def show(message: Warning | str, category: type[Warning], *rest: Any, **options: Any) -> None:
        if issubclass(category, ClaimwiseWarning):
            if str(message) not in shown:  # a file may be read several times
                print(f"claimwise: warning: {message}", file=sys.stderr)
            shown.add(str(message))
        else:
            default(message, category, *rest, **options)

    warnings.showwarning = show
    try:
        command(arguments)
    except ClaimwiseError as error:
        print(f"claimwise: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    except SystemExit as stop:
        if stop.code != 130:  # typer's code for Ctrl-C
            raise
        print(
            "claimwise: interrupted. Commands with --score-cache or --cache, and score with --output, resume "
            "when repeated.",
            file=sys.stderr,
        )
        raise SystemExit(130) from None
