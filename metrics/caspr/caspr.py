"""CASPR: contrast between two summaries, by natural language inference over their claims."""

from claimwise.apps import evaluate_module


class Caspr(evaluate_module.MetricModule):
    """How much two summaries contrast, claim by claim.

    Args:
        predictions: list of summaries A without B, each a string or a list of its claims.
        references: list of summaries B without A, likewise.
        details: bool, add the evidence of every pair.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        caspr: mean score, 0 (the same claims) to 100 (full contrast).
        caspr_scores: one score per pair.
        caspr_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> caspr = evaluate.load("caspr")
        >>> summaries_a = ["The rooms are quiet. Breakfast is free.", "The guide was patient."]
        >>> summaries_b = ["The rooms are not quiet. Breakfast is free.", "The guide was patient."]
        >>> results = caspr.compute(predictions=summaries_a, references=summaries_b)
        >>> results["caspr_scores"]
        [50.0, 0.0]
        >>> results["caspr"]
        25.0

        Which claims contrast:

        >>> results = caspr.compute(predictions=summaries_a, references=summaries_b, details=True)
        >>> [(claim["claim"], claim["verdict"]) for claim in results["caspr_details"][0]["claims_a"]]
        [('The rooms are quiet.', 'contradicts'), ('Breakfast is free.', 'agrees')]
    """

    metric_name = "caspr"
