"""``claimwise score``: every row of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimwise.apps.cli.console import console
from claimwise.apps.cli.options import Flag, given, takes_options
from claimwise.errors import ClaimwiseError
from claimwise.nli.options import JudgeOptions
from claimwise.text.options import DecomposerOptions, SplitterOptions

if TYPE_CHECKING:
    from claimwise.metrics import Metric, MetricSpec
    from claimwise.runners.base import Runner

OWN_FLAGS = (
    Flag("tokenizer", "words_and_punctuation or words."),
    Flag("stemmer", "A Snowball language, or none."),
    Flag("encoder", "Encoder of inverted_bertscore."),
    Flag("layer", "Its layer.", kind=int),
)
INTERVAL: dict[str, Any] = {"confidence_level": 0.95, "confidence_method": "percentile"}
"""The interval of ``--ci``: one that never leaves the scale, however few the rows."""


@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions, own=OWN_FLAGS, further=True)
def score(
    metric: Annotated[str, typer.Argument(help="Name of a metric, such as caspr or summac_zs.")],
    file: Annotated[Path, typer.Argument(help="A .csv, .jsonl or .parquet file with a summary a row.")],
    config: Annotated[str, typer.Option(help="Configuration of the metric.")] = "default",
    predictions: Annotated[
        str | None,
        typer.Option(help="Column of summaries (predictions, summary_a or summary).", show_default=False),
    ] = None,
    references: Annotated[
        str | None,
        typer.Option(
            help="Column of other summaries (references, summary_b), sources (references, reviews) or "
            "reference summaries (references, reference).",
            show_default=False,
        ),
    ] = None,
    common: Annotated[
        str | None,
        typer.Option(help="Column of A∩B, for distinctiveness_score.", show_default=False),
    ] = None,
    entities: Annotated[
        str | None, typer.Option(help="Column of what is summarized, for genericity.", show_default=False)
    ] = None,
    units: Annotated[
        str | None, typer.Option(help="Column of content units, for pyramid.", show_default=False)
    ] = None,
    unit_weights: Annotated[
        str | None, typer.Option(help="Column of their weights.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="A .json file for the whole result; or a .parquet or .jsonl file with a row for each row of "
            "a file of any size: a run that was stopped goes on.",
            show_default=False,
        ),
    ] = None,
    maps: Annotated[
        Path | None,
        typer.Option("--map", help="HTML page for the evidence of every row.", show_default=False),
    ] = None,
    workers: Annotated[
        int, typer.Option(help="Processes that score side by side, with one copy of the model.", min=1)
    ] = 1,
    runner: Annotated[
        str, typer.Option(help="Where they are: local (this machine) or ray (a Ray cluster, a model each).")
    ] = "local",
    address: Annotated[
        str | None,
        typer.Option(
            help="Of the Ray cluster: auto or host:port (default: one starts on this machine).",
            show_default=False,
        ),
    ] = None,
    num_cpus: Annotated[
        int | None,
        typer.Option(help="CPUs of each worker on Ray (default: 1).", show_default=False, min=1),
    ] = None,
    num_gpus: Annotated[
        float | None,
        typer.Option(help="GPUs of each worker on Ray (default: 0).", show_default=False, min=0),
    ] = None,
    on_error: Annotated[
        str,
        typer.Option(help="For a row that cannot be scored: stop, or row (it has an error, no score)."),
    ] = "stop",
    ci: Annotated[bool, typer.Option("--ci", help="Add a bootstrap confidence interval.")] = False,
    confidence_level: Annotated[
        float | None, typer.Option(help="Of the interval; implies --ci (default: 0.95).", show_default=False)
    ] = None,
    confidence_method: Annotated[
        str | None,
        typer.Option(
            "--ci-method",
            help="percentile, bca or normal (the CASPR paper's, which can leave the scale); implies --ci "
            "(default: percentile).",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Of the bootstrap; implies --ci (default: 0).", show_default=False)
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Add the evidence of every pair.")] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what the judge would be asked, and send nothing.")
    ] = False,
    price_in: Annotated[
        float | None,
        typer.Option(help="Of a million input tokens, for --estimate.", show_default=False, min=0),
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(help="Of a million output tokens.", show_default=False, min=0)
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Score every row of a file and print the mean; write everything to --output."""
    from claimwise.evidence import maps_html
    from claimwise.files import writing
    from claimwise.metrics import load
    from claimwise.runners.tables import ROW_SUFFIXES

    loaded = load(metric, config, **options)
    named = given(
        {
            "predictions": predictions,
            "references": references,
            "common": common,
            "entities": entities,
            "units": units,
            "unit_weights": unit_weights,
        }
    )
    interval = given(
        {"confidence_level": confidence_level, "confidence_method": confidence_method, "seed": seed}
    )
    if ci or interval:
        interval = INTERVAL | interval
    of_ray = given({"address": address, "num_cpus": num_cpus, "num_gpus": num_gpus})
    chosen = _runner(runner, workers, on_error, of_ray)
    if output is not None and output.suffix.lower() in ROW_SUFFIXES and not estimate:
        if maps is not None:
            raise ClaimwiseError(
                f"--map holds the evidence of a whole result, and {output} is written row by row.",
                "Give a .json file as --output, or leave out --map.",
                option="--map",
            )
        _score_file(chosen, loaded, file, output, named, details, interval)
        return
    columns = _columns(file, loaded.spec, named)
    if estimate:
        from claimwise.apps.cli.estimate import print_estimate

        print_estimate(loaded, columns, price_in, price_out)
        return
    with ExitStack() as opened:
        out = None if output is None else opened.enter_context(writing(output))
        page = None if maps is None else opened.enter_context(writing(maps))
        wanted = {**columns, "details": details or maps is not None, **interval}
        if (runner, workers, on_error) == ("local", 1, "stop"):
            result = loaded.compute(**wanted)
        else:
            result = chosen.compute(loaded, **wanted)
        if page is not None:
            page.write(maps_html(result))
            if not details:
                del result[f"{loaded.spec.name}_details"]
        if out is not None:
            json.dump(result, out, ensure_ascii=False, indent=1)
    if details and output is None:
        print(json.dumps(result, ensure_ascii=False))
        return
    scores = result[f"{loaded.spec.name}_scores"]
    errors = result.get(f"{loaded.spec.name}_errors", [])
    _print_result(
        loaded.spec,
        result,
        interval.get("confidence_level"),
        len(scores),
        sum(one is not None for one in scores),
        {row: error for row, error in enumerate(errors) if error is not None},
    )
    for written in (output, maps):
        if written is not None:
            console().print(f"Written to {written}", markup=False, soft_wrap=True)


