"""The critic: whether a claim that the network wrote is a sentence, and said.

``python training/writer/critic.py --network FOLDER`` trains it on the verdicts of OpinionClaims, on a network
that stays as it is, and adds it to the network's weights.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).parents[1]))
from batches import batch_of
from checkpoints import JUDGE
from claim_critic import Critic
from rows import verdicts
from run import choices_of
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from trained import Trained, read_trained

from claimwise.text.writer.decomposer import NEEDS_CONTEXT
from claimwise.text.writer.network import END, Choice
from claimwise.text.writer.words import Source, words_of
from examples import example_of

EPOCHS, RATE = 40, 1e-3
VALIDATION = 0.15


@dataclass(frozen=True)
class Verdict:
    """What a reader said of the claims of a sentence.

    Attributes:
        source: the sentence, after the previous one where both were read.
        choices: what the network chose.
        ungrammatical: whether each claim is.
        not_said: whether each claim is.
    """

    source: Source
    choices: list[Choice]
    ungrammatical: list[bool]
    not_said: list[bool]


@dataclass(frozen=True)
class Read:
    """What the critic sees of one sentence; see ``Critic.forward``."""

    x: Tensor
    likely: Tensor
    claim: Tensor
    labels: Tensor


def read_by(
    network: Trained, tokenizer: Tokenizer, source: Source, choices: Sequence[Choice], labels: Tensor
) -> Read:
    """Return what the critic sees of choices that the network made of a sentence."""
    batch = batch_of(tokenizer, [source.words], [source.context], [False])
    with torch.inference_mode():
        words, padding = network.decoder.words(network.states(torch.from_numpy(batch.pieces)), batch)
        x, likely, claim, _ = network.decoder.follow(words, padding, batch, [choices])
    return Read(x[0].clone(), likely[0].clone(), claim[0].clone(), labels)


def loss_of(critic: Critic, rows: Sequence[Read]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the mean loss of claims, their logits and their labels."""
    pad = nn.utils.rnn.pad_sequence
    claim = pad([row.claim for row in rows], batch_first=True)
    is_step = pad([torch.ones_like(row.claim, dtype=torch.bool) for row in rows], batch_first=True)
    x, likely = (pad([getattr(row, name) for row in rows], batch_first=True) for name in ("x", "likely"))
    logits = critic(x, likely, claim, is_step)
    is_claim = torch.arange(logits.shape[1]) < torch.tensor([len(row.labels) for row in rows])[:, None]
    labels = pad([row.labels for row in rows], batch_first=True)[is_claim]
    return nn.functional.binary_cross_entropy_with_logits(logits[is_claim], labels), logits[is_claim], labels


def auc(scores: Tensor, labels: Tensor) -> float:
    """Return how often a claim with the fault has a higher score than one without."""
    ranks = scores.argsort().argsort().double() + 1
    with_fault = labels > 0
    count = int(with_fault.sum())
    total = count * (len(labels) - count)
    return float((ranks[with_fault].sum() - count * (count + 1) / 2) / total) if total else float("nan")


def train(rows: Sequence[Read], size: int, seed: int) -> Critic:
    """Return a critic that was trained on rows, and print how it does on those held back."""
    torch.manual_seed(seed)
    generator = random.Random(seed)
    order = list(rows)
    generator.shuffle(order)
    held_back = order[: int(VALIDATION * len(order))]
    seen = order[len(held_back) :]
    critic = Critic(size)
    optimizer = torch.optim.AdamW(critic.parameters(), lr=RATE, weight_decay=0.05)
    best, kept = float("inf"), critic.state_dict()
    for epoch in range(EPOCHS):
        critic.train()
        generator.shuffle(seen)
        for start in range(0, len(seen), 64):
            loss, *_ = loss_of(critic, seen[start : start + 64])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        critic.eval()
        with torch.no_grad():
            loss, logits, labels = loss_of(critic, held_back)
        faults = [round(auc(logits[:, n], labels[:, n]), 3) for n in (0, 1)]
        any_fault = auc(logits.sigmoid().amax(1), labels.amax(1))
        if loss < best:
            best, kept = loss.item(), {name: t.clone() for name, t in critic.state_dict().items()}
            print(f"epoch {epoch}: loss {loss:.4f}, AUC {faults}, of either {any_fault:.3f}", flush=True)
            chance = logits.sigmoid().amax(1)
            for at in (0.2, 0.3, 0.4, 0.5, 0.6):
                hit = chance > at
                wrong = labels.amax(1) > 0
                print(
                    f"    above {at}: {hit.float().mean():.3f} of claims, of which wrong "
                    f"{wrong[hit].float().mean():.2f}; wrong found {hit[wrong].float().mean():.2f}; "
                    f"wrong among the rest {wrong[~hit].float().mean():.3f}"
                )
    critic.load_state_dict(kept)
    return critic


def read_verdicts(data: Path, vocabulary: Sequence[str]) -> list[Verdict]:
    """Return the verdicts of OpinionClaims, claims as the choices that spell them."""
    numbers = {word: number for number, word in enumerate(vocabulary)}
    found = []
    for row, sentence in verdicts.joined(verdicts.read_rows(), data / "ud_ewt"):
        context = sentence.context if NEEDS_CONTEXT.search(sentence.text) else ""
        claims = [[claim] for claim in row.written]
        example = example_of(
            sentence.text, claims, is_messy=True, context=context, known=frozenset(vocabulary)
        )
        if example is None:
            continue
        source = words_of(sentence.text)
        choices = [Choice(*choice) for choice in choices_of(example.claims, numbers)]
        found.append(
            Verdict(
                source.behind(words_of(context)) if context else source,
                [choice for choice in choices if choice.first != END],
                ["u" in faults for faults in row.faults],
                ["n" in faults for faults in row.faults],
            )
        )
    return found


def main() -> None:
    """Train the critic and add it to the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    network = read_trained(options.network, JUDGE)
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    rows = []
    for verdict in read_verdicts(options.data, network.vocabulary):
        labels = torch.tensor(list(zip(verdict.ungrammatical, verdict.not_said, strict=True))).float()
        rows.append(read_by(network, tokenizer, verdict.source, verdict.choices, labels))
    faults = torch.cat([row.labels for row in rows])
    print(f"{len(rows)} sentences, {len(faults)} claims, faults {faults.mean(0).tolist()}")
    critic = train(rows, network.decoder.size, options.seed)
    path = options.network / "model.safetensors"
    state = {name: tensor for name, tensor in load_file(path).items() if not name.startswith("critic.")}
    state |= {f"critic.{name}": tensor.to(torch.bfloat16) for name, tensor in critic.state_dict().items()}
    save_file(state, path)


if __name__ == "__main__":
    main()
