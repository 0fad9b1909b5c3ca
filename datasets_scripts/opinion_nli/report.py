"""What the phenomena of OpinionNLI hold, in numbers."""

from __future__ import annotations

from collections import Counter, defaultdict

from written import SPLITS

from claimwise.labels import LABELS
from opinion_nli.changes import Change


def report(changes: list[Change]) -> None:
    """Print a row of the card's table for every kind, and one for all: rows, pairs by split and by label."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for change in changes:
        pairs = list(change.rows())
        for name in (change.kind, "all"):
            counts[name].update(pair["label"] for pair in pairs)
            counts[name] += Counter({"rows": 1, change.split: len(pairs)})
    counts["all"] = counts.pop("all")  # last
    columns = ("rows", *SPLITS, *LABELS)
    print(f"| kind | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name, counter in counts.items():
        print(f"| `{name}` | {' | '.join(f'{counter[column]:,}' for column in columns)} |")
