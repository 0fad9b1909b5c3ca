"""Builds and uploads repositories of the Hugging Face Hub: ``python tools/hub.py build --out hub``.

``spaces`` rewrites the folders of the Spaces in this clone.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import repositories
import typer

from claimwise.errors import ClaimwiseError

app = typer.Typer(
    help="Build and upload the repositories for the Hugging Face Hub.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="Folder for the Spaces and data sets.")],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of CoCoTrip, built or as source files (default: leave it out)."),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(help="User or organization on the Hub; required for push.")
    ] = None,
    wheel: Annotated[
        list[Path] | None,
        typer.Option(
            help="Wheel of claimwise or claimwise-summarize; may be repeated (default: build them)."
        ),
    ] = None,
) -> None:
    """Build a Space for every metric and a repository for every data set."""
    for folder in repositories.build(out, source=data, namespace=namespace, wheels=wheel or ()):
        print(folder)
    if data is None:
        print("Left out: cocotrip, whose texts belong to others. To include it, pass its folder with --data.")


@app.command()
def push(
    folder: Annotated[Path, typer.Argument(help="Folder that build wrote.")],
    yes: Annotated[bool, typer.Option("--yes", help="Upload the changes (default: only show them).")] = False,
) -> None:
    """Show what an upload would create, change and delete on the Hub; with --yes, upload it."""
    for changes in repositories.compare(folder):
        state = "exists" if changes.exists else "does not exist yet"
        print(f"{changes.kind} {changes.repository} {state if changes else 'is up to date'}")
        for path, sign in changes.files.items() if changes else ():
            print(f"  {sign} {path}")
        if yes and changes:
            repositories.upload(changes)
            print("  uploaded")
    if not yes:
        print("Nothing was uploaded. Pass --yes to upload.")


@app.command()
def spaces() -> None:
    """Rewrite the folders of the Spaces in this clone, which are made of the metrics' cards."""
    repositories.write_spaces()


if __name__ == "__main__":
    try:
        app()
    except ClaimwiseError as error:
        sys.exit(f"error: {error}")
