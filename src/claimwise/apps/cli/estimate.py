"""``--estimate``: the cost of a run, before anything is sent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from claimwise.apps.cli.console import say
from claimwise.apps.cli.options import flags, together

if TYPE_CHECKING:
    from claimwise.llm.costs import Cost
    from claimwise.metrics import Metric
    from claimwise.tables import Layout

PRICE = click.FloatRange(min=0)
estimate_flags = together(
    flags("Estimate", ("--estimate", "Print the number of requests, tokens and pairs; send nothing.", bool)),
    flags(
        "Estimate",
        ("--price-in", "Price of a million input tokens in any currency, for --estimate.", PRICE),
        ("--price-out", "Price of a million output tokens in any currency, for --estimate.", PRICE),
        into="prices",
    ),
)
"""The flag ``estimate``, and the arguments ``prices`` of ``cost_line``."""


def print_estimate(
    metric: Metric,
    file: Path,
    named: Mapping[str, str],
    prices: Mapping[str, float],
    layout: Layout | None = None,
) -> None:
    """Print the pairs, requests, tokens and time of scoring a file, and with prices its cost.

    ``named`` maps columns of the metric to columns of the file without a usual name.

    Raises:
        ClaimwiseError: for texts that cannot be scored.
    """
    from claimwise.judges.estimate import CountingDecomposer, CountingJudge
    from claimwise.llm.costs import totals
    from claimwise.metrics.nli import NLIMetric
    from claimwise.runners.file_rows import FileRows
    from claimwise.tables import Layout

    file_rows = FileRows(file, metric, named, layout=layout or Layout())
    file_rows.survey("stop")
    parts = [part.columns for part in file_rows.parts()]
    columns: dict[str, Any]
    columns = {name: [cell for part in parts for cell in part[name]] for name in file_rows.names}
    if not isinstance(metric, NLIMetric):
        say(f"{metric.name} has no judge, so nothing would be sent.")
        return
    judge = CountingJudge(metric.options)
    decomposer = counted = metric.decomposer
    if not getattr(decomposer, "offline", False):
        decomposer = CountingDecomposer(counted, metric.options.decomposer)
    metric.counting(judge, decomposer).compute(**columns)
    rows = metric.spec.rows_are_called(len(columns["predictions"]))
    say(f"{metric.name} of {rows}: {judge.pairs:,} pairs for the judge")
    costs = [replace(cost, name=f"judge {cost.name}") for cost in judge.costs()]
    if isinstance(decomposer, CountingDecomposer):
        costs += [replace(cost, name=f"decomposer {cost.name}") for cost in decomposer.costs()]
    for cost in [*costs, *(totals(costs) if len(costs) > 1 else [])]:
        say(f"- {cost.name}: {cost_line(cost, **prices)}")
    if isinstance(decomposer, CountingDecomposer) and decomposer.unknown:
        say(
            f"This estimate counts sentences as claims: {decomposer.unknown:,} sentences are not yet split "
            "into claims, which are usually more."
        )
    if metric.options.pairs == "likely":
        say("Counted for --pairs all: the number of likely pairs is unknown in advance.")
    if any(cost.input_tokens for cost in costs):
        say("Tokens are counted as four characters each.")
    if metric.options.score_cache is not None:
        say("Answers in the score cache are not counted.")


def cost_line(cost: Cost, price_in: float | None = None, price_out: float | None = None) -> str:
    """Return the cost of a judge, a decomposer or a model in words, with prices per million tokens."""
    said = f"{cost.pairs:,} pairs, " if cost.pairs else ""
    said += "no requests" if not cost.requests else f"{cost.requests:,} requests"
    if (seconds := cost.seconds) is not None:
        duration = f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
        duration = f"{seconds:.0f} seconds" if seconds < 90 else duration
        duration = "a second" if seconds < 1.5 else duration
        said += f", about {duration} on this machine"
    if cost.input_tokens:
        said += f", about {cost.input_tokens:,} input and {cost.output_tokens:,} output tokens"
    if cost.input_tokens and (price_in is not None or price_out is not None):
        said += f", about {_money(cost.money(price_in or 0, price_out or 0))} at these prices"
    return said


def _money(amount: float) -> str:
    """Return an amount with two decimals, or more if the first two digits come later."""
    return f"{amount:,.{max(2, 1 - math.floor(math.log10(amount))) if amount else 2}f}"
