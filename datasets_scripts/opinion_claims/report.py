"""What the rows of OpinionClaims hold, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from opinion_claims import ONE_CLAIM, Row


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
