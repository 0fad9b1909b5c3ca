"""``claimwise study``: compare several systems by every applicable metric, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.estimate import Estimate, PriceIn, PriceOut, print_estimate
from claimwise.apps.cli.options import (
    Address,
    By,
    Delimiter,
    OnErrorName,
    Reviews,
    RunnerName,
    System,
    Workers,
    given,
    takes_options,
)
from claimwise.apps.cli.score import make_runner, watching
from claimwise.errors import ClaimwiseError, RowsError, TextError
from claimwise.nli.options import JudgeOptions
from claimwise.options import parsed
from claimwise.text.options import DecomposerOptions, SplitterOptions


@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions, further=True)
def study(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="One .csv, .tsv, .json, .jsonl or .parquet file per system, or one file with --system."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(help="Folder for the page, tables, rows and figures; a stopped run resumes from it."),
    ],
    ids: Annotated[
        str | None, typer.Option("--id", help="Column of ids (default: match rows by equal sources).")
    ] = None,
    summary: Annotated[str | None, typer.Option(help="Column of summaries (summary, summary_a).")] = None,
    source: Annotated[str | None, typer.Option(help="Column of sources (reviews).")] = None,
    reference: Annotated[
        str | None, typer.Option(help="Column of reference summaries (reference_summary, reference).")
    ] = None,
    other: Annotated[str | None, typer.Option(help="Column of other summaries (summary_b).")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="A further column that a metric reads, such as entities=hotel; may be repeated."),
    ] = None,
    reviews: Reviews = None,
    by: By = None,
    system: System = None,
    delimiter: Delimiter = None,
    baseline: Annotated[
        str | None, typer.Option(help="System that the others are compared with (default: the first).")
    ] = None,
    human: Annotated[
        str | None, typer.Option(help="Column of human ratings to correlate every score with.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="Metrics and further scores, comma-separated (default: all that apply)."),
    ] = None,
    workers: Workers = 1,
    runner: RunnerName = "local",
    address: Address = None,
    on_error: OnErrorName = "stop",
    examples: Annotated[int, typer.Option(help="Example rows to show per metric and system.", min=0)] = 3,
    confidence_level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of resampling.")] = 0,
    estimate: Estimate = False,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    *,
    options: dict[str, Any],
) -> None:
    """Compare systems by every metric that their columns allow: page, tables and figures for a paper."""
    from claimwise.report.aligned import align
    from claimwise.report.results import system_names
    from claimwise.report.study import PARTS, Runs
    from claimwise.report.study_files import printed_tables

    named = {"summary": summary, "source": source, "reference": reference, "other": other}
    if system is not None and len(files) > 1:
        raise ClaimwiseError(
            "--system splits one file into systems, but there are several files.", "Pass one file."
        )
    aligned = align(
        dict(zip(system_names(files), files, strict=True)) if system is None else files[0],
        id=ids,
        baseline=baseline,
        metrics=metrics.split(",") if metrics else None,
        columns=given(named) | parsed(column or [], "--column"),
        human=human,
        reviews=reviews,
        by=by,
        system=system,
        delimiter=delimiter,
    )
    say(f"Runs: {', '.join(aligned.columns)}")
    for note in aligned.notes:
        say(note)
    resumes = not estimate or (out / PARTS).is_dir()
    with Runs(aligned, options, out if resumes else None) as runs:
        if estimate:
            for metric, systems, file in runs.all:
                say(f"{', '.join(systems)}:")
                if runs.is_scored(metric, file, on_error):
                    say(f"{metric.name}: all rows are already scored; nothing is sent.")
                else:
                    print_estimate(metric, file, aligned.columns[metric.name], price_in, price_out)
            return
        try:
            found = runs.study(
                make_runner(runner, workers, on_error, given({"address": address})),
                examples=examples,
                confidence_level=confidence_level,
                seed=seed,
                watch=lambda metric: watching(metric, workers),
            )
        except (TextError, RowsError) as error:
            raise error.with_choice("Or use --on-error row, which notes such a row.") from error
        found.save(out)
        runs.done = True
    for table in printed_tables(found):
        console().print(table)
    for sentence in [*found.notes[len(aligned.notes) :], *found.sentences]:
        say(sentence)
    tables = "table.csv, agreement.csv" if found.agreements else "table.csv"
    say(f"Written to {out}: index.html, {tables}, table.tex, rows.parquet, signature.txt, figures")
