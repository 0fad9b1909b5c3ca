"""Writing a data set as a folder of Parquet files with a card, which ``datasets.load_dataset`` reads.

No incomplete data set is ever left behind: files are written to a staging folder and moved at the end.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claimwise.errors import ClaimwiseError

Rows = Sequence[Mapping[str, Any]]


def check_out(out: Path, card_marker: str) -> None:
    """Reject a target that could not become a loadable folder, before any work.

    Args:
        out: the folder to write.
        card_marker: a line that identifies a README.md there as this data set's card.

    Raises:
        ClaimwiseError: if ``out`` is a file, cannot be read, or contains another README.md.
    """
    readme = out / "README.md"
    try:
        is_file = out.exists() and not out.is_dir()
        foreign = readme.exists() and card_marker.encode() not in readme.read_bytes()
    except OSError as error:
        problem = f"Cannot read {out}: {error}."
        raise ClaimwiseError(problem, "Choose another folder with --out (out=).") from error
    if is_file:
        raise ClaimwiseError(f"{out} is a file.", "Choose a folder with --out (out=).")
    if foreign:
        problem = f"{readme} is not the card of this data set, and `datasets` would read it as one."
        raise ClaimwiseError(problem, "Move it away, or choose another folder with --out (out=).")


def write_folder(out: Path, tables: Mapping[str, Rows], card: bytes) -> None:
    """Write ``README.md`` and ``data/<name>.parquet`` for every table.

    A new ``out`` appears in one step. In an existing folder each file is replaced in one step, the card last;
    all other files are unchanged.

    Args:
        out: the folder; created if it does not exist.
        tables: rows by name; names may contain slashes. Values are strings or (nested) lists of strings.
        card: the bytes of the README.md.

    Raises:
        ClaimwiseError: if ``out`` cannot be written.
    """
    import pyarrow.parquet

    exists = out.exists()
    staging = (out if exists else out.parent) / f".building-{uuid.uuid4().hex}"
    try:
        for name, rows in tables.items():
            parquet = staging / "data" / f"{name}.parquet"
            parquet.parent.mkdir(parents=True, exist_ok=True)
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), parquet)
        (staging / "README.md").write_bytes(card)
        if not exists:
            staging.rename(out)
            return
        for parquet in sorted((staging / "data").rglob("*.parquet")):
            target = out / parquet.relative_to(staging)
            target.parent.mkdir(parents=True, exist_ok=True)
            parquet.replace(target)
        readme = out / "README.md"
        if not readme.exists() or readme.read_bytes() != card:
            (staging / "README.md").replace(readme)
    except OSError as error:
        raise ClaimwiseError(
            f"Cannot write the data set to {out}: {error}.",
            "Choose a writable folder with --out (out=), and check the free space.",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
