"""The claim writer from its data: examples, training, export.

``CLAIMWISE_DATA=../shared/data python training/writer/run.py`` does all; a step whose result is there is not
repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from rows import ROOT, Sentence, sentences_of
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import BertConfig, BertModel

from claimwise.text.writer import ClaimWriter
from claimwise.text.writer.batch import Batch, batch_of, groups
from claimwise.text.writer.beams import MOST_STEPS
from claimwise.text.writer.decoder import END, Decoder
from claimwise.text.writer.decomposer import NEEDS_CONTEXT, WEIGHTS
from claimwise.text.writer.network import JUDGE
from examples import Augmentation, Example, actions, example_of, vocabulary_of

sys.path.append(str(ROOT / "benchmarks"))
from decomposition import claim_scores

EPOCHS = 4
HASTY, JOINED, BEHIND = 0.3, 0.25, 0.4
TIMES = {"treebank": 1.6, "verdicts": 1.0, "attributions": 1.4, "plain": 0.7, "messy": 0.8}
"""How often a sentence is seen in an epoch."""
WORDS_OF_BATCH = 800
HIDDEN = 0.12  # share of word pieces that the encoder does not see
RATE, RATE_OF_NEW, WARM_UP = 1e-4, 7e-4, 100
AVERAGED = 0.997
MASK, FIRST_PIECE = 103, 1000
WORDS = "embeddings.word_embeddings.weight"


def make_examples(sentences: Sequence[Sentence]) -> list[tuple[float, list[Example]]]:
    """Return for each sentence how often it is seen, and its examples, of which one is taken each time."""

    def made(known: frozenset[str] | None) -> list[tuple[float, list[Example]]]:
        found = []
        for one in sentences:
            contexts = {one.context if NEEDS_CONTEXT.search(one.text) else ""} | (
                {""} if one.kind in ("treebank", "verdicts") else set()
            )
            wordings = [(one.claims, None if one.stripped is None else False)]
            if one.stripped is not None:
                wordings.append((one.stripped, True))
            examples = [
                example
                for context in sorted(contexts)
                for claims, strip in wordings
                if (
                    example := example_of(
                        one.text,
                        claims,
                        is_messy=one.kind in ("messy", "treebank", "verdicts"),
                        context=context,
                        known=known,
                        strip=strip,
                    )
                )
            ]
            if examples:
                times = TIMES["attributions" if one.stripped is not None else one.kind]
                found.append((times, examples))
        return found

    first = [example for _, examples in made(None) for example in examples]
    return made(frozenset(vocabulary_of(first)))


def choices_of(claims: Sequence[Sequence[object]], numbers: dict[str, int]) -> list[tuple[int, int]]:
    """Return claims as the network's choices, its end included."""
    choices: list[tuple[int, int]] = []
    for claim in claims:
        if choices:
            choices.append((numbers["<next>"], -1))
        for first, last in actions(claim):
            if isinstance(first, int):
                choices.append((len(numbers) + first, last))
            elif first in numbers:
                choices.append((numbers[first], -1))
    return [*choices[: MOST_STEPS - 1], (END, -1)]


class Writer(nn.Module):
    """What is trained: transformers' encoder and the decoder."""

    def __init__(
        self, layers: int, vocabulary: Sequence[str], size: int = 256, decoder_layers: int = 3
    ) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(JUDGE, num_hidden_layers=layers, hidden_dropout_prob=0.0)
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.encoder.set_attn_implementation("eager")
        self.decoder = Decoder(config.hidden_size, len(vocabulary), size=size, layers=decoder_layers)
        self.vocabulary = list(vocabulary)

    def begin_from(self, folder: Path, judge: Path) -> None:
        """Take over what fits from weights that were trained before."""
        config = json.loads((folder / "config.json").read_text())
        before = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
        of_judge = load_file(judge / "model.safetensors")
        before[f"encoder.{WORDS}"] = of_judge[f"bert.{WORDS}"].float()
        state = self.state_dict()
        taken = 0
        for name, tensor in state.items():
            old = before.get(name)
            if name in ("decoder.own_word.weight", "decoder.own_scores.weight", "decoder.own_scores.bias"):
                for number, word in enumerate(self.vocabulary):
                    if word in config["vocabulary"]:
                        tensor[number] = old[config["vocabulary"].index(word)]
            elif old is not None and old.shape == tensor.shape:
                tensor.copy_(old)
                taken += 1
        self.load_state_dict(state)
        print(f"{taken} of {len(state)} tensors are those of before")

    def states(self, batch: Batch, *, hide: bool) -> torch.Tensor:
        """Return the encoder's states of the word pieces, padding left out."""
        lengths = torch.from_numpy(batch.lengths)
        mask = torch.arange(int(lengths.max())) < lengths[:, None]
        pieces = torch.zeros(mask.shape, dtype=torch.long)
        pieces[mask] = torch.from_numpy(batch.pieces)
        if hide:
            pieces = pieces.masked_fill((torch.rand(pieces.shape) < HIDDEN) & (pieces >= FIRST_PIECE), MASK)
        return self.encoder(input_ids=pieces, attention_mask=mask.long()).last_hidden_state[mask]


