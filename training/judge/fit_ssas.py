"""Fit the default weights of SSAS on the scores of REALSumm and on opposites, and say what they are worth.

Hardly any summary of REALSumm contradicts its reference, so that weights fitted on it alone are nearly those
of ROUGE-SU4 and put the opposite, in the same words, above the same in other words. So clusters of OpinionNLI
stand beside its documents: a claim as the reference; a paraphrase of it, a weaker claim, a neutral one and a
contradiction as its summaries, in this order.

What weights are worth is measured on documents, systems and clusters that they were not fitted on.
``python -m benchmarks.papers.pyramid`` evaluates the SSAS fit on REALSumm, and compares it with other scores.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import get_args

import numpy as np
from pairs import opinion_nli

from benchmarks.papers.correlation import measure
from benchmarks.papers.realsumm import read_realsumm
from benchmarks.papers.ssas import SsasScores, features_of
from claimwise.metrics import Ssas
from claimwise.scores.ssas import FEATURES, SIGNS, Floats, Ranking, fit_weights, ssas
from claimwise.tables import writing

REPOSITORY = Path(__file__).parents[2]
WEIGHTS = REPOSITORY / "src" / "claimwise" / "metrics" / "ssas.json"
CACHE = Path.home() / ".cache" / "claimwise" / "training" / "ssas_scores.sqlite"
CLUSTERS = 100  # of OpinionNLI's validation split, in the fit; as many others measure it
SCORES = (1.0, 2 / 3, 1 / 3, 0.0)  # of a paraphrase, a weaker claim, a neutral one and a contradiction


def table_1(weights: dict[str, float]) -> dict[str, list[float]]:
    """Return the scores of B and C of Table 1, with the weights and with even ones."""
    a = "Mary lived through an era of liberating reform for women."
    b = "Mary's life spanned years of incredible change for women."
    c = "Mary lived through an era of suppression of women."
    return {
        config: Ssas(weights=chosen).compute(predictions=[b, c], references=[a, a])["ssas_scores"]
        for config, chosen in (("default", weights), ("even", "even"))
    }


def opposites(metric: Ssas) -> Floats:
    """Return the features of four texts against the first claim of each cluster, ``[2 · CLUSTERS, 4, 9]``."""
    clusters = [
        cluster
        for cluster in opinion_nli.read_clusters()
        if cluster.split == "validation"
        and len(cluster.claims) > 1
        and cluster.weaker
        and cluster.neutral
        and cluster.contradictions
    ]
    chosen = random.Random(13).sample(clusters, 2 * CLUSTERS)
    texts = [
        text
        for cluster in chosen
        for text in (cluster.claims[1], cluster.weaker[0], cluster.neutral[0], cluster.contradictions[0])
    ]
    references = [cluster.claims[0] for cluster in chosen for _ in SCORES]
    rows = metric.rows({"predictions": texts, "references": references})
    return metric.features(rows).reshape(len(chosen), len(SCORES), len(FEATURES))


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"), help="holds pyramid/")
    parser.add_argument("--output", type=Path, default=WEIGHTS, help="JSON file of the weights")
    parser.add_argument("--score-cache", type=Path, default=CACHE, help="keeps what the judge says")
    parser.add_argument("--ranking", choices=get_args(Ranking), default="pairwise")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data or CLAIMWISE_DATA: where is REALSumm?")
    dataset = read_realsumm(arguments.data)
    arguments.score_cache.parent.mkdir(parents=True, exist_ok=True)
    metric = Ssas("even", score_cache=arguments.score_cache)
    scores = SsasScores(dataset, features_of(metric, dataset, dataset.summaries))
    of_clusters = opposites(metric)

    def fitted(kept: Sequence[int]) -> tuple[Floats, list[float], list[Hashable]]:
        """Return the weights of the fit on these documents and the clusters, and what it was fitted on."""
        rows = np.concatenate(
            [part.reshape(-1, len(FEATURES)) for part in (scores.features[kept], of_clusters[:CLUSTERS])]
        )
        human = [*dataset.human[kept].ravel().tolist(), *(SCORES * CLUSTERS)]
        lists: list[Hashable] = [number for number in kept for _ in dataset.systems]
        lists += [("cluster", number) for number in range(CLUSTERS) for _ in SCORES]
        return fit_weights(rows, human, lists, arguments.ranking).round(6), human, lists

    everything = range(len(dataset.documents))
    by_examples = np.zeros_like(dataset.human)
    for fold in dataset.folds_of_documents:
        weights, *_ = fitted(sorted(set(everything) - set(fold)))
        by_examples[list(fold)] = ssas(scores.features[list(fold)], weights)
    weights, human, lists = fitted(everything)
    by_name = dict(zip(FEATURES, weights.tolist(), strict=True))
    of_all = {"ssas_with_opposites": by_examples, **scores.all()}
    alone = fit_weights(
        scores.features.reshape(-1, len(FEATURES)), dataset.human.ravel(), lists[: dataset.human.size]
    )
    content = {
        "weights": by_name,
        "about": "SSAS (Vadapalli et al. 2017), fitted by training/judge/fit_ssas.py",
        **metric.fitted_with(human, lists, arguments.ranking, "REALSumm and clusters of OpinionNLI"),
        "cross_validated": {name: measure(of_name, dataset.human) for name, of_name in of_all.items()},
        "table_1": table_1(by_name),
        "paraphrase_above_opposite": {
            name: float((found[:, 0] > found[:, -1]).mean())
            for name, found in (
                ("`default`", ssas(of_clusters[CLUSTERS:], weights)),
                ("REALSumm alone, listwise", ssas(of_clusters[CLUSTERS:], alone)),
                ("`even`", ssas(of_clusters[CLUSTERS:], SIGNS)),
            )
        },
    }
    with writing(arguments.output) as out:
        json.dump(content, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
