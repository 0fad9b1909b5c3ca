"""SummaC-ZS: how well a summary is supported by its source, by natural language inference."""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
SummaC-ZS measures how well a summary is supported by its source. An NLI model compares every sentence (or
claim) of the summary with every sentence of the source, or with two sentences, paragraphs, the whole
document, or the best sentences joined; each sentence of the summary scores what its best premise gives, and
the summary scores the mean or the minimum of its sentences.
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
@misc{glover2022decomposition,
  title = {Revisiting text decomposition methods for {NLI}-based factuality scoring of summaries},
  author = {Glover, John and Fancellu, Federico and Jagannathan, Vasudevan and Gormley, Matthew R. and
            Schaaf, Thomas},
  year = {2022},
}
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: list of strings, summaries.
    references: their sources, each a string or a list of strings (reviews).
    details: bool, add the evidence of every summary.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    summac_zs: mean score, 0 (unsupported) to 1 (supported); from -1 with entailment minus contradiction.
    summac_zs_scores: one score per summary.
    summac_zs_signature: everything the scores depend on.
"""


class SummacZs(evaluate_module.MetricModule):
    """SummaC-ZS as an ``evaluate`` module."""

    metric_name = "summac_zs"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/tingofurro/summac"]  # noqa: RUF012
