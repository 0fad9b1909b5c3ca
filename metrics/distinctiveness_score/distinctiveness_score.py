"""Distinctiveness Score: the share of tokens that two summaries do not have in common."""

from claimwise.apps import evaluate_module


class DistinctivenessScore(evaluate_module.MetricModule):
    """How few tokens two summaries have in common: the two-summary form of the CASPR paper.

    Args:
        predictions: list of strings, summaries A without B.
        references: list of strings, summaries B without A.
        common: list of strings, summaries of what A and B share (optional: the original form, over three).
        details: bool, add the shared and unshared tokens of every pair.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        distinctiveness_score: mean score, 0 (the same tokens) to 100 (no token in common).
        distinctiveness_score_scores: one score per pair.
        distinctiveness_score_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> distinctiveness = evaluate.load("distinctiveness_score")
        >>> results = distinctiveness.compute(
        ...     predictions=["Parking is free.", "red apples"], references=["Parking is free.", "green pears"]
        ... )
        >>> results["distinctiveness_score_scores"]
        [0.0, 100.0]

        With a third summary, of what both share:

        >>> results = distinctiveness.compute(
        ...     predictions=["The tea is strong."], references=["The tea is weak."], common=["Tea for both."]
        ... )
        >>> round(results["distinctiveness_score"], 2)
        50.0
    """

    metric_name = "distinctiveness_score"
