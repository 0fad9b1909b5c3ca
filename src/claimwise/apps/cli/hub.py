"""``claimwise hub``: builds and uploads repositories of the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Build and upload the repositories for the Hugging Face Hub.", no_args_is_help=True)


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="Folder for the Spaces and data sets.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of CoCoTrip, built or as source files (default: leave it out)."),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(help="User or organization on the Hub; required for hub push.")
    ] = None,
    wheel: Annotated[Path | None, typer.Option(help="Wheel file of claimwise (default: build one).")] = None,
) -> None:
    """Build a Space for every metric and a repository for every data set (in a clone)."""
    from claimwise.apps.hub import build

    for folder in build(out, source=data, namespace=namespace, wheel=wheel):
        print(folder)
    if data is None:
        print("Left out: cocotrip, whose texts belong to others. To include it, pass its folder with --data.")


@app.command()
def push(
    folder: Annotated[Path, typer.Argument(help="Folder that hub build wrote.")],
    yes: Annotated[bool, typer.Option("--yes", help="Upload the changes (default: only show them).")] = False,
) -> None:
    """Show what an upload would create, change and delete on the Hub; with --yes, upload it."""
    from claimwise.apps.hub import compare, upload

    for changes in compare(folder):
        state = "exists" if changes.exists else "does not exist yet"
        print(f"{changes.kind} {changes.repository} {state if changes else 'is up to date'}")
        for path, sign in changes.files.items() if changes else ():
            print(f"  {sign} {path}")
        if yes and changes:
            upload(changes)
            print("  uploaded")
    if not yes:
        print("Nothing was uploaded. Pass --yes to upload.")
