"""Abstractiveness: the share of a summary's n-grams that its source does not hold."""

from claimwise.apps import evaluate_module


class Abstractiveness(evaluate_module.MetricModule):
    """How many of a summary's n-grams stand in no sentence of its source.

    Args:
        predictions: list of strings, summaries.
        references: list of sources, each a string or a list of strings (reviews).
        details: bool, add the novel and the copied n-grams of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        abstractiveness: mean share of novel n-grams, n = 3, 0 (all copied) to 1 (all novel).
        abstractiveness_scores: one share per summary.
        abstractiveness_4, abstractiveness_5: the same for n = 4 and n = 5, each with its _scores.
        abstractiveness_too_short: summaries without any n-gram for one of the n, which score 0 there.
        abstractiveness_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> abstractiveness = evaluate.load("abstractiveness")
        >>> reviews = ["The pool is warm in winter.", "Parking is free."]
        >>> results = abstractiveness.compute(
        ...     predictions=["The pool is warm in winter.", "Nobody pays for a place to park."],
        ...     references=[reviews, reviews],
        ... )
        >>> results["abstractiveness_scores"]
        [0.0, 1.0]

        Which n-grams are new:

        >>> results = abstractiveness.compute(
        ...     predictions=["The pool is warm in May."], references=[reviews], details=True
        ... )
        >>> results["abstractiveness_details"][0]["novel_3"]
        ['warm in May', 'in May .']
    """

    metric_name = "abstractiveness"