def loss_of(writer: Writer, batch: Batch, examples: Sequence[Example]) -> tuple[torch.Tensor, float]:
    """Return the mean cross-entropy of an example, and the share of choices that are right."""
    numbers = {word: number for number, word in enumerate(writer.vocabulary)}
    decoder = writer.decoder
    wanted = [choices_of(example.claims, numbers) for example in examples]
    longest = max(map(len, wanted))
    gold = torch.full((len(wanted), longest, 2), -100)
    for row, choices in enumerate(wanted):
        gold[row, : len(choices)] = torch.tensor(choices)
    firsts = gold[..., 0]
    lasts = gold[..., 1].masked_fill(gold[..., 1] < 0, -100)
    with torch.autocast("cpu", torch.bfloat16):
        words, padding = decoder.words(writer.states(batch, hide=True), batch)
        words = words.to(torch.bfloat16)
        _, scores, ends, _ = decoder.read(words, padding.to(torch.bfloat16), batch, firsts, gold[..., 1])
    loss = nn.functional.cross_entropy(scores.transpose(1, 2), firsts, reduction="sum")
    loss = loss + nn.functional.cross_entropy(ends.transpose(1, 2), lasts, reduction="sum")
    right = (scores.argmax(-1) == firsts) & ((lasts < 0) | (ends.argmax(-1) == lasts)) & (firsts >= 0)
    return loss / len(wanted), (right.sum() / (firsts >= 0).sum()).item()


def claim_f1(folder: Path, sentences: Sequence[Sentence], attributions: str = "keep") -> float:
    """Return the claim F1 of the weights in a folder, each sentence read by itself."""
    writer = ClaimWriter("sentence", attributions, folder)  # type: ignore[arg-type]
    found = writer([one.text for one in sentences])
    claims = [one.stripped if attributions == "strip" and one.stripped else one.claims for one in sentences]
    return round(claim_scores(claims, found).f1, 3) if sentences else 0.0


