"""``claimwise reproduce``: the experiments of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from claimwise.apps.cli.console import console
from claimwise.apps.cli.options import takes_options
from claimwise.nli.options import JudgeOptions
from claimwise.text.options import DecomposerOptions, SplitterOptions

app = typer.Typer(help="Rerun the experiments of the papers.", no_args_is_help=True)


@app.command()
@takes_options(JudgeOptions, SplitterOptions, DecomposerOptions)
def cocotrip(
    out: Annotated[
        Path, typer.Option(help="Folder for results.json, scores.json, results.md and figure2.png.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="CLAIMWISE_DATA",
            help="Folder with the CoCoTrip files (default: download).",
            show_default=False,
        ),
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Rerun Table 2, Table 5 and Figure 2 of the CASPR paper on CoCoTrip."""
    from claimwise.reproduce import cocotrip_table, reproduce_cocotrip

    results = reproduce_cocotrip(data, out, **options)
    _print(cocotrip_table(results), f"Written to {out}: results.json, scores.json, results.md, figure2.png")


@app.command()
@takes_options(JudgeOptions, leave_out=("score_cache",))  # it keeps one of its own in --out
def factuality(
    out: Annotated[Path, typer.Option(help="Folder for results.json, results.md and scores.sqlite.")],
    data: Annotated[
        Path,
        typer.Option(
            envvar="CLAIMWISE_DATA", help="Folder with factuality/ and zs_summ/.", show_default=False
        ),
    ],
    datasets: Annotated[
        str | None,
        typer.Option(help="Some of qags_cnndm,cliff_goyal21,summedits (default: all).", show_default=False),
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Measure summac_zs variants and baselines against human labels of consistency."""
    from claimwise.reproduce import factuality_table, reproduce_factuality

    results = reproduce_factuality(data, out, datasets.split(",") if datasets else None, **options)
    _print(factuality_table(results), f"Written to {out}: results.json, results.md")


@app.command()
@takes_options(JudgeOptions, leave_out=("score_cache",), further=True)  # it keeps one of its own in --out
def aggrefact(
    out: Annotated[Path, typer.Option(help="Folder for results.json, results.md and scores.sqlite.")],
    data: Annotated[
        Path,
        typer.Option(help="Folder of files with the columns dataset, doc, claim and label (1 = supported)."),
    ],
    *,
    options: dict[str, Any],
) -> None:
    """Measure a judge on files like those of LLM-AggreFact: balanced accuracy per set."""
    from claimwise.reproduce import aggrefact_table, reproduce_aggrefact

    results = reproduce_aggrefact(data, out, **options)
    _print(aggrefact_table(results), f"Written to {out}: results.json, results.md")


@app.command()
@takes_options(JudgeOptions, leave_out=("score_cache",))  # it keeps one of its own in --out
def pyramid(
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for results.json, comparisons.json, results.md, summary_level.png and scores.sqlite."
        ),
    ],
    data: Annotated[
        Path,
        typer.Option(
            envvar="CLAIMWISE_DATA", help="Folder of REALSumm, or the one above.", show_default=False
        ),
    ],
    *,
    options: dict[str, Any],
) -> None:
    """Measure pyramid, ssas and ROUGE against the human scores of REALSumm."""
    from claimwise.reproduce import reproduce_pyramid

    reproduce_pyramid(data, out, **options)
    _print(
        (out / "results.md").read_text(encoding="utf-8"),
        f"Written to {out}: results.json, comparisons.json, results.md, summary_level.png",
    )


@app.command("opinion-summaries")
def opinion_summaries(
    out: Annotated[Path, typer.Option(help="Folder for results.json and results.md.")],
    data: Annotated[
        Path,
        typer.Option(
            envvar="CLAIMWISE_DATA",
            help="Folder zs_summ with published.json and the recorded systems, or the one above.",
            show_default=False,
        ),
    ],
) -> None:
    """Recompute Tables 6, 7, 8 and 11 and Figure 8 of Bhaskar et al. 2022 from the recorded evidence."""
    from claimwise.reproduce import reproduce_opinion_summaries

    reproduce_opinion_summaries(data, out)
    _print((out / "results.md").read_text(encoding="utf-8"), f"Written to {out}: results.json, results.md")


def _print(table: str, written: str) -> None:
    from rich.markdown import Markdown

    printer = console()
    printer.print(Markdown(table))
    printer.print(f"\n{written}", soft_wrap=True)
