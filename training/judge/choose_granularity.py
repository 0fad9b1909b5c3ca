"""Choose the premise granularity of SummaC-ZS for the embedded judge, for short and for long sources.

The granularity that best ranks entailed claims above all others (area under the ROC curve), on the validation
passages of SourceNLI: each alone, and among five of other scenes.
"""

from __future__ import annotations

import random
from typing import get_args

import numpy as np
from pairs import SOURCE_NLI

from claimwise.data.source_nli import read_triads
from claimwise.metrics import SummacZs
from claimwise.metrics.steps import PremiseGranularity
from claimwise.reproduce.factuality import roc_auc

CLAIMS = 400
OTHERS = 5  # passages of other scenes in a long source


def main() -> None:
    """Print the area under the curve of every granularity."""
    generator = random.Random(13)
    triads = [triad for triad in read_triads(SOURCE_NLI) if triad.split == "validation"]
    passages = [(triad.scene, " ".join(passage)) for triad in triads for passage in triad.passages]
    rows = generator.sample([row for triad in triads for row in triad.rows()], CLAIMS)
    short, long = [], []
    for row in rows:
        others = generator.sample([text for scene, text in passages if scene != row["scene"]], OTHERS)
        short.append(row["premise"])
        long.append("\n\n".join(generator.sample([*others, row["premise"]], OTHERS + 1)))
    labels = np.array([int(row["label"] == "entailment") for row in rows])
    for granularity in get_args(PremiseGranularity):
        areas = [
            roc_auc(
                labels,
                np.array(
                    SummacZs(premise_granularity=granularity).compute(
                        predictions=[row["hypothesis"] for row in rows], references=sources
                    )["summac_zs_scores"]
                ),
            )
            for sources in (short, long)
        ]
        print(f"{granularity}: {areas[0]:.3f} (a passage), {areas[1]:.3f} (six)", flush=True)


if __name__ == "__main__":
    main()
