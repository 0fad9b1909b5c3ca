"""``claimwise reproduce``: the experiments of the papers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import takes_options
from claimwise.nli.options import JudgeOptions
from claimwise.text.options import DecomposerOptions, SplitterOptions

app = typer.Typer(help="Rerun the experiments of the papers.", no_args_is_help=True)
_judge_that_is_cached = takes_options(JudgeOptions, leave_out=("score_cache",))  # it is in --out

_RESULTS = "results.json, results.md"
_OF_COCOTRIP = f"{_RESULTS}, scores.json, figure2.png"
_OF_PYRAMID = f"{_RESULTS}, comparisons.json, summary_level.png"


def _out(files: str) -> Any:
    return typer.Option(help=f"Folder for {files}.")


def _data(what: str) -> Any:
    return typer.Option(envvar="CLAIMWISE_DATA", help=f"Folder {what}.")


@app.command()
@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions)
def cocotrip(
    out: Annotated[Path, _out(_OF_COCOTRIP)],
    data: Annotated[Path | None, _data("with the CoCoTrip files (default: download)")] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Rerun Table 2, Table 5 and Figure 2 of the CASPR paper on CoCoTrip."""
    _run("cocotrip", _OF_COCOTRIP, data, out, **options)


@app.command()
@_judge_that_is_cached
def factuality(
    out: Annotated[Path, _out(f"{_RESULTS}, scores.sqlite")],
    data: Annotated[Path, _data("with factuality/ and zs_summ/")],
    datasets: Annotated[
        str | None,
        typer.Option(help="Data sets, comma-separated: qags_cnndm, cliff_goyal21, summedits (default: all)."),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            help="Variant, such as 'two sentences' (the default of summac_zs); repeatable (default: all)."
        ),
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Measure summac_zs variants and baselines against human labels of consistency."""
    _run("factuality", _RESULTS, data, out, datasets.split(",") if datasets else None, variant, **options)


@app.command()
@takes_options(JudgeOptions, leave_out=("score_cache",), further=True)
def aggrefact(
    out: Annotated[Path, _out(f"{_RESULTS}, scores.sqlite")],
    data: Annotated[
        Path,
        typer.Option(help="Folder of files with the columns dataset, doc, claim and label (1 = supported)."),
    ],
    *,
    options: dict[str, Any],
) -> None:
    """Measure the balanced accuracy of a judge per set, on files in the format of LLM-AggreFact."""
    _run("aggrefact", _RESULTS, data, out, **options)


@app.command()
@_judge_that_is_cached
def pyramid(
    out: Annotated[Path, _out(f"{_OF_PYRAMID}, scores.sqlite")],
    data: Annotated[Path, _data("of REALSumm, or its parent folder")],
    *,
    options: dict[str, Any],
) -> None:
    """Measure pyramid, ssas and ROUGE against the human scores of REALSumm."""
    _run("pyramid", _OF_PYRAMID, data, out, **options)


@app.command("opinion-summaries")
def opinion_summaries(
    out: Annotated[Path, _out(_RESULTS)],
    data: Annotated[
        Path, _data("zs_summ with published.json and the recorded systems, or its parent folder")
    ],
) -> None:
    """Recompute Tables 6, 7, 8 and 11 and Figure 8 of Bhaskar et al. 2022 from the recorded evidence."""
    _run("opinion_summaries", _RESULTS, data, out)


@app.command()
@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions, leave_out=("score_cache",))
def summaries(
    out: Annotated[Path, _out(f"{_RESULTS}, scores.sqlite")],
    data: Annotated[Path, _data("with zs_summ/ and cocotrip/")],
    summaries: Annotated[
        int | None,
        typer.Option(help="Score at most this number of summaries per system and data set.", min=2),
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option(help="Text file of word vectors (GloVe format) for topic assignment (T).")
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Score extracts and recorded summaries, offline topic assignment, and CoCoSum's recorded contrasts."""
    _run("summaries", _RESULTS, data, out, summaries, vectors, **options)


def _run(experiment: str, files: str, data: Path | None, out: Path, /, *given: Any, **options: Any) -> None:
    """Run an experiment, print its tables, and list its output files."""
    from rich.markdown import Markdown

    module = import_module(f"claimwise.reproduce.{experiment}")
    getattr(module, f"reproduce_{experiment}")(data, out, *given, **options)
    console().print(Markdown((out / "results.md").read_text(encoding="utf-8")))
    say(f"\nWritten to {out}: {files}")
