"""Build the OpinionClaims data set beside this file: ``python build.py [--out DIR]``; needs no network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from claimwise.data.opinion_claims import build
from claimwise.errors import ClaimwiseError

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Build, say how to load what was built, and return the exit status."""
    parser = argparse.ArgumentParser(description="Write OpinionClaims as Parquet for `datasets`.")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=HERE, help="folder to write (default: that of this script)"
    )
    arguments = parser.parse_args()
    try:
        build(arguments.out, HERE)
    except ClaimwiseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f'Done. Load it with: datasets.load_dataset("{arguments.out}")')
    return 0


if __name__ == "__main__":
    sys.exit(main())
