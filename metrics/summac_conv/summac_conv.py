"""SummaC-Conv: how consistent a summary is with its source, by a learned reading of NLI probabilities."""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
SummaC-Conv measures how consistent a summary is with its source. An NLI model compares every sentence of the
summary with every sentence of the source; how many source sentences entail a summary sentence, and how
surely, is counted in a histogram; and a one-dimensional convolution over the histograms, learned from
labelled pairs, gives the probability that the summary is consistent. It needs weights: those of the authors,
or your own.
"""

_CITATION = """\
@article{laban2022summac,
  title = {{SummaC}: Re-Visiting {NLI}-based Models for Inconsistency Detection in Summarization},
  author = {Laban, Philippe and Schnabel, Tobias and Bennett, Paul N. and Hearst, Marti A.},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {10},
  pages = {163--177},
  year = {2022},
  doi = {10.1162/tacl_a_00453},
}
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: list of strings, summaries.
    references: their sources, each a string or a list of strings (reviews).
    details: bool, add the evidence of every summary.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    summac_conv: mean score, 0 (inconsistent) to 1 (consistent).
    summac_conv_scores: one score per summary.
    summac_conv_signature: everything the scores depend on.
"""


class SummacConv(evaluate_module.MetricModule):
    """SummaC-Conv as an ``evaluate`` module."""

    metric_name = "summac_conv"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/tingofurro/summac"]  # noqa: RUF012
