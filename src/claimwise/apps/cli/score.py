"""``claimwise score``: scores every row of a file."""

from __future__ import annotations

import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from claimwise.apps.cli.console import say
from claimwise.apps.cli.estimate import Estimate, PriceIn, PriceOut, print_estimate
from claimwise.apps.cli.options import (
    CI,
    INPUT,
    METRIC,
    OUTPUT,
    RUN,
    Address,
    By,
    Delimiter,
    Flag,
    OnErrorName,
    Reviews,
    RunnerName,
    System,
    Workers,
    given,
    takes_options,
)
from claimwise.errors import ClaimwiseError, RowsError
from claimwise.nli.options import JudgeOptions
from claimwise.options import check
from claimwise.text.options import DecomposerOptions, SplitterOptions

if TYPE_CHECKING:
    from claimwise.metrics import Metric, MetricSpec
    from claimwise.runners.base import Runner
    from claimwise.runners.results import FileResult, Progress, Watch

OWN_FLAGS = (
    Flag("tokenizer", "Tokenizer of metrics that compare words: words_and_punctuation or words."),
    Flag("stemmer", "Stemmer of metrics that compare words: a Snowball language, or none."),
    Flag("encoder", "Encoder of inverted_bertscore: default, a Hub id or a folder."),
    Flag("layer", "Hidden layer of the encoder that inverted_bertscore compares.", kind=int),
)
LEVEL = 0.95
"""Confidence level of ``--ci``."""
LONG = 300
"""Runs that will take more than this number of seconds report it …"""
FIRST_SECONDS = 5
"""… after this number of seconds."""


class ScoreCommand(TyperCommand):
    """The command, with a flag for each column that any metric reads, created on use."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters."""
        params = super().get_params(ctx)
        return [*params[:3], *column_flags(), *params[3:]]

    def invoke(self, ctx: Any) -> Any:
        """Call the command with the column flags, which typer does not know."""
        ctx.meta["arguments"] = {flag.name: ctx.params.pop(flag.name) for flag in column_flags()}
        return super().invoke(ctx)


@cache
def column_flags() -> list[Any]:
    """Return a flag for each column that any metric reads."""
    from claimwise.metrics import METRICS

    helps: dict[str, dict[str, None]] = {}
    for metric in METRICS:
        try:
            spec = METRICS[metric].spec
        except ClaimwiseError:  # of another package; reported when that metric is used
            continue
        for column in spec.columns:
            required = f"default: {', '.join((column.name, *column.usual))}"
            names = required if column.required else f"for {metric}"
            helps.setdefault(column.name, {})[f"{column.meaning} ({names})"] = None
    flags = [Flag(name, f"Column of {'; '.join(meanings)}.", panel=INPUT) for name, meanings in helps.items()]
    app = typer.Typer(add_completion=False)
    app.command()(takes_options(own=tuple(flags))(lambda: None))
    return [one for one in typer.main.get_command(app).params if one.name in helps]


