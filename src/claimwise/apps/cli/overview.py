"""``claimwise list``: what is installed, by the entry points of claimwise and of other packages."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, get_args

import rich_click as click

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.data import DataSet
from claimwise.apps.cli.options import Command
from claimwise.errors import ClaimwiseError
from claimwise.plugins import load_registered, registered

Kind = Literal["metrics", "judges", "decomposers", "summarizers", "data"]
USED_BY = {
    "metrics": "claimwise score NAME FILE, claimwise.load(NAME)",
    "judges": "--judge default, NAME:ADDRESS, a folder or a Hub model",
    "decomposers": "--decomposer NAME or NAME:ADDRESS",
    "summarizers": "claimwise summarize FILE, claimwise_summarize.load(NAME)",
    "data": "claimwise data build NAME --output FOLDER",
}


@click.command("list", cls=Command)
@click.argument(
    "kind",
    type=click.Choice(get_args(Kind)),
    metavar="[KIND]",
    required=False,
    help=f"{', '.join(get_args(Kind)[:-1])} or {get_args(Kind)[-1]} (default: all).",
)
def list_all(kind: Kind | None) -> None:
    """List the metrics, judges, decomposers, summarizers and data sets that are installed."""
    from rich.table import Table
    from rich.text import Text

    for listed in get_args(Kind) if kind is None else [kind]:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
        for name in get_args(DataSet) if listed == "data" else registered(f"claimwise.{listed}"):
            table.add_row(Text(name, style="bold"), Text(_description(listed, name)))
        say(f"{listed}: {USED_BY[listed]}", style="cyan")
        console().print(table)


def _description(kind: str, name: str) -> str:
    """Return the question of a metric, the first line of the docstring of anything else, or what is wrong."""
    try:
        plugin: Any = (
            import_module(f"claimwise.data.{name}")
            if kind == "data"
            else load_registered(f"claimwise.{kind}", name)
        )
    except ClaimwiseError as error:
        return str(error)
    if kind == "metrics":
        return f"{plugin.spec.takes}: {plugin.spec.question}"
    first_line: str = (plugin.__doc__ or "").strip().partition("\n")[0]
    return first_line.replace("``", "")
