"""``claimwise summarize``: writes summaries of reviews for ``claimwise score``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from claimwise.apps.cli.estimate import cost_line, estimate_flags
from claimwise.apps.cli.options import OUTPUT, PATH, Command, flags, layout_flags
from claimwise_summarize.options import SummarizerOptions

if TYPE_CHECKING:
    from claimwise_summarize.files import Summarized


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
        problem = f"Unknown method of contrast `{contrast}`."
        raise ClaimwiseError(problem, "Choose prompt or co-decoding.", option="contrast")
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
    summarized = summarize_file(summarizer, file, output, maps, how_read)
    _say_what_was_written(summarized)
    if summarizer.model is not None:
        used = summarizer.model.used.items()
        click.echo("used: " + ", ".join(f"{number:,} {unit.replace('_', ' ')}" for unit, number in used))
    click.echo(f"Written to {output}" + (f" and {maps}" if maps else ""))
    click.secho(summarizer.signature, dim=True)
    if len(summarized.without) == summarized.rows:
        raise SystemExit(1)


def _say_what_was_written(summarized: Summarized) -> None:
    without = summarized.without
    click.echo(f"{summarized.rows - len(without):,} of {summarized.rows:,} rows have a summary")
    for row, reason in list(without.items())[:3]:
        click.echo(f"no summary: {row}: {reason}")
    if without:
        click.echo("To score this file, use claimwise score --on-error row.")
    for name, count in summarized.counts.items():
        if count:
            click.echo(f"{name}: {count:,}")
