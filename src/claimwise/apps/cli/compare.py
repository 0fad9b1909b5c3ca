"""``claimwise report`` and ``compare``: compare the results of several systems."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import rich_click as click

from claimwise.apps.cli.options import METRIC, OUTPUT, PATH, SEED, Command, flags
from claimwise.errors import ClaimwiseError, warn


@click.command(cls=Command)
@click.argument(
    "results",
    nargs=-1,
    required=True,
    type=PATH,
    help="Outputs of claimwise score --details --output, one per system; --ci adds intervals.",
)
@click.option("--output", type=PATH, required=True, help="HTML file for the report.", panel=OUTPUT)
@flags(
    OUTPUT,
    (
        "--examples",
        "Rows to show per metric: this many with the lowest scores, and as many with the highest.",
        click.IntRange(min=0),
        2,
    ),
)
@flags(
    METRIC,
    ("--score", "Further score to compare instead of the metric's main score, such as caspr_strongest."),
)
def report(results: tuple[Path, ...], output: Path, examples: int, score: str | None) -> None:
    """Compare the results of several systems on one page: table, distributions, examples, signatures."""
    from claimwise.report.page import report_page
    from claimwise.report.results import read_results
    from claimwise.tables import check_outputs, writing

    check_outputs([output], results)
    with writing(output) as page:
        page.write(report_page(read_results(results, score), examples=examples))
    print(f"Report: {output.resolve()}")


@click.command(cls=Command)
@click.argument("score", help="Metric of both results, or a further score of it, such as caspr_strongest.")
@click.argument("first", type=PATH, help="Result of one system, an output of claimwise score --output.")
@click.argument("second", type=PATH, help="Result of the other system, on the same rows.")
@click.option("--method", default="permutation", help="Paired test: permutation or bootstrap.")
@click.option(
    "--plan",
    type=float,
    help="Difference to plan for: also print how many rows detect it with power 0.8, with these rows as a "
    "pilot.",
)
@click.option("--seed", type=int, default=0, help=f"{SEED}.")
def compare(
    score: str,
    first: Path,
    second: Path,
    method: Literal["permutation", "bootstrap"],
    plan: float | None,
    seed: int,
) -> None:
    """Test whether two systems, scored on the same rows, differ in their mean (paired, two-sided)."""
    from claimwise.report.compare import compare as compared
    from claimwise.report.lines import signed
    from claimwise.report.plan import rows_needed
    from claimwise.report.results import read_result

    result, other = (read_result(path, score) for path in (first, second))
    try:
        test = compared(result, other, method=method, seed=seed)
        planned = None if plan is None else rows_needed(result, other, plan, method=method, seed=seed)
    except ClaimwiseError as error:
        raise error if error.row is None else error.at(path=str(first)) from error
    for sentence in test.warnings:
        warn(sentence)
    rows = result.rows_are_called(test.rows)
    if test.compared < test.rows:
        rows = f"{test.compared} of {rows} scored in both"
    difference = f"{first.name} − {second.name}" if first.name != second.name else f"{first} − {second}"
    print(
        f"{score}: {difference} = {signed(test.difference)}, p = {test.p_value:.4f} ({test.method}, {rows})"
    )
    if planned is not None:
        print(
            f"A difference of {signed(planned.difference)} is detected with power .8 by {planned.rows} rows "
            f"(simulated power {planned.power:.2f}, from a pilot of {planned.pilot})"
        )
