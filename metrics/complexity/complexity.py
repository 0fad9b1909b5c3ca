"""Complexity: the percentage of sentences that contrast opinions."""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
Complexity is the percentage of summary sentences that contrast opinions, recognised by a word such as "but",
"while" or "however". It tells how often a summary puts opposing views side by side; it does not tell whether
the reviews do.
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
    references: ignored, so that the metric can be combined with others.
    details: bool, add the contrasting words of every sentence.
    confidence_level: float, add a bootstrap confidence interval, for example 0.95.
Returns:
    complexity: percentage of contrasting sentences over all summaries, 0 to 100.
    complexity_scores: the percentage of each summary.
    complexity_signature: everything the scores depend on.
"""


class Complexity(evaluate_module.MetricModule):
    """Complexity as an ``evaluate`` module."""

    metric_name = "complexity"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/testzer0/ZS-Summ-GPT3"]  # noqa: RUF012
