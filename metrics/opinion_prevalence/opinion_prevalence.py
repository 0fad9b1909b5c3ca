"""Opinion prevalence: how many of the reviews share each opinion of a summary."""

from claimwise.apps import evaluate_module


class OpinionPrevalence(evaluate_module.MetricModule):
    """The share of the reviews that imply each sentence of a summary, averaged over its sentences.

    Args:
        predictions: list of summaries, each a string or a list of its sentences.
        references: list of sources, each a list of strings (reviews) or a string, which counts as one review.
        entities: list of the names of the products, optional: a sentence that "I bought NAME." implies
            counts 0.
        details: bool, add the evidence of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        opinion_prevalence: mean score, 0 (no review shares any opinion) to 1 (every review shares all).
        opinion_prevalence_scores: one score per summary.
        opinion_prevalence_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> opinion_prevalence = evaluate.load("opinion_prevalence")
        >>> reviews = ["The lamp is bright.", "A bright lamp. It fell.", "This lamp is very bright.", "Late."]
        >>> results = opinion_prevalence.compute(
        ...     predictions=["The lamp is bright. The lamp is heavy."], references=[reviews]
        ... )
        >>> results["opinion_prevalence"]
        0.375

        Which reviews share an opinion:

        >>> results = opinion_prevalence.compute(
        ...     predictions=["The lamp is bright."], references=[reviews], details=True
        ... )
        >>> (sentence,) = results["opinion_prevalence_details"][0]["sentences"]
        >>> sorted(premise["review"] for premise in sentence["reviews"])
        [0, 1, 2]
    """

    metric_name = "opinion_prevalence"
