"""``claimwise summarize``: writes summaries of reviews for ``claimwise score``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from claimwise.apps.cli.estimate import cost_line, estimate_flags
from claimwise.apps.cli.options import OUTPUT, PATH, Command, flags, layout_flags
from claimwise_summarize.options import SummarizerOptions


@click.command(cls=Command, groups=(SummarizerOptions,), leave_out=("score_cache",), further=True)
@click.argument(
    "file",
    type=PATH,
    help="A .jsonl, .json, .csv or .parquet file with the columns entity and reviews (a list of texts, or of "
    "objects with text, rating and id), or with one review per row and --by; for --contrast, reviews_a and "
    "reviews_b.",
)
@flags(
    OUTPUT,
    ("--output", "A .jsonl, .csv or .parquet file for the summaries, which claimwise score reads.", PATH),
    (["--map", "maps"], "HTML file for the citations of every summary.", PATH),
)
@click.option(
    "--citations/--no-citations",
    default=True,
    help="Cite the review sentences that support each summary sentence, as found by the judge.",
    panel=OUTPUT,
)
@layout_flags
@flags(
    "Summarizer",
    (
        "--pipeline",
        "Stages of the pipeline: t topics, r ratings, q extract, c chunks, g write; for example q, tqg or "
        "first-tcg.",
        str,
        "q",
    ),
    ("--contrast", "Contrast two entities instead: prompt or co-decoding."),
    ("--preset", "Settings: default, or the paper's for a data set: space or fewsum.", str, "default"),
    ("--max-requests", "Maximum number of requests to the model.", click.IntRange(min=1)),
)
@estimate_flags
def summarize(
    file: Path,
    output: Path | None,
    citations: bool,
    maps: Path | None,
    layout: dict[str, Any],
    pipeline: str,
    contrast: str | None,
    preset: str,
    max_requests: int | None,
    estimate: bool,
    prices: dict[str, float],
    options: dict[str, Any],
) -> None:
    """Summarize the reviews of every row: offline by extraction, or with a chat model."""
    from claimwise.errors import ClaimwiseError
    from claimwise.tables import Layout
    from claimwise_summarize import load
    from claimwise_summarize.files import estimate_file, summarize_file

    if contrast not in (None, "prompt", "co-decoding"):
        raise ClaimwiseError(f"--contrast must be prompt or co-decoding; got {contrast!r}.")
    if contrast is not None and "by" in layout:
        raise ClaimwiseError(
            "--by joins the reviews of each entity, but --contrast reads pairs of entities.",
            "Write the reviews of a pair as lists, in the columns reviews_a and reviews_b.",
        )
    if max_requests is not None:
        options["model_options"] = {"max_requests": max_requests, **options.get("model_options", {})}
    name = pipeline if contrast is None else {"prompt": "contrast"}.get(contrast, contrast)
    summarizer = load(name, preset=preset, citations=citations, **options)
    how_read = Layout(**layout)
    if estimate:
        for cost in (costs := estimate_file(summarizer, file, how_read)):
            click.echo(f"- {cost.name}: {cost_line(cost, **prices)}")
        if not costs:
            click.echo("This pipeline uses no model, so nothing would be sent.")
        return
    if output is None:
        raise ClaimwiseError(
            "--output is missing.", "Specify a .jsonl, .csv or .parquet file for the summaries."
        )
    found = summarize_file(summarizer, file, output, maps, how_read)
    click.echo(f"{found.rows - len(found.without):,} of {found.rows:,} rows have a summary")
    for row, reason in list(found.without.items())[:3]:
        click.echo(f"no summary: {row}: {reason}")
    if found.without:
        click.echo("To score this file, use claimwise score --on-error row.")
    for count, number in found.counts.items():
        if number:
            click.echo(f"{count}: {number:,}")
    if summarizer.model is not None:
        used = summarizer.model.used.items()
        click.echo("used: " + ", ".join(f"{number:,} {what.replace('_', ' ')}" for what, number in used))
    click.echo(f"Written to {output}" + (f" and {maps}" if maps else ""))
    click.secho(summarizer.signature, dim=True)
    if len(found.without) == found.rows:
        raise SystemExit(1)
