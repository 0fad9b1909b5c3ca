"""Recomputation of Tables 6, 7, 8 and 11 and Figure 8 of "Zero-Shot Opinion Summarization with GPT-3".

The paper is Bhaskar et al. 2022. The numbers are computed from the authors' recorded evidence, without a
model.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from benchmarks.papers.command import RESULTS, data_flag, output_flag, paper_command, run, show
from benchmarks.papers.experiment import outputs, table
from benchmarks.papers.zs_summ import (
    AGAIN,
    SUPPORT_THRESHOLDS,
    RecordedSummary,
    read_idf_corpus,
    read_published,
    read_reviews,
    read_system,
    systems,
)
from claimwise.errors import ClaimwiseError
from claimwise.metrics import Abstractiveness
from claimwise.scores.complexity import complexity
from claimwise.scores.lexical import Aggregation, InverseDocumentFrequency, average_idf
from claimwise.scores.novelty import SIZES, abstractiveness
from claimwise.scores.support import THRESHOLD, support_percent, support_size
from claimwise.text.stopwords import Terms
from claimwise.text.tokens import load_tokenizer

TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "Table 6: claims by number of supports, %": {
        "5+" if size == "5" else size: ("support_percent", size) for size in "012345"
    },
    "Table 7: top score": {"top score": ("top_score",)},
    "Table 8: average IDF": {"average IDF": ("avg_idf",)},
    "Table 11: contrasting sentences, %": {"complexity": ("complexity_percent",)},
    "Figure 8: share of novel n-grams": {f"n = {n}": ("abstractiveness", str(n)) for n in SIZES},
}
"""The columns of each table, with the paths of their values in the results."""

Results = dict[str, dict[str, dict[str, Any]]]
Systems = Mapping[str, list[RecordedSummary]]


def reproduce_opinion_summaries(data: Path, out: Path) -> Results:
    """Recompute the published numbers of every recorded system.

    Args:
        data: the folder with ``published.json`` and a folder per data set, or its parent folder.
        out: folder for ``results.json`` and ``results.md``.

    Returns:
        ``{dataset: {system: {"top_score", "support_percent", "complexity_percent", "avg_idf",
        "abstractiveness"}}}``, in the shape of ``published.json``.

    Raises:
        ClaimwiseError: for missing or modified data, or an output that cannot be written.
    """
    folder = data if (data / "published.json").is_file() else data / "zs_summ"
    published = read_published(folder)
    recorded: dict[str, dict[str, list[RecordedSummary]]] = {}
    for dataset, system in systems(folder):
        recorded.setdefault(dataset, {})[system] = read_system(folder, dataset, system)
    with outputs(out, "results.json", "results.md") as write:
        results = {dataset: _measure(folder, dataset, of_systems) for dataset, of_systems in recorded.items()}
        write("results.json", results)
        write("results.md", opinion_tables(results, published))
    return results


def opinion_tables(results: Results, published: Results) -> str:
    """Return the results as Markdown tables, with published values beside recomputed ones."""

    def cell(system: Mapping[str, Any], path: tuple[str, ...]) -> str:
        value: Any = system
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return "–" if value is None else f"{value:.4g}"

    lines = []
    for title, columns in TABLES.items():
        rows = []
        for dataset, of_systems in results.items():
            for system, found in of_systems.items():
                authors = published.get(dataset, {}).get(system, {})
                cells = [f"{cell(found, path)} ({cell(authors, path)})" for path in columns.values()]
                rows.append([dataset, system, *cells])
        lines += [f"## {title}", "", *table(["data set", "system", *columns], rows)]
    thresholds = ", ".join(f"{threshold} ({dataset})" for dataset, threshold in SUPPORT_THRESHOLDS.items())
    return (
        "Recomputed from the recorded evidence, with published values in brackets (– = none). "
        f"Threshold τ of a support: {thresholds}, {THRESHOLD} else. Average IDF: without recorded documents "
        "(FewSum), the published formula is unknown; the recomputed value is the mean over sentences, with "
        "the sentences of the systems in the folder as documents.\n\n" + "\n".join(lines)
    )


def _measure(folder: Path, dataset: str, of_systems: Systems) -> dict[str, dict[str, Any]]:
    tokenize = load_tokenizer("treebank")
    idf_scores = _average_idf(folder, dataset, of_systems)
    novelties = _abstractiveness(folder, dataset, of_systems)
    results = {}
    for system, summaries in of_systems.items():
        claims = [claim for summary in summaries for claim in summary.claims]
        threshold = SUPPORT_THRESHOLDS.get(dataset, THRESHOLD)
        sizes = [support_size([premise.score for premise in claim.support], threshold) for claim in claims]
        sentences = [tokenize(text.sentence) for summary in summaries for text in summary.sentences]
        results[system] = {
            "top_score": float(np.mean([claim.score for claim in claims])),
            "support_percent": {size.rstrip("+"): share for size, share in support_percent(sizes).items()},
            "complexity_percent": complexity(sentences, case_sensitive=True),
            "avg_idf": idf_scores[system],
            "abstractiveness": novelties[system],
        }
    return results


def _average_idf(folder: Path, dataset: str, of_systems: Systems) -> dict[str, float]:
    """Return the average IDF of each system, as in the paper if the documents are recorded."""
    terms = Terms(tokenizer="treebank", stopwords="all", stemmer="nltk_porter")
    terms_of = {
        system: [[terms(text.sentence) for text in summary.sentences] for summary in summaries]
        for system, summaries in of_systems.items()
    }
    is_recorded = (folder / dataset / "idf_corpus.jsonl.gz").is_file()
    of_systems_only = chain(*chain(*terms_of.values()))
    documents = map(terms, read_idf_corpus(folder, dataset)) if is_recorded else of_systems_only
    idf = InverseDocumentFrequency.of(documents)
    aggregation: Aggregation = "sum" if is_recorded else "mean"
    return {
        system: float(np.mean([average_idf(summary, idf, aggregation) for summary in summaries]))
        for system, summaries in terms_of.items()
    }


def _abstractiveness(folder: Path, dataset: str, of_systems: Systems) -> dict[str, dict[str, float]]:
    """Return the shares of novel n-grams of each system, reading the reviews of each entity only once."""
    metric, reviews = Abstractiveness("paper"), read_reviews(folder, dataset)

    @cache
    def of_source(entity: str) -> dict[int, set[Any]]:
        ngrams = metric.ngrams(reviews[entity].reviews or reviews[entity].sentences)
        return {n: set(of_size) for n, of_size in ngrams.items()}

    def novel(summary: RecordedSummary) -> list[float]:
        if summary.entity not in reviews:
            problem = f"no reviews of {summary.entity}, which {summary.system} summarizes."
            raise ClaimwiseError(problem, AGAIN, path=folder / dataset / "reviews.jsonl.gz")
        found = metric.ngrams([text.sentence for text in summary.sentences])
        return [abstractiveness(found[n], of_source(summary.entity)[n]) for n in SIZES]

    shares = {}
    for system, summaries in tqdm(of_systems.items(), desc=dataset, unit="system", delay=2, disable=None):
        by_size = zip(*map(novel, summaries), strict=True)
        shares[system] = {str(n): float(np.mean(found)) for n, found in zip(SIZES, by_size, strict=True)}
    return shares


@paper_command()
@output_flag(RESULTS)
@data_flag("zs_summ with published.json and the recorded systems, or its parent folder")
def main(out: Path, data: Path) -> None:
    """Recompute Tables 6, 7, 8 and 11 and Figure 8 of Bhaskar et al. 2022 from the recorded evidence."""
    reproduce_opinion_summaries(data, out)
    show(out, RESULTS)


if __name__ == "__main__":
    run(main)
