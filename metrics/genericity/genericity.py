"""Genericity: would the claims of a summary, and its words, fit any other entity as well?"""

from claimwise.apps import evaluate_module


class Genericity(evaluate_module.MetricModule):
    """How well the claims of each summary would fit the other entities.

    Args:
        predictions: list of the summaries of one system, one per entity (or entity and aspect), each a
            string or a list of its claims.
        references: ignored, and may be left out.
        entities: list with the entity of each summary; without it each summary is of an entity of its own.
        details: bool, add the closest claim of every claim and the inverse document frequency of every word.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        genericity: mean best entailment - contradiction of the claims, -1 to 1; higher = more generic.
        genericity_scores: the same for each summary.
        genericity_fraction: share of the claims with a best score above 0.5.
        genericity_average_idf: mean average inverse document frequency; lower = more generic.
        genericity_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> genericity = evaluate.load("genericity")
        >>> summaries = ["The staff were kind.", "The staff were kind.", "Breakfast ends at ten."]
        >>> genericity.compute(predictions=summaries)["genericity_fraction_scores"]
        [1.0, 1.0, 0.0]

        The summaries of one entity are not held against each other:

        >>> results = genericity.compute(predictions=summaries, entities=["Inn", "Inn", "Spa"])
        >>> results["genericity_fraction_scores"]
        [0.0, 0.0, 0.0]
    """

    metric_name = "genericity"
