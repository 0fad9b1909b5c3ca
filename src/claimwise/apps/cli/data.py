"""``claimwise data``: the data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import rich_click as click

from claimwise.apps.cli.options import PATH, Group

DataSet = Literal["cocotrip"]
"""The data sets that are built: modules of ``claimwise.data``."""


@click.group(cls=Group)
def data() -> None:
    """Build the data sets."""


@data.command()
@click.argument(
    "name",
    type=click.Choice(get_args(DataSet)),
    metavar="NAME",
    help=f"Data set: {', '.join(get_args(DataSet))}.",
)
@click.option("--output", type=PATH, required=True, help="Folder for the Parquet files and the card.")
@click.option("--source", type=PATH, help="Folder with the source files (default: download them).")
def build(name: DataSet, output: Path, source: Path | None) -> None:
    """Download (or read) a data set and write it as Parquet, for load_dataset of Hugging Face datasets."""
    from claimwise.data import cocotrip

    cocotrip.build(output, source)
    print(f"Built {name} in {output}")
