"""SummaC-Conv: how consistent a summary is with its source, by a learned reading of NLI probabilities."""

from claimwise.apps import evaluate_module


class SummacConv(evaluate_module.MetricModule):
    """How consistent each summary is with its source, as learned from labelled pairs.

    The weights that come with claimwise are for the embedded judge; pass weights= for others.

    Args:
        predictions: list of summaries, each a string or a list of its claims.
        references: list of sources, each a string or a list of strings (reviews).
        details: bool, add the evidence of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        summac_conv: mean score, 0 (inconsistent) to 1 (consistent).
        summac_conv_scores: one score per summary.
        summac_conv_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> summac_conv = evaluate.load("summac_conv")
        >>> source = "The pool is warm. Breakfast ends at ten. Parking is free."
        >>> results = summac_conv.compute(
        ...     predictions=["Parking is free.", "The pool is cold."], references=[source, source]
        ... )
        >>> [score > 0.5 for score in results["summac_conv_scores"]]
        [True, False]
        >>> results = summac_conv.compute(
        ...     predictions=["Breakfast ends at ten."], references=[source], details=True
        ... )
        >>> results["summac_conv_details"][0]["hypotheses"][0]["premises"][0]["premise"]
        'Breakfast ends at ten.'
    """

    metric_name = "summac_conv"
