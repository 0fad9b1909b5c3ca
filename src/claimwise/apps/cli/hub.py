"""``claimwise hub``: what goes to the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Lay out and upload what goes to the Hugging Face Hub.", no_args_is_help=True)


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="Folder for the Spaces and data sets.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of CoCoTrip, built or its source files (default: leave it out)."),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(help="User or organization of the Hub; needed for hub push.")
    ] = None,
    wheel: Annotated[Path | None, typer.Option(help="Wheel of claimwise (default: build one).")] = None,
) -> None:
    """Lay out a Space for every metric and a repository for every data set (in a clone)."""
    from claimwise.apps.hub import build

    for folder in build(out, source=data, namespace=namespace, wheel=wheel):
        print(folder)
    if data is None:
        print("Left out: cocotrip, whose texts are other people's. Give its folder with --data.")


@app.command()
def push(
    folder: Annotated[Path, typer.Argument(help="What hub build wrote.")],
    yes: Annotated[bool, typer.Option("--yes", help="Upload. Without it nothing is changed.")] = False,
) -> None:
    """Show what an upload would create, change and delete on the Hub; with --yes, do it."""
    from claimwise.apps.hub import compare, upload

    for changes in compare(folder):
        state = "is there" if changes.exists else "does not exist yet"
        print(f"{changes.kind} {changes.repository} {state if changes else 'is up to date'}")
        for path, sign in changes.files.items() if changes else ():
            print(f"  {sign} {path}")
        if yes and changes:
            upload(changes)
            print("  uploaded")
    if not yes:
        print("Nothing was uploaded. Give --yes to upload.")
