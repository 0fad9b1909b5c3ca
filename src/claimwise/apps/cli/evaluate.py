"""``claimwise evaluate``: installs the scripts that ``evaluate.load("caspr")`` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from claimwise.apps.cli.console import console, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimwise.apps.evaluate_module import Installation

app = typer.Typer(
    help='Make evaluate.load("caspr") and the other metrics work without a network.', no_args_is_help=True
)

Names = Annotated[list[str] | None, typer.Argument(help="Names of metrics (default: all).")]


@app.command()
def install(names: Names = None) -> None:
    """Copy the metric scripts into the module cache of evaluate, where it finds them offline by name."""
    from claimwise.apps.evaluate_module import install

    _print(install(names))


@app.command("list")
def list_all() -> None:
    """Show which script evaluate would load for each metric."""
    from claimwise.apps.evaluate_module import installations

    _print(installations())


@app.command()
def uninstall(names: Names = None) -> None:
    """Remove the scripts that install copied, and nothing else."""
    from claimwise.apps.evaluate_module import uninstall

    _print(uninstall(names))


def _print(found: Sequence[Installation]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table("metric", "state", "hides (while installed)")
    for installation in found:
        hides = installation.shadowed if installation.state != "absent" else []
        hidden = "\n".join(str(path) for path in hides)
        table.add_row(installation.name, installation.state, escape(hidden))
    console().print(table)
    say(
        f"Scripts are in {found[0].folder.parent}. A folder with the metric's name in the working directory "
        f"takes precedence, and so does a Hub Space evaluate-metric/<name> when the Hub is reachable."
    )
