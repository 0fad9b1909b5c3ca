"""Measure a judge: accuracy on validation and on the held-out sets, with 95 % intervals, as JSON.

The sets of ``judges/eval*.jsonl.gz`` and the test parts of OpinionNLI and SourceNLI are for measuring only:
nothing is chosen by them. Selection looks at the validation pairs (``--validation``).
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pairs import Pair, opinion_nli, read_pairs, source_nli

from claimwise.judges import NLIModel
from claimwise.labels import LABELS
from claimwise.scores.judge_quality import calibration_error

GROUPS = {
    "clusters_and_scales": "opinion",
    "checklists": "opinion",
    "compared": "compared",
    "denied": "denied and swapped",
    "swapped": "denied and swapped",
    "fever": "facts",
    "fever_neutrals": "facts",
    "changed_facts": "facts",
    "long_public": "long",
    "long_fever": "long",
    "long_reviews": "long",
    "taken_back": "long",
    "source_nli": "source_nli",
    "source_nli_sentences": "source_nli_sentences",
}


def group_of(kind: str) -> str:
    """Return the group of validation pairs that a kind belongs to: ``public`` for the public sets."""
    return GROUPS.get(kind, "public")


def wilson_interval(correct: int, total: int) -> list[float]:
    """Return the 95 % Wilson interval of a share."""
    from scipy.stats import binomtest

    interval = binomtest(correct, total).proportion_ci(0.95, method="wilson")
    return [round(float(interval.low), 4), round(float(interval.high), 4)]


def held_out(data: Path) -> dict[str, list[Pair]]:
    """Return the sets that nothing is trained on or chosen by, by name."""
    sets: dict[str, list[Pair]] = defaultdict(list)
    for name in ("eval", "eval_more"):
        for pair in read_pairs(data / "nli" / f"{name}.jsonl.gz"):
            sets[pair.kind].append(pair)
    clusters, truisms = opinion_nli.read_clusters(), opinion_nli.read_truisms()
    scales, checklists = opinion_nli.read_scales(), opinion_nli.read_checklists()
    for pair in opinion_nli.pairs.balanced_pairs(clusters, scales, [], truisms, "test"):
        name = "opinion_test_unseen_domains" if pair.domain in opinion_nli.TEST_DOMAINS else "opinion_test"
        sets[name].append(Pair(pair.premise, pair.hypothesis, pair.label, name))
    for pair in opinion_nli.pairs.balanced_pairs([], [], checklists, truisms, "test"):
        name = "opinion_test_checklists"
        sets[name].append(Pair(pair.premise, pair.hypothesis, pair.label, name))
    for triad in source_nli.read_triads():
        name = "source_nli_test_unseen_kinds" if triad.kind in source_nli.TEST_KINDS else "source_nli_test"
        if triad.split == "test":
            sets[name] += [_pair_of(row, name) for row in triad.rows()]
    for triad in source_nli.read_triads(config="sentences"):
        if triad.split == "test":
            name = "source_nli_test_sentences"
            sets[name] += [_pair_of(row, name) for row in triad.rows()]
    return dict(sets)


def _pair_of(row: Mapping[str, Any], name: str) -> Pair:
    return Pair(row["premise"], row["hypothesis"], row["label"], name)


def measured(judge: NLIModel, name: str, pairs: list[Pair]) -> dict[str, Any]:
    """Return the accuracy of a judge on some pairs, its interval, recall per label and calibration error."""
    probabilities = judge.predict([pair.premise for pair in pairs], [pair.hypothesis for pair in pairs])
    predicted = probabilities.argmax(axis=1)
    gold = np.array([LABELS.index(pair.label) for pair in pairs])
    if name.startswith("monli"):  # its "neutral" is only "not entailed"
        predicted, gold = predicted == 0, gold == 0
    correct = predicted == gold
    result: dict[str, Any] = {
        "pairs": len(pairs),
        "accuracy": round(float(correct.mean()), 4),
        "ci": wilson_interval(int(correct.sum()), len(pairs)),
    }
    if not name.startswith("monli"):
        result["calibration_error"] = round(calibration_error(probabilities, gold, bins=15), 4)
        result["recall"] = {
            label: round(float(correct[gold == index].mean()), 4) for index, label in enumerate(LABELS)
        }
    return result


def evaluate(model: str | Path, sets: dict[str, list[Pair]]) -> dict[str, dict[str, Any]]:
    """Return what ``measured`` says of each set."""
    judge = NLIModel.from_pretrained(str(model))
    results = {}
    for name, pairs in sets.items():
        results[name] = measured(judge, name, pairs)
        print(name, results[name], flush=True)
    return results


def validation_sets(pairs: list[Pair]) -> dict[str, list[Pair]]:
    """Return the validation pairs by group."""
    sets = defaultdict(list)
    for pair in pairs:
        sets[f"validation: {group_of(pair.kind)}"].append(pair)
    return dict(sets)


def main() -> None:
    """Evaluate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="folder, or 'default' for the embedded weights")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    parser.add_argument("--output", type=Path, help="JSON file")
    parser.add_argument("--validation", type=Path, help="file of pairs: measure only these, by group")
    parser.add_argument("--sets", nargs="+", help="names of held-out sets (default: all)")
    arguments = parser.parse_args()
    if arguments.validation:
        sets = validation_sets(read_pairs(arguments.validation))
    elif arguments.data:
        sets = held_out(arguments.data)
        sets = {name: sets[name] for name in arguments.sets or sets}
    else:
        parser.error("pass --data or set CLAIMWISE_DATA to the folder that holds nli/")
    results = evaluate(arguments.model, sets)
    if arguments.output:
        arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
