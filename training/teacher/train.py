"""Train the teacher until a given time of day; see ``stretch.py``.

The pairs are read in blocks. Those that begin after the middle of the stretch also hold pairs of
``phenomena``, those read least first.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from base import first_network, logits_of, tokenizer_of
from half import halve
from mix import Pair, allowed, phenomena
from pairs import read_pairs
from transformers import MPNetForSequenceClassification

sys.path.append(str(Path(__file__).parents[1]))
from stretch import Stretch, batches_of

MAX_LENGTH = 256
BLOCK = 1_920  # pairs
SHARE = 0.2  # of a block: pairs of phenomena


class Teacher(Stretch):
    """A stretch of the teacher."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Start from the base, from a finished teacher, or from the last checkpoint."""
        self.arguments = arguments
        self.tokenizer = tokenizer_of(arguments.base)
        if arguments.start:
            network = MPNetForSequenceClassification.from_pretrained(arguments.start, dtype=torch.float32)
        else:
            network = first_network(arguments.base, seed=301)
        network.get_input_embeddings().weight.requires_grad_(False)
        if arguments.fp16:
            halve(network.mpnet.encoder)
        super().__init__(
            network,
            arguments.state,
            until=arguments.until,
            rate=arguments.rate,
            progress={"position": arguments.position, "block": 0, "done": 0, "read": {}},
        )

    def block(self, mixture: Sequence[Pair]) -> tuple[list[Pair], dict[str, Any]]:
        """Return the next pairs of the mixture, and of ``phenomena`` when the time has come.

        Beside them stands what to note once they are read.
        """
        generator = random.Random(self.progress["block"])
        extra: list[Pair] = []
        read = Counter(self.progress["read"])
        if self.arguments.phenomena and self.share_of_time() >= self.arguments.phenomena_from:
            keys = {f"{p.kind}|{p.premise}|{p.hypothesis}": p for p in phenomena(self.arguments.phenomena)}
            chosen = sorted(keys, key=lambda key: (read[key], generator.random()))[: int(SHARE * BLOCK)]
            read.update(chosen)
            extra = [keys[key] for key in chosen]
        start = self.progress["position"]
        count = BLOCK - len(extra)
        pairs = extra + [mixture[index % len(mixture)] for index in range(start, start + count)]
        after = {
            "block": self.progress["block"] + 1,
            "position": start + count,
            "read": dict(read),
            "done": 0,
        }
        return pairs, after

    def batches(self, pairs: Sequence[Pair]) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor]]:
        """Yield what the network reads, and the labels that are right."""
        texts = ([p.premise for p in pairs], [p.hypothesis for p in pairs])
        encoded = self.tokenizer(*texts, truncation="only_first", max_length=MAX_LENGTH)["input_ids"]
        lengths = [len(ids) for ids in encoded]
        generator = random.Random(self.progress["block"])
        for rows in batches_of(lengths, self.arguments.tokens, generator):
            inputs = self.tokenizer.pad({"input_ids": [encoded[row] for row in rows]}, return_tensors="pt")
            yield dict(inputs), torch.tensor([allowed(pairs[row].label) for row in rows])

    def loss(self, inputs: dict[str, torch.Tensor], right: torch.Tensor) -> torch.Tensor:
        """Return the loss of a batch."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.arguments.bf16):
            logits = logits_of(self.network, **inputs)
        log_p = logits.float().log_softmax(-1)
        return -log_p.masked_fill(~right, float("-inf")).logsumexp(-1).mean()

    def run(self, mixture: Sequence[Pair]) -> None:
        """Train until the end of the stretch and write the teacher and the average of its last steps."""
        goes_on = self.share_of_time() < 1
        while goes_on:
            block, after = self.block(mixture)
            for inputs, right in itertools.islice(self.batches(block), self.progress["done"], None):
                goes_on = self.step(self.loss(inputs, right), len(right))
                self.progress["done"] += 1
                if not goes_on:
                    break
            else:
                self.progress |= after
        self.save()
        for name, network in (("last", self.network), ("average", self.average.module)):
            folder = self.arguments.state / name
            network.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
            shutil.copy(self.arguments.base / "vocab.txt", folder)
        (self.arguments.state / "progress.json").write_text(json.dumps(self.progress), encoding="utf-8")
        print("finished", flush=True)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--state", type=Path, required=True, help="folder of the checkpoint and the result")
    parser.add_argument("--mixture", type=Path, required=True, help="file that mix.py has written")
    parser.add_argument("--start", type=Path, help="finished teacher to go on from (default: the base)")
    parser.add_argument("--position", type=int, default=0, help="first pair of the mixture to read")
    parser.add_argument("--until", type=datetime.datetime.fromisoformat, required=True, help="end, with zone")
    parser.add_argument("--phenomena", type=Path, help="folder of OpinionNLI")
    parser.add_argument("--phenomena-from", type=float, default=0.5, help="share of the stretch before them")
    parser.add_argument(
        "--rate", type=float, default=4e-5, help="learning rate that the line to zero starts at"
    )
    parser.add_argument("--tokens", type=int, default=2048, help="of a batch")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action="store_true", help="bfloat16, where that is faster (AMX)")
    parser.add_argument("--fp16", action="store_true", help="float16 of MKL (AVX512-FP16): see half.py")
    arguments = parser.parse_args()
    arguments.until = arguments.until.timestamp()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    Teacher(arguments).run(read_pairs(arguments.mixture))


if __name__ == "__main__":
    main()
