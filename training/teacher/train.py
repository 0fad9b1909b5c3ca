"""Train the teacher until a given time of day: the learning rate falls to zero by then.

The command may be killed and repeated (it goes on from the last checkpoint, at most ten minutes old) and
stopped with SIGSTOP: time goes on, so that a stretch always ends with a finished teacher, however much it has
read. The pairs are read in blocks. Those that begin after the middle of the stretch also hold pairs of
``phenomena``, those read least first.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from base import first_network, logits_of, tokenizer_of
from half import halve
from mix import NOT_ENTAILED, Pair, phenomena
from pairs import read_pairs
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from transformers import MPNetForSequenceClassification

from claimwise.labels import LABELS

WARMUP, CLIP = 100, 1.0
MAX_LENGTH = 256
BLOCK = 1_920  # pairs
SHARE = 0.2  # of a block: pairs of phenomena
CHECKPOINT_EVERY = 600.0  # seconds
AVERAGE_EVERY, DECAY = 10, 0.9  # steps; of the running average: that of about the last 100 steps
LOG_EVERY = 25


def allowed(label: str) -> list[bool]:
    """Return which of the three labels a pair's label leaves open."""
    return [label == other or (label == NOT_ENTAILED and other != "entailment") for other in LABELS]


def batches_of(lengths: Sequence[int], tokens: int, generator: random.Random) -> list[list[int]]:
    """Return row numbers in shuffled batches of pairs of like length, each of at most ``tokens``."""
    batches: list[list[int]] = [[]]
    for row in sorted(range(len(lengths)), key=lambda row: (lengths[row], generator.random())):
        if batches[-1] and lengths[row] * (len(batches[-1]) + 1) > tokens:
            batches.append([])
        batches[-1].append(row)
    generator.shuffle(batches)
    return batches


class Stretch:
    """One stretch of training: the network, its optimizer, and how far it has read."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Start from the base, from a finished teacher, or from the last checkpoint."""
        self.arguments = arguments
        self.checkpoint: Path = arguments.state / "checkpoint.pt"
        self.tokenizer = tokenizer_of(arguments.base)
        if arguments.start:
            self.network = MPNetForSequenceClassification.from_pretrained(
                arguments.start, dtype=torch.float32
            )
        else:
            self.network = first_network(arguments.base, seed=301)
        self.network.get_input_embeddings().weight.requires_grad_(False)
        if arguments.fp16:
            halve(self.network.mpnet.encoder)
        self.parameters = [p for p in self.network.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=0.0, weight_decay=0.01, fused=True)
        self.average = AveragedModel(self.network, multi_avg_fn=get_ema_multi_avg_fn(DECAY))
        self.progress: dict[str, Any] = {
            **{"step": 0, "block": 0, "done": 0, "read": {}},
            **{"position": arguments.position, "began": time.time()},
        }
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.average.load_state_dict(state["average"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.progress |= state["progress"]
            print(f"goes on at step {self.progress['step']}", flush=True)
        self.saved = time.time()

    def share_of_time(self) -> float:
        """Return how much of the stretch has passed."""
        began = self.progress["began"]
        return min(1.0, (time.time() - began) / (self.arguments.until - began))

    def rate(self) -> float:
        """Return the learning rate of now."""
        warm = min(1.0, (self.progress["step"] + 1) / WARMUP)
        return self.arguments.rate * warm * (1 - self.share_of_time())

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

    def step(self, inputs: dict[str, torch.Tensor], right: torch.Tensor) -> float:
        """Take one step and return the loss of the batch."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.arguments.bf16):
            logits = logits_of(self.network, **inputs)
        log_p = logits.float().log_softmax(-1)
        loss = -log_p.masked_fill(~right, float("-inf")).logsumexp(-1).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, CLIP)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.progress["step"] += 1
        if self.progress["step"] % AVERAGE_EVERY == 0:
            self.average.update_parameters(self.network)
        return loss.item()

    def save(self) -> None:
        """Write the checkpoint: the whole file or none of it."""
        part = self.checkpoint.with_suffix(".part")
        state = {"network": self.network.state_dict(), "average": self.average.state_dict()}
        torch.save(state | {"optimizer": self.optimizer.state_dict(), "progress": self.progress}, part)
        part.rename(self.checkpoint)
        self.saved = time.time()
        print(f"checkpoint at step {self.progress['step']}", flush=True)

    def run(self, mixture: Sequence[Pair]) -> None:
        """Train until the end of the stretch and write the teacher and the average of its last steps."""
        losses, pairs, began = [], 0, time.time()
        while self.share_of_time() < 1:
            block, after = self.block(mixture)
            for inputs, right in itertools.islice(self.batches(block), self.progress["done"], None):
                losses.append(self.step(inputs, right))
                pairs += len(right)
                if self.progress["step"] % LOG_EVERY == 0:
                    seconds = time.time() - began
                    print(
                        f"{datetime.datetime.now():%H:%M:%S} step {self.progress['step']} "
                        f"position {self.progress['position']} loss {sum(losses) / len(losses):.4f} "
                        f"rate {self.rate():.2e} {pairs / seconds:.1f} pairs/s "
                        f"cpu {time.process_time():.0f}s",
                        flush=True,
                    )
                    losses, pairs, began = [], 0, time.time()
                self.progress["done"] += 1
                if self.share_of_time() >= 1:
                    break
                if time.time() - self.saved > CHECKPOINT_EVERY:
                    self.save()
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
    arguments.state.mkdir(parents=True, exist_ok=True)
    Stretch(arguments).run(read_pairs(arguments.mixture))


if __name__ == "__main__":
    main()
