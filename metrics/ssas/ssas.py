"""SSAS: how near a summary comes to reference summaries in meaning, learned from human scores."""

from claimwise.apps import evaluate_module


class Ssas(evaluate_module.MetricModule):
    """How near each summary comes to its reference summaries in meaning, claim by claim.

    Args:
        predictions: list of summaries, each a string or a list of its claims.
        references: list of reference summaries, each a string or a list of several.
        details: bool, add the evidence of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        ssas: mean score, up to 1 (the same); 0 and below: the opposite, or something else.
        ssas_scores: one score per summary.
        ssas_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> ssas = evaluate.load("ssas")
        >>> reference = "The rooms are quiet. Parking is free."
        >>> results = ssas.compute(
        ...     predictions=["Parking is free. The rooms are quiet.", "A dog barked all night."],
        ...     references=[reference, reference],
        ... )
        >>> same, other = results["ssas_scores"]
        >>> same > other
        True

        Which claims decided:

        >>> results = ssas.compute(
        ...     predictions=["A bus came. Parking is free."], references=["Parking is free."], details=True
        ... )
        >>> results["ssas_details"][0]["features"][0]["pairs"][0]["hypothesis"]
        'Parking is free.'
    """

    metric_name = "ssas"
