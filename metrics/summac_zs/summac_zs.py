"""SummaC-ZS: how well a summary is supported by its source, by natural language inference."""

from claimwise.apps import evaluate_module


class SummacZs(evaluate_module.MetricModule):
    """How well each summary is supported by its source, sentence by sentence.

    Args:
        predictions: list of summaries, each a string or a list of its claims.
        references: list of sources, each a string or a list of strings (reviews).
        details: bool, add the evidence of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        summac_zs: mean score, 0 (unsupported) to 1 (supported); from -1 with entailment minus contradiction.
        summac_zs_scores: one score per summary.
        summac_zs_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> summac_zs = evaluate.load("summac_zs")
        >>> reviews = ["The pool is warm. Parking is free.", "The bus was late."]
        >>> results = summac_zs.compute(
        ...     predictions=["Parking is free.", "A dog barked all night."], references=[reviews, reviews]
        ... )
        >>> [score > 0.5 for score in results["summac_zs_scores"]]
        [True, False]

        Which sentence of the source supports a sentence best:

        >>> results = summac_zs.compute(
        ...     predictions=["The bus came late."], references=[reviews], details=True
        ... )
        >>> results["summac_zs_details"][0]["hypotheses"][0]["premises"][0]["premise"]
        'The bus was late.'
    """

    metric_name = "summac_zs"
