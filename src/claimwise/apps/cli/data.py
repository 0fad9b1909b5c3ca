"""``claimwise data``: the data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

DataSet = Literal["cocotrip"]
"""The data sets that are built: modules of ``claimwise.data``."""

app = typer.Typer(help="Build the data sets.", no_args_is_help=True)


@app.command()
def build(
    name: Annotated[DataSet, typer.Argument(help="The data set.")],
    out: Annotated[Path, typer.Option(help="Folder for the Parquet files and the card.")],
    source: Annotated[
        Path | None, typer.Option(help="Folder with the source files (default: download them).")
    ] = None,
) -> None:
    """Download (or read) a data set and write it so that datasets.load_dataset(OUT, CONFIG) reads it."""
    from claimwise.data import cocotrip

    cocotrip.build(out, source)
    print(f"Built {name} in {out}")
