"""Inverted BERTScore: 100 minus the similarity of two summaries' contextual embeddings."""

from claimwise.apps import evaluate_module


class InvertedBertscore(evaluate_module.MetricModule):
    """How unlike the contextual embeddings of two summaries are.

    Args:
        predictions: list of strings, summaries A without B.
        references: list of strings, summaries B without A.
        details: bool, add precision, recall and F1 of every pair.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        inverted_bertscore: mean score, 0 (the same text) upwards; higher = less similar.
        inverted_bertscore_scores: one score per pair.
        inverted_bertscore_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> inverted_bertscore = evaluate.load("inverted_bertscore")
        >>> results = inverted_bertscore.compute(
        ...     predictions=["The soup was hot."] * 3,
        ...     references=["The soup was hot.", "The soup was very hot.", "My phone has two cameras."],
        ... )
        >>> same, reworded, other = results["inverted_bertscore_scores"]
        >>> same < reworded < other
        True

        What each score was made of:

        >>> results = inverted_bertscore.compute(
        ...     predictions=["The soup was hot."], references=["The soup was hot."], details=True
        ... )
        >>> round(results["inverted_bertscore_details"][0]["f1"], 2)
        1.0
    """

    metric_name = "inverted_bertscore"
