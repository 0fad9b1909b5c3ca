"""What the rows of OpinionClaims hold, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from opinion_claims import ONE_CLAIM, AnyRow, Row


def shares(title: str, values: Iterable[str], rows: int) -> None:
    """Print how often each value occurs."""
    counted = ", ".join(
        f"{value} {count} ({count / rows:.0%})" for value, count in Counter(values).most_common()
    )
    print(f"{title}: {counted}")


def report(rows: Sequence[AnyRow]) -> None:
    """Print what the rows of one configuration hold."""
    count = len(rows)
    claims = [wordings for row in rows for wordings in row.claims]
    wordings = sum(map(len, claims))
    print(
        f"{count} sentences, {len(claims)} claims ({len(claims) / count:.2f} a sentence), {wordings} wordings"
    )
    for split in sorted({row.split for row in rows}):
        of_split = [row for row in rows if row.split == split]
        pairs = [zip(row.claims, row.stripped, strict=True) for row in of_split if row.stripped]
        changed = sum(kept != stripped for of_row in pairs for kept, stripped in of_row)
        print(
            f"{split}: {len(of_split)} sentences, {sum(len(row.claims) for row in of_split)} claims;"
            f" without attributions {len(pairs)} sentences and {changed} claims differ"
        )
    shares("writers", (row.writer for row in rows), count)
    shares("domains", (row.domain for row in rows), count)
    shares("claims a sentence", (str(len(row.claims)) for row in rows), count)
    tagged = [row for row in rows if isinstance(row, Row)]
    if tagged:
        whole = sum(ONE_CLAIM in row.tags for row in tagged)
        behind = sum(bool(row.context) for row in tagged)
        print(f"one claim: {whole / count:.0%}; with context: {behind / count:.0%}")
        shares("kinds", (row.kind for row in tagged), count)
        shares("sources", (row.source for row in tagged), count)
        shares("tags", (tag for row in tagged for tag in row.tags), count)
