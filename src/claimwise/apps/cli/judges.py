"""``claimwise judges``: does a judge work, and does it agree with another one?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import takes_options
from claimwise.errors import ClaimwiseError
from claimwise.nli.options import JudgeOptions

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

    from claimwise.nli import load
    from claimwise.report.judges import check_judge

    found = check_judge(load(judge, **options.pop("judge_options", {}), **options))
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


@app.command()
@takes_options(JudgeOptions, leave_out=("nli_model", "pairs"), further=True)
def agree(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .csv, .jsonl or .parquet file with the columns premise and hypothesis, a .json result "
            "with evidence, or recorded_nli.jsonl.gz (verdicts recorded by CASPR's authors)."
        ),
    ],
    judge: Annotated[
        list[str],
        typer.Option(
            help="A judge, in a form that --nli-model accepts; pass two, or one for recorded verdicts."
        ),
    ],
    pairs: Annotated[
        int, typer.Option(help="Compare a random sample of at most this many pairs.", min=1)
    ] = 500,
    examples: Annotated[int, typer.Option(help="Number of disagreements to print.", min=0)] = 10,
    seed: Annotated[int, typer.Option(help="Random seed of the sample.")] = 0,
    *,
    options: dict[str, Any],
) -> None:
    """Compare two judges on the same pairs: agreement, Cohen's kappa, confusion matrix, disagreements."""
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    from claimwise.labels import LABELS
    from claimwise.nli import load
    from claimwise.nli.several import SeveralJudges
    from claimwise.report.judges import RecordedJudge, judge_agreement, read_pairs

    recorded = RecordedJudge(file) if file.suffix == ".gz" else None
    if len(judge) != (wanted := 1 if recorded else 2):
        raise ClaimwiseError(f"--judge: pass {wanted} for {file.name}; got {len(judge)}.")
    given = drawn = list(recorded.verdicts) if recorded else read_pairs(file)
    if len(given) > pairs:
        places = np.random.default_rng(seed).choice(len(given), pairs, replace=False)
        drawn = [given[place] for place in sorted(places)]
    loaded = load(judge, **options.pop("judge_options", {}), **options)
    asked = [*loaded.judges] if isinstance(loaded, SeveralJudges) else [loaded]
    asked += [recorded] if recorded else []
    found = judge_agreement(asked[0], asked[1], drawn, examples)
    of_all = f" of {len(given):,}" if len(given) > len(drawn) else ""
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
