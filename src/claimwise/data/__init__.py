"""Data sets: CoCoTrip for measuring the metrics, others for the models that they need.

claimwise ships no data of other people. A builder of theirs downloads (or reads) the source files and
checks them against recorded checksums. Every builder writes a folder of Parquet files with a dataset
card, which ``datasets.load_dataset(folder, config)`` reads offline and without running code.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from claimwise.data import cocotrip, opinion_claims, opinion_nli, source_nli
from claimwise.errors import ClaimwiseError

BUILDERS: dict[str, Callable[[Path, Path | None], None]] = {
    "cocotrip": cocotrip.build,
    "opinion_claims": opinion_claims.build,
    "opinion_nli": opinion_nli.build,
    "source_nli": source_nli.build,
}
"""Builders by the name of their data set; each takes ``out`` and ``source``."""


def build(name: str, out: Path, source: Path | None = None) -> None:
    """Build the data set called ``name`` into the folder ``out``.

    Args:
        name: a key of ``BUILDERS``.
        out: the folder to write; files in it that are not the data set's own are left alone.
        source: a folder that holds the source files; without it they are downloaded.

    Raises:
        ClaimwiseError: for an unknown name, for source files that cannot be had or are not the
            expected ones, and for a folder that cannot be written.
    """
    if name not in BUILDERS:
        raise ClaimwiseError(f"Unknown data set {name!r}.", f"Choose one of: {', '.join(sorted(BUILDERS))}.")
    BUILDERS[name](out, source)
