"""Support counts: how many reviews support each sentence of a summary, and how firmly."""

from claimwise.apps import evaluate_module


class SupportCounts(evaluate_module.MetricModule):
    """How many reviews, or sentences of them, stand behind each sentence or claim of a summary.

    Args:
        predictions: list of summaries, each a string or a list of its claims.
        references: list of sources, each a list of at least three strings (reviews); with
            support="sentences", also a string or fewer reviews.
        details: bool, add what supports and what weakens every claim.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        support_counts: share of claims (by default, sentences) that three or more reviews support, 0 to 1.
        support_counts_scores: the same for each summary.
        support_counts_top_score: mean over the claims of the best score, 0 to 1 (or -1 to 1).
        support_counts_top_score_scores: the same for each summary.
        support_counts_percent: percentage of claims with 0, 1, 2, 3, 4 and 5+ supporting reviews.
        support_counts_percent_table_6: the same in the bins 0, 1, 2-4 and 5+.
        support_counts_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> support_counts = evaluate.load("support_counts")
        >>> reviews = ["Parking is free.", "Parking is free here.", "Parking is free, too.", "It rained."]
        >>> results = support_counts.compute(
        ...     predictions=["Parking is free. My phone has two cameras."], references=[reviews]
        ... )
        >>> results["support_counts"]
        0.5
        >>> results["support_counts_percent"]
        {'0': 50.0, '1': 0.0, '2': 0.0, '3': 50.0, '4': 0.0, '5+': 0.0}
    """

    metric_name = "support_counts"
