"""Train the filter: what the judge says of a pair, from vectors of its two texts."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from texts import Block
from torch import Tensor
from towers import Towers

from claimwise.labels import NEUTRAL

Floats = npt.NDArray[np.float32]


TEXTS_AT_ONCE = 40


class Features:
    """Texts behind the frozen layers, computed once.

    Args:
        towers: whose frozen layers.
        texts: distinct.
        tokenize: returns the token ids of texts, special ones included.
    """

    def __init__(self, towers: Towers, texts: list[str], tokenize: Any) -> None:
        self.places = {text: place for place, text in enumerate(texts)}
        ids = tokenize(texts)
        order = sorted(range(len(texts)), key=lambda place: len(ids[place]))
        self.tokens: list[Tensor] = [torch.empty(0)] * len(texts)
        encoder = towers.encoder
        with torch.inference_mode():
            for start in range(0, len(order), 256):
                some = order[start : start + 256]
                batch, mask = padded([ids[place] for place in some])
                hidden = encoder.embeddings(input_ids=batch)
                bias = additive(mask, hidden.dtype)
                for layer in encoder.encoder.layer[: towers.shape.frozen]:
                    hidden = first(layer(hidden, attention_mask=bias))
                for row, place in enumerate(some):
                    self.tokens[place] = hidden[row, : len(ids[place])].to(torch.float16)

    def of(self, texts: list[str]) -> tuple[Tensor, Tensor]:
        """Return ``[texts, tokens, hidden]`` and the mask."""
        tokens = [self.tokens[self.places[text]] for text in texts]
        lengths = torch.tensor([len(one) for one in tokens])
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        return torch.nn.utils.rnn.pad_sequence(tokens, batch_first=True).float(), mask


def first(output: Any) -> Tensor:
    """Return a layer's output, which some versions of transformers wrap in a tuple."""
    return output[0] if isinstance(output, tuple) else output


def padded(ids: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Return token ids ``[texts, tokens]`` and which of them are none of the padding."""
    lengths = torch.tensor([len(one) for one in ids])
    batch = torch.nn.utils.rnn.pad_sequence([torch.tensor(one) for one in ids], batch_first=True)
    return batch, torch.arange(batch.shape[1]) < lengths[:, None]


def additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the mask as layers add it to their attention."""
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).min)[:, None, None]


def upper(towers: Towers, features: Features, texts: list[str]) -> Tensor:
    """Return the vectors of texts, in groups of like length so that little is padding."""
    order = sorted(range(len(texts)), key=lambda place: len(features.tokens[features.places[texts[place]]]))
    parts = []
    for start in range(0, len(order), TEXTS_AT_ONCE):
        hidden, mask = features.of([texts[place] for place in order[start : start + TEXTS_AT_ONCE]])
        bias = additive(mask, hidden.dtype)
        for layer in towers.encoder.encoder.layer[towers.shape.frozen :]:
            hidden = first(layer(hidden, attention_mask=bias))
        parts.append(towers(hidden.float(), mask))
    return torch.cat(parts, dim=1)[:, torch.argsort(torch.tensor(order))]


def pair_logits(towers: Towers, vectors: Tensor, pairs: Tensor) -> Tensor:
    """Return ``[pairs, labels]``: entailment and contradiction, beside 0 for neutral."""
    products = vectors[0, pairs[:, 0]] * vectors[1, pairs[:, 1]]
    return products.sum(-1) + towers.label_biases


def loss_of(logits: Tensor, target: Tensor, weight: float) -> Tensor:
    """Return the cross entropy with the judge's probabilities; pairs count more that are not neutral."""
    three = torch.stack([logits[:, 0], torch.zeros_like(logits[:, 0]), logits[:, 1]], dim=1)
    weights = 1 + (weight - 1) * (1 - target[:, NEUTRAL])
    return (weights * -(target * three.log_softmax(-1)).sum(-1)).sum() / weights.sum()


def scored(towers: Towers, features: Features, blocks: list[Block]) -> Floats:
    """Return the logits of all pairs of blocks, ``[pairs, 2]``."""
    found = []
    with torch.inference_mode():
        for block in blocks:
            vectors = upper(towers, features, block.texts)
            found.append(pair_logits(towers, vectors, torch.tensor(block.pairs).view(-1, 2).long()))
    return torch.cat(found).numpy()


def odds_of(logits: Floats) -> Floats:
    """Return the log odds of "not neutral"."""
    return np.logaddexp(logits[:, 0], logits[:, 1])


def report(logits: Floats, target: Floats) -> dict[str, float]:
    """Return how many labels change where a share of the pairs is asked about, and what share .1 % takes."""
    score = odds_of(logits)
    wrong = target.argmax(1) != NEUTRAL
    order = np.argsort(-score)
    lost = wrong.sum() - np.cumsum(wrong[order])
    count = len(score)
    found = {
        f"changed_at_{share}": 100 * float(lost[int(share * count)]) / count for share in (0.2, 0.3, 0.4)
    }
    asked = {f"asked_for_{limit}": float((lost > limit * count).sum()) / count for limit in (0.001, 0.002)}
    return {**found, **asked, "non_neutral": float(wrong.mean())}


def train(
    towers: Towers,
    features: Features,
    blocks: list[Block],
    verdicts: list[Floats],
    *,
    epochs: int,
    rate: float,
    weight: float,
    blocks_in_step: int = 2,
    seed: int = 0,
    watch: Any = None,
) -> None:
    """Train all that was not the judge's, in place; a running average of the weights is what stays."""
    generator = random.Random(seed)
    learned = towers.learned_parameters()
    for name, parameter in towers.named_parameters():
        parameter.requires_grad_(name in learned)
    heads = [p for name, p in learned.items() if not name.startswith("encoder.")]
    layers = [p for name, p in learned.items() if name.startswith("encoder.")]
    optimizer = torch.optim.AdamW(
        [{"params": heads, "lr": 10 * rate}, {"params": layers, "lr": rate}], weight_decay=0.01
    )
    steps = epochs * -(-len(blocks) // blocks_in_step)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [10 * rate, rate], total_steps=steps, pct_start=0.08, anneal_strategy="linear"
    )
    average = {name: parameter.detach().clone() for name, parameter in learned.items()}
    step, start = 0, time.time()
    for epoch in range(epochs):
        order = generator.sample(range(len(blocks)), len(blocks))
        total = 0.0
        for first_block in range(0, len(order), blocks_in_step):
            some = order[first_block : first_block + blocks_in_step]
            texts, pairs = [], []
            for number in some:
                pairs += [(p + len(texts), h + len(texts)) for p, h in blocks[number].pairs]
                texts += blocks[number].texts
            target = torch.from_numpy(np.concatenate([verdicts[number] for number in some]))
            with torch.autocast("cpu", torch.bfloat16):
                vectors = upper(towers, features, texts).float()
            loss = loss_of(pair_logits(towers, vectors, torch.tensor(pairs)), target, weight)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(list(learned.values()), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            keep = min(0.99, step / (step + 9))
            with torch.no_grad():
                for name, parameter in learned.items():
                    average[name].lerp_(parameter, 1 - keep)
            total += loss.item() * len(some)
        print(f"epoch {epoch}: loss {total / len(blocks):.4f}, {time.time() - start:.0f} s", flush=True)
        if watch and epoch % 2 == 1:
            watch()
    with torch.no_grad():
        for name, parameter in learned.items():
            parameter.copy_(average[name])
