"""Complexity: the percentage of sentences that contrast opinions."""

from claimwise.apps import evaluate_module


class Complexity(evaluate_module.MetricModule):
    """How many sentences of the summaries contrast opinions.

    Args:
        predictions: list of strings, summaries.
        references: ignored, and may be left out; so the metric can be combined with others.
        details: bool, add the contrasting words of every sentence.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        complexity: percentage of contrasting sentences over all summaries, 0 to 100.
        complexity_scores: the percentage of each summary.
        complexity_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> complexity = evaluate.load("complexity")
        >>> summaries = ["The pool is warm, but the bar is closed. It rained.", "The staff were kind."]
        >>> results = complexity.compute(predictions=summaries)
        >>> results["complexity_scores"]
        [50.0, 0.0]
        >>> round(results["complexity"], 1)
        33.3
    """

    metric_name = "complexity"
