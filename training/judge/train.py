"""Fine-tune a three-label NLI cross-encoder for one stage, resumably, on the CPU or a GPU.

Batches hold about as many tokens, of pairs of like length, so that premises of 15 sentences and of five words
cost what they weigh. What is kept is the running average of the weights (a decay per step), which needs no
choice of snapshots.
"""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

import torch
from pairs import read_pairs
from recipe import BUILDERS, Stage
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.labels import LABELS

MAX_LENGTH = 512
WARMUP = 200  # steps
DECAY = 0.999  # of the running average of the weights
CHECKPOINT_EVERY = 500  # steps


def batches_by_tokens(lengths: list[int], tokens: int, generator: random.Random) -> list[list[int]]:
    """Shuffle row numbers into batches of pairs of like length, each of at most ``tokens``."""
    order = list(range(len(lengths)))
    generator.shuffle(order)
    pool = 6400
    batches = []
    for start in range(0, len(order), pool):
        batch: list[int] = []
        for row in sorted(order[start : start + pool], key=lengths.__getitem__):
            if batch and lengths[row] * (len(batch) + 1) > tokens:
                batches.append(batch)
                batch = []
            batch.append(row)
        batches.append(batch)
    generator.shuffle(batches)
    return batches


def target_probabilities(label: str, smoothing: float) -> list[float]:
    """Return what the judge is to say of a pair: its label, which shares ``smoothing`` with all labels."""
    return [(1 - smoothing) * (label == other) + smoothing / len(LABELS) for other in LABELS]


def train(stage: Stage, pairs_file: Path, start: Path, out: Path, bf16: bool) -> None:
    """Run ``stage`` from the weights in ``start`` over ``pairs_file`` and save the average to ``out``.

    A killed run goes on from ``out``.checkpoint.
    """
    torch.manual_seed(stage.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer = AutoTokenizer.from_pretrained(start)
    model = AutoModelForSequenceClassification.from_pretrained(
        start,
        hidden_dropout_prob=0.0,  # pairs are read once or twice; its random numbers cost a CPU a tenth
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager",  # on a CPU its backward pass is a third faster than that of "sdpa"
        dtype=torch.float32,
    ).to(device)
    model.get_input_embeddings().weight.requires_grad_(False)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=stage.rate, weight_decay=0.01, fused=True)
    running_average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(DECAY))

    pairs = read_pairs(pairs_file)
    encoded = [
        {
            key: array("H", ids)
            for key, ids in tokenizer(
                pair.premise, pair.hypothesis, truncation="only_first", max_length=MAX_LENGTH
            ).items()
        }
        for pair in pairs
    ]
    targets = torch.tensor(
        [
            target_probabilities(pair.label, 0.0 if pair.kind in BUILDERS else stage.smoothing)
            for pair in pairs
        ]
    )
    lengths = [len(row["input_ids"]) for row in encoded]
    batches = batches_by_tokens(lengths, stage.tokens, random.Random(stage.seed))

    checkpoint = out.with_suffix(".checkpoint")
    first_step = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        running_average.load_state_dict(state["average"])
        optimizer.load_state_dict(state["optimizer"])
        first_step = state["step"]
        print(f"resumed at step {first_step}", flush=True)
    print(f"{len(pairs)} pairs, {sum(lengths)} tokens, {len(batches)} steps", flush=True)

    model.train()
    started, seen, running_loss = time.time(), 0, 0.0
    for step in range(first_step, len(batches)):
        rate = stage.rate + step / len(batches) * (stage.final_rate - stage.rate)
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / WARMUP)
        rows = batches[step]
        inputs = tokenizer.pad(
            [{key: list(ids) for key, ids in encoded[row].items()} for row in rows],
            pad_to_multiple_of=8,  # fewer shapes, for each of which a CPU keeps memory
            return_tensors="pt",
        ).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
            logits = model(**inputs).logits
        loss = torch.nn.functional.cross_entropy(logits.float(), targets[rows].to(device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        running_average.update_parameters(model)
        running_loss += loss.item()
        seen += sum(lengths[row] for row in rows)
        if (step + 1) % 100 == 0:
            speed = seen / (time.time() - started)
            print(f"step {step + 1} loss {running_loss / 100:.4f} {speed:.0f} tokens/s", flush=True)
            running_loss = 0.0
        if (step + 1) % CHECKPOINT_EVERY == 0:
            state = {
                "model": model.state_dict(),
                "average": running_average.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step + 1,
            }
            torch.save(state, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").rename(checkpoint)

    running_average.module.save_pretrained(out)
    tokenizer.save_pretrained(out)
    checkpoint.unlink(missing_ok=True)


def average(folders: Sequence[Path], out: Path, shares: Sequence[float] | None = None) -> None:
    """Save the average of the weights in ``folders`` to ``out``, each with its share (equal ones)."""
    models = [AutoModelForSequenceClassification.from_pretrained(f, dtype=torch.float32) for f in folders]
    weights = [model.state_dict() for model in models]
    by = torch.tensor(shares or [1 / len(folders)] * len(folders))
    models[0].load_state_dict(
        {name: torch.tensordot(by, torch.stack([w[name] for w in weights]), 1) for name in weights[0]}
    )
    models[0].save_pretrained(out)
    AutoTokenizer.from_pretrained(folders[0]).save_pretrained(out)
