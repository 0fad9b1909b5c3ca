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
    from claimwise.report.study import Runs
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
) -> list[Cost]:
    """Print and return the pairs, requests, tokens and time of scoring a file, and with prices its cost.

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
        return []
    judge = CountingJudge(metric.options)
    decomposer = counted = metric.decomposer
    if not getattr(decomposer, "offline", False):
        decomposer = CountingDecomposer(counted, metric.options.decomposer)
    metric.counting(judge, decomposer).compute(**columns)
    rows = metric.spec.rows_are_called(len(columns["predictions"]))
    say(f"{metric.name} of {rows}: {_pairs(judge.pairs)} for the judge")
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
    return costs


def print_estimates(runs: Runs, on_error: str, prices: Mapping[str, float]) -> None:
    """Print the cost of each metric of a study that is not scored yet, and of all together."""
    from claimwise.llm.costs import totals

    costs: list[Cost] = []
    for metric, systems, file in runs.all:
        say(f"{', '.join(systems)}:")
        if runs.is_scored(metric, file, on_error):
            say(f"{metric.name}: all rows are already scored; nothing is sent.")
        else:
            costs += print_estimate(metric, file, runs.aligned.columns[metric.name], prices)
    for cost in totals(costs) if len(costs) > 1 else ():
        say(f"All metrics: {cost_line(cost, **prices)}; equal pairs are judged once.")


def cost_line(cost: Cost, price_in: float | None = None, price_out: float | None = None) -> str:
    """Return the cost of a judge, a decomposer or a model in words, with prices per million tokens."""
    said = f"{_pairs(cost.pairs)}, " if cost.pairs else ""
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


def _pairs(count: int) -> str:
    return f"{count:,} pair{'s' if count != 1 else ''}"


def _money(amount: float) -> str:
    """Return an amount with two decimals, or more if the first two digits come later."""
    return f"{amount:,.{max(2, 1 - math.floor(math.log10(amount))) if amount else 2}f}"
