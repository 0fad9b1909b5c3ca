"""Measure a teacher: on validation pairs, or on held-out sets, by which nothing is chosen.

Large sets are sampled with a fixed seed. ``phenomena`` is measured on its validation and test rows, and the
public reports' pairs are measured where they lie; "not_entailment" there is either of the two other labels.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from base import logits_of, tokenizer_of
from half import halve
from mix import NOT_ENTAILED, phenomena
from transformers import MPNetForSequenceClassification

sys.path.insert(0, str(Path(__file__).parents[1] / "judge"))  # before this folder: both have a train.py
from accuracy import held_out, measured, validation_sets
from pairs import Sources, read_pairs
from run import draw_validation

from claimwise.labels import LABELS

MOST = 1_500  # pairs of a set that is not in COUNTS
COUNTS = {
    "mnli_heldout": 3_002,
    "snli_test": 3_000,
    "source_nli_test": 300,
    "source_nli_test_unseen_kinds": 300,
}


class Teacher:
    """A finished teacher."""

    def __init__(self, folder: Path, fp16: bool) -> None:
        """Read the weights and ``vocab.txt`` of a folder."""
        self.tokenizer = tokenizer_of(folder)
        self.network = MPNetForSequenceClassification.from_pretrained(folder, dtype=torch.float32).eval()
        if fp16:
            halve(self.network.mpnet.encoder)

    @torch.inference_mode()
    def logits(self, premises: Sequence[str], hypotheses: Sequence[str], tokens: int = 4096) -> np.ndarray:
        """Return the logits, pairs × labels."""
        cut = {"truncation": "only_first", "max_length": 512}
        encoded = self.tokenizer(list(premises), list(hypotheses), **cut)["input_ids"]
        order = sorted(range(len(encoded)), key=lambda row: len(encoded[row]))
        found = np.empty((len(encoded), len(LABELS)), dtype=np.float32)
        while order:
            count = max(1, tokens // len(encoded[order[-1]]))
            rows, order = order[-count:], order[:-count]
            inputs = self.tokenizer.pad({"input_ids": [encoded[row] for row in rows]}, return_tensors="pt")
            found[rows] = logits_of(self.network, **inputs).numpy()
        return found

    def predict(self, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the probabilities of the labels, pairs × labels."""
        return torch.from_numpy(self.logits(premises, hypotheses)).softmax(-1).numpy()


def of_reports(teacher: Teacher, path: Path) -> dict[str, object]:
    """Return how many of the reports' pairs are right, of all and by kind."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = teacher.predict([r["premise"] for r in rows], [r["hypothesis"] for r in rows]).argmax(-1)
    right = [
        label != 0 if row["label"] == NOT_ENTAILED else LABELS[label] == row["label"]
        for row, label in zip(rows, found, strict=True)
    ]
    tried = Counter(row["kind"] for row in rows)
    correct = Counter(row["kind"] for row, is_right in zip(rows, right, strict=True) if is_right)
    by_kind = {kind: f"{correct[kind]} of {count}" for kind, count in tried.items()}
    return {"pairs": len(rows), "accuracy": round(sum(right) / len(rows), 4), "kinds": by_kind}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA"))
    parser.add_argument("--phenomena", type=Path, help="folder of OpinionNLI")
    parser.add_argument(
        "--validation", type=Path, help="file of validation pairs, drawn if missing: only these"
    )
    parser.add_argument("--most", type=int, help="pairs of every set (default: 1,500 of most)")
    parser.add_argument("--fp16", action="store_true", help="see half.py")
    parser.add_argument("--output", type=Path, required=True, help="JSON file")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    teacher = Teacher(arguments.model, arguments.fp16)
    results: dict[str, object] = {}
    if arguments.validation:
        if not arguments.validation.exists():
            draw_validation(Sources(Path(arguments.data), "validation"), arguments.validation)
        sets = validation_sets(read_pairs(arguments.validation))
    else:
        sets = held_out(Path(arguments.data))
        results["reports"] = of_reports(teacher, Path(arguments.data) / "reports" / "verdicts.jsonl")
        print("reports", results["reports"], flush=True)
    if arguments.phenomena:
        split = "validation" if arguments.validation else "test"
        for pair in phenomena(arguments.phenomena, split):
            sets.setdefault(f"phenomena: {pair.kind}", []).append(pair)
            sets.setdefault("phenomena", []).append(pair)
    generator = random.Random(17)
    for name, pairs in sets.items():
        began = time.process_time()
        sample = generator.sample(pairs, min(len(pairs), arguments.most or COUNTS.get(name, MOST)))
        results[name] = measured(teacher, name, sample)
        print(name, f"of {len(pairs)}", results[name], f"{time.process_time() - began:.0f}s", flush=True)
    arguments.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
