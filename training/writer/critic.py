"""The critic: whether a claim that the network wrote is a sentence, and said.

``python training/writer/critic.py --network FOLDER --verdicts FOLDER`` trains it on a network that stays as
it is and adds it to the network's weights. The verdicts are made by ``candidates.py`` and read by people or
language-model agents.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from claimwise.text.writer.batch import batch_of
from claimwise.text.writer.critic import Critic
from claimwise.text.writer.decoder import END, MOST_WORDS, Choice
from claimwise.text.writer.decomposer import NEEDS_CONTEXT
from claimwise.text.writer.network import Network, load
from claimwise.text.writer.words import Source, words_of

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


def read_by(network: Network, source: Source, choices: Sequence[Choice], labels: Tensor) -> Read:
    """Return what the critic sees of choices that the network made of a sentence."""
    batch = batch_of(network.tokenizer, [source.words], [source.context], [False])
    chosen = torch.tensor([*choices, Choice(END, -1)])[None]
    with torch.inference_mode():
        words, padding = network.decoder.words(network.states(batch), batch)
        x, likely, claim, _ = network.decoder.follow(words, padding, batch, chosen)
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


def read_verdicts(folder: Path) -> list[Verdict]:
    """Return the verdicts in a folder: ``all.jsonl`` holds the candidates, ``out_N.jsonl`` the faults."""
    candidates = [json.loads(line) for line in (folder / "all.jsonl").read_text("utf-8").splitlines()]
    readers = sorted(folder.glob("in_*.jsonl"))
    found = []
    for number, _ in enumerate(readers):
        rows = candidates[number :: len(readers)]
        path = folder / f"out_{number}.jsonl"
        if not path.exists():
            continue
        faults = {fault["n"]: fault["bad"] for fault in map(json.loads, path.read_text("utf-8").splitlines())}
        for place, row in enumerate(rows):
            source = words_of(row["sentence"])
            bad = faults.get(place, {})
            previous = words_of(row["context"])
            both = len(previous.words) + len(source.words)
            if previous.words and NEEDS_CONTEXT.search(row["sentence"]) and both <= MOST_WORDS - 10:
                source = source.behind(previous)
            flags = [bad.get(str(claim), "") for claim in range(len(row["claims"]))]
            found.append(
                Verdict(
                    source,
                    [Choice(*choice) for choice in row["choices"]],
                    ["u" in flag for flag in flags],
                    ["n" in flag for flag in flags],
                )
            )
    return found


def main() -> None:
    """Train the critic and add it to the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--rejected-above", type=float, default=0.5, help="probability of a fault (default: %(default)s)"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    network = load(options.network)
    rows = []
    for verdict in read_verdicts(options.verdicts):
        labels = torch.tensor(list(zip(verdict.ungrammatical, verdict.not_said, strict=True))).float()
        rows.append(read_by(network, verdict.source, verdict.choices, labels))
    faults = torch.cat([row.labels for row in rows])
    print(f"{len(rows)} sentences, {len(faults)} claims, faults {faults.mean(0).tolist()}")
    critic = train(rows, network.decoder.size, options.seed)
    path = options.network / "model.safetensors"
    state = {name: tensor for name, tensor in load_file(path).items() if not name.startswith("critic.")}
    state |= {f"critic.{name}": tensor.to(torch.bfloat16) for name, tensor in critic.state_dict().items()}
    save_file(state, path)
    config = json.loads((options.network / "config.json").read_text("utf-8"))
    config["rejected_above"] = options.rejected_above
    (options.network / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
