"""Fit the default weights of SummaC-Conv on pairs made from OpinionNLI, and measure them on its test split.

A source is some points of a checklist, one sentence each, among sentences about other subjects, cut into
reviews. A consistent summary says one to four of these points in other words; an inconsistent one has at
least one sentence that denies a point, or is about a point of the checklist that the source leaves out.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pairs import opinion_nli, points_of
from safetensors.torch import load_file
from scipy.stats import mannwhitneyu

from claimwise.metrics import SummacConv, SummacZs

DEFAULT_WEIGHTS = Path(__file__).parents[2] / "src" / "claimwise" / "metrics" / "summac_conv.json"
SENTENCES_IN_REVIEW = 4


class Labelled(NamedTuple):
    """A summary, the reviews it is of, and 1 if they bear it out, else 0."""

    summary: str
    reviews: list[str]
    label: int


def made_of(checklists: list[opinion_nli.Checklist], count: int, seed: int) -> list[Labelled]:
    """Return labelled summaries, as many of each label."""
    generator = random.Random(seed)
    usable = [(checklist, points_of(checklist)) for checklist in checklists]
    usable = [(checklist, points) for checklist, points in usable if len(points) >= 5]
    made = []
    for number in range(count):
        checklist, points = generator.choice(usable)
        points = generator.sample(points, len(points))
        said, left_out = points[: len(points) // 2 + 1], points[len(points) // 2 + 1 :]
        others = [
            generator.choice(point.claims)
            for other, of_other in generator.sample(usable, 4)
            if other.domain != checklist.domain
            for point in of_other
        ]
        fillers = generator.sample(others, min(len(others), generator.randrange(0, 25)))
        sentences = [point.claims[0] for point in said] + fillers
        generator.shuffle(sentences)
        reviews = [
            " ".join(sentences[start : start + SENTENCES_IN_REVIEW])
            for start in range(0, len(sentences), SENTENCES_IN_REVIEW)
        ]
        chosen = generator.sample(said, generator.randrange(1, min(4, len(said)) + 1))
        claims = [generator.choice(point.claims[1:]) for point in chosen]
        label = number % 2
        if not label:
            for place in generator.sample(range(len(chosen)), generator.randrange(1, len(chosen) + 1)):
                denied = generator.choice(chosen[place].denials)
                claims[place] = generator.choice([denied, generator.choice(left_out).claims[0]])
        made.append(Labelled(" ".join(claims), reviews, label))
    return made


def measured(scores: list[float], labels: list[int]) -> dict[str, float]:
    """Return accuracy at one half, and the area under the ROC curve."""
    values, truth = np.array(scores), np.array(labels)
    positive, negative = values[truth == 1], values[truth == 0]
    area = mannwhitneyu(positive, negative).statistic / (len(positive) * len(negative))
    return {
        "accuracy": round(float(((values >= 0.5) == truth).mean()), 4),
        "roc_auc": round(float(area), 4),
    }


def main() -> None:
    """Fit, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DEFAULT_WEIGHTS, help="JSON file of the weights")
    parser.add_argument("--train", type=int, default=800, help="summaries to fit on")
    parser.add_argument("--test", type=int, default=300, help="summaries to measure with")
    arguments = parser.parse_args()
    checklists = opinion_nli.read_checklists()
    pairs = {
        split: made_of([one for one in checklists if one.split == split], count, seed=7)
        for split, count in (("train", arguments.train), ("test", arguments.test))
    }
    columns = {
        split: {
            "predictions": [pair.summary for pair in made],
            "references": [pair.reviews for pair in made],
        }
        for split, made in pairs.items()
    }
    labels = {split: [pair.label for pair in made] for split, made in pairs.items()}
    metric = SummacConv()
    fitted = arguments.output.with_suffix(".safetensors")
    loss = metric.fit(**columns["train"], labels=labels["train"], output=fitted)
    found = metric.compute(**columns["test"])["summac_conv_scores"]
    beside = SummacZs().compute(**columns["test"])["summac_zs_scores"]
    content = {
        "about": "SummaC-Conv (Laban et al. 2022), fitted by training/judge/fit_summac_conv.py",
        "fitted_on": f"{len(pairs['train'])} summaries made from the training checklists of OpinionNLI",
        "cross_entropy": round(loss, 4),
        "test": {
            "summaries": len(pairs["test"]),
            "summac_conv": measured(found, labels["test"]),
            "summac_zs": measured(beside, labels["test"]),
        },
        "fitted_with": metric._fitted_with(),
        "parameters": {
            name: np.round(tensor.numpy().astype(np.float64), 6).tolist()
            for name, tensor in sorted(load_file(fitted).items())
        },
    }
    fitted.unlink()
    arguments.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: content[key] for key in ("cross_entropy", "test", "fitted_with")}, indent=1))


if __name__ == "__main__":
    main()
