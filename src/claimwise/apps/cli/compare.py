"""``claimwise report`` and ``compare``: compare the results of several systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from claimwise.errors import ClaimwiseError, warn


def report(
    results: Annotated[
        list[Path],
        typer.Argument(help="JSON files of claimwise score … --ci --details --output, one per system."),
    ],
    out: Annotated[Path, typer.Option(help="HTML file to write the report to.")],
    examples: Annotated[int, typer.Option(help="Examples to show at each end, per metric.", min=0)] = 2,
    score: Annotated[
        str | None,
        typer.Option(
            help="A further score to use in place of the metric's main score, such as caspr_strongest.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compare the results of several systems on one page: table, distributions, examples, signatures."""
    from claimwise.report.page import report_page
    from claimwise.report.results import read_results
    from claimwise.tables import writing

    with writing(out) as page:
        page.write(report_page(read_results(results, score), examples=examples))
    print(f"Report: {out.resolve()}")


def compare(
    score: Annotated[
        str,
        typer.Argument(
            help="The score to compare: the metric of both results, or one of its further scores, such as "
            "caspr_strongest."
        ),
    ],
    first: Annotated[Path, typer.Argument(help="Result of one system (score --output).")],
    second: Annotated[Path, typer.Argument(help="Result of the other system, on the same rows.")],
    method: Annotated[str, typer.Option(help="permutation or bootstrap.")] = "permutation",
) -> None:
    """Test whether two systems, scored on the same rows, differ in their mean (paired, two-sided)."""
    from claimwise.report.compare import compare as compared
    from claimwise.report.lines import signed
    from claimwise.report.results import read_result

    result, other = (read_result(path, score) for path in (first, second))
    try:
        found = compared(result, other, method=cast(Literal["permutation", "bootstrap"], method))
    except ClaimwiseError as error:
        raise error if error.row is None else error.at(path=str(first)) from error
    for sentence in found.warnings:
        warn(sentence)
    rows = result.rows_are_called(found.rows)
    if found.compared < found.rows:
        rows = f"{found.compared} of {rows} scored in both"
    print(
        f"{result.score}: first − second = {signed(found.difference)}, p = {found.p_value:.4f} "
        f"({found.method}, {rows})"
    )
