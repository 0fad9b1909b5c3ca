"""``claimwise study``: compare several systems by every applicable metric, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.estimate import estimate_flags, print_estimates
from claimwise.apps.cli.options import (
    CI,
    INPUT,
    METRIC,
    OUTPUT,
    PATH,
    SEED,
    SYSTEM,
    Command,
    Commas,
    column_flags,
    flags,
    layout_flags,
    runner_flags,
)
from claimwise.apps.cli.score import make_runner, offering_on_error, watching
from claimwise.errors import ClaimwiseError
from claimwise.judges.options import JudgeOptions
from claimwise.options import parsed
from claimwise.text.options import DecomposerOptions, SplitterOptions


@click.command(cls=Command, groups=(JudgeOptions, SplitterOptions, DecomposerOptions), further=True)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=PATH,
    help="One .csv, .tsv, .json, .jsonl or .parquet file per system, or one file with --system.",
)
@flags(
    METRIC,
    ("--metrics", "Metrics and further scores, comma-separated (default: all that apply).", Commas()),
    into="alignment",
)
@column_flags
@click.option(
    "--column",
    multiple=True,
    help="Any further column of a metric, as name=column, such as entities=hotel; may be repeated.",
    panel=INPUT,
)
@flags(
    INPUT,
    ("--id", "Column of row ids (default: rows are matched by equal sources)."),
    SYSTEM,
    ("--baseline", "System that the others are compared with (default: the first)."),
    (
        "--human",
        "Column of human ratings, or a column for each annotator, comma-separated; every score is "
        "correlated with them.",
        Commas(),
    ),
    ("--positive", "Label that counts as 1, where annotators gave labels in words."),
    into="alignment",
)
@layout_flags
@click.option(
    "--output",
    type=PATH,
    required=True,
    help="Folder for the page, tables, rows and figures; a stopped run resumes from it.",
    panel=OUTPUT,
)
@flags(
    OUTPUT,
    ("--examples", "Example rows to show per metric and system.", click.IntRange(min=0), 3),
    into="shown",
)
@runner_flags
@flags(
    CI,
    ("--confidence-level", "Level of the confidence intervals.", float, 0.95),
    ("--seed", f"{SEED}.", int, 0),
    into="shown",
)
@estimate_flags
def study(
    files: tuple[Path, ...],
    columns: dict[str, str],
    column: tuple[str, ...],
    alignment: dict[str, Any],
    layout: dict[str, Any],
    output: Path,
    shown: dict[str, Any],
    running: dict[str, Any],
    estimate: bool,
    prices: dict[str, float],
    options: dict[str, Any],
) -> None:
    """Compare systems by every metric that their columns allow: page, tables and figures for a paper."""
    from claimwise.report.aligned import align
    from claimwise.report.results import system_names
    from claimwise.report.study import PARTS, Runs
    from claimwise.report.study_files import printed_tables, write_study

    one_file = "system" in alignment
    if one_file and len(files) > 1:
        raise ClaimwiseError(
            "--system splits one file into systems, but there are several files.", "Pass one file."
        )
    if not one_file and len(files) == 1:
        raise ClaimwiseError(
            "A study compares at least two systems, but there is one file.",
            "Pass a file for each system, or name the column that tells systems apart: --system COLUMN.",
        )
    aligned = align(
        files[0] if one_file else dict(zip(system_names(files), files, strict=True)),
        columns=columns | parsed(column, "--column"),
        **alignment,
        **layout,
    )
    say(f"Runs: {', '.join(aligned.columns)}")
    for note in aligned.notes:
        say(note)
    resumes = not estimate or (output / PARTS).is_dir()
    with Runs(aligned, options, output if resumes else None) as runs:
        if estimate:
            print_estimates(runs, running["on_error"], prices)
            return
        with offering_on_error(running, "notes such a row"):
            result = runs.study(
                make_runner(**running),
                watch=lambda metric: watching(metric, running["workers"]),
                **shown,
            )
        written = write_study(result, output)
        runs.done = True
    for table in printed_tables(result):
        console().print(table)
    for sentence in [*result.notes[len(aligned.notes) :], *result.sentences]:
        say(sentence)
    say(f"Written to {output}: {', '.join(written)}")
