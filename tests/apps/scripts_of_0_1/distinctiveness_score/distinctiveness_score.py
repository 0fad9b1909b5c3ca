"""Distinctiveness Score: the share of tokens that two summaries do not have in common."""

from claimwise import modules

_DESCRIPTION = """
The Distinctiveness Score is the share of tokens (as multisets of stems) that two summaries do not have in
common. This is the two-summary form of the CASPR paper; with `common=` it is the original
form over three summaries.
"""

_CITATION = """\
@inproceedings{iso2022comparative,
  title = {Comparative Opinion Summarization via Collaborative Decoding},
  author = {Iso, Hayate and Wang, Xiaolan and Angelidis, Stefanos and Suhara, Yoshihiko},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2022},
  pages = {3307--3324},
  year = {2022},
}
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: list of strings, summaries A without B.
    references: list of strings, summaries B without A.
    common: list of strings, summaries of what A and B share (optional: the original three-summary form).
    details: bool, add the shared and unshared tokens of every pair.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    distinctiveness_score: mean score, 0 (the same tokens) to 100 (no token in common).
    distinctiveness_score_scores: one score per pair.
    distinctiveness_score_signature: everything the scores depend on.
"""


class DistinctivenessScore(modules.MetricModule):
    """Distinctiveness Score as an ``evaluate`` module."""

    metric_name = "distinctiveness_score"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/megagonlabs/cocosum"]  # noqa: RUF012