def _runner(name: str, workers: int, on_error: str, of_ray: dict[str, Any]) -> Runner:
    """Return the runner of that name."""
    from claimwise import runners

    if name == "ray":
        return runners.ray(workers, on_error=on_error, **of_ray)
    if name != "local":
        raise ClaimwiseError(f"--runner must be local or ray; got {name!r}.", option="--runner")
    for option in of_ray:
        flag = f"--{option.replace('_', '-')}"
        raise ClaimwiseError(f"{flag} is for --runner ray.", f"Add that, or leave {flag} out.", option=flag)
    return runners.local(workers, on_error=on_error)


def _score_file(
    runner: Runner,
    metric: Metric,
    file: Path,
    output: Path,
    named: dict[str, str],
    details: bool,
    interval: dict[str, Any],
) -> None:
    """Write a row per row of the file, and print the mean."""
    if metric.spec.references_are == "ignored":
        named = {name: column for name, column in named.items() if name != "references"}
    try:
        found = runner.score_file(
            metric,
            file,
            output,
            columns=named,
            details=details,
            **interval,
            told=lambda sentence: console().print(sentence, markup=False),
        )
    except ClaimwiseError as error:
        if error.row is None:
            raise
        remedy = f"{error.remedy} Or give --on-error row: it is written with this error, and no score."
        raise error.at(remedy=remedy) from error
    _print_result(
        metric.spec, found.result, interval.get("confidence_level"), found.rows, found.scored, found.failures
    )
    console().print(f"Written to {output}", markup=False, soft_wrap=True)


def _columns(file: Path, spec: MetricSpec, named: dict[str, str]) -> dict[str, Any]:
    """Read the columns that a metric needs, by their usual names, and further ones that were named."""
    from claimwise.files import lists_in, read_columns

    wanted = {
        column.name: [named[column.name]] if column.name in named else [column.name, *column.usual]
        for column in spec.columns
        if column.required
    }
    further = named.keys() - wanted.keys() - {"references"}  # those that a metric ignores are left out
    wanted |= {name: [named[name]] for name in named if name in further}
    cells = read_columns(file, list(wanted.values()), [f"--{name}" for name in wanted])
    lists = {column.name for column in spec.columns if column.may_hold_lists}
    return {
        name: lists_in(file, of_column) if name in lists else of_column
        for name, of_column in zip(wanted, cells, strict=True)
    }


def _print_result(
    spec: MetricSpec,
    result: Mapping[str, Any],
    confidence_level: float | None,
    rows: int,
    scored: int,
    errors: Mapping[int, str],
) -> None:
    line = f"{spec.name} {result[spec.name]:z.2f}"
    if confidence_level is not None:
        low, high = result[f"{spec.name}_ci"]
        line += f"  [{low:z.2f}, {high:z.2f}] at {100 * confidence_level:g}%"
    called = spec.rows_are_called(rows) + ("" if scored == rows else f", {scored} of them scored")
    out = console()
    out.print(f"{line}  ({called})", markup=False)
    if errors:
        first = next(iter(errors.values()))
        out.print(f"errors: {len(errors)}. The first: {first}", markup=False, soft_wrap=True)
    for counted in ("truncated", "fallbacks", "unjudged", "not_asked", "pronouns_resolved", "pronouns_open"):
        if result.get(f"{spec.name}_{counted}"):
            out.print(f"{counted}: {result[f'{spec.name}_{counted}']}")
    if used := result.get(f"{spec.name}_judge_used"):
        out.print("used: " + ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in used.items()))
    out.print(result[f"{spec.name}_signature"], markup=False, soft_wrap=True, style="dim")
