"""``claimwise summarize``: writes summaries of reviews for ``claimwise score``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from claimwise.apps.cli.estimate import PriceIn, PriceOut, cost_line
from claimwise.apps.cli.options import By, Delimiter, Reviews, takes_options
from claimwise_summarize.options import SummarizerOptions

OUTPUT, SUMMARIZER, ESTIMATE = "Output", "Summarizer", "Estimate"
"""Panels of ``--help``."""


@takes_options(SummarizerOptions, leave_out=("score_cache",), further=True)
def summarize(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .jsonl, .json, .csv or .parquet file with the columns entity and reviews (a list of "
            "texts, or of objects with text, rating and id), or with one review per row and --by; for "
            "--contrast, reviews_a and reviews_b."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            help="A .jsonl, .csv or .parquet file for the summaries, which claimwise score reads.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    reviews: Reviews = None,
    by: By = None,
    delimiter: Delimiter = None,
    pipeline: Annotated[
        str,
        typer.Option(
            help="Stages of the pipeline: t topics, r ratings, q extract, c chunks, g write; for example "
            "q, tqg or first-tcg.",
            rich_help_panel=SUMMARIZER,
        ),
    ] = "q",
    contrast: Annotated[
        str | None,
        typer.Option(
            help="Contrast two entities instead: prompt or co-decoding.",
            show_default=False,
            rich_help_panel=SUMMARIZER,
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="Settings: default, or the paper's settings for a data set: space or fewsum.",
            rich_help_panel=SUMMARIZER,
        ),
    ] = "default",
    max_requests: Annotated[
        int | None,
        typer.Option(
            help="Maximum number of requests to the model.",
            min=1,
            show_default=False,
            rich_help_panel=SUMMARIZER,
        ),
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate",
            help="Print the number of requests and tokens, and send nothing.",
            rich_help_panel=ESTIMATE,
        ),
    ] = False,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    citations: Annotated[
        bool,
        typer.Option(
            help="Cite the review sentences that support each summary sentence, as found by the judge.",
            rich_help_panel=OUTPUT,
        ),
    ] = True,
    maps: Annotated[
        Path | None,
        typer.Option("--map", help="HTML file for the citations of every summary.", rich_help_panel=OUTPUT),
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Summarize the reviews of every row: offline by extraction, or with a chat model."""
    from claimwise.errors import ClaimwiseError
    from claimwise.tables import Layout
    from claimwise_summarize import load
    from claimwise_summarize.files import estimate_file, summarize_file

    if contrast not in (None, "prompt", "co-decoding"):
        raise ClaimwiseError(f"--contrast must be prompt or co-decoding; got {contrast!r}.")
    if contrast is not None and by is not None:
        raise ClaimwiseError(
            "--by joins the reviews of each entity, but --contrast reads pairs of entities.",
            "Write the reviews of a pair as lists, in the columns reviews_a and reviews_b.",
        )
    if max_requests is not None:
        options["model_options"] = {"max_requests": max_requests, **options.get("model_options", {})}
    name = pipeline if contrast is None else {"prompt": "contrast"}.get(contrast, contrast)
    summarizer = load(name, preset=preset, citations=citations, **options)
    layout = Layout(reviews=reviews, by=by, delimiter=delimiter)
    if estimate:
        for cost in (costs := estimate_file(summarizer, file, layout)):
            typer.echo(f"- {cost.of}: {cost_line(cost, price_in, price_out)}")
        if not costs:
            typer.echo("This pipeline uses no model, so nothing would be sent.")
        return
    if output is None:
        raise ClaimwiseError(
            "--output is missing.", "Specify a .jsonl, .csv or .parquet file for the summaries."
        )
    found = summarize_file(summarizer, file, output, maps, layout)
    typer.echo(f"{found.rows - len(found.without):,} of {found.rows:,} rows have a summary")
    for row, reason in list(found.without.items())[:3]:
        typer.echo(f"no summary: {row}: {reason}")
    if found.without:
        typer.echo("To score this file, use claimwise score --on-error row.")
    for count, number in found.counts.items():
        if number:
            typer.echo(f"{count}: {number:,}")
    if summarizer.model is not None:
        used = summarizer.model.used.items()
        typer.echo("used: " + ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in used))
    typer.echo(f"Written to {output}" + (f" and {maps}" if maps else ""))
    typer.secho(summarizer.signature, dim=True)
    if len(found.without) == found.rows:
        raise typer.Exit(1)