@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions, own=OWN_FLAGS, further=True)
def score(
    metric: Annotated[str, typer.Argument(help="Name of a metric, such as caspr or summac_zs.")],
    file: Annotated[
        Path,
        typer.Argument(help="A .csv, .tsv, .json, .jsonl or .parquet file of rows, or one of them as .gz."),
    ],
    config: Annotated[
        str, typer.Option(help="Configuration of the metric.", rich_help_panel=METRIC)
    ] = "default",
    output: Annotated[
        Path | None,
        typer.Option(
            help="A .json file for the whole result, or a .parquet, .jsonl or .csv file for the score of "
            "every row; a stopped run resumes from it. With --system, one file per system.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(
            "--id",
            help="Column of row ids, used to compare results and to label evidence.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    reviews: Reviews = None,
    by: By = None,
    system: System = None,
    delimiter: Delimiter = None,
    maps: Annotated[
        Path | None,
        typer.Option("--map", help="HTML file for the evidence of every row.", rich_help_panel=OUTPUT),
    ] = None,
    workers: Workers = 1,
    runner: RunnerName = "local",
    address: Address = None,
    num_cpus: Annotated[
        int | None,
        typer.Option(help="CPUs of each worker on Ray (default: 1).", min=1, rich_help_panel=RUN),
    ] = None,
    num_gpus: Annotated[
        float | None,
        typer.Option(help="GPUs of each worker on Ray (default: 0).", min=0, rich_help_panel=RUN),
    ] = None,
    on_error: OnErrorName = "stop",
    ci: Annotated[
        bool,
        typer.Option("--ci", help="Add a bootstrap confidence interval of the mean.", rich_help_panel=CI),
    ] = False,
    confidence_level: Annotated[
        float | None,
        typer.Option(
            help="Level of the confidence interval; implies --ci (default: 0.95).",
            rich_help_panel=CI,
        ),
    ] = None,
    confidence_method: Annotated[
        str | None,
        typer.Option(
            "--ci-method",
            help="Kind of confidence interval: percentile, bca or normal (as in the CASPR paper; it can "
            "exceed the metric's range); implies --ci (default: percentile).",
            rich_help_panel=CI,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed of the bootstrap; implies --ci (default: 0).", rich_help_panel=CI),
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Add the evidence of every row to --output.", rich_help_panel=OUTPUT),
    ] = False,
    estimate: Estimate = False,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    *,
    options: dict[str, Any],
    **columns: str | None,
) -> None:
    """Score every row of a file and print the mean; --output writes the whole result."""
    from claimwise.metrics import load

    loaded = load(metric, config, **options)
    named = given(columns)
    if loaded.spec.references_are == "ignored":
        named.pop("references", None)
    reading: dict[str, Any] = {"reviews": reviews, "by": by, "delimiter": delimiter}
    if estimate:
        from claimwise.tables import Layout

        for title, where in systems_of(file, system, delimiter).items():
            say(f"{title}:") if title else None
            print_estimate(loaded, file, named, price_in, price_out, Layout(**reading, where=where))
        return
    interval = given(
        {"confidence_level": confidence_level, "confidence_method": confidence_method, "seed": seed}
    )
    if ci or interval:
        interval = {"confidence_level": LEVEL, **interval}
    of_ray = given({"address": address, "num_cpus": num_cpus, "num_gpus": num_gpus})
    made = make_runner(runner, workers, on_error, of_ray)
    for title, where in systems_of(file, system, delimiter).items():
        own_output, own_maps = of_system(output, title), of_system(maps, title)
        try:
            found = made.score_file(
                loaded,
                file,
                own_output,
                maps=own_maps,
                columns=named,
                ids=ids,
                details=details,
                where=where,
                **reading,
                **interval,
                watch=watching(loaded, workers),
            )
        except ClaimwiseError as error:
            if on_error == "row" or not (isinstance(error, RowsError) or error.row is not None):
                raise
            otherwise = "Or use --on-error row, which writes the error of an invalid row instead of a score."
            raise error.with_choice(otherwise) from error
        if details and output is None:
            print(json.dumps(found.result, ensure_ascii=False))
            continue
        if title:
            say(f"{title}:")
        _print_result(loaded.spec, found, interval.get("confidence_level"))
        for written in (own_output, own_maps):
            if written is not None:
                say(f"Written to {written}")


def systems_of(file: Path, column: str | None, delimiter: str | None) -> dict[str, dict[str, str] | None]:
    """Return each system of a file, with what selects its rows; without a column one, whose name is empty.

    Raises:
        ClaimwiseError: if the file lacks the column, or one of its cells is empty.
    """
    from claimwise.tables import read_columns, values_of

    if column is None:
        return {"": None}
    try:
        (cells,) = read_columns(file, [[column]], delimiter)
    except ClaimwiseError as error:
        raise error.at(option="system") from None
    return {name: {column: name} for name in values_of([{column: cell} for cell in cells], column, file)}


def of_system(path: Path | None, name: str) -> Path | None:
    """Return the output of a system: ``scores.json`` of A is ``scores.A.json``."""
    if path is None or not name:
        return path
    as_file = re.sub(r"[^\w.-]+", "_", name)
    return path.with_name(f"{path.stem}.{as_file}{path.suffix}")


def make_runner(name: str, workers: int, on_error: str, of_ray: dict[str, Any]) -> Runner:
    """Return a runner, local or on Ray.

    Raises:
        ClaimwiseError: for an unknown runner, or options of Ray for a local runner.
    """
    from claimwise import runners

    check("runner", name, choices=("local", "ray"))
    if of_ray and name == "local":
        flag = f"--{next(iter(of_ray)).replace('_', '-')}"
        raise ClaimwiseError(
            f"{flag} needs --runner ray.", f"Add --runner ray, or leave {flag} out.", option=flag
        )
    made: Runner = getattr(runners, name)(workers, on_error=on_error, **of_ray)
    return made


def watching(metric: Metric, workers: int) -> Watch:
    """Return a watcher that reports on stderr when a run resumes and, once, when it will take long."""
    told: set[str] = set()

    def tell(once: str, sentence: str) -> None:
        if once not in told:
            told.add(once)
            print(f"claimwise: {sentence}", file=sys.stderr)

    def watch(progress: Progress) -> None:
        if progress.resumed:
            tell("resumed", f"resuming: {progress.resumed:,} of {progress.rows:,} rows are done.")
        left = progress.seconds_left
        if left is not None and progress.seconds > FIRST_SECONDS and progress.seconds + left > LONG:
            shorter = ["--pairs likely"] if getattr(metric.options, "pairs", None) == "all" else []
            if workers == 1 and (os.cpu_count() or 1) > 1:
                shorter.append("--workers 2 or more")
            remedy = f" Faster with {' and '.join(shorter)}." if shorter else ""
            tell("long", f"this will take about {left / 60:,.0f} minutes.{remedy}")

    return watch


def _print_result(spec: MetricSpec, found: FileResult, confidence_level: float | None) -> None:
    result, rows, scored = found.result, found.rows, found.scored
    called = spec.rows_are_called(rows) + ("" if scored == rows else f", {scored} of them scored")
    for name in (spec.name, *spec.further):
        if name in result:
            line = f"{name} {result[name]:z.2f}"
            if ends := result.get(f"{name}_ci"):
                line += f"  [{ends[0]:z.2f}, {ends[1]:z.2f}] at {100 * (confidence_level or 0):g}%"
            say(line if name in spec.further else f"{line}  ({called})")
    if found.failures:
        say(f"errors: {len(found.failures)}. The first: {next(iter(found.failures.values()))}")
    for name, count in found.counts.items():
        if count:
            say(f"{name}: {count}")
    if used := result.get(f"{spec.name}_judge_used"):
        say("used: " + ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in used.items()))
    say(found.signature, style="dim")
