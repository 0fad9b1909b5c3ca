"""``claimwise judges``: does a judge work, and does it agree with another one?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import takes_options
from claimwise.errors import ClaimwiseError
from claimwise.nli.options import JudgeOptions

if TYPE_CHECKING:
    from claimwise.nli.protocol import Pair
    from claimwise.report.judges import JudgeAgreement

app = typer.Typer(help="Check and compare judges.", no_args_is_help=True)


@app.command()
@takes_options(JudgeOptions, leave_out=("nli_model", "pairs"), further=True)
def test(
    judge: Annotated[str, typer.Argument(help="The judge, in a form that --nli-model accepts.")],
    *,
    options: dict[str, Any],
) -> None:
    """Check that a judge is reachable and labels correctly; measure speed, cost and calibration.

    The check takes about a minute; the exit code is 1 if it fails.
    """
    from rich.table import Table
    from rich.text import Text

    from claimwise.nli import load_judge
    from claimwise.report.judges import check_judge

    found = check_judge(load_judge(judge, **options.pop("judge_options", {}), **options))
    table = Table(title=Text(found.judge))
    for column in ("check", "found", ""):
        table.add_column(column, overflow="fold")
    table.add_row("reachable", "yes", "✓")
    for check in found.checks:
        mark = {True: "✓", False: "✗", None: ""}[check.passed]
        table.add_row(Text(check.name), Text(check.found), mark)
    console().print(table)
    failed = [check for check in found.checks if check.passed is False]
    for check in failed:
        say(f"✗ {check.name}: {check.remedy}")
    if failed:
        raise typer.Exit(1)


PAIRS = typer.Option(help="Compare a random sample of at most this many pairs.", min=1)
EXAMPLES = typer.Option(help="Number of disagreements to print.", min=0)
SEED = typer.Option(help="Random seed of the sample.")


@app.command()
@takes_options(JudgeOptions, leave_out=("nli_model", "pairs"), further=True)
def agree(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .csv, .jsonl or .parquet file with the columns premise and hypothesis, or a .json result "
            "with evidence."
        ),
    ],
    judge: Annotated[list[str], typer.Option(help="A judge, in a form that --nli-model accepts; pass two.")],
    pairs: Annotated[int, PAIRS] = 500,
    examples: Annotated[int, EXAMPLES] = 10,
    seed: Annotated[int, SEED] = 0,
    *,
    options: dict[str, Any],
) -> None:
    """Compare two judges on the same pairs: agreement, Cohen's kappa, confusion matrix, disagreements."""
    from claimwise.nli import load_judge
    from claimwise.nli.several import SeveralJudges
    from claimwise.report.judges import judge_agreement, read_pairs

    if len(judge) != 2:
        raise ClaimwiseError(f"--judge: pass 2 for {file.name}; got {len(judge)}.")
    given = read_pairs(file)
    loaded = load_judge(judge, **options.pop("judge_options", {}), **options)
    assert isinstance(loaded, SeveralJudges)
    first, second = loaded.judges
    show_agreement(judge_agreement(first, second, sample(given, pairs, seed), examples), of=len(given))


def sample(pairs: list[Pair], count: int, seed: int) -> list[Pair]:
    """Return at most ``count`` random pairs, in their order."""
    import numpy as np

    if len(pairs) <= count:
        return pairs
    places = np.random.default_rng(seed).choice(len(pairs), count, replace=False)
    return [pairs[place] for place in sorted(places)]


def show_agreement(found: JudgeAgreement, of: int) -> None:
    """Print the agreement of two judges on pairs that were drawn from ``of`` pairs."""
    from rich.table import Table
    from rich.text import Text

    from claimwise.labels import LABELS

    of_all = f" of {of:,}" if of > found.pairs + found.unjudged else ""
    first, second = found.judges
    agreed = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
    say(
        f"{first} and {second} agree on {found.share:.1%} of {found.pairs:,}{of_all} pairs; "
        f"Cohen's kappa {agreed}"
    )
    if found.unjudged:
        say(f"{found.unjudged} pairs without a verdict from both judges were left out.")
    table = Table(title=Text(f"rows: {first}, columns: {second}"))
    table.add_column("")
    for label in LABELS:
        table.add_column(label, justify="right")
    for label, counts in zip(LABELS, found.counts.tolist(), strict=True):
        table.add_row(label, *(f"{count:,}" for count in counts))
    console().print(table)
    if found.examples:
        disputed = Table(title="Disagreements, the most confident first")
        for column in ("premise", "hypothesis", *found.judges):
            disputed.add_column(Text(column), overflow="fold")
        for one in found.examples:
            said = [f"{label} {p:.2f}" for label, p in zip(one.labels, one.probabilities, strict=True)]
            disputed.add_row(Text(one.premise), Text(one.hypothesis), *said)
        console().print(disputed)
