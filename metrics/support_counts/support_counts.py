"""Support counts: how many sentences of the reviews support each claim of a summary, and how firmly."""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
Support counts tell how far the reviews stand behind an opinion summary. Each summary is split into claims, an
NLI model compares every claim with every sentence of the reviews, and a sentence supports a claim when the
probability of entailment exceeds that of contradiction by at least 0.75. The score is the share of claims
with three or more supporting sentences; the top score tells how firmly the best sentence supports a claim.
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
    details: bool, add the supporting and the weakening sentences of every claim.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    support_counts: share of claims with three or more supporting sentences, 0 to 1.
    support_counts_scores: the same for each summary.
    top_score: mean over the claims of the best sentence's score, -1 to 1.
    top_score_scores: the same for each summary.
    support_percent: percentage of claims with 0, 1, 2, 3, 4 and 5+ supporting sentences.
    support_percent_table_6: the same in the bins 0, 1, 2-4 and 5+.
    support_counts_signature: everything the scores depend on.
"""


class SupportCounts(evaluate_module.MetricModule):
    """Support counts as an ``evaluate`` module."""

    metric_name = "support_counts"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/testzer0/ZS-Summ-GPT3"]  # noqa: RUF012
