"""Build the OpinionNLI data set beside this file: ``python build.py [--out DIR]``; needs no network."""

import sys
from pathlib import Path

from claimwise.data.folders import build_script
from claimwise.data.opinion_nli import build

if __name__ == "__main__":
    sys.exit(build_script("OpinionNLI", build, Path(__file__).resolve().parent, "pairs"))
