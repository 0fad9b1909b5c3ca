"""Inverted BERTScore: 100 minus the similarity of two summaries' contextual embeddings."""

from claimwise.apps import evaluate_module

_DESCRIPTION = """
The inverted BERTScore is 100 * (1 - F1) with F1 the BERTScore of two summaries: how unlike their contextual
embeddings are. It is the baseline of the CASPR paper, robust to rewording and blind to negation.
"""

_CITATION = """\
@inproceedings{zhang2020bertscore,
  title = {{BERTScore}: Evaluating Text Generation with {BERT}},
  author = {Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav},
  booktitle = {International Conference on Learning Representations},
  year = {2020},
}
"""

_INPUTS_DESCRIPTION = """
Args:
    predictions: list of strings, summaries A without B.
    references: list of strings, summaries B without A.
    details: bool, add precision, recall and F1 of every pair.
    confidence_level: float, add a bootstrap confidence interval of the mean, for example 0.95.
Returns:
    inverted_bertscore: mean score, 0 (the same text) upwards; higher = less similar.
    inverted_bertscore_scores: one score per pair.
    inverted_bertscore_signature: everything the scores depend on.
"""


class InvertedBertscore(evaluate_module.MetricModule):
    """Inverted BERTScore as an ``evaluate`` module."""

    metric_name = "inverted_bertscore"
    description = _DESCRIPTION
    citation = _CITATION
    inputs_description = _INPUTS_DESCRIPTION
    reference_urls = ["https://github.com/Tiiiger/bert_score"]  # noqa: RUF012
