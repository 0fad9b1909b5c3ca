"""Builds and uploads repositories of the Hugging Face Hub: ``python tools/hub.py build --output hub``.

``spaces`` rewrites the folders of the Spaces in this clone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import repositories
import rich_click as click

from claimwise.apps.cli.options import PATH, Group
from claimwise.errors import ClaimwiseError


@click.group(cls=Group)
def app() -> None:
    """Build and upload the repositories for the Hugging Face Hub."""


@app.command()
@click.option("--output", type=PATH, required=True, help="Folder for the Spaces and data sets.")
@click.option(
    "--data", type=PATH, help="Folder of CoCoTrip, built or as source files (default: leave it out)."
)
@click.option("--namespace", help="User or organization on the Hub; required for push.")
@click.option(
    "--wheel",
    type=PATH,
    multiple=True,
    help="Wheel of claimwise or claimwise-summarize; may be repeated (default: build them).",
)
def build(output: Path, data: Path | None, namespace: str | None, wheel: tuple[Path, ...]) -> None:
    """Build a Space for every metric and a repository for every data set."""
    for folder in repositories.build(output, source=data, namespace=namespace, wheels=wheel):
        print(folder)
    if data is None:
        print("Left out: cocotrip, whose texts belong to others. To include it, pass its folder with --data.")


@app.command()
@click.argument("folder", type=PATH, help="Folder that build wrote.")
@click.option("--yes", is_flag=True, help="Upload the changes (default: only show them).")
def push(folder: Path, yes: bool) -> None:
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
