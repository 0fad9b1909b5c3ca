"""Check the rows beside this file and report on them: ``python check.py [--file a.jsonl] [--lost]``.

Every broken rule is printed with its file and line, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from claimwise.data.opinion_claims import ONE_CLAIM, Row, faults_between, faults_of, lost, read_files
from claimwise.errors import ClaimwiseError

HERE = Path(__file__).resolve().parent


def shares(title: str, values: Iterable[str], rows: int) -> None:
    """Print how often each value occurs."""
    counted = ", ".join(
        f"{value} {count} ({count / rows:.0%})" for value, count in Counter(values).most_common()
    )
    print(f"{title}: {counted}")


def report(rows: list[Row]) -> None:
    """Print what the rows hold."""
    count = len(rows)
    claims = [wordings for row in rows for wordings in row.claims]
    wordings = sum(map(len, claims))
    print(
        f"{count} sentences, {len(claims)} claims ({len(claims) / count:.2f} a sentence), {wordings} wordings"
    )
    whole = sum(ONE_CLAIM in row.tags for row in rows)
    print(
        f"one claim: {whole / count:.0%}; with context: {sum(bool(row.context) for row in rows) / count:.0%}"
    )
    shares("splits", (row.split for row in rows), count)
    shares("writers", (row.writer for row in rows), count)
    shares("kinds", (row.kind for row in rows), count)
    shares("sources", (row.source for row in rows), count)
    shares("domains", (row.domain for row in rows), count)
    shares("tags", (tag for row in rows for tag in row.tags), count)
    shares("claims a sentence", (str(len(row.claims)) for row in rows), count)


def main() -> int:
    """Print faults and the report, and return the exit status."""
    parser = argparse.ArgumentParser(description="Check and describe the rows of OpinionClaims.")
    parser.add_argument("--file", type=Path, metavar="FILE", help="check and describe this file alone")
    parser.add_argument("--lost", action="store_true", help="list the words that are in no claim")
    arguments = parser.parse_args()
    only = arguments.file.resolve() if arguments.file else None
    try:
        rows = read_files(only.parent if only else HERE)
    except ClaimwiseError as error:
        print(error)
        return 1
    chosen = [row for row in rows if only in (None, row.path)]
    faults = [fault for row in chosen for fault in faults_of(row)]
    faults += [fault for fault in faults_between(rows) if str(only or fault.path) == fault.path]
    rows = chosen
    print(*faults, sep="\n", end="\n" if faults else "")
    if arguments.lost:
        for row in rows:
            if lost(row):
                print(f"{row.path.name}, line {row.line}: {row.sentence}\n    not in: {', '.join(lost(row))}")
    if rows and not faults:
        report(rows)
    print(f"{len(faults)} broken rules")
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
