"""Choose the layer at which inverted BERTScore compares with the embedded encoder.

The layer whose score best ranks unrelated claims above paraphrases (area under the ROC curve), on pairs of
the OpinionNLI training clusters: entailed pairs against neutral ones.
"""

from __future__ import annotations

import random

from pairs import opinion_nli
from scipy.stats import mannwhitneyu

from claimwise.metrics import InvertedBertscore


def main() -> None:
    """Print the area under the curve of every layer."""
    clusters = [cluster for cluster in opinion_nli.read_clusters() if cluster.split == "train"]
    pairs = [*opinion_nli.pairs.expand(clusters, opinion_nli.read_truisms(), seed=13)]
    sample = random.Random(13).sample([p for p in pairs if p.label != "contradiction"], 1200)
    for layer in range(1, 7):
        scores = InvertedBertscore(layer=layer).compute(
            predictions=[p.premise for p in sample], references=[p.hypothesis for p in sample]
        )["inverted_bertscore_scores"]
        by_label = {
            label: [s for s, p in zip(scores, sample, strict=True) if p.label == label]
            for label in ("neutral", "entailment")
        }
        wins = mannwhitneyu(by_label["neutral"], by_label["entailment"]).statistic
        area = wins / (len(by_label["neutral"]) * len(by_label["entailment"]))
        print(f"layer {layer}: {area:.3f}", flush=True)


if __name__ == "__main__":
    main()
