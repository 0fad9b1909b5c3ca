"""Measure a checkpoint: accuracy on the held-out NLI sets and on OpinionNLI, with 95 % intervals, as JSON.

The sets of ``nli/eval.jsonl.gz`` and the OpinionNLI test part are for measuring only: nothing is chosen by
them. Selection looks at the validation files.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from train import read_pairs

from claimwise.data.opinion_nli import TEST_DOMAINS
from claimwise.nli import LABELS, NLIModel

WORK = Path(__file__).parent / "work"


def wilson_interval(correct: int, total: int) -> list[float]:
    """Return the 95 % Wilson interval of a share."""
    from scipy.stats import binomtest

    interval = binomtest(correct, total).proportion_ci(0.95, method="wilson")
    return [round(float(interval.low), 4), round(float(interval.high), 4)]


def expected_calibration_error(probabilities: Any, gold: Any, bins: int = 15) -> float:
    """Return the mean gap between confidence and accuracy over bins (Guo et al. 2017, equation 3).

    Args:
        probabilities: ``[n, 3]``.
        gold: n label numbers.
        bins: of equal width, over the probability of the predicted label.
    """
    confidence, correct = probabilities.max(axis=1), probabilities.argmax(axis=1) == gold
    bin_of = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(correct[bin_of == b].sum() - confidence[bin_of == b].sum()) for b in range(bins)]
    return float(sum(gaps) / len(gold))


def main() -> None:
    """Evaluate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="folder, or 'default' for the embedded weights")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    parser.add_argument("--out", type=Path, help="JSON file")
    parser.add_argument("--validation", action="store_true", help="only the validation parts")
    arguments = parser.parse_args()

    if arguments.data is None and not arguments.validation:
        parser.error("pass --data or set CLAIMWISE_DATA to the folder that holds nli/")
    pairs = defaultdict(list)
    for name in ("validation_nli", "validation_opinion", "validation_checklists"):
        pairs[name] = read_pairs(WORK / f"{name}.jsonl")
    if not arguments.validation:
        for pair in read_pairs(Path(arguments.data) / "nli" / "eval.jsonl.gz"):
            pairs[pair["source"]].append(pair)
        pairs["opinion_test_checklists"] = read_pairs(WORK / "test_checklists.jsonl")
        for pair in read_pairs(WORK / "test_opinion.jsonl"):
            unseen = pair["domain"] in TEST_DOMAINS
            pairs["opinion_test_unseen_domains" if unseen else "opinion_test"].append(pair)

    model = NLIModel.from_pretrained(arguments.model)
    results = {}
    for name, rows in pairs.items():
        probabilities = model.predict([r["premise"] for r in rows], [r["hypothesis"] for r in rows])
        predicted = probabilities.argmax(axis=1)
        gold = np.array([LABELS.index(r["label"]) for r in rows])
        if name.startswith("monli"):  # its "neutral" is only "not entailed"
            predicted, gold = predicted == 0, gold == 0
        correct = predicted == gold
        results[name] = {
            "pairs": len(rows),
            "accuracy": round(float(correct.mean()), 4),
            "ci": wilson_interval(int(correct.sum()), len(rows)),
        }
        if not name.startswith("monli"):
            results[name]["calibration_error"] = round(expected_calibration_error(probabilities, gold), 4)
            results[name]["recall"] = {
                label: round(float(correct[gold == index].mean()), 4) for index, label in enumerate(LABELS)
            }
        print(name, results[name], flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
