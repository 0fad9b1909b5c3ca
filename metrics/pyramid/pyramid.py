"""Pyramid: how much of what reference summaries say, unit by unit, a summary says as well."""

from claimwise.apps import evaluate_module


class Pyramid(evaluate_module.MetricModule):
    """How much of what the reference summaries say each summary says as well, unit by unit.

    Args:
        predictions: list of summaries, each a string or a list of its claims.
        references: list of reference summaries, each a string or a list of several.
        units: list of lists of strings, content units that people wrote (optional: the references' claims).
        unit_weights: list of lists of numbers, how much each of these units counts (optional: 1).
        details: bool, add the evidence of every summary.
        confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95; with
            confidence_method ("percentile", "bca" or "normal"), resamples and seed.

    Returns:
        pyramid: mean share of the units' weight that is found, 0 to 1.
        pyramid_scores: one score per summary.
        pyramid_recall, pyramid_precision, pyramid_f1: their means; with _scores, one per summary.
        pyramid_signature: everything the scores depend on.

    Examples:
        >>> import evaluate
        >>> pyramid = evaluate.load("pyramid")
        >>> references = ["The pool is warm. Parking is free.", "The pool is warm. The bus was late."]
        >>> results = pyramid.compute(
        ...     predictions=["The pool is warm.", "A dog barked all night."],
        ...     references=[references, references],
        ... )
        >>> [score > 0.4 for score in results["pyramid_scores"]]
        [True, False]

        What is missing, and how many references say it:

        >>> results = pyramid.compute(
        ...     predictions=["The pool is warm."], references=[references], details=True
        ... )
        >>> for unit in results["pyramid_details"][0]["units"]:
        ...     print(unit["unit"], unit["weight"], "found" if unit["found"] else "missing")
        The pool is warm. 2.0 found
        Parking is free. 1.0 missing
        The bus was late. 1.0 missing
    """

    metric_name = "pyramid"
