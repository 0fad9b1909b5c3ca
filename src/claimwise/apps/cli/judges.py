"""``claimwise judges``: does a judge work, and does it agree with another one?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import PATH, SEED, Group, flags
from claimwise.errors import ClaimwiseError
from claimwise.judges.options import FORMS, JudgeOptions

if TYPE_CHECKING:
    from claimwise.judges.protocol import Pair
    from claimwise.report.judges import JudgeComparison

NAMED_OTHERWISE = ("judge", "pairs")
"""Options of the judge that these commands take in another way."""

sample_flags = flags(
    "Options",
    ("--pairs", "Number of pairs to compare, drawn at random if there are more.", click.IntRange(min=1), 500),
    ("--examples", "Number of disagreements to print.", click.IntRange(min=0), 10),
    ("--seed", f"{SEED}.", int, 0),
)


@click.group(cls=Group)
def judges() -> None:
    """Check and compare judges."""


@judges.command(groups=(JudgeOptions,), leave_out=NAMED_OTHERWISE, further=True)
@click.argument("judge", help=f"The judge: {FORMS}.")
def test(judge: str, options: dict[str, Any]) -> None:
    """Check that a judge is reachable and labels correctly; measure speed, cost and calibration.

    The check takes about a minute; the exit code is 1 if it fails.
    """
    from rich.table import Table
    from rich.text import Text

    from claimwise.judges import load_judge
    from claimwise.judges.protocol import name_of
    from claimwise.report.judges import check_judge

    loaded = load_judge(judge, **options.pop("judge_options", {}), **options)
    checks = check_judge(loaded)
    table = Table(title=Text(name_of(loaded)))
    for column in ("check", "found", ""):
        table.add_column(column, overflow="fold")
    table.add_row("reachable", "yes", "✓")
    for check in checks:
        mark = {True: "✓", False: "✗", None: ""}[check.passed]
        table.add_row(Text(check.name), Text(check.outcome), mark)
    console().print(table)
    failed = [check for check in checks if check.passed is False]
    for check in failed:
        say(f"✗ {check.name}: {check.remedy}")
    if failed:
        raise SystemExit(1)


@judges.command(groups=(JudgeOptions,), leave_out=NAMED_OTHERWISE, further=True)
@click.argument(
    "file",
    type=PATH,
    help="A .csv, .jsonl or .parquet file with the columns premise and hypothesis, or a .json result with "
    "evidence.",
)
@click.option("--judge", multiple=True, required=True, help=f"Judge: {FORMS}; pass the flag twice.")
@sample_flags
def agree(
    file: Path, judge: tuple[str, ...], pairs: int, examples: int, seed: int, options: dict[str, Any]
) -> None:
    """Compare two judges on the same pairs: agreement, Cohen's kappa, confusion matrix, disagreements."""
    from claimwise.judges import load_judge
    from claimwise.judges.several import SeveralJudges
    from claimwise.report.judges import compare_judges, read_pairs

    if len(judge) != 2:
        raise ClaimwiseError(f"Two judges are compared; got {len(judge)}.", "Pass --judge twice.")
    all_pairs = read_pairs(file)
    loaded = load_judge(judge, **options.pop("judge_options", {}), **options)
    assert isinstance(loaded, SeveralJudges)
    first, second = loaded.judges
    comparison = compare_judges(first, second, sample(all_pairs, pairs, seed), examples)
    print_comparison(comparison, len(all_pairs))


def sample(pairs: list[Pair], count: int, seed: int) -> list[Pair]:
    """Return at most ``count`` random pairs, in their order."""
    from claimwise.stats import seeded

    if len(pairs) <= count:
        return pairs
    drawn = seeded(seed).choice(len(pairs), count, replace=False)
    return [pairs[index] for index in sorted(drawn)]


def print_comparison(comparison: JudgeComparison, drawn_from: int) -> None:
    """Print how two judges agree on pairs that were drawn from that many pairs."""
    from rich.table import Table
    from rich.text import Text

    from claimwise.labels import LABELS

    of_all = f" of {drawn_from:,}" if drawn_from > comparison.pairs + comparison.unjudged else ""
    first, second = comparison.judges
    kappa = "undefined" if comparison.kappa is None else f"{comparison.kappa:.2f}"
    say(
        f"{first} and {second} agree on {comparison.share:.1%} of {comparison.pairs:,}{of_all} pairs; "
        f"Cohen's kappa {kappa}"
    )
    if comparison.unjudged:
        say(f"{comparison.unjudged} pairs without a verdict from both judges were left out.")
    table = Table("", *LABELS, title=Text(f"rows: {first}, columns: {second}"))
    for label, counts in zip(LABELS, comparison.counts.tolist(), strict=True):
        table.add_row(label, *(f"{count:,}" for count in counts))
    console().print(table)
    if comparison.examples:
        disputed = Table(title="Disagreements, the strongest first")
        for column in ("premise", "hypothesis", *comparison.judges):
            disputed.add_column(Text(column), overflow="fold")
        for pair in comparison.examples:
            verdicts = [f"{label} {p:.2f}" for label, p in zip(pair.labels, pair.probabilities, strict=True)]
            disputed.add_row(Text(pair.premise), Text(pair.hypothesis), *verdicts)
        console().print(disputed)
