"""Abstractiveness: the share of a summary's n-grams that its source does not hold."""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
Abstractiveness tells how far a summary goes beyond copying: the share of its n-grams, for n = 3, 4 and 5,
that stand in no sentence of its source. An extract scores near 0, a summary in words of its own near 1. It
says nothing about whether the new words are true.
"""

_CITATION = """\
@misc{bhaskar2022zeroshot,
  title = {Zero-Shot Opinion Summarization with {GPT}-3},
  author = {Bhaskar, Adithya and Fabbri, Alexander R. and Durrett, Greg},
  year = {2022},
  eprint = {2211.15914},
  archivePrefix = {arXiv},
}
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: list of strings, summaries.
    references: list of sources, each a string or a list of strings (reviews).
    details: bool, add the novel and the copied n-grams of every summary.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    abstractiveness: mean share of novel n-grams, n = 3, 0 (all copied) to 1 (all novel).
    abstractiveness_scores: one share per summary.
    abstractiveness_4, abstractiveness_5: the same for n = 4 and n = 5, each with its _scores.
    abstractiveness_too_short: summaries without any n-gram for one of the n, which score 0 there.
    abstractiveness_signature: everything the scores depend on.
"""


class Abstractiveness(evaluate_module.MetricModule):
    """Abstractiveness as an ``evaluate`` module."""

    metric_name = "abstractiveness"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/testzer0/ZS-Summ-GPT3"]  # noqa: RUF012
