"""Teach a judge that different things are neutral: one short pass over pairs that it gets wrong.

The pass reads the pairs of claims that the judge calls entailed without reason, as many that it gets right,
and pairs of earlier stages, whose target is half their label, half what the judge gave them before. A wrong
entailment costs more the surer it is, and two wordings of a pair have to get the same probabilities. Word
embeddings and the lowest layers stay as they are. A killed pass begins again: it takes minutes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import torch
from claims import Compared
from pairs import Pair
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from train import batches_by_tokens, target_probabilities
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from claimwise.judges import NLIModel
from claimwise.labels import ENTAILMENT, LABELS, NEUTRAL

RATE, WARMUP, TOKENS, MAX_LENGTH = 6e-5, 30, 1024, 256
FROZEN_LAYERS, DECAY, SMOOTHING = 3, 0.98, 0.05
FALSE_ENTAILMENT, CONSISTENCY = 2.0, 0.3  # weights of two terms of the loss
SUSPECT, KNOWN = 0.15, 0.6  # least p(entailment) of a hard neutral pair; least p(label) of a known other pair
RELATED = 2_500  # pairs that are not neutral, at least


def aimed_at(
    drawn: Sequence[Compared], probabilities: Sequence[Sequence[float]], generator: random.Random
) -> list[Compared]:
    """Return the pairs that a judge gets wrong or nearly wrong, and as many that it gets right.

    Args:
        drawn: pairs of claims.
        probabilities: the judge's, for each of them.
        generator: draws the pairs that it gets right.
    """
    hard, easy, missed, known = [], [], [], []
    for one, found in zip(drawn, probabilities, strict=True):
        if one.label == "neutral":
            (hard if found[ENTAILMENT] > SUSPECT else easy).append(one)
        else:
            (missed if found[LABELS.index(one.label)] < KNOWN else known).append(one)
    easy, known = (generator.sample(pool, len(pool)) for pool in (easy, known))
    return [*hard, *easy[: len(hard)], *missed, *known[: max(0, RELATED - len(missed))]]


def aim(start: Path, aimed: Sequence[Compared], replayed: Sequence[Pair], out: Path, seed: int) -> None:
    """Train the upper layers of ``start`` and save their running average to ``out``."""
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(start)
    network = AutoModelForSequenceClassification.from_pretrained(
        start, dtype=torch.float32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    for part in (network.bert.embeddings, network.bert.encoder.layer[:FROZEN_LAYERS]):
        part.requires_grad_(False)
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.0)
    running_average = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(DECAY))

    # Each unit is one pair, or one pair in two wordings.
    units = [[(p.premise, p.hypothesis), *([p.again] if p.again else [])] for p in aimed]
    units += [[(p.premise, p.hypothesis)] for p in replayed]
    judge = NLIModel.from_pretrained(start, device="cpu", dtype="float32", label_order=LABELS)
    own = judge.predict([p.premise for p in replayed], [p.hypothesis for p in replayed])
    targets = torch.tensor([target_probabilities(p.label, SMOOTHING) for p in aimed])
    labels = torch.tensor([target_probabilities(p.label, 0.0) for p in replayed])
    targets = torch.cat([targets, (labels + torch.from_numpy(own)) / 2])
    is_unrelated = torch.tensor([p.label == LABELS[NEUTRAL] for p in aimed] + [False] * len(replayed))
    is_reworded = torch.tensor([len(unit) == 2 and unit[0] != unit[1][::-1] for unit in units])
    cut = {"truncation": "only_first", "max_length": MAX_LENGTH}
    lengths = [len(unit) * max(len(tokenizer(*pair, **cut)["input_ids"]) for pair in unit) for unit in units]

    batches = batches_by_tokens(lengths, TOKENS, random.Random(seed))
    for step, batch in enumerate(batches):
        of_batch = [(unit, pair) for unit in batch for pair in units[unit]]
        rows = torch.tensor([unit for unit, _ in of_batch])
        premises, hypotheses = zip(*(pair for _, pair in of_batch), strict=True)
        inputs = tokenizer(list(premises), list(hypotheses), **cut, padding=True, return_tensors="pt")
        log_p = network(**inputs).logits.log_softmax(-1)
        cross_entropy = -(targets[rows] * log_p).sum(-1)
        false_entailment = -torch.log1p(-log_p[:, ENTAILMENT].exp().clamp(max=0.999))
        unrelated = 0.5 * cross_entropy + FALSE_ENTAILMENT * false_entailment
        loss = torch.where(is_unrelated[rows], unrelated, cross_entropy).mean()
        is_first = (rows[:-1] == rows[1:]) & is_reworded[rows[1:]]
        one, other = log_p[:-1][is_first], log_p[1:][is_first]
        loss = loss + CONSISTENCY * ((one.exp() - other.exp()) * (one - other)).sum() / len(of_batch)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARMUP) * (1 - step / len(batches))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        running_average.update_parameters(network)
        if (step + 1) % 50 == 0:
            print(f"{out.name}: step {step + 1} of {len(batches)}, loss {loss.item():.3f}", flush=True)
    running_average.module.save_pretrained(out)
    tokenizer.save_pretrained(out)
