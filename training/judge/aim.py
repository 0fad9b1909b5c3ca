"""Teach a judge that different things are neutral: one short pass over pairs that it gets wrong.

The pairs of claims that it calls entailed without reason, as many that it gets right, and pairs of earlier
stages, on which it also has to keep its own probabilities. An entailment that is wrongly found costs more the
surer it is, and two wordings of a pair have to get the same probabilities. Word embeddings and the lowest
layers stay as they are.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from pathlib import Path

import torch
from claims import Compared
from pairs import Pair
from torch.nn.functional import one_hot
from train import batches_by_tokens
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.labels import LABELS
from claimwise.nli import NLIModel

RATE, WARMUP, TOKENS, MAX_LENGTH = 6e-5, 30, 1024, 256
FROZEN_LAYERS, DECAY = 3, 0.98
FALSE_ENTAILMENT, CONSISTENCY = 2.0, 0.3  # weights of two terms of the loss
SUSPECT, KNOWN = 0.15, 0.6  # an entailment of a neutral pair from here on; a label that is known from here on


def aimed_at(judge: NLIModel, drawn: Sequence[Compared], generator: random.Random) -> list[Compared]:
    """Return the pairs that a judge gets wrong or nearly wrong, and as many that it gets right."""
    found = judge.predict([one.premise for one in drawn], [one.hypothesis for one in drawn])
    hard, easy, missed, known = [], [], [], []
    for one, probabilities in zip(drawn, found, strict=True):
        gold = LABELS.index(one.label)
        if one.label == "neutral":
            (hard if probabilities[0] > SUSPECT else easy).append(one)
        else:
            (missed if probabilities[gold] < KNOWN else known).append(one)
    easy, known = (generator.sample(pool, len(pool)) for pool in (easy, known))
    return [*hard, *easy[: len(hard)], *missed, *known[: max(0, 2_500 - len(missed))]]


def aim(
    start: Path,
    aimed: Sequence[Compared],
    replayed: Sequence[Pair],
    out: Path,
    seed: int,
) -> None:
    """Train the upper layers of ``start`` and save their running average to ``out``."""
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(start)
    network = AutoModelForSequenceClassification.from_pretrained(
        start, dtype=torch.float32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    teacher = copy.deepcopy(network).eval()
    for part in (network.bert.embeddings, network.bert.encoder.layer[:FROZEN_LAYERS]):
        part.requires_grad_(False)
    trained = {name: tensor for name, tensor in network.named_parameters() if tensor.requires_grad}
    average = {name: tensor.detach().clone() for name, tensor in trained.items()}
    optimizer = torch.optim.AdamW(trained.values(), lr=RATE, weight_decay=0.0)

    # Each unit is one pair, or one pair in two wordings.
    units = [[(p.premise, p.hypothesis), *([p.again] if p.again else [])] for p in aimed]
    units += [[(p.premise, p.hypothesis)] for p in replayed]
    labels = [LABELS.index(p.label) for p in (*aimed, *replayed)]
    lengths = [
        len(unit)
        * max(
            len(tokenizer(*pair, truncation="only_first", max_length=MAX_LENGTH)["input_ids"])
            for pair in unit
        )
        for unit in units
    ]
    batches = batches_by_tokens(lengths, TOKENS, random.Random(seed))
    for step, batch in enumerate(batches):
        pairs = [pair for unit in batch for pair in units[unit]]
        gold = torch.tensor([labels[unit] for unit in batch for _ in units[unit]])
        is_aimed = torch.tensor([unit < len(aimed) for unit in batch for _ in units[unit]])
        inputs = tokenizer(
            [premise for premise, _ in pairs],
            [hypothesis for _, hypothesis in pairs],
            truncation="only_first",
            max_length=MAX_LENGTH,
            padding=True,
            return_tensors="pt",
        )
        log_p = network(**inputs).logits.log_softmax(-1)
        with torch.no_grad():
            taught = teacher(**inputs).logits.softmax(-1)
        right = one_hot(gold, len(LABELS)).float()
        target = torch.where(is_aimed[:, None], 0.95 * right + 0.05 / len(LABELS), (right + taught) / 2)
        cross_entropy = -(target * log_p).sum(-1)
        false_entailment = -torch.log1p(-log_p[:, 0].exp().clamp(max=0.999))
        unrelated = is_aimed & (gold == LABELS.index("neutral"))
        loss = torch.where(
            unrelated, 0.5 * cross_entropy + FALSE_ENTAILMENT * false_entailment, cross_entropy
        ).mean()
        ends = torch.tensor([len(units[unit]) for unit in batch]).cumsum(0)
        second = torch.tensor(
            [end - 1 for end, unit in zip(ends, batch, strict=True) if len(units[unit]) == 2]
        )
        if len(second):
            one, other = log_p[second - 1], log_p[second]
            differing = ((one.exp() - other.exp()) * (one - other)).sum()
            loss = loss + CONSISTENCY * differing / len(pairs)
        rate = RATE * min(1.0, (step + 1) / WARMUP) * (1 - step / len(batches))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained.values(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        kept = min(DECAY, (step + 1) / (step + 10))
        with torch.no_grad():
            for name, tensor in trained.items():
                average[name].lerp_(tensor, 1 - kept)
        if (step + 1) % 50 == 0:
            print(f"{out.name}: step {step + 1} of {len(batches)}, loss {loss.item():.3f}", flush=True)
    teacher.load_state_dict(teacher.state_dict() | average)
    teacher.save_pretrained(out)
    tokenizer.save_pretrained(out)
