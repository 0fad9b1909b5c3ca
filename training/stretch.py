"""One stretch of training that ends at a given time of day, when the learning rate has fallen to zero.

It may be killed and repeated (it goes on from the last checkpoint, at most ten minutes old) and stopped with
SIGSTOP: time goes on, so that a stretch always ends with a finished network, however much it has read.
"""

from __future__ import annotations

import datetime
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

WARMUP, CLIP = 100, 1.0
CHECKPOINT_EVERY = 600.0  # seconds
AVERAGE_EVERY, DECAY = 10, 0.9  # steps; of the running average: that of about the last 100 steps
LOG_EVERY = 25


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
    """The network, its optimizer, the average of its last weights, and how far it has read.

    Args:
        network: what is trained.
        folder: where the checkpoint lies; if there is one, the stretch goes on from it.
        until: when it ends, in seconds since the epoch.
        rate: learning rate that the line to zero starts at.
        progress: what is known of the beginning, kept in checkpoints.

    Attributes:
        progress: beside that, the number of ``steps``, and when the stretch ``began``.
        average: running average of the weights.
    """

    def __init__(
        self, network: nn.Module, folder: Path, *, until: float, rate: float, progress: dict[str, Any]
    ) -> None:
        self.network, self.until, self.top_rate = network, until, rate
        self.checkpoint = folder / "checkpoint.pt"
        folder.mkdir(parents=True, exist_ok=True)
        self.parameters = [p for p in network.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=0.0, weight_decay=0.01, fused=True)
        self.average = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(DECAY))
        self.progress: dict[str, Any] = {"step": 0, "began": time.time(), **progress}
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True)
            self.network.load_state_dict(state["network"])
            self.average.load_state_dict(state["average"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.progress |= state["progress"]
            print(f"goes on at step {self.progress['step']}", flush=True)
        self.saved = self.logged = time.time()
        self._losses: list[float] = []
        self._pairs = 0

    def share_of_time(self) -> float:
        """Return how much of the stretch has passed."""
        began = self.progress["began"]
        return min(1.0, (time.time() - began) / (self.until - began))

    def rate(self) -> float:
        """Return the learning rate of now."""
        warm = min(1.0, (self.progress["step"] + 1) / WARMUP)
        return self.top_rate * warm * (1 - self.share_of_time())

    def step(self, loss: Tensor, pairs: int) -> bool:
        """Take one step, and return whether time is left for another one.

        Args:
            loss: of the batch.
            pairs: number of pairs in the batch.
        """
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, CLIP)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.progress["step"] += 1
        if self.progress["step"] % AVERAGE_EVERY == 0:
            self.average.update_parameters(self.network)
        self._losses.append(loss.item())
        self._pairs += pairs
        if self.progress["step"] % LOG_EVERY == 0:
            self._log()
        if time.time() - self.saved > CHECKPOINT_EVERY:
            self.save()
        return self.share_of_time() < 1

    def _log(self) -> None:
        place = {name: value for name, value in self.progress.items() if isinstance(value, int)}
        print(
            f"{datetime.datetime.now():%H:%M:%S} {place} loss {sum(self._losses) / len(self._losses):.4f} "
            f"rate {self.rate():.2e} {self._pairs / (time.time() - self.logged):.1f} pairs/s "
            f"cpu {time.process_time():.0f}s",
            flush=True,
        )
        self._losses, self._pairs, self.logged = [], 0, time.time()

    def save(self) -> None:
        """Write the checkpoint: the whole file or none of it."""
        part = self.checkpoint.with_suffix(".part")
        state = {"network": self.network.state_dict(), "average": self.average.state_dict()}
        torch.save(state | {"optimizer": self.optimizer.state_dict(), "progress": self.progress}, part)
        part.rename(self.checkpoint)
        self.saved = time.time()
        print(f"checkpoint at step {self.progress['step']}", flush=True)
