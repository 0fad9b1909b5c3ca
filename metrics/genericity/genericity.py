"""Genericity: would the claims of a summary, and its words, fit any other entity as well?"""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
Genericity tells whether the summaries of a system would fit any other entity as well ("The staff were kind").
Each summary is split into claims, an NLI model compares every claim with the claims of the summaries of all
other entities, and the score is how firmly the best of these entails the claim. The words are scored beside
the claims: the average inverse document frequency is low where a summary uses the words of all the others.
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
    predictions: list of strings, the summaries of one system, one per entity (or entity and aspect).
    references: ignored.
    entities: list with the entity of each summary; without it each summary is of an entity of its own.
    details: bool, add the closest claim of every claim and the inverse document frequency of every word.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    genericity: mean best score (entailment - contradiction) of the claims, -1 to 1; higher = more generic.
    genericity_scores: the same for each summary.
    genericity_fraction: share of the claims with a best score above 0.5.
    average_idf: mean average inverse document frequency; lower = more generic.
    genericity_signature: everything the scores depend on.
"""


class Genericity(evaluate_module.MetricModule):
    """Genericity as an ``evaluate`` module."""

    metric_name = "genericity"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/testzer0/ZS-Summ-GPT3"]  # noqa: RUF012
