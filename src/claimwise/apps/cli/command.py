"""The ``claimwise`` command: its subcommands, and its error messages."""

from __future__ import annotations

import io
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import rich_click as click

from claimwise import __version__
from claimwise.apps.cli import compare, data, evaluate, explain, judges, overview, score, study
from claimwise.apps.cli.options import INTERRUPTED, Group
from claimwise.apps.cli.wording import in_flags
from claimwise.errors import ClaimwiseError, ClaimwiseWarning, warn
from claimwise.plugins import is_known, load_registered, registered

COMMANDS = "claimwise.commands"
"""Entry points through which packages add commands of click, such as those made with ``Command``."""


class Commands(Group):
    """The commands: those of claimwise, and those that packages register, which are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands; one that cannot be imported is left out with a warning."""
        names = super().list_commands(ctx)
        for name in registered(COMMANDS):
            try:
                self.get_command(ctx, name)
            except ClaimwiseError as error:
                warn(str(error))
            else:
                names.append(name)
        return list(dict.fromkeys(names))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none.

        Raises:
            ClaimwiseError: for a command whose package is not installed or cannot be imported.
        """
        if cmd_name not in self.commands and is_known(COMMANDS, cmd_name):
            self.commands[cmd_name] = load_registered(COMMANDS, cmd_name)
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands)
@click.version_option(__version__, message="%(version)s", help="Print the version and exit.")
def app() -> None:
    """Evaluate opinion summaries claim by claim: contrast, support, coverage and style."""


for command in (
    explain.demo,
    explain.explain,
    score.score,
    compare.report,
    compare.compare,
    study.study,
    overview.list_all,
    judges.judges,
    data.data,
    evaluate.evaluate,
):
    app.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Run ``claimwise``.

    An error is one line on stderr; the exit code is 2 for a command that click cannot parse, 130 for Ctrl-C,
    and 1 for any other expected error.
    """
    run_command(app, arguments)


def run_command(command: click.Command, arguments: list[str] | None = None) -> None:
    """Run any command of click with the error messages of ``claimwise``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with suppress(ValueError):  # outside the main thread, which gets no signals
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no incomplete file is left
    warnings.simplefilter("always", ClaimwiseWarning)
    warnings.showwarning = _shown_once(warnings.showwarning)
    try:
        code = command.main(arguments, standalone_mode=False)
        raise SystemExit(code if type(code) is int else 0)  # else what the function of a package returned
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else command.name
        problem = " ".join(error.format_message().split())
        _fail(f"{problem}{'' if problem[-1:] in '.)' else '.'} See {path} --help.", error.exit_code)
    except ClaimwiseError as error:
        _fail(str(error), 1)
    except (SystemExit, click.Abort) as stop:
        if isinstance(stop, SystemExit) and stop.code != INTERRUPTED:
            raise
        _fail(
            "interrupted. Commands with --score-cache or --cache, and score with --output, resume when "
            "repeated.",
            INTERRUPTED,
        )


def _fail(message: str, exit_code: int) -> NoReturn:
    print(f"claimwise: {message}", file=sys.stderr)
    raise SystemExit(exit_code) from None


def _shown_once(default: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that shows each warning of claimwise once, and passes others to ``default``."""
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *rest: Any, **options: Any) -> None:
        if not issubclass(category, ClaimwiseWarning):
            default(message, category, *rest, **options)
        elif str(message) not in shown:  # a file may be read several times
            shown.add(str(message))
            context = click.get_current_context(silent=True)
            told = in_flags(str(message), context) if context else message
            print(f"claimwise: warning: {told}", file=sys.stderr)

    return show
