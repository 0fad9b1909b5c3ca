"""``claimwise explain`` and ``claimwise demo``: the evidence of a score."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import rich_click as click

from claimwise.apps.cli.console import console, say
from claimwise.apps.cli.options import METRIC, OUTPUT, PATH, Command, flags
from claimwise.errors import ClaimwiseError, TextError
from claimwise.judges.options import JudgeOptions
from claimwise.tables import lists_in
from claimwise.text.options import DecomposerOptions, SplitterOptions

B = {
    "ignored": ("another summary", "summary B"),
    "references": ("a reference summary", "the reference (B)"),
    "sources": ("its source text", "the source text (B)"),
    "summaries": ("a second summary", "summary B"),
}
"""The last argument, and its name in errors."""


@click.command(cls=Command, groups=(JudgeOptions, SplitterOptions, DecomposerOptions), further=True)
@click.argument("metric", help="Name of a metric, such as caspr or support_counts.")
@click.argument("a", help="The summary (A).")
@click.argument(
    "b",
    required=False,
    help="The other summary (B), a reference summary, or the source text; several reviews as a JSON list.",
)
@flags(METRIC, ("--config", "Configuration of the metric.", str, "default"))
@flags(OUTPUT, ("--output", "Also write the evidence as .html, or as a figure (.pdf, .svg or .png).", PATH))
def explain(
    metric: str, a: str, b: str | None, config: str, output: Path | None, options: dict[str, Any]
) -> None:
    """Score one summary (or pair) and show the claims, sentences or words that decided the score."""
    from claimwise.evidence import print_evidence, save_map
    from claimwise.metrics import CorpusMetric, load

    for text in (a, b):
        _refuse_path(metric, text)
    loaded = load(metric, config, **options)
    spec = loaded.spec
    columns: dict[str, Any] = {"predictions": [a]}
    if b is None and isinstance(loaded, CorpusMetric):
        raise ClaimwiseError(
            f"{metric} compares summaries with each other.", "Pass another summary as the last argument."
        )
    if spec.references_are == "ignored":  # B is another summary, as genericity needs it
        columns["predictions"] += [b] if b is not None else []
    elif b is None:
        raise ClaimwiseError(
            f"{metric} compares the summary with {B[spec.references_are][0]}, which is missing.",
            "Pass it as the last argument.",
        )
    else:
        columns["references"] = [b] if spec.references_are == "summaries" else lists_in([b])[0]
    try:
        result = loaded.compute(**columns, details=True)
    except ClaimwiseError as error:
        if error.column is None and error.row is None:
            raise
        # The error names the arguments of explain instead of columns and rows.
        is_b = error.column == "references" or error.row
        remedy = ""
        if not isinstance(error, TextError):
            remedy = re.sub(r"^Drop the row, or (\w)", lambda first: first[1].upper(), error.remedy)
        argument = B[spec.references_are][1] if is_b else "summary A"
        raise error.at(column=argument, row=None, review=None, remedy=remedy or "Change the text.") from error
    if output is not None:
        save_map(result, output)
    score = result[f"{metric}_scores"][0]
    shown = f"{score:z.1f}" if spec.family == "contrast" else f"{score:z.3f}"
    print_evidence(console(), result[f"{metric}_details"][0], f"{spec.title} {shown}")
    say(f"\n{result[f'{metric}_signature']}", style="dim")
    if output is not None:
        say(f"Map: {output.resolve()}")


def _refuse_path(metric: str, text: str | None) -> None:
    """Raise a ClaimwiseError for the path of a file in place of a text."""
    is_file = False
    with suppress(OSError, ValueError):  # a text that cannot be a path
        is_file = text is not None and Path(text).is_file()
    if is_file:
        quoted = shlex.quote(str(text))
        raise ClaimwiseError(
            f"{text} is a file, and explain reads texts.",
            f'Pass its content: "$(cat {quoted})". To score a table: claimwise score {metric} {quoted}.',
        )


@click.command(cls=Command)
@flags(OUTPUT, ("--output", "HTML file for the contrast map.", PATH, "contrast_map.html"))
def demo(output: Path) -> None:
    """Score example pairs with the three contrast metrics and show the evidence of one."""
    from rich.table import Table

    from claimwise.apps.demo import EXPLAINED, PAIRS
    from claimwise.evidence import contrast_map, print_evidence
    from claimwise.metrics import METRICS, load

    names = [name for name, metric in METRICS.items() if metric.spec.family == "contrast"]
    table = Table(title="Do these summaries contrast?  0 = the same, 100 = full contrast")
    table.add_column("pair", overflow="fold")
    columns: dict[str, Any] = {"predictions": [pair.summary_a for pair in PAIRS]}
    columns["references"] = [pair.summary_b for pair in PAIRS]
    results = {}
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
        results[name] = load(name).compute(**columns, details=True)
    for row, pair in enumerate(PAIRS):
        table.add_row(pair.title, *(f"{results[name][f'{name}_scores'][row]:.1f}" for name in names))
    console().print(table)
    say("")
    evidence = results["caspr"]["caspr_details"][PAIRS.index(EXPLAINED)]
    print_evidence(console(), evidence, f"{EXPLAINED.title}: CASPR {evidence['score']:.1f}")
    say(f"\n{results['caspr']['caspr_signature']}", style="dim")
    contrast_map(results["caspr"], PAIRS.index(EXPLAINED)).save(output, f"Contrast map: {EXPLAINED.title}")
    say(f"\nContrast map: {output.resolve()}")
