"""``claimwise score``: scores every row of a file."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from claimwise.apps.cli.console import say
from claimwise.apps.cli.estimate import estimate_flags, print_estimate
from claimwise.apps.cli.options import (
    CI,
    INPUT,
    METRIC,
    OUTPUT,
    PATH,
    SEED,
    SYSTEM,
    Command,
    Flag,
    column_flags,
    flags,
    layout_flags,
    runner_flags,
)
from claimwise.apps.cli.wording import spelled
from claimwise.errors import ClaimwiseError, RowsError
from claimwise.judges.options import JudgeOptions
from claimwise.options import check
from claimwise.text.options import DecomposerOptions, SplitterOptions

if TYPE_CHECKING:
    from claimwise.metrics import Metric, MetricSpec
    from claimwise.runners.base import Runner
    from claimwise.runners.results import FileResult, Progress, Watch

LEVEL = 0.95
"""Confidence level of ``--ci``."""
LONG = 300
"""Runs that will take more than this number of seconds report it …"""
FIRST_SECONDS = 5
"""… after this number of seconds."""


GROUPS = (JudgeOptions, SplitterOptions, DecomposerOptions)


@cache
def flags_of_metrics() -> list[Flag]:
    """Return the flags that the options of metrics declare, and a flag for each further column."""
    from claimwise.metrics import METRICS

    shared = {name for group in GROUPS for name in group.names()}
    meanings: dict[str, list[str]] = {}
    flags: dict[str, Flag] = {}
    for name in METRICS:
        try:
            metric = METRICS[name]
        except ClaimwiseError:  # of another package; reported when that metric is used
            continue
        for column in metric.spec.columns:
            if column.name not in ("predictions", "references"):
                meanings.setdefault(column.name, []).append(f"{column.meaning} (for {name})")
        for field in fields(metric.Options):
            if field.metadata["flag"] and field.name not in shared:
                flags.setdefault(field.name, Flag.from_option(field, METRIC))
    for column_name, listed in meanings.items():
        text = f"Column of {'; '.join(listed)}."
        flags[column_name] = Flag([spelled(column_name)], into="columns", help=text, panel=INPUT)
    return list(flags.values())


@click.command(
    cls=Command,
    groups=GROUPS,
    further=True,
    late_flags=flags_of_metrics,
)
@click.argument("metric", help="Name of a metric, such as caspr or summac_zs.")
@click.argument(
    "file", type=PATH, help="A .csv, .tsv, .json, .jsonl or .parquet file of rows, or a .gz of one."
)
@flags(METRIC, ("--config", "Configuration of the metric.", str, "default"))
@flags(
    OUTPUT,
    (
        "--output",
        "A .json file for the whole result, or a .parquet, .jsonl or .csv file for the score of every row; "
        "a stopped run resumes from it. With --system, one file per system.",
        PATH,
    ),
    (["--map", "maps"], "HTML file for the evidence of every row.", PATH),
    ("--details", "Add the evidence of every row to --output.", bool),
)
@column_flags
@flags(
    INPUT,
    (["--id", "ids"], "Column of row ids, by which results are compared and evidence is labelled."),
    SYSTEM,
)
@layout_flags
@runner_flags
@flags(CI, ("--ci", "Add a bootstrap confidence interval of the mean.", bool))
@flags(
    CI,
    ("--confidence-level", "Level of the confidence interval; implies --ci (default: 0.95).", float),
    (
        "--confidence-method",
        "Kind of confidence interval: percentile, bca or normal (as in the CASPR paper; it can exceed the "
        "metric's range); implies --ci (default: percentile).",
    ),
    ("--seed", f"{SEED}; implies --ci (default: 0).", int),
    into="interval",
)
@estimate_flags
def score(
    metric: str,
    file: Path,
    config: str,
    output: Path | None,
    maps: Path | None,
    details: bool,
    columns: dict[str, str],
    ids: str | None,
    system: str | None,
    layout: dict[str, Any],
    running: dict[str, Any],
    ci: bool,
    interval: dict[str, Any],
    estimate: bool,
    prices: dict[str, float],
    options: dict[str, Any],
) -> None:
    """Score every row of a file and print the mean; --output writes the whole result."""
    from claimwise.metrics import load
    from claimwise.tables import Layout

    loaded = load(metric, config, **options)
    metric_columns, roles = columns_by_role(loaded.spec, columns)
    if ci or interval:
        interval = {"confidence_level": LEVEL, **interval}
    for title, where in systems_of(file, system, layout.get("delimiter")).items():
        with naming_flags(roles):
            if estimate:
                _say_title(title)
                print_estimate(loaded, file, metric_columns, prices, Layout(**layout, where=where))
                if getattr(loaded.options, "score_cache", None) is not None:
                    say("Answers in the score cache are not counted.")
                continue
            own_output, own_maps = system_path(output, title), system_path(maps, title)
            with offering_on_error(running, "writes the error of an invalid row instead of a score"):
                scored = make_runner(**running).score_file(
                    loaded,
                    file,
                    own_output,
                    maps=own_maps,
                    columns=metric_columns,
                    ids=ids,
                    details=details,
                    where=where,
                    **layout,
                    **interval,
                    watch=watching(loaded, running["workers"]),
                )
        if details and output is None:
            print(json.dumps(scored.result, ensure_ascii=False))
            continue
        _say_title(title)
        _print_result(loaded.spec, scored, interval.get("confidence_level"))
        for written in (own_output, own_maps):
            if written is not None:
                say(f"Written to {written}")


@contextmanager
def naming_flags(roles: Mapping[str, str]) -> Iterator[None]:
    """Let errors about a metric's column name the flag of its role."""
    try:
        yield
    except ClaimwiseError as error:
        raise error.at(option=roles.get(error.option or "", error.option)) from error


