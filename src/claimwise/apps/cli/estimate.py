"""``claimwise score --estimate``: what a run would ask, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claimwise.apps.cli.console import say

if TYPE_CHECKING:
    from claimwise.llm.costs import Cost
    from claimwise.metrics import Metric

Estimate = Annotated[
    bool, typer.Option("--estimate", help="Count what the judge would be asked, and send nothing.")
]
PriceIn = Annotated[float | None, typer.Option(help="Price per million input tokens, for --estimate.", min=0)]
PriceOut = Annotated[float | None, typer.Option(help="Price per million output tokens.", min=0)]


def print_estimate(
    metric: Metric, file: Path, named: Mapping[str, str], price_in: float | None, price_out: float | None
) -> None:
    """Print the pairs, requests, tokens and time of a run, and with prices what it would cost.

    Args:
        metric: as it would run.
        file: what it would score.
        named: column of the metric → column of the file, where that has no usual name.
        price_in: of a million input tokens.
        price_out: of a million output tokens.

    Raises:
        ClaimwiseError: for texts that cannot be scored.
    """
    from claimwise.metrics.steps import NLIMetric
    from claimwise.nli.estimate import CountingDecomposer, CountingJudge
    from claimwise.runners.file_rows import FileRows

    given = FileRows(file, metric, named)
    given.survey("stop")
    parts = [given.part(batch).columns for batch in given.batches()]
    columns: dict[str, Any] = {name: [cell for part in parts for cell in part[name]] for name in given.names}
    if not isinstance(metric, NLIMetric):
        say(f"{metric.name}: It has no judge, so that nothing is sent.")
        return
    judge = CountingJudge(metric.options)
    decomposer = counted = metric.decomposer
    if not getattr(decomposer, "offline", False):
        decomposer = CountingDecomposer(counted, metric.options.decomposer)
    metric.counting(judge, decomposer).compute(**columns)
    rows = metric.spec.rows_are_called(len(columns["predictions"]))
    say(f"{metric.name} of {rows}: {judge.pairs:,} pairs for the judge")
    costs = judge.costs()
    if isinstance(decomposer, CountingDecomposer):
        costs += decomposer.costs()
    for cost in costs:
        say(f"- {cost.of}: {cost_line(cost, price_in, price_out)}")
    if isinstance(decomposer, CountingDecomposer) and decomposer.unknown:
        say(
            f"An estimate from sentences: {decomposer.unknown:,} of them are still to be split into claims, "
            "of which there are usually more."
        )
    if metric.options.pairs == "likely":
        say("Counted as with pairs='all': how many pairs are likely is not known before.")
    if any(cost.input_tokens for cost in costs):
        say("Tokens are counted as four characters each.")
    if metric.options.score_cache is not None:
        say("Answers in the score cache are left out: they are not asked for again.")


def cost_line(cost: Cost, price_in: float | None, price_out: float | None) -> str:
    """Return what a judge, a decomposer or a model takes, in words."""
    said = f"{cost.pairs:,} pairs, " if cost.pairs else ""
    said += "no requests" if not cost.requests else f"{cost.requests:,} requests"
    if (seconds := cost.seconds) is not None:
        duration = f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
        duration = f"{max(seconds, 1):.0f} seconds" if seconds < 90 else duration
        said += f", about {duration} on this machine"
    if cost.input_tokens:
        said += f", about {cost.input_tokens:,} input and {cost.output_tokens:,} output tokens"
    if cost.input_tokens and (price_in is not None or price_out is not None):
        said += f", about {cost.money(price_in or 0, price_out or 0):,.2f} at these prices"
    return said
