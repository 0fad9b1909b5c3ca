"""``claimwise score --estimate``: what a run would ask, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from claimwise.apps.cli.console import console
from claimwise.nli.options import JudgeOptions
from claimwise.text.options import DecomposerOptions

if TYPE_CHECKING:
    from claimwise.metrics import Metric

FREE_DECOMPOSERS = ("clauses", "learned", "rules", "sentences")
WITHOUT_JUDGE = "It has no judge, so that nothing is sent."


def print_estimate(
    metric: Metric, columns: Mapping[str, Any], price_in: float | None, price_out: float | None
) -> None:
    """Print the pairs, requests and tokens of a run, and with prices what it would cost.

    Args:
        metric: as it would run; nothing of it is loaded.
        columns: what it would score.
        price_in: of a million input tokens.
        price_out: of a million output tokens.

    Raises:
        ClaimwiseError: for texts that cannot be scored.
    """
    from claimwise.metrics import SummacConv, load
    from claimwise.metrics.steps import NLIMetric
    from claimwise.nli.estimate import CountingJudge

    out = console()
    if not isinstance(metric, NLIMetric):
        out.print(f"{metric.name}: {WITHOUT_JUDGE}", markup=False)
        return
    judge = CountingJudge(metric.options)
    own = {
        name: value
        for name, value in metric.options.changed(type(metric.options)).items()
        if name not in JudgeOptions.names() and name not in DecomposerOptions.names()
    }
    decomposer = metric.options.decomposer
    is_free = decomposer in FREE_DECOMPOSERS
    counting = load(
        metric.name,
        nli_model=judge,
        decomposer=decomposer if is_free else "sentences",
        show_progress=metric.options.show_progress,
        **own,
    )
    if isinstance(counting, SummacConv):
        counting.use_untrained_weights()
    counting.compute(**columns)
    rows = metric.spec.rows_are_called(len(columns["predictions"]))
    out.print(f"{metric.name} of {rows}: {judge.pairs:,} pairs for the judge", markup=False)
    for cost in judge.costs:
        out.print(f"- {cost.judge}: {_cost(cost, price_in, price_out)}", markup=False, soft_wrap=True)
    if not is_free:
        out.print(
            f"An estimate from sentences: the decomposer {decomposer!r} is not asked for claims, of which "
            "there are usually more. Its own requests, one for each distinct sentence, come on top.",
            markup=False,
            soft_wrap=True,
        )
    if (
        isinstance(metric, SummacConv)
        and metric.options.weights is None
        and metric.options.nli_model != "default"
    ):
        out.print(
            "A run needs weights that were fitted with this judge: --option weights=FILE.", markup=False
        )
    if metric.options.pairs == "likely":
        out.print("Counted as with pairs='all': how many pairs are likely is not known before.", markup=False)
    if any(cost.input_tokens for cost in judge.costs):
        out.print("Tokens are counted as four characters each. Answers in a score cache are not asked again.")


def _cost(cost: Any, price_in: float | None, price_out: float | None) -> str:
    if not cost.requests:
        return "no requests"
    said = f"{cost.requests:,} requests"
    if cost.input_tokens:
        said += f", about {cost.input_tokens:,} input and {cost.output_tokens:,} output tokens"
    if cost.input_tokens and (price_in is not None or price_out is not None):
        said += f", about {cost.money(price_in or 0, price_out or 0):,.2f} at these prices"
    return said
