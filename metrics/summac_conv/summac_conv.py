"""SummaC-Conv: how consistent a summary is with its source, by a learned reading of NLI probabilities."""

from claimwise.apps import evaluate_module


class SummacConv(evaluate_module.MetricModule):
    """How consistent each summary is with its source, as learned from labelled pairs.

    It needs weights: those of the authors, or your own.

    Args:
        predictions: list of strings, summaries.
        references: list of sources, each a string or a list of strings (reviews).
        details: bool, add the evidence of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("normal", "percentile" or "bca"), resamples and seed.

    Returns:
        summac_conv: mean score, 0 (inconsistent) to 1 (consistent).
        summac_conv_scores: one score per summary.
        summac_conv_signature: everything the scores depend on.

    Examples:
        >>> import tempfile
        >>> import evaluate
        >>> from claimwise.metrics import SummacConv
        >>> source = "The pool is warm. Breakfast ends at ten. Parking is free."
        >>> true = ["The pool is warm.", "Breakfast ends at ten.", "Parking is free."]
        >>> false = ["A dog barked all night.", "It snowed in May.", "The film was dull."]
        >>> folder = tempfile.TemporaryDirectory()
        >>> weights = f"{folder.name}/weights.safetensors"
        >>> loss = SummacConv().fit(
        ...     predictions=true + false,
        ...     references=[source] * 6,
        ...     labels=[1, 1, 1, 0, 0, 0],
        ...     output=weights,
        ...     steps=100,
        ... )
        >>> summac_conv = evaluate.load("summac_conv", weights=weights)
        >>> results = summac_conv.compute(
        ...     predictions=["Parking is free.", "The soup was cold."], references=[source, source]
        ... )
        >>> [score > 0.5 for score in results["summac_conv_scores"]]
        [True, False]
    """

    metric_name = "summac_conv"
