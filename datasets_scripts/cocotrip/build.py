"""Build the CoCoTrip data set beside this file: ``python build.py [--source DIR] [--out DIR]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from claimwise.data import build
from claimwise.errors import ClaimwiseError


def main() -> int:
    """Build, say how to load what was built, and return the exit status."""
    parser = argparse.ArgumentParser(description="Write the CoCoTrip pairs as Parquet for `datasets`.")
    parser.add_argument(
        "--source",
        type=Path,
        metavar="DIR",
        help="folder with anno.json and caspr_synthetic_dataset.json (default: download both)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path(__file__).resolve().parent,
        help="folder to write (default: the folder of this script)",
    )
    arguments = parser.parse_args()
    try:
        build("cocotrip", arguments.out, arguments.source)
    except ClaimwiseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    call = f'datasets.load_dataset("{arguments.out}", "reference_contrastive", split="test")'
    print(f"Done. Load it with: {call}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
