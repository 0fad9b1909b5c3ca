"""``claimwise report``, ``compare`` and ``profile``: several systems side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import takes_options
from claimwise.errors import ClaimwiseError, warn
from claimwise.nli.options import JudgeOptions
from claimwise.text.options import DecomposerOptions, SplitterOptions

Score = Annotated[
    str | None,
    typer.Option(help="A further score in place of the metric's own: caspr_strongest.", show_default=False),
]


def report(
    results: Annotated[
        list[Path],
        typer.Argument(help="JSON files of claimwise score … --ci --details --output, a system each."),
    ],
    out: Annotated[Path, typer.Option(help="HTML file for the report.")],
    examples: Annotated[int, typer.Option(help="Examples to show at each end, per metric.", min=0)] = 2,
    score: Score = None,
) -> None:
    """Compare the results of several systems on one page: table, distributions, examples, signatures."""
    from claimwise.report.page import report_page
    from claimwise.report.results import read_results
    from claimwise.tables import writing

    with writing(out) as page:
        page.write(report_page(read_results(results, score), examples=examples))
    print(f"Report: {out.resolve()}")


def compare(
    metric: Annotated[str, typer.Argument(help="The metric of both results.")],
    first: Annotated[Path, typer.Argument(help="Result of one system (score --output).")],
    second: Annotated[Path, typer.Argument(help="Result of the other, same rows.")],
    method: Annotated[str, typer.Option(help="permutation or bootstrap.")] = "permutation",
    score: Score = None,
) -> None:
    """Test whether two systems, scored on the same rows, differ in their mean (paired, two-sided)."""
    from claimwise.report.compare import compare as compared
    from claimwise.report.results import read_result

    result, other = (read_result(path, score or metric) for path in (first, second))
    try:
        found = compared(result, other, method=cast(Literal["permutation", "bootstrap"], method))
    except ClaimwiseError as error:
        raise error if error.row is None else error.at(path=str(first)) from error
    for sentence in found.warnings:
        warn(sentence)
    rows = result.rows_are_called(found.rows)
    if found.compared < found.rows:
        rows = f"{found.compared} of {rows}, those scored in both"
    print(
        f"{result.score}: first − second = {found.difference:+z.2f}, p = {found.p_value:.4f} "
        f"({found.method}, {rows})"
    )


@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions)
def profile(
    files: Annotated[
        list[Path],
        typer.Argument(help="One .jsonl or .parquet file per system, a summary and its reviews a row."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for profile.json, profile.md and support.png.")],
    summaries: Annotated[
        str | None, typer.Option(help="Column of summaries (summary or predictions).")
    ] = None,
    reviews: Annotated[
        str | None, typer.Option(help="Column of reviews, each a list or a text (reviews or references).")
    ] = None,
    entities: Annotated[
        str | None, typer.Option(help="Column of what is summarized, for genericity.")
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Report how supported, generic, abstractive and complex the summaries of systems are, side by side."""
    from rich.markdown import Markdown

    from claimwise.report.profile import profile_summaries, profile_table, write_profile
    from claimwise.report.results import system_names
    from claimwise.tables import read_columns

    wanted = [
        [summaries] if summaries else ["summary", "predictions"],
        [reviews] if reviews else ["reviews", "references"],
        *([[entities]] if entities else []),
    ]
    names = system_names(files)
    columns = [read_columns(path, wanted, ["--summaries", "--reviews", "--entities"]) for path in files]
    first = columns[0]
    for path, column in zip(files, columns, strict=True):
        if column[1:] != first[1:]:
            raise ClaimwiseError(f"the rows have other reviews than those of {files[0]}.", path=path)
    found = profile_summaries(
        {name: column[0] for name, column in zip(names, columns, strict=True)},
        first[1],
        entities=first[2] if entities else None,
        **options,
    )
    write_profile(found, out)
    console().print(Markdown(profile_table(found)))
    say(f"\nWritten to {out}: profile.json, profile.md, support.png")
