"""Writing the small tables that the tests read back."""

from __future__ import annotations

from pathlib import Path

import pandas


def write_table(path: Path, **columns: list) -> Path:
    """Write a table in the format that the name of ``path`` says."""
    frame = pandas.DataFrame(columns)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=path.suffix != ".json", force_ascii=False)
    return path