@contextmanager
def offering_on_error(running: Mapping[str, Any], what: str) -> Iterator[None]:
    """Let errors about rows offer ``--on-error row``, and say what it does."""
    try:
        yield
    except ClaimwiseError as error:
        if running["on_error"] == "row" or not (isinstance(error, RowsError) or error.row is not None):
            raise
        raise error.with_choice(f"Or use --on-error row, which {what}.") from error


def columns_by_role(spec: MetricSpec, named: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the columns, named by role, by the metric's own names; and the role of each of these names.

    Raises:
        ClaimwiseError: for a role that the metric does not read.
    """
    from claimwise.report.aligned import ROLES

    roles = {column.name: column.name for column in spec.columns} | {"predictions": "summary"}
    if spec.references_are in ROLES:
        roles["references"] = ROLES[spec.references_are]
    names = {role: name for name, role in roles.items()}
    for role in named:
        if role not in names:
            read = ", ".join(spelled(role) for role in names)
            raise ClaimwiseError(f"{spec.name} does not read {spelled(role)}.", f"It reads {read}.")
    return {names[role]: column for role, column in named.items()}, roles


def systems_of(file: Path, column: str | None, delimiter: str | None) -> dict[str, dict[str, str] | None]:
    """Return each system of a file, with what selects its rows; without a column one, whose name is empty.

    Raises:
        ClaimwiseError: if the file lacks the column, or one of its cells is empty.
    """
    from claimwise.tables import read_columns, values_of

    if column is None:
        return {"": None}
    (cells,) = read_columns(file, [[column]], delimiter, "system")
    return {name: {column: name} for name in values_of([{column: cell} for cell in cells], column, file)}


def system_path(path: Path | None, name: str) -> Path | None:
    """Return the output of a system: ``scores.json`` of A is ``scores.A.json``."""
    if path is None or not name:
        return path
    file_name = re.sub(r"[^\w.-]+", "_", name)
    return path.with_name(f"{path.stem}.{file_name}{path.suffix}")


def make_runner(*, runner: str, workers: int, on_error: str, **ray_options: Any) -> Runner:
    """Return a runner, local or on Ray.

    Raises:
        ClaimwiseError: for an unknown runner, or options of Ray for a local runner.
    """
    from claimwise import runners

    check("runner", runner, choices=("local", "ray"))
    if ray_options and runner == "local":
        raise ClaimwiseError(f"{spelled(next(iter(ray_options)))} works only with --runner ray.")
    made: Runner = getattr(runners, runner)(workers, on_error=on_error, **ray_options)
    return made


def watching(metric: Metric, workers: int) -> Watch:
    """Return a watcher that reports on stderr when a run resumes and, once, when it will take long."""
    reported: set[str] = set()

    def report_once(event: str, sentence: str) -> None:
        if event not in reported:
            reported.add(event)
            print(f"claimwise: {sentence}", file=sys.stderr)

    def watch(progress: Progress) -> None:
        if progress.resumed:
            report_once("resumed", f"resuming: {progress.resumed:,} of {progress.rows:,} rows are done.")
        left = progress.seconds_left
        if left is not None and progress.seconds > FIRST_SECONDS and progress.seconds + left > LONG:
            shorter = ["--pairs likely"] if getattr(metric.options, "pairs", None) == "all" else []
            if workers == 1 and (os.cpu_count() or 1) > 1:
                shorter.append("--workers 2 or more")
            remedy = f" Faster with {' and '.join(shorter)}." if shorter else ""
            report_once("long", f"this will take about {left / 60:,.0f} minutes.{remedy}")

    return watch


def _say_title(system: str) -> None:
    if system:  # of a file of several systems
        say(f"{system}:")


def _print_result(spec: MetricSpec, scored: FileResult, confidence_level: float | None) -> None:
    from claimwise.metrics.spec import CONDITIONAL

    result, rows = scored.result, spec.rows_are_called(scored.rows)
    if scored.scored < scored.rows:
        rows += f", {scored.scored} of them scored"
    for name in (spec.name, *spec.further):
        if name in result:
            line = f"{name} {result[name]:z.2f}"
            if ends := result.get(f"{name}_ci"):
                line += f"  [{ends[0]:z.2f}, {ends[1]:z.2f}] at {100 * (confidence_level or 0):g}%"
            say(line if name in spec.further else f"{line}  ({rows})")
    if scored.failures:
        say(f"errors: {len(scored.failures)}. The first: {next(iter(scored.failures.values()))}")
    meanings = CONDITIONAL | dict(spec.counts)
    for name, count in scored.counts.items():
        if count:
            meaning, _, _ = meanings.get(name, "").partition("; ")
            say(f"{name}: {count} ({meaning})" if meaning else f"{name}: {count}")
    if used := result.get(f"{spec.name}_judge_used"):
        say("used: " + ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in used.items()))
    say(scored.signature, style="dim")
