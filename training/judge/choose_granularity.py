"""Choose the premise granularity of SummaC-ZS for the embedded judge, for short and for long sources.

The granularity that best ranks entailed claims above all others (area under the ROC curve), on the validation
passages of SourceNLI: each alone, and among five of other scenes. What a granularity gains over single
sentences has a 95 % interval, from a bootstrap over scenes.
"""

from __future__ import annotations

import random
from typing import get_args

import numpy as np
from pairs import source_nli

from benchmarks.papers.factuality import roc_auc
from claimwise.metrics import SummacZs
from claimwise.metrics.premises import PremiseGranularity

OTHERS = 5  # passages of other scenes in a long source
RESAMPLES = 2000


def main() -> None:
    """Print the area under the curve of every granularity, and its gain."""
    generator = random.Random(13)
    triads = [triad for triad in source_nli.read_triads() if triad.split == "validation"]
    passages = [(triad.scene, " ".join(passage)) for triad in triads for passage in triad.passages]
    rows = [row for triad in triads for row in triad.rows()]
    short, long = [], []
    for row in rows:
        others = generator.sample([text for scene, text in passages if scene != row["scene"]], OTHERS)
        short.append(row["premise"])
        long.append("\n\n".join(generator.sample([*others, row["premise"]], OTHERS + 1)))
    labels = np.array([int(row["label"] == "entailment") for row in rows])
    scenes = np.array([row["scene"] for row in rows])
    of_scenes = [np.flatnonzero(scenes == scene) for scene in np.unique(scenes)]
    resampling = np.random.default_rng(0)
    draws = [
        np.concatenate([of_scenes[i] for i in resampling.integers(len(of_scenes), size=len(of_scenes))])
        for _ in range(RESAMPLES)
    ]

    for name, sources in (("a passage", short), ("six passages", long)):
        resampled = {}
        for granularity in get_args(PremiseGranularity):
            metric = SummacZs(premise_granularity=granularity)
            result = metric.compute(predictions=[row["hypothesis"] for row in rows], references=sources)
            scores = np.array(result["summac_zs_scores"])
            resampled[granularity] = np.array([roc_auc(labels[drawn], scores[drawn]) for drawn in draws])
            gains = resampled[granularity] - resampled["sentence"]
            low, high = np.percentile(gains, [2.5, 97.5])
            print(
                f"{name}, {granularity}: {roc_auc(labels, scores):.3f}, "
                f"gain {np.mean(gains):.3f} [{low:.3f}, {high:.3f}]",
                flush=True,
            )


if __name__ == "__main__":
    main()