def train(options: argparse.Namespace) -> None:
    """Train the network, keeping the average of its weights after each epoch."""
    torch.manual_seed(options.seed)
    generator = random.Random(options.seed)
    seen = make_examples(sentences_of("train", options.data))
    validation = sentences_of("validation", options.data)
    all_examples = [example for _, examples in seen for example in examples]
    begun = (
        json.loads((options.begin / "config.json").read_text())["vocabulary"] if options.same_words else None
    )
    vocabulary = begun or vocabulary_of(all_examples)
    writer = Writer(options.encoder_layers, vocabulary, decoder_layers=options.layers)
    writer.begin_from(options.begin, JUDGE)
    writer.encoder.embeddings.word_embeddings.requires_grad_(False)
    tokenizer = Tokenizer.from_file(str(JUDGE / "tokenizer.json"))
    tokenizer.no_padding()
    augmentation = Augmentation(writer.vocabulary, generator)
    print(
        f"{len(seen)} sentences, {len(all_examples)} examples, {len(vocabulary)} words of its own", flush=True
    )

    def examples_of() -> list[Example]:
        some: list[Example] = []
        for times, examples in seen:
            count = int(times) + (generator.random() < times % 1)
            some += [generator.choice(examples) for _ in range(count)]
        return augmentation.epoch(some, hasty=HASTY, joined=JOINED, behind=BEHIND)

    def batches_of(examples: Sequence[Example]) -> list[list[int]]:
        lengths = [len(one.words) + int(4 * generator.random()) for one in examples]
        found = list(groups(lengths, WORDS_OF_BATCH))
        generator.shuffle(found)
        return found

    old = [p for p in writer.encoder.parameters() if p.requires_grad]
    new = list(writer.decoder.parameters())
    optimizer = torch.optim.AdamW(
        [{"params": old, "lr": options.rate}, {"params": new, "lr": options.rate_of_new}],
        betas=(0.9, 0.98),
        fused=True,
    )
    steps = options.epochs * len(batches_of(examples_of()))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / WARM_UP) * max(0.02, 1 - step / steps)
    )
    average = {name: p.detach().clone() for name, p in writer.named_parameters() if p.requires_grad}
    started, step = time.monotonic(), 0
    for epoch in range(options.epochs):
        examples = examples_of()
        writer.train()
        losses, rights = [], []
        for indexes in batches_of(examples):
            chosen = [examples[index] for index in indexes]
            strip = [generator.random() < 0.5 if one.strip is None else one.strip for one in chosen]
            batch = batch_of(tokenizer, [one.words for one in chosen], [one.context for one in chosen], strip)
            with sdpa_kernel(SDPBackend.MATH):
                loss, right = loss_of(writer, batch, chosen)
                optimizer.zero_grad()
                loss.backward()
            nn.utils.clip_grad_norm_(writer.parameters(), 3.0)
            optimizer.step()
            schedule.step()
            share = min(AVERAGED, (1 + step) / (10 + step))
            with torch.no_grad():
                for name, parameter in writer.named_parameters():
                    if parameter.requires_grad:
                        average[name].lerp_(parameter.detach(), 1 - share)
            losses.append(loss.item())
            rights.append(right)
            step += 1
            if step % 100 == 0:
                print(
                    f"  {step} of {steps}, {time.monotonic() - started:.0f} s, "
                    f"loss {sum(losses[-100:]) / 100:.3f}",
                    flush=True,
                )
        folder = options.work / f"epoch_{epoch}"
        export(writer, average, folder)
        kinds = ("plain", "messy", "treebank")
        found = {kind: claim_f1(folder, [one for one in validation if one.kind == kind]) for kind in kinds}
        framed = [one for one in validation if one.stripped]
        found |= {attributions: claim_f1(folder, framed, attributions) for attributions in ("keep", "strip")}
        mean = [sum(values) / len(values) for values in (losses, rights)]
        print(
            f"epoch {epoch}: loss {mean[0]:.3f}, choices right {mean[1]:.3f}, validation {found}, "
            f"{time.monotonic() - started:.0f} s",
            flush=True,
        )


def export(writer: Writer, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """Write the network into a folder: all weights but the word embeddings, in bfloat16."""
    folder.mkdir(parents=True, exist_ok=True)
    state = writer.state_dict() | weights
    state = {
        name: tensor.to(torch.bfloat16).contiguous()
        for name, tensor in state.items()
        if name != f"encoder.{WORDS}" and tensor.is_floating_point()
    }
    save_file(state, folder / "model.safetensors")
    config = {
        "encoder_layers": writer.encoder.config.num_hidden_layers,
        "width": writer.encoder.config.hidden_size,
        "size": writer.decoder.size,
        "layers": len(writer.decoder.layers),
        "vocabulary": writer.vocabulary,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def cache() -> Path:
    """Return the folder of all in between: ``~/.cache/claimwise/training``."""
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "claimwise" / "training"


def main() -> None:
    """Train, and put the last weights in place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("CLAIMWISE_DATA", "../shared/data"))
    parser.add_argument("--work", type=Path, default=cache() / "writer", help="folder of all in between")
    parser.add_argument("--begin", type=Path, default=WEIGHTS, help="folder of the weights to begin from")
    parser.add_argument("--same-words", action="store_true", help="keep the own words of these")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--encoder-layers", type=int, default=4)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--rate-of-new", type=float, default=RATE_OF_NEW)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    train(options)


if __name__ == "__main__":
    main()
