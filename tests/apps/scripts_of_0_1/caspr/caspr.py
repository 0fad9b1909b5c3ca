"""CASPR: contrast between two summaries, by natural language inference over their claims."""

from claimwise import modules

_DESCRIPTION = """
CASPR measures how much two summaries contrast. Each summary is split into single-claim sentences, an NLI
model compares every claim with every claim of the other summary in both directions, and a claim counts as
contrasting when it contradicts the other summary or mentions what the other does not.
"""

_CITATION = """\
@misc{ananthamurugan2024caspr,
  title = {{CASPR}: Automated Evaluation Metric for Contrastive Summarization},
  author = {Ananthamurugan, Nirupan and Duong, Dat and George, Philip and Gupta, Ankita and
            Tata, Sandeep and Gunel, Beliz},
  year = {2024},
  eprint = {2404.15565},
  archivePrefix = {arXiv},
}
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: list of strings, summaries A without B.
    references: list of strings, summaries B without A.
    details: bool, add the evidence of every pair.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    caspr: mean score, 0 (the same claims) to 100 (full contrast).
    caspr_scores: one score per pair.
    caspr_signature: everything the scores depend on.
"""


class Caspr(modules.MetricModule):
    """CASPR as an ``evaluate`` module."""

    metric_name = "caspr"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/niru-umass-dev/caspr"]  # noqa: RUF012
