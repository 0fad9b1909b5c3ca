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


def check_output(output: Path, card_marker: str) -> None:
    """Reject a target that could not become a loadable folder, before any work.

    Args:
        output: the folder to write.
        card_marker: a line that identifies a README.md there as this data set's card.

    Raises:
        ClaimwiseError: if ``output`` is a file, cannot be read, or contains another README.md.
    """
    readme = output / "README.md"
    try:
        is_file = output.exists() and not output.is_dir()
        foreign = readme.exists() and card_marker.encode() not in readme.read_bytes()
    except OSError as error:
        problem = f"Cannot read {output}: {error}."
        raise ClaimwiseError(problem, "Choose another folder with output=.") from error
    if is_file:
        raise ClaimwiseError(f"{output} is a file.", "Choose a folder with output=.")
    if foreign:
        problem = f"{readme} is not the card of this data set, and `datasets` would read it as one."
        raise ClaimwiseError(problem, "Move it away, or choose another folder with output=.")


def write_folder(output: Path, tables: Mapping[str, Rows], card: bytes) -> None:
    """Write ``README.md`` and ``data/<name>.parquet`` for every table.

    A new ``output`` appears in one step. In an existing folder each file is replaced in one step, the card
    last; all other files are unchanged.

    Args:
        output: the folder; created if it does not exist.
        tables: rows by name; names may contain slashes. Values are strings or (nested) lists of strings.
        card: the bytes of the README.md.

    Raises:
        ClaimwiseError: if ``output`` cannot be written.
    """
    import pyarrow.parquet

    exists = output.exists()
    staging = (output if exists else output.parent) / f".building-{uuid.uuid4().hex}"
    try:
        for name, rows in tables.items():
            parquet = staging / "data" / f"{name}.parquet"
            parquet.parent.mkdir(parents=True, exist_ok=True)
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), parquet)
        (staging / "README.md").write_bytes(card)
        if not exists:
            staging.rename(output)
            return
        for parquet in sorted((staging / "data").rglob("*.parquet")):
            target = output / parquet.relative_to(staging)
            target.parent.mkdir(parents=True, exist_ok=True)
            parquet.replace(target)
        readme = output / "README.md"
        if not readme.exists() or readme.read_bytes() != card:
            (staging / "README.md").replace(readme)
    except OSError as error:
        raise ClaimwiseError(
            f"Cannot write the data set to {output}: {error}.",
            "Choose a writable folder with output=, and check the free space.",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
