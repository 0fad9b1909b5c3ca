"""Teach the judge by the teacher's logits, until a given time of day; see ``stretch.py``.

All parameters learn, word embeddings too. A pair's loss is the Kullback–Leibler divergence from the teacher's
probabilities, and for pairs with a label a share of the cross-entropy of that label.

python training/judge/distil.py --start checkpoint --pairs mix.jsonl --logits logits.f32 --state student-1 \
    --until 2026-11-29T19:20+00:00
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from pairs import Pair, read_pairs
from torch import Tensor
from transformers import AutoModelForSequenceClassification, AutoTokenizer

sys.path.append(str(Path(__file__).parents[1]))
from stretch import Stretch, batches_of

from claimwise.labels import LABELS

MAX_LENGTH = 256
BLOCK = 6_400  # pairs


class Student(Stretch):
    """A stretch of the judge."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Start from a folder of transformers, or from the last checkpoint."""
        self.arguments = arguments
        self.tokenizer = AutoTokenizer.from_pretrained(arguments.start)
        torch.manual_seed(arguments.seed)
        network = AutoModelForSequenceClassification.from_pretrained(
            arguments.start,
            num_labels=len(LABELS),
            id2label=dict(enumerate(LABELS)),
            label2id={label: number for number, label in enumerate(LABELS)},
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            attn_implementation="eager",  # on a CPU its backward pass is a third faster than that of "sdpa"
            dtype=torch.float32,
        )
        super().__init__(
            network.train(),
            arguments.state,
            until=arguments.until,
            rate=arguments.rate,
            progress={"position": arguments.position, "block": 0, "done": 0},
        )

    def batches(
        self, pairs: Sequence[Pair], logits: Tensor
    ) -> Iterator[tuple[dict[str, Tensor], Tensor, Tensor]]:
        """Yield what the network reads, the teacher's logits, and the numbers of the labels (−1: none)."""
        texts = ([p.premise for p in pairs], [p.hypothesis for p in pairs])
        encoded = self.tokenizer(*texts, truncation="only_first", max_length=MAX_LENGTH)
        lengths = [len(ids) for ids in encoded["input_ids"]]
        labels = torch.tensor([LABELS.index(p.label) if p.label in LABELS else -1 for p in pairs])
        for rows in batches_of(lengths, self.arguments.tokens, random.Random(self.progress["block"])):
            some = {name: [column[row] for row in rows] for name, column in encoded.items()}
            inputs = self.tokenizer.pad(some, pad_to_multiple_of=8, return_tensors="pt")
            yield dict(inputs), logits[rows], labels[rows]

    def loss(self, inputs: dict[str, Tensor], taught: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of a batch."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.arguments.bf16):
            logits = self.network(**inputs).logits
        log_p = logits.float().log_softmax(-1)
        of_teacher = torch.nn.functional.kl_div(log_p, taught.softmax(-1), reduction="batchmean")
        has_label = labels >= 0
        if not self.arguments.labels or not has_label.any():
            return of_teacher
        of_labels = torch.nn.functional.nll_loss(log_p[has_label], labels[has_label], reduction="sum")
        return of_teacher + self.arguments.labels * of_labels / len(labels)

    def run(self, pairs: Sequence[Pair], logits: Tensor) -> None:
        """Train until the end of the stretch, and write the average of the last steps."""
        goes_on = self.share_of_time() < 1
        while goes_on:
            start = self.progress["position"]
            rows = [number % len(pairs) for number in range(start, start + BLOCK)]
            batches = self.batches([pairs[row] for row in rows], logits[rows])
            for inputs, taught, labels in itertools.islice(batches, self.progress["done"], None):
                goes_on = self.step(self.loss(inputs, taught, labels), len(labels))
                self.progress["done"] += 1
                if not goes_on:
                    break
            else:
                self.progress |= {"block": self.progress["block"] + 1, "position": start + BLOCK, "done": 0}
        self.save()
        self.average.module.save_pretrained(self.arguments.state / "average")
        self.tokenizer.save_pretrained(self.arguments.state / "average")
        (self.arguments.state / "progress.json").write_text(json.dumps(self.progress), encoding="utf-8")
        print("finished", flush=True)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--start", type=Path, required=True, help="folder of a BERT, or of a judge")
    parser.add_argument("--pairs", type=Path, required=True, help="JSON lines, as mix.py writes them")
    parser.add_argument("--logits", type=Path, required=True, help="file of teacher/label.py for these pairs")
    parser.add_argument("--state", type=Path, required=True, help="folder of the checkpoint and the result")
    parser.add_argument("--position", type=int, default=0, help="first pair to read")
    parser.add_argument("--until", type=datetime.datetime.fromisoformat, required=True, help="end, with zone")
    parser.add_argument(
        "--rate", type=float, default=2e-4, help="learning rate at the start of the line to zero"
    )
    parser.add_argument("--labels", type=float, default=0.1, help="weight of the labels' cross-entropy")
    parser.add_argument("--tokens", type=int, default=2048, help="of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action="store_true", help="bfloat16, where that is faster (AMX)")
    arguments = parser.parse_args()
    arguments.until = arguments.until.timestamp()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    logits = torch.from_numpy(np.fromfile(arguments.logits, np.float32).reshape(-1, len(LABELS)))
    Student(arguments).run(read_pairs(arguments.pairs)[: len(logits)], logits)


if __name__ == "__main__":
    main()
