"""Build or check a data set that was written for claimwise; needs no network.

    python datasets_scripts/own_data.py build opinion_nli [--output DIR]     # Parquet files for `datasets`
    python datasets_scripts/own_data.py check source_nli [--only news]    # every rule, and a report

The data sets lie in the folders beside this file, as JSON lines. A check prints every broken rule with its
file and line, and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from claimwise.data.folders import check_output, write_folder
from claimwise.errors import ClaimwiseError

HERE = Path(__file__).resolve().parent
BUILT = CHECKED = ("opinion_claims", "opinion_nli", "source_nli")


def build(name: str, output: Path | None = None, folder: Path | None = None) -> Path:
    """Write a data set as ``output``/data/NAME.parquet with its card, for ``datasets.load_dataset``.

    Args:
        name: one of ``BUILT``.
        output: the folder to write (default: ``folder``); others' files stay.
        folder: of the JSON lines and the card (default: the data set's, beside this file).

    Returns:
        ``output``.

    Raises:
        ClaimwiseError: if ``folder`` holds no rows or one that breaks a rule, or ``output`` cannot be
            written.
    """
    folder = folder or HERE / name
    output = Path(output or folder).expanduser().absolute()
    check_output(output, f"<!-- claimwise dataset card: {name} -->")
    tables = importlib.import_module(name).tables(folder)
    write_folder(output, tables, (folder / "README.md").read_bytes())
    return output


def check(name: str, folder: Path | None = None, only: str | None = None, lost: bool = False) -> int:
    """Print every broken rule of a data set, report on rows that break none, and return the exit status.

    Of OpinionNLI, it checks the phenomena.

    Args:
        name: one of ``CHECKED``.
        folder: of the JSON lines (default: the data set's, beside this file).
        only: report on the rows of this writer (OpinionClaims) or kind (OpinionNLI's phenomena, SourceNLI).
        lost: list the words of each sentence that are in no claim (OpinionClaims).
    """
    package = importlib.import_module(name)
    report = importlib.import_module(f"{name}.report").report
    broken, found = 0, False
    for rows, faults in package.checked(folder or HERE / name):
        if only:
            rows = [row for row in rows if row.group == only]
            places = {(str(row.path), row.line) for row in rows}
            faults = [fault for fault in faults if (fault.path, fault.line) in places]
        print(*faults, sep="\n", end="\n" if faults else "")
        for row in rows if lost else ():
            if words := package.lost(row):
                print(f"{row.path.name}, line {row.line}: {row.sentence}\n    not in: {', '.join(words)}")
        if rows and not faults:
            report(rows)
        broken, found = broken + len(faults), found or bool(rows)
    print(f"{broken} broken rules" if found else "There are no rows.")
    return 1 if broken or not found else 0


def main() -> int:
    """Build or check as the command line says, and return the exit status."""
    parser = argparse.ArgumentParser(description="Build or check the data sets written for claimwise.")
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="write Parquet files and the card, for `datasets`")
    building.add_argument("name", choices=BUILT)
    building.add_argument("--output", type=Path, metavar="DIR", help="folder to write (default: its own)")
    checking = commands.add_parser("check", help="check every rule and report on the rows")
    checking.add_argument("name", choices=CHECKED)
    checking.add_argument("--only", metavar="NAME", help="this writer (OpinionClaims) or kind")
    checking.add_argument("--lost", action="store_true", help="list words in no claim (OpinionClaims)")
    for command in (building, checking):
        command.add_argument("--folder", type=Path, metavar="DIR", help="of the JSON lines, if moved")
    arguments = vars(parser.parse_args())
    try:
        if arguments.pop("command") == "check":
            return check(**arguments)
        print(f'Done. Load it with: datasets.load_dataset("{build(**arguments)}")')
    except ClaimwiseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
