"""Teach the judge by labels, or by the logits of a teacher, until a given time of day; see ``stretch.py``.

All parameters learn, word embeddings too. With a teacher, a pair's loss is the Kullback–Leibler divergence
from the teacher's probabilities and, for pairs with a label, a share of the cross-entropy of that label.

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

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "teacher")]
from half import halve
from mix import allowed
from stretch import Stretch, batches_of
from unlabelled import UNLABELLED

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
        if arguments.fp16:
            halve(network.bert.encoder)
        super().__init__(
            network.train(),
            arguments.state,
            until=arguments.until,
            rate=arguments.rate,
            progress={"position": arguments.position, "block": 0, "done": 0},
        )

    def batches(
        self, pairs: Sequence[Pair], logits: Tensor | None
    ) -> Iterator[tuple[dict[str, Tensor], Tensor | None, Tensor]]:
        """Yield what the network reads, the teacher's logits, and which labels may be right."""
        texts = ([p.premise for p in pairs], [p.hypothesis for p in pairs])
        encoded = self.tokenizer(*texts, truncation="only_first", max_length=MAX_LENGTH)
        lengths = [len(ids) for ids in encoded["input_ids"]]
        right = torch.tensor(
            [allowed(p.label) if p.label != UNLABELLED else [True] * len(LABELS) for p in pairs]
        )
        for rows in batches_of(lengths, self.arguments.tokens, random.Random(self.progress["block"])):
            some = {name: [column[row] for row in rows] for name, column in encoded.items()}
            inputs = self.tokenizer.pad(some, pad_to_multiple_of=8, return_tensors="pt")
            yield dict(inputs), None if logits is None else logits[rows], right[rows]

    def loss(self, inputs: dict[str, Tensor], taught: Tensor | None, right: Tensor) -> Tensor:
        """Return the loss of a batch."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.arguments.bf16):
            logits = self.network(**inputs).logits
        log_p = logits.float().log_softmax(-1)
        of_labels = -log_p.masked_fill(~right, float("-inf")).logsumexp(-1).mean()
        if taught is None:
            return of_labels
        of_teacher = torch.nn.functional.kl_div(log_p, taught.softmax(-1), reduction="batchmean")
        return of_teacher + self.arguments.labels * of_labels

    def run(self, pairs: Sequence[Pair], logits: Tensor | None) -> None:
        """Train until the end of the stretch, and write the average of the last steps."""
        goes_on = self.share_of_time() < 1
        while goes_on:
            start = self.progress["position"]
            rows = [number % len(pairs) for number in range(start, start + BLOCK)]
            batches = self.batches([pairs[row] for row in rows], None if logits is None else logits[rows])
            for inputs, taught, right in itertools.islice(batches, self.progress["done"], None):
                goes_on = self.step(self.loss(inputs, taught, right), len(right))
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
    parser.add_argument("--logits", type=Path, help="file of teacher/label.py for these pairs")
    parser.add_argument("--state", type=Path, required=True, help="folder of the checkpoint and the result")
    parser.add_argument("--position", type=int, default=0, help="first pair to read")
    parser.add_argument("--until", type=datetime.datetime.fromisoformat, required=True, help="end, with zone")
    parser.add_argument(
        "--rate", type=float, default=2e-4, help="learning rate at the start of the line to zero"
    )
    parser.add_argument("--labels", type=float, default=0.1, help="weight of labels beside logits")
    parser.add_argument("--tokens", type=int, default=2048, help="of a batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action="store_true", help="bfloat16, where that is faster (AMX)")
    parser.add_argument("--fp16", action="store_true", help="float16 of MKL (AVX512-FP16): see half.py")
    arguments = parser.parse_args()
    arguments.until = arguments.until.timestamp()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    pairs, logits = read_pairs(arguments.pairs), None
    if arguments.logits:
        logits = torch.from_numpy(np.fromfile(arguments.logits, np.float32).reshape(-1, len(LABELS)))
        pairs = pairs[: len(logits)]
    Student(arguments).run(pairs, logits)


if __name__ == "__main__":
    main()
