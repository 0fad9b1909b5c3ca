"""``claimwise evaluate``: installs the scripts that ``evaluate.load("caspr")`` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import rich_click as click

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimwise.apps.evaluate_module import Installation

names_argument = click.argument("names", nargs=-1, help="Names of metrics (default: all).")


@click.group(cls=Group)
def evaluate() -> None:
    """Make the metrics available to Hugging Face evaluate by their names, without a network."""


@evaluate.command()
@names_argument
def install(names: tuple[str, ...]) -> None:
    """Copy the scripts of metrics into the module cache of Hugging Face evaluate."""
    from claimwise.apps.evaluate_module import install

    _print(install(list(names) or None))


@evaluate.command("list")
def list_all() -> None:
    """Show which script Hugging Face evaluate would load for each metric."""
    from claimwise.apps.evaluate_module import installations

    _print(installations())


@evaluate.command()
@names_argument
def uninstall(names: tuple[str, ...]) -> None:
    """Remove the scripts that claimwise evaluate install copied, and nothing else."""
    from claimwise.apps.evaluate_module import uninstall

    _print(uninstall(list(names) or None))


def _print(states: Sequence[Installation]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table("metric", "state", "hides (while installed)")
    for installation in states:
        hides = installation.shadowed if installation.state != "absent" else []
        hidden = "\n".join(str(path) for path in hides)
        table.add_row(installation.name, installation.state, escape(hidden))
    console().print(table)
    say(
        f"Scripts are in {states[0].folder.parent}. A folder with the metric's name in the working directory "
        f"takes precedence, and so does a Hub Space evaluate-metric/<name> when the Hub is reachable."
    )
